from __future__ import annotations

import pytest

from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.protocol.proxies import proxy_for

P = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("http://a.example/", {}, None),
        ("http://a.example/", {"HTTP_PROXY": P}, P),
        ("http://a.example/", {"http_proxy": P, "HTTP_PROXY": "http://x:1"}, P),
        ("http://a.example/", {"http_proxy": "", "HTTP_PROXY": P}, None),
        ("https://a.example/", {"HTTP_PROXY": P}, None),
        ("https://a.example/", {"HTTPS_PROXY": P}, P),
        ("https://a.example/", {"ALL_PROXY": P}, P),
        ("http://a.example/", {"HTTP_PROXY": "proxy.example:3128"}, P),
        ("http://a.example/", {"HTTP_PROXY": P, "REQUEST_METHOD": "GET"}, None),
        ("http://127.0.0.1:8000/", {"HTTP_PROXY": P, "ALL_PROXY": P}, None),
        ("http://localhost/", {"HTTP_PROXY": P}, None),
        ("http://[::1]:8000/", {"HTTP_PROXY": P}, None),
        ("http://a.example/", {"HTTP_PROXY": P, "NO_PROXY": "*"}, None),
        ("http://a.example/", {"HTTP_PROXY": P, "NO_PROXY": "b.example, a.example"}, None),
        ("http://x.a.example/", {"HTTP_PROXY": P, "no_proxy": ".a.example"}, None),
        ("http://x.a.example/", {"HTTP_PROXY": P, "no_proxy": "*.A.example"}, None),
        ("http://x.a.example/", {"HTTP_PROXY": P, "no_proxy": "a.example"}, None),
        ("http://xa.example/", {"HTTP_PROXY": P, "no_proxy": "a.example"}, P),
        ("http://a.example:8080/", {"HTTP_PROXY": P, "no_proxy": "a.example:8080"}, None),
        ("http://a.example:8081/", {"HTTP_PROXY": P, "no_proxy": "a.example:8080"}, P),
        ("http://10.1.2.3/", {"HTTP_PROXY": P, "no_proxy": "10.0.0.0/8"}, None),
        ("http://11.1.2.3/", {"HTTP_PROXY": P, "no_proxy": "10.0.0.0/8"}, P),
        ("http://[fd00::1]/", {"HTTP_PROXY": P, "no_proxy": "[fd00::1]"}, None),
        ("http://10.1.2.3:99/", {"HTTP_PROXY": P, "no_proxy": "10.1.2.3:99"}, None),
        ("http://a.example/", {"HTTP_PROXY": P, "no_proxy": ", ,. *."}, P),
    ],
)
def test_the_usual_variables_decide(url: str, environ: dict[str, str], proxy: str | None) -> None:
    assert proxy_for(url, environ) == proxy


@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://p:1080",
        "socks5h://u:s3cr3t@p:1080",
        "ftp://p",
        "http://",
        "http://p:x",
        "http://[::",
    ],
)
def test_a_proxy_that_cannot_be_used_is_said_without_its_password(proxy: str) -> None:
    with pytest.raises(Unreachable) as caught:
        proxy_for("https://a.example/", {"HTTPS_PROXY": proxy})
    assert caught.value.cause == "proxy"
    assert "s3cr3t" not in str(caught.value)
    if proxy.startswith("socks"):
        assert "SOCKS is not supported" in str(caught.value)
