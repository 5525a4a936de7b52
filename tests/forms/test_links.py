"""What a URL really points at, and which are never opened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.sanitize import clean


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://example.com", "example.com", None),
        ("https://Example.COM/Path?a=b#c", "example.com", None),
        ("HTTPS://example.com/", "example.com", None),
        ("https://example.com:443/", "example.com", 443),
        ("https://a.example/;touch%20x", "a.example", None),
        ("https://a.example/$(x)`y`'z'", "a.example", None),
    ],
)
def test_plain_pages_have_no_warning(url: str, host: str, port: int | None) -> None:
    link = look_at(url)
    assert link.openable
    assert (link.url, link.host, link.port, link.warnings) == (url, host, port, ())


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "no scheme"),
        ("example.com/x", "no scheme"),
        ("javascript:alert(1)", "'javascript'"),
        ("JavaScript:alert(1)", "'javascript'"),
        ("data:text/html,x", "'data'"),
        ("file:///etc/passwd", "'file'"),
        ("smb://host/share", "'smb'"),
        ("vscode://open?x", "'vscode'"),
        ("https:///x", "no host"),
        ("https:example.com", "no host"),
        ("https://", "no host"),
        ("https://a:99999/", "not a URL"),
        ("https://[::1/", "not a URL"),
        ("https://a.example/\nHost: b", "control characters"),
        ("java\tscript:alert(1)", "control characters"),
        (" https://a.example", "blanks"),
        ("https://a.example/x y", "blanks"),
        ("https://a\u202eelpmaxe.example", "direction"),
        ("https://a\u200b.example", "invisible"),
        ("https://%65vil.example/", "not a valid name"),
        ("https://ex<ample.com/", "not a valid name"),
        ("https://[fe80::1%25eth0]/", "not a valid name"),
        ("https://bank.example\\@evil.example/", "backslash"),
        ("https://a..example.\u00e9./", "not a valid name"),
        ("https://stra\u00dfe.example/", "not a valid name"),  # programs differ on which host it is
    ],
)
def test_what_is_never_opened(url: str, words: str) -> None:
    link = look_at(url)
    assert not link.openable
    assert words in str(link.refusal)


@pytest.mark.parametrize(
    ("url", "host", "words"),
    [
        ("https://bank.example@evil.example/", "evil.example", "the host is evil.example"),
        ("https://u:p@evil.example/", "evil.example", "before the @"),
        ("https://xn--80ak6aa92e.com", "xn--80ak6aa92e.com", "it reads аррӏе.com"),
        ("https://аррӏе.com", "xn--80ak6aa92e.com", "it reads аррӏе.com"),
        ("https://xn--99999999999.com", "xn--99999999999.com", "cannot be read"),
        ("https://evil\u3002example/", "evil.example", "it is evil.example"),
        ("http://example.com", "example.com", "not encrypted"),
        ("https://example.com:8443/", "example.com", "unusual port 8443"),
        ("https://localhost/", "localhost", "this very machine"),
        ("http://127.0.0.1/", "127.0.0.1", "this very machine"),
        ("https://[::1]/", "::1", "this very machine"),
        ("https://10.0.0.7/", "10.0.0.7", "a number"),
        ("https://2130706433/", "2130706433", "a number"),
        ("https://0x7f.1/", "0x7f.1", "a number"),
        ("https://[2001:db8::1]/", "2001:db8::1", "a number"),
    ],
)
def test_what_to_beware_of_is_said(url: str, host: str, words: str) -> None:
    link = look_at(url)
    assert link.openable
    assert link.host == host
    assert words in " / ".join(link.warnings)


def test_a_local_page_over_http_is_not_called_unencrypted() -> None:
    assert look_at("http://localhost:80/").warnings == ("it points at this very machine",)


def test_the_host_stands_out_of_the_whole_url() -> None:
    assert look_at("https://u@a.example:81/b?c").parts() == ("https://u@", "a.example:81", "/b?c")
    assert look_at("https://a.example").parts() == ("https://", "a.example", "")
    assert look_at("javascript:x\x1b").parts() == ("javascript:x^[", "", "")


@given(st.text(max_size=60) | st.text(max_size=40).map("https://".__add__))
def test_no_url_breaks_it_and_only_web_pages_are_opened(url: str) -> None:
    link = look_at(url)
    assert link.url == url
    assert clean("".join(link.parts())) == "".join(link.parts())
    if link.openable:
        assert url.lower().startswith(("http://", "https://"))
        assert link.host.isascii()
