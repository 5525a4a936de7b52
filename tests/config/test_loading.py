"""Settings: what is read, and that every complaint names file, line, key and a way out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import ConfigError, ServerEntry


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_missing_file_is_the_defaults(tmp_path: Path) -> None:
    config = load_config(tmp_path / "none.toml")
    assert config.servers == ()
    assert config.engine.default_poll == 5.0
    assert config.screen.alerts == "away"


def test_everything_that_can_be_set(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [servers.build]
        url = "HTTP://Build.Example:80/mcp"
        headers = { Authorization = "Bearer ${TOKEN}" }
        token_command = ["pass", "show", "build"]
        [engine]
        min_poll = 2
        [screen]
        alerts = "always"
        ascii = true
        [keys]
        "task.cancel" = "x"
        """,
    )
    config = load_config(path)
    assert config.servers == (
        ServerEntry(
            "build",
            "http://build.example/mcp",
            {"Authorization": "Bearer ${TOKEN}"},
            ("pass", "show", "build"),
        ),
    )
    assert config.engine.min_poll == 2
    assert (config.screen.alerts, config.screen.ascii) == ("always", True)
    assert config.screen.keys == {"task.cancel": "x"}
    assert config.server("build") is config.server("http://build.example/mcp")
    assert config.name_of("http://build.example/mcp") == "build"
    assert config.name_of("http://else.example/mcp") == "http://else.example/mcp"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[engine\n", "not valid TOML"),
        (
            '[screen]\ntheme = """dark\n\n',
            "not valid TOML: Unterminated string (at line 2, the end",
        ),
        (
            "[engine]\n\nmin_pol = 1\n",
            "line 3: engine.min_pol is no setting; did you mean min_poll",
        ),
        ("[engin]\nmin_poll = 1\n", "line 1: engin is no setting; did you mean engine?"),
        *(
            (f"[wire]\nmax_reply_mib = {wrong}\n", "is a whole number of MiB from 1 to 512")
            for wrong in ("0", "513", "1.5", "true", '"32"')
        ),
        ("[engine]\nmin_poll = 0\n", "line 2: engine.min_poll is a number of seconds above 0"),
        ("[engine]\nmin_poll = true\n", "is a number of seconds above 0, not True"),
        ('[screen]\nalerts = "loud"\n', "line 2: screen.alerts is one of always, away, never"),
        ("engine = 3\n", "line 1: engine is a table"),
        ("[screen]\nbogus = 1\n", "line 2: screen.bogus is no setting; known: theme, alerts"),
        ("[screen.keys]\na = 1\n", "line 1: screen.keys is no setting; [keys] is a table of its"),
        ("[servers.a]\n", "line 1: servers.a needs a line like url"),
        ('[servers.a]\nurl = "ftp://x"\n', "line 2: servers.a.url a server URL starts with http"),
        ('[servers."a b"]\nurl = "http://x/"\n', "a server name is letters"),
        (
            '[servers.a]\nurl = "http://x/"\n[servers.b]\nurl = "http://X:80/"\n',
            "line 3: servers.b has the same URL as a",
        ),
        ('[servers.a]\nurl = "http://x/"\nheaders = { H = 1 }\n', "a header value is a string"),
        (
            '[servers.a]\nurl = "http://x/"\nheaders = { x-Key = "1", X-KEY = "2" }\n',
            "headers.X-KEY it is the same header as x-Key",
        ),
        ('[servers.a]\nurl = "http://x/"\ntoken_command = "pass"\n', "is a list of strings"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert str(path) in message
    assert words in message
    assert "\n" not in message.strip()


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """\
        engin = 1
        [servers.a]
        url = "ftp://x"
        header = {}
        [servers."b c"]
        headers = { H = 1 }
        [engine]
        min_pol = 1
        default_poll = "often"
        """,
    )
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert f"{path}, line 1: engin is no setting" in str(caught.value)
    assert "(and 7 more: `doctor` names them all)" in str(caught.value)
    lines = [int(re.findall(r", line (\d+): ", told)[0]) for told in caught.value.mistakes]
    assert lines == [1, 3, 4, 5, 5, 6, 8, 9]


@pytest.mark.parametrize("value", ["[" * 100_000, "{a=" * 100_000, "9" * 100_000])
def test_a_file_made_to_break_its_reader_is_a_mistake_in_the_file(
    tmp_path: Path, value: str
) -> None:
    path = written(tmp_path, f"x = {value}")
    with pytest.raises(ConfigError, match=re.escape(str(path))):
        load_config(path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(path)
