"""One server, one spelling; and what is no server's URL says what to write instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.urls import UrlError, is_loopback, normal_url, origin, short_url, typed_url


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("http://localhost:8000/mcp", "http://localhost:8000/mcp"),
        ("  http://localhost:8000/mcp\n", "http://localhost:8000/mcp"),
        ("HTTP://LocalHost:8000/MCP", "http://localhost:8000/MCP"),
        ("http://example.org:80", "http://example.org/"),
        ("https://example.org:443/mcp", "https://example.org/mcp"),
        ("https://example.org:80/mcp", "https://example.org:80/mcp"),
        ("https://example.org/mcp#top", "https://example.org/mcp"),
        ("https://example.org/mcp/", "https://example.org/mcp/"),
        ("https://example.org/mcp?team=a%20b", "https://example.org/mcp?team=a%20b"),
        ("https://example.org?team=a", "https://example.org/?team=a"),
        ("https://example.org:/mcp", "https://example.org/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        ("http://[0:0::0001]/", "http://[::1]/"),
        ("http://my_box.local/", "http://my_box.local/"),
        ("https://müller.example/mcp", "https://xn--mller-kva.example/mcp"),
        ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://example.org/käse?x=ü", "https://example.org/k%C3%A4se?x=%C3%BC"),
        ("https://example.org/\u202egpj", "https://example.org/%E2%80%AEgpj"),
        ("https://example.org/a;b=(1),2'", "https://example.org/a;b=(1),2'"),
    ],
)
def test_the_normal_form(text: str, normal: str) -> None:
    assert normal_url(text) == normal
    assert normal_url(normal) == normal


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "starts with http"),
        ("localhost:8000/mcp", "starts with http"),
        ("example.org", "starts with http"),
        ("ftp://example.org/", "starts with http"),
        ("file:///etc/passwd", "starts with http"),
        ("javascript:alert(1)", "starts with http"),
        ("http://", "names a host"),
        ("http:///mcp", "names a host"),
        ("http://example.org:99999/", "http://host:port/mcp"),
        ("http://example.org:mcp/", "http://host:port/mcp"),
        ("http://example.org:0/", "port 0"),
        ("http://[::1", "http://host:port/mcp"),
        ("http://[::zz]/", "IPv6"),
        ("http://[v1.x]/", "IPv6"),
        ("http://user:secret@example.org/", "${ENV}"),
        ("http://bank.example@evil.example/", "${ENV}"),
        ("http://@example.org/", "${ENV}"),
        ("http://exam ple.org/", "blanks"),
        ("http://example.org/\x1b[2J", "control"),
        ("http://example.org/\x7f", "control"),
        ("http://a\\b.example/", "not a host name"),
        ("http://ex%61mple.org/", "not a host name"),
        ("http://a..b/", "not a host name"),
        ("http://-a.example/", "not a host name"),
        ("http://faß.example/", "xn--"),
        ("http://example\u2100.org/", "http://host:port/mcp"),
        (f"http://{'ä' * 80}.example/", "not a host name"),
        *(
            (f"http://{place}", "no UTF-8")
            for place in (
                "example.org/\udcff",
                "example.org/?q=\ud800",
                "\udcff@example.org/",
                "a:\udcff@example.org/",
                "example.org:8\udcff/",
                "\udcff.example/",
                "example.org#\udfff",
            )
        ),
    ],
)
def test_what_is_no_server_url_says_what_to_write(text: str, says: str) -> None:
    with pytest.raises(UrlError) as caught:
        normal_url(text)
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


@given(
    st.text() | st.text().map(lambda rest: f"http://{rest}") | st.from_regex(r"https?://[^/]+/.*")
)
def test_any_text_is_a_url_or_a_clear_error(text: str) -> None:
    try:
        normal = normal_url(text)
    except UrlError:
        return
    assert normal_url(normal) == normal
    assert normal.isascii()
    assert normal.isprintable()
    scheme, host, port = origin(normal)
    assert scheme in ("http", "https")
    assert host
    assert port


@pytest.mark.parametrize(
    "text",
    [
        "http://h:1/mcphttp://h:1/mcp",
        "http://localhosthttp://h:1/mcp",
        "http://h:1/mcp/https://h:1/mcp",
        "http://http://h/mcp",
        "http://h/ftp://h?q",
    ],
)
def test_a_url_that_is_given_by_hand_has_no_other_in_it(text: str) -> None:
    with pytest.raises(UrlError, match="two URLs in one"):
        typed_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://h/mcp",
        "http://h/?to=http://x/y",
        "http://h/x%3A//y",
        "http://h/mcp#http://",
        " http://H/http ",
    ],
)
def test_one_that_only_names_another_is_taken(text: str) -> None:
    assert typed_url(text) == normal_url(text)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org/mcp", ("http", "example.org", 80)),
        ("https://example.org/mcp", ("https", "example.org", 443)),
        ("https://example.org:8443/", ("https", "example.org", 8443)),
        ("http://[::1]:8000/", ("http", "::1", 8000)),
    ],
)
def test_origin(url: str, expected: tuple[str, str, int]) -> None:
    assert origin(url) == expected


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("localhost.", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("[::1]", True),
        ("[::ffff:127.0.0.1]", True),
        ("10.0.0.1", False),
        ("[fe80::1]", False),
        ("[::ffff:10.0.0.1]", False),
        ("localhost.example.org", False),
        ("notlocalhost", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_loopback_is_told_by_the_name_alone(host: str, loopback: bool) -> None:
    assert is_loopback(normal_url(f"http://{host}:8000/mcp")) is loopback


@pytest.mark.parametrize(
    ("url", "short"),
    [
        ("http://localhost:8000/mcp", "localhost:8000"),
        ("https://example.org/", "example.org"),
        ("https://example.org/team/mcp", "example.org/team/mcp"),
        ("http://[::1]:8000/mcp", "[::1]:8000"),
    ],
)
def test_short_form_for_people(url: str, short: str) -> None:
    assert short_url(url) == short
