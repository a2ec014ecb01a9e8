"""A learner at the hub, without a browser: for the tests and the measurement."""

import json
import sys
import time
import urllib.parse
import uuid
from pathlib import Path
from typing import Any

import requests
import websocket

sys.path.extend(str(Path(__file__).parents[2] / d) for d in ("tools", "tests/helpers"))
from lab import execute_request, value_of


class Learner:
    """One who has logged in, and whose server is up."""

    def __init__(self, url: str, name: str, password: str) -> None:
        self.url, self.name, self.session = url, name, requests.Session()
        self.base = f"{url}/user/{urllib.parse.quote(name)}"
        self.log_in(password)

    def log_in(self, password: str) -> None:
        """Log in as the form does; ValueError where the hub refuses."""
        login = f"{self.url}/hub/login"
        self.session.get(login, timeout=60).raise_for_status()
        sent = {"username": self.name, "password": password}
        sent["_xsrf"] = self.cookie("_xsrf", "/hub/")
        came = self.session.post(f"{login}?next=/hub/home", data=sent, timeout=60)
        if came.status_code != 200 or "/hub/login" in came.url:
            raise ValueError(f"{self.name} was not let in: {came.status_code}")

    def cookie(self, name: str, path: str) -> str:
        """Return a cookie's value; several paths may have one of this name."""
        return next(
            cookie.value
            for cookie in self.session.cookies
            if cookie.name == name and cookie.path == path
        )

    def start(self, seconds: float = 120) -> None:
        """Start the server and wait until it answers."""
        end = time.monotonic() + seconds
        self.session.get(f"{self.url}/hub/spawn", timeout=seconds).raise_for_status()
        while time.monotonic() < end:
            came = self.session.get(f"{self.base}/lab", timeout=60)  # through OAuth
            if came.ok and came.url.startswith(self.base):
                return
            time.sleep(0.3)
        raise TimeoutError(f"the server of {self.name} did not come up")

    def stop(self) -> None:
        """Stop the server, as the hub's own page does."""
        self.hub("DELETE", f"users/{self.name}/server")
        while self.hub("GET", f"users/{self.name}").json()["servers"]:
            time.sleep(0.2)

    def hub(self, method: str, path: str) -> requests.Response:
        """Ask the hub's REST interface."""
        sent = {"X-XSRFToken": self.cookie("_xsrf", "/hub/")}
        address = f"{self.url}/hub/api/{path}"
        return self.session.request(method, address, headers=sent, timeout=60)

    def rest(self, method: str, path: str, sent: Any = None) -> requests.Response:
        """Ask the learner's own server."""
        headers = {"X-XSRFToken": self.cookie("_xsrf", f"/user/{self.name}/")}
        return self.session.request(
            method, f"{self.base}/api/{path}", json=sent, headers=headers, timeout=120
        )

    def kernel(self, notebook: str) -> "Kernel":
        """Start the kernel of a notebook, as opening it does."""
        sent = {"path": f"attention/{notebook}", "name": notebook, "type": "notebook"}
        came = self.rest("POST", "sessions", sent | {"kernel": {"name": "python3"}})
        came.raise_for_status()
        return Kernel(self, came.json()["kernel"]["id"])


class Kernel:
    """A kernel in a learner's box."""

    def __init__(self, learner: Learner, name: str) -> None:
        self.learner, self.name = learner, name
        cookies = learner.session.cookies
        path = f"/user/{learner.name}/"
        sent = "; ".join(f"{c.name}={c.value}" for c in cookies if c.path == path)
        xsrf = learner.cookie("_xsrf", path)
        address = f"{learner.base}/api/kernels/{name}/channels".replace("http", "ws", 1)
        self.channel = websocket.create_connection(
            f"{address}?session_id={uuid.uuid4().hex}&_xsrf={xsrf}",
            cookie=sent,
            origin=learner.url,
            timeout=120,
        )

    def send(self, kind: str, content: dict[str, Any]) -> str:
        """Send a message, as a widget does; return its name."""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": kind, "version": "5.3"}
        header |= {"username": "", "session": uuid.uuid4().hex, "date": ""}
        message = {"header": header, "parent_header": {}, "metadata": {}}
        message |= {"content": content, "channel": "shell", "buffers": []}
        self.channel.send(json.dumps(message))
        return header["msg_id"]

    def run(self, code: str) -> Any:
        """Run code and return the value of its last expression."""
        mine = self.send("execute_request", execute_request(code))
        while True:
            answer = self.channel.recv()
            if isinstance(answer, bytes):  # a widget's binary message
                continue
            answer = json.loads(answer)
            asked = answer["parent_header"].get("msg_id") == mine
            if asked and answer["msg_type"] == "execute_reply":
                return value_of(answer["content"])
