"""Calls a tool: a server, one of its tools, its arguments. Nothing is sent before the last step.

What was filled in is kept until it is sent, and is there again when the dialog is opened anew.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option
from textual.worker import WorkerError

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.forms.answer import compose as compose_answer
from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import counted
from mcp_tasks_tui.ui.actions import FAILURES
from mcp_tasks_tui.ui.commands.keymap import keymap_of, with_key
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.screens.call_draft import CallDraft
from mcp_tasks_tui.ui.screens.dialog import FORM_STYLES, Dialog, DialogField
from mcp_tasks_tui.ui.servers import UnknownServer
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.form.fields import FormFields
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.ui.widgets.text_line import TextLine
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.binding import BindingType
    from textual.content import Content
    from textual.widget import Widget
    from textual.worker import Worker

    from mcp_tasks_tui.forms.model import Form
    from mcp_tasks_tui.forms.values import Entry
    from mcp_tasks_tui.protocol.messages import Tool
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.ui.screens.call_draft import TakenDraft
    from mcp_tasks_tui.ui.servers import KnownServers


@record
class CallWanted:
    """What a person wants to be called."""

    server_url: str
    tool: Tool
    arguments: dict[str, Any]
    label: str | None
    #: What was filled in, for when it is not sent after all.
    draft: TakenDraft | None = None


class _ToolOption(Option):
    def __init__(self, tool: Tool) -> None:
        super().__init__(_prompt(tool))
        self.tool = tool


class _Arguments(FormFields):
    """The fields for the arguments of one tool of one server."""

    def __init__(self, url: str, tool: Tool, form: Form, entries: Mapping[str, Entry]) -> None:
        super().__init__(form, entries)
        self.url = url
        self.tool = tool


class NewCallScreen(Dialog[CallWanted]):
    """Dismisses with what is to be called; escape goes back one step at a time."""

    CSS_PATH = ["new_call.tcss", FORM_STYLES]  # noqa: RUF012 - Textual wants a list
    BINDINGS: ClassVar[list[BindingType]] = [
        ("down", "to_tools", "To the tools"),
    ]

    def __init__(
        self,
        supervisor: Supervisor,
        servers: KnownServers,
        first: str = "",
        draft: CallDraft | None = None,
    ) -> None:
        """`first` is the name of the server to begin with, where there is one; `draft` what was
        filled in before, which goes before it."""
        super().__init__("Call a tool")
        self._first = first or servers.only or ""
        self._draft = CallDraft() if draft is None else draft
        #: What to go on with once the tools are listed.
        self._resumed = self._draft.last()
        self._offered = {self._first, self._resumed.server if self._resumed else ""}
        self._supervisor = supervisor
        self._servers = servers
        self._url = ""
        self._tools: tuple[Tool, ...] = ()
        #: Reads the schema of the tool that was taken last, until its fields are there.
        self._reading: Worker[Form] | None = None
        #: It is what was filled in before: nobody has asked for it this time.
        self._unbidden = False
        #: Fields come and go one tool at a time.
        self._building = asyncio.Lock()
        #: What is filled in just now; without it, a person is at the tools.
        self._filling: _Arguments | None = None
        self._checking: Worker[None] | None = None

    def body(self) -> Iterable[Widget]:
        server = TextLine(id="call-server", placeholder="a known name, or a URL")
        server.suggester = SuggestFromList(self._servers.names, case_sensitive=False)
        search = Input(id="call-search", placeholder="type to find a tool", compact=True)
        search.cursor_blink = False
        label = TextLine(id="call-label", placeholder="what you call it")
        says = Line(id="call-says", classes="dialog-hint")
        tools = OptionList(id="call-tools", markup=False, compact=True)
        which = DialogField("Tool", "needed · enter takes it", search)
        which.add_class("call-which")
        yield Vertical(
            DialogField("Server", "needed · enter asks it for its tools", server, says),
            which,
            tools,
            id="call-pick",
        )
        yield Vertical(
            Line(id="call-tool"),
            Vertical(id="call-form"),
            DialogField("Label", "optional", label),
            id="call-arguments",
        )

    def foot(self) -> Iterable[Widget]:
        yield Line(id="call-error", classes="dialog-error")
        yield Horizontal(
            Button(with_key(self, "Call", "form.done"), variant="primary", id="send"),
            Button(with_key(self, "Other tool", "form.leave"), id="back"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        leaves = keymap_of(self).label("form.leave")
        box = self.query_one(".dialog-box")
        box.border_subtitle = content(f"{leaves} leaves, calls nothing" if leaves else "")
        self._show_step()
        server = self.query_one("#call-server", TextLine)
        server.focus()
        known = ", ".join(self._servers.names)
        self._says(f"known: {known}" if known else "none is known yet: give its URL")
        self.query_one("#call-label", Input).value = self._draft.label
        if self._resumed is not None:
            server.fill_in(self._resumed.server)
            self._ask()
        elif self._draft.server:
            server.value = self._draft.server  # perhaps half a URL: it is not asked unbidden
        elif self._first:
            server.fill_in(self._first)
            self._ask()

    def _show_step(self) -> None:
        self.set_class(self._filling is not None, "-filling")

    def _title_box(self) -> None:
        """Say on the frame, which never scrolls away, who will be called."""
        name = self._servers.name_of(self._url)
        where = short_url(self._url)
        called = where if name in (None, self._url, where) else f"{name} ({where})"
        self.retitle(f"Call a tool on {one_line(called, 56)}")

    def _says(self, text: str, *, wrong: bool = False) -> None:
        line = self.query_one("#call-says", Line)
        line.set_class(wrong, "-wrong")
        line.show(content(text))

    # --- which tool ------------------------------------------------------------------------
    @on(Input.Changed, "#call-server")
    def _keep_server(self, event: Input.Changed) -> None:
        if event.value not in self._offered:
            self._resumed = None  # a person names another
        self._draft.server = "" if event.value in self._offered else event.value

    @on(Input.Changed, "#call-label")
    def _keep_label(self, event: Input.Changed) -> None:
        self._draft.label = event.value.strip()

    @on(Input.Submitted, "#call-server")
    def _ask_for_tools(self) -> None:
        self._resumed = None
        self._ask()

    def _ask(self) -> None:
        try:
            self._url = self._servers.url(self.query_one("#call-server", Input).value)
        except UnknownServer as error:
            self._says(str(error), wrong=True)
            return
        self._go_back()
        self._title_box()
        self._says("asking for its tools …")
        self._show_tools(())  # those of the server before would be called on this one
        self.run_worker(self._load(self._url), exclusive=True, exit_on_error=False)

    async def _load(self, url: str) -> None:
        try:
            found = await self._supervisor.tools(url)
        except FAILURES as error:
            self._says(f"no tools: {one_line(str(error))}", wrong=True)
            return
        says = counted(len(found.tools), "tool")
        if found.warnings:
            says += f", {len(found.warnings)} left out: {found.warnings[0]}"
        self._says(says)
        self._show_tools(found.tools)
        if found.tools:
            self.query_one("#call-search", Input).focus()
        resumed, self._resumed = self._resumed, None
        for tool in found.tools:
            if resumed is not None and resumed.url == url and tool.name == resumed.tool:
                # Not in here: another server breaks this off, which may be in the middle of it.
                fills_in = self._fill_in(tool, unbidden=True)
                self.run_worker(fills_in, group="resume", exit_on_error=False)

    def _show_tools(self, tools: tuple[Tool, ...]) -> None:
        self._tools = tools
        self.set_class(bool(tools), "-listed")
        self._list("")

    @on(Input.Changed, "#call-search")
    def _search(self, event: Input.Changed) -> None:
        self._list(event.value)
        if self._unbidden and self._reading is not None:
            self._go_back()  # a person looks for another

    def _list(self, wanted: str) -> None:
        """List the tools that have all the words, those with them in the name first."""
        words = wanted.casefold().split()
        found = [tool for tool in self._tools if all(word in _searched(tool) for word in words)]
        found.sort(key=lambda tool: not all(word in tool.name.casefold() for word in words))
        tools = self.query_one("#call-tools", OptionList)
        tools.clear_options()
        tools.add_options(map(_ToolOption, found))
        if found:
            tools.highlighted = 0

    @on(Input.Submitted, "#call-search")
    def _take_first(self) -> None:
        self.query_one("#call-tools", OptionList).action_select()

    def action_to_tools(self) -> None:
        if self._filling is None and self._tools:
            self.query_one("#call-tools", OptionList).focus()

    # --- with which arguments --------------------------------------------------------------
    @on(OptionList.OptionSelected)
    async def _take(self, event: OptionList.OptionSelected) -> None:
        option = event.option
        if isinstance(option, _ToolOption) and option.tool in self._tools:  # not of a list before
            await self._fill_in(option.tool)

    async def _fill_in(self, tool: Tool, *, unbidden: bool = False) -> None:
        """Show the fields for a tool; where a person goes meanwhile goes before it."""
        self._go_back()
        url = self._url
        self._draft.chose(self.query_one("#call-server", Input).value, url, tool.name)
        self.tell(self.query_one("#call-error", Line), "")
        reads = in_daemon_thread(read_form, tool.input_schema)
        self._reading = reading = self.run_worker(reads, group="read", exit_on_error=False)
        self._unbidden = unbidden
        try:
            read = await reading.wait()
        except WorkerError:  # broken off, or a bug, which is told
            if self._reading is reading:
                self._reading = None
            return
        async with self._building:
            if self._reading is not reading:
                return
            fields = _Arguments(url, tool, read, self._draft.entries(url, tool, read))
            form = self.query_one("#call-form")
            await form.remove_children()
            await form.mount(fields)
            if self._reading is not reading:
                return
            self._reading, self._filling = None, fields
        self.query_one("#call-tool", Line).show(_described(tool))
        self._show_step()
        if not fields.focus_first():
            self.query_one("#send", Button).focus()

    @on(FormFields.Edited)
    def _keep_entry(self, event: FormFields.Edited) -> None:
        of = event.fields
        assert isinstance(of, _Arguments)
        self._draft.put(of.url, of.tool, of.form, event.name, event.entry)

    @on(Button.Pressed, "#send")
    def action_done(self) -> None:
        checks = self._checking is not None and not self._checking.is_finished
        if self._filling is not None and not checks:
            check = self._check(self._filling)
            self._checking = self.run_worker(check, group="check", exit_on_error=False)

    async def _check(self, fields: _Arguments) -> None:
        """Check what is filled in beside the screen, a schema may be large; then call."""
        entries = fields.entries()
        answer = await in_daemon_thread(compose_answer, fields.form, entries)
        wrong = ", ".join(f"{name}: {why}" if name else why for name, why in answer.errors.items())
        if not wrong and fields.entries() != entries:
            wrong = "not called: it was changed while it was checked"
        if not wrong and not self.is_active:
            wrong = "not called: something else came up while it was checked"
        self.tell(self.query_one("#call-error", Line), one_line(wrong))
        fields.refuse(answer.errors)
        if wrong or answer.content is None:
            return
        label = self.query_one("#call-label", Input).value.strip() or None
        taken = self._draft.take()
        self.dismiss(CallWanted(fields.url, fields.tool, answer.content, label, taken))

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        if self._reading is None and self._filling is None:
            self.dismiss(None)
            return
        self._go_back()
        self.query_one("#call-search", Input).focus()

    def _go_back(self) -> None:
        """To the tools: what is read or checked for one of them is not wanted any more."""
        for work in (self._reading, self._checking):
            if work is not None:
                work.cancel()
        self._reading = self._checking = self._filling = None
        self._show_step()


def _searched(tool: Tool) -> str:
    title = tool.title.raw if tool.title else ""
    words = tool.description.raw[:2000] if tool.description else ""
    return f"{tool.name} {title} {words}".casefold()


def _prompt(tool: Tool) -> Content:
    words = one_line(tool.description, 160) if tool.description else ""
    name = content(one_line(tool.name, 80), "bold")
    return beside(name, content(f"  {words}", "$quiet")) if words else name


def _described(tool: Tool) -> Content:
    words = tool.description.raw[:4000] if tool.description else ""
    return beside(content(one_line(tool.name, 80), "bold"), content(f"\n{words}" if words else ""))
