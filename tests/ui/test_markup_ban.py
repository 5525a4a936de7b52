"""No string that is not our own source ever reaches a place where Textual reads markup.

Textual parses markup in most of the strings it is handed, and a server's text would crash it or
carry actions. So in ``ui``: what such a place gets is content, a plain literal without a bracket,
or comes with ``markup=False``.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mcp_tasks_tui.ui

_UI = Path(mcp_tasks_tui.ui.__file__).parent
_SOURCES = sorted(_UI.rglob("*.py"))

#: Textual's widgets that parse what they show as markup unless they are told not to.
_TAKES_MARKUP = {"Static", "Label", "OptionList", "RichLog", "SelectionList"}
#: Those that cannot be told: literals and content only.
_WORDS_ONLY = {
    "Button",
    "Checkbox",
    "RadioButton",
    "Switch",
    "Collapsible",
    "TabPane",
    "Tab",
    "Option",
    "Selection",
    "Tree",
    "DataTable",
    "Link",
}
#: Attributes that are parsed as markup when they are set.
_PARSED_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
#: Makers of content that cannot be parsed again; ``_prompt`` makes that of an option.
_CONTENT = {"content", "beside", "lines", "Content", "Text", "_prompt"}
_FORBIDDEN = {"from_markup", "visualize"}


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_plain(node: ast.expr) -> bool:
    """A literal of ours without brackets, or content."""
    if isinstance(node, ast.Constant):
        return not (isinstance(node.value, str) and "[" in node.value)
    return isinstance(node, ast.Call) and _name(node.func) in _CONTENT


def _switches_off(call: ast.Call) -> bool | None:
    """Tell whether `call` says ``markup=False``; None where it says nothing of markup."""
    for word in call.keywords:
        if word.arg == "markup":
            return isinstance(word.value, ast.Constant) and word.value.value is False
    return None


class _Check(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: list[str] = []
        #: Local name -> the name of what was imported from Textual.
        self.textual: dict[str, str] = {}

    def fault(self, node: ast.stmt | ast.expr, why: str) -> None:
        self.found.append(f"{node.lineno}: {why}")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module == "rich.markup":
            self.fault(node, "escape() does not make text safe")
        if module.startswith("textual") and module != "textual.widgets.input":
            # What is called so there is a stretch of the text of a field, and no choice of a list.
            self.textual |= {each.asname or each.name: each.name for each in node.names}

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            parsed = isinstance(target, ast.Attribute) and target.attr in _PARSED_ATTRIBUTES
            if parsed and not _is_plain(node.value):
                self.fault(node, f"{_name(target)} is parsed as markup")
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Our own kinds of a widget that parses say ``markup=False`` for all of theirs."""
        bases = {self.textual.get(_name(base)) for base in node.bases}
        starts = [
            call
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and _name(call.func) == "__init__"
        ]
        if bases & _TAKES_MARKUP and not any(_switches_off(call) for call in starts):
            self.fault(node, f"{node.name} does not switch markup off")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._look_at(node)
        self.generic_visit(node)

    def _look_at(self, call: ast.Call) -> None:
        name = _name(call.func)
        widget = self.textual.get(name, "")
        off = _switches_off(call)
        if name in _FORBIDDEN:
            self.fault(call, f"{name} reads markup")
        elif off is False:
            self.fault(call, "markup is only ever switched off")
        elif (widget in _TAKES_MARKUP or name == "notify") and not off:
            self.fault(call, f"{name}(...) without markup=False")
        elif widget in _WORDS_ONLY and call.args and not _is_plain(call.args[0]):
            self.fault(call, f"{name}(...) with words that are not plain")


def faults(source: str) -> list[str]:
    """Return what in `source` could hand a string to a markup parser, one line each."""
    check = _Check()
    check.visit(ast.parse(source))
    return check.found


@pytest.mark.parametrize("path", _SOURCES, ids=lambda path: str(path.relative_to(_UI)))
def test_no_source_hands_strings_to_a_markup_parser(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


_IMPORTS = """
from textual.widgets import Button, Label, OptionList, Static
from textual.widgets.option_list import Option
from ours import Tree
"""


@pytest.mark.parametrize(
    "source",
    [
        "Static(message)",
        'Static(f"[b]{message}[/b]")',
        "Label(str(text), markup=True)",
        "OptionList(*prompts)",
        "self.notify(str(error))",
        "self.border_title = f'{name}'",
        "box.tooltip = message",
        "Button(label)",
        'Button("[red]x")',
        "Option(tool.name)",
        "Content.from_markup(text)",
        "Text.from_markup(text)",
        "from rich.markup import escape",
        "Static(text, markup=flag)",
        "class Ours(Static): pass",
        "class Ours(Static):\n    def __init__(self): super().__init__(text)",
        "from textual.widgets import Static as Words\nWords(message)",
    ],
)
def test_the_check_finds_what_it_is_for(source: str) -> None:
    assert faults(_IMPORTS + source)


@pytest.mark.parametrize(
    "source",
    [
        "Static(content(message), markup=False)",
        "self.notify(one_line(text), markup=False)",
        'Button("Send")',
        "Button(content(label))",
        "Tree(root)",
        'self.border_title = "Open this page?"',
        "self.border_title = content(name)",
        "class Ours(Static):\n    def __init__(self): super().__init__(text, markup=False)",
    ],
)
def test_the_check_lets_through_what_is_sound(source: str) -> None:
    assert faults(_IMPORTS + source) == []
