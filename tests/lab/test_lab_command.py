"""`make lab` starts a JupyterLab that only this machine and this user can reach."""

import http.cookiejar
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
import pytest
import start_lab
from lab import free_port
from places import ROOT


@dataclass
class Running:
    """The lab command as a reader starts it, and the address that it printed."""

    process: subprocess.Popen
    port: int
    url: str

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]


def printed_url(process: subprocess.Popen) -> str:
    """Read on until the command prints its address."""
    patience = threading.Timer(60, process.kill)
    patience.start()
    said = ""
    while not (found := re.search(r"http://127\.0\.0\.1:\S+", said)):
        line = process.stdout.readline()
        assert line, f"the lab command ended without an address:\n{said}"
        said += line
    patience.cancel()
    threading.Thread(target=process.stdout.read, daemon=True).start()  # never full
    return found[0]


def wait_until_open(port: int) -> None:
    """The address is printed a moment before the server listens."""
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nobody listens on port {port}")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("lab-command")
    port = free_port()
    own = {
        "PORT": str(port),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    process = subprocess.Popen(
        [sys.executable, ROOT / "tools" / "start_lab.py", "--no-browser"],
        cwd=folder,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        url = printed_url(process)
        wait_until_open(port)
        yield Running(process, port, url)
    finally:
        process.terminate()
        process.wait(20)


def status(request: str | urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_address_has_a_token_and_the_first_notebook(running: Running) -> None:
    assert len(running.token) >= 32
    first = start_lab.first_notebook()
    assert running.url.startswith(f"{running.base}/lab/tree/{first}?token=")
    assert status(running.url) == 200
    assert status(f"{running.base}/api/contents/{first}?token={running.token}") == 200


def test_without_the_token_nothing_is_served(running: Running) -> None:
    assert status(f"{running.base}/api/contents") == 403
    assert status(f"{running.base}/api/contents?token={'0' * 48}") == 403


def test_it_listens_on_this_machine_only(running: Running) -> None:
    connections = psutil.Process(running.process.pid).net_connections("tcp")
    addresses = {c.laddr for c in connections if c.status == psutil.CONN_LISTEN}
    assert ("127.0.0.1", running.port) in addresses
    assert {address.ip for address in addresses} == {"127.0.0.1"}


@pytest.fixture
def visitor(running: Running) -> urllib.request.OpenerDirector:
    """A browser that has opened the printed address: it holds the cookie."""
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    visitor = urllib.request.build_opener(cookies)
    assert visitor.open(running.url, timeout=30).status == 200
    assert visitor.open(f"{running.base}/api/kernels", timeout=30).status == 200
    return visitor


def test_other_origins_are_not_allowed(
    running: Running, visitor: urllib.request.OpenerDirector
) -> None:
    visitor.addheaders = [("Origin", "https://elsewhere.example")]
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        visitor.open(f"{running.base}/api/kernels", timeout=30)
    assert refused.value.headers["Access-Control-Allow-Origin"] is None


def test_a_cookie_alone_starts_no_kernel(
    running: Running, visitor: urllib.request.OpenerDirector
) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        visitor.open(f"{running.base}/api/kernels", data=b"{}", timeout=30)
    assert b"_xsrf" in refused.value.read()


def test_no_option_loosens_the_server() -> None:
    source = (ROOT / "tools" / "start_lab.py").read_text(encoding="utf-8")
    for loose in ["allow_origin", "disable_check_xsrf", "token", "password", "0.0.0.0"]:
        assert f".{loose}" not in source
        assert not any(loose in option for option in start_lab.lab_options())


def test_a_taken_port_is_said(running: Running) -> None:
    again = subprocess.run(
        [sys.executable, ROOT / "tools" / "start_lab.py", "--no-browser"],
        env=os.environ | {"PORT": str(running.port)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert again.returncode != 0
    assert f"{running.port} is not available" in again.stdout + again.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no make")
def test_make_lab_is_this_command() -> None:
    outside = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    command = ["make", "-n", "lab", "PYTHON=python3"]
    said = subprocess.run(
        command, cwd=ROOT, env=outside, capture_output=True, text=True, check=True
    ).stdout
    assert said.splitlines() == [
        "python3 tools/environment.py lab",
        ".venv/bin/python tools/start_lab.py",
    ]
