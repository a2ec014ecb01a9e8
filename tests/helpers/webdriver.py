"""Drive Firefox (WebDriver BiDi) and WebKitGTK (W3C WebDriver) with hands and keys.

Both have the few methods of a Playwright page that the tests of other browsers want,
and take the same W3C action sequences. Everything they start ends with them.
"""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import websocket
from lab import free_port

SIZE = (1280, 800)
KEYS = {
    **{"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Delete": "\ue017"},
    **{"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014"},
    **{"ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Shift": "\ue008"},
    **{"Control": "\ue009", "PageUp": "\ue00e", "PageDown": "\ue00f"},
    **{"Backspace": "\ue003"},
}
LOCATE = """selector => {
    const found = document.querySelector(selector);
    if (!found) throw new Error('nothing at ' + selector);
    found.scrollIntoView({block: 'center', behavior: 'instant'});
    const {x, y, width, height} = found.getBoundingClientRect();
    return [x + width / 2, y + height / 2].map(Math.round);
}"""
UP, DOWN = {"type": "pointerUp", "button": 0}, {"type": "pointerDown", "button": 0}


class Driver(ABC):
    """What hands, keys and eyes can do in a page of any browser."""

    downloads: Path  # the folder in which a file is put that the page saves

    @abstractmethod
    def new_errors(self) -> list[str]:
        """Return what the console has called an error since the last time."""

    @abstractmethod
    def goto(self, address: str) -> None:
        """Open a page and wait until it has loaded."""

    @abstractmethod
    def call(self, function: str, given: str) -> str:
        """Call an async JavaScript function of a string that returns a string."""

    @abstractmethod
    def perform(self, source: dict[str, Any]) -> None:
        """Perform the actions of one W3C input source."""

    @abstractmethod
    def png(self) -> bytes:
        """Return what is in view as a picture."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Give the page this many CSS pixels."""

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        """Return an expression's value, or what its function returns for `arg`."""
        function = f"""async given => {{
            const found = ({expression});
            const value = typeof found === 'function'
                ? await found(JSON.parse(given)) : await found;
            return JSON.stringify(value ?? null);
        }}"""
        return json.loads(self.call(function, json.dumps(arg)))

    def wait_for_function(
        self, expression: str, arg: Any = None, timeout: float = 10_000
    ) -> None:
        """Wait until an expression is true, for so many milliseconds."""
        end = time.monotonic() + timeout / 1000
        while not self.evaluate(expression, arg):
            assert time.monotonic() < end, f"not true in {timeout} ms: {expression}"
            time.sleep(0.05)

    def middle(self, selector: str) -> tuple[int, int]:
        """Scroll to an element and return where its middle is."""
        x, y = self.evaluate(LOCATE, selector)
        return x, y

    def pointer(self, *actions: dict[str, Any], kind: str = "mouse") -> None:
        parameters = {"pointerType": kind}
        source = {"type": "pointer", "id": kind, "parameters": parameters}
        self.perform(source | {"actions": list(actions)})

    def click(self, selector: str, times: int = 1) -> None:
        x, y = self.middle(selector)
        self.pointer(move(x, y), *[DOWN, UP] * times)

    def drag(self, selector: str, *stops: int, kind: str = "mouse") -> None:
        """Drag an element to these pixels from where it was held."""
        x, y = self.middle(selector)
        path = [move(x + stop, y) for stop in stops]
        self.pointer(move(x, y), DOWN, *path, UP, kind=kind)

    def press(self, *keys: str) -> None:
        """Press one key after the other; `Control+z` holds the first."""
        actions = []
        for key in keys:
            codes = [KEYS.get(part, part) for part in key.split("+")]
            actions += [{"type": "keyDown", "value": code} for code in codes]
            actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.perform({"type": "key", "id": "keyboard", "actions": actions})

    def screenshot(self, path: Path) -> None:
        path.write_bytes(self.png())


def move(x: int, y: int) -> dict[str, Any]:
    return {"type": "pointerMove", "x": x, "y": y}


# ---- Firefox ----


class Firefox(Driver):
    """One tab of a Firefox that listens at this address."""

    def __init__(self, address: str, downloads: Path) -> None:
        self.errors, self.serial, self.downloads = [], 0, downloads
        self.socket = websocket.create_connection(
            f"{address}/session", timeout=120, suppress_origin=True
        )
        self.send("session.new", {"capabilities": {}})
        self.send("session.subscribe", {"events": ["log.entryAdded"]})
        # a tab of its own: in the first one the address bar keeps the focus
        tab = self.send("browsingContext.create", {"type": "tab"})
        self.tab = {"context": tab["context"]}
        self.resize(*SIZE)

    def send(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        """Send a command and read until its answer comes; keep errors on the way."""
        self.serial += 1
        sent = {"id": self.serial, "method": method, "params": given}
        self.socket.send(json.dumps(sent))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded":
                entry = message["params"]
                self.errors += [entry["text"]] if entry["level"] == "error" else []
            elif message.get("id") == self.serial:
                break
        if message["type"] == "error":
            raise RuntimeError(f"{method}: {message['message']}")
        return message["result"]

    def new_errors(self) -> list[str]:
        self.evaluate("0")  # what came before its answer has been read
        found, self.errors = self.errors, []
        return found

    def goto(self, address: str) -> None:
        given = {"url": address, "wait": "complete"}
        self.send("browsingContext.navigate", self.tab | given)

    def call(self, function: str, given: str) -> str:
        asked = {
            "functionDeclaration": function,
            "arguments": [{"type": "string", "value": given}],
            "awaitPromise": True,
            "target": self.tab,
        }
        answer = self.send("script.callFunction", asked)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"]["value"]

    def perform(self, source: dict[str, Any]) -> None:
        self.send("input.performActions", self.tab | {"actions": [source]})

    def png(self) -> bytes:
        picture = self.send("browsingContext.captureScreenshot", self.tab)
        return base64.b64decode(picture["data"])

    def resize(self, width: int, height: int) -> None:
        viewport = {"viewport": {"width": width, "height": height}}
        self.send("browsingContext.setViewport", self.tab | viewport)


PREFERENCES = {
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.download.alwaysOpenPanel": False,  # it would take the keys
    "browser.download.folderList": 2,  # its own folder, see `firefox`
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.ipc.processPrelaunch.enabled": False,  # nobody opens another tab
    "dom.w3c_touch_events.enabled": 1,
    "layout.css.prefers-color-scheme.content-override": 1,  # light
    "layout.frame_rate": 20,  # nobody watches: a quarter less work
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",  # asks nobody
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


@contextlib.contextmanager
def firefox(path: str) -> Iterator[Firefox]:
    """Start a headless Firefox with a profile of its own."""
    with a_folder() as profile:
        downloads = profile / "Downloads"
        preferences = PREFERENCES | {"browser.download.dir": str(downloads)}
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in preferences.items()
        ]
        (profile / "user.js").write_text("".join(lines))
        command = [path, "--headless", "--no-remote", "--profile", profile]
        command += ["--remote-debugging-port", "0", "about:blank"]
        with running(command, {"HOME": profile}):
            told = profile / "WebDriverBiDiServer.json"
            place = wait_for(lambda: json.loads(told.read_text()))
            address = f"ws://{place['ws_host']}:{place['ws_port']}"
            yield Firefox(address, downloads)


# ---- WebKit ----


WATCH = """() => {  // its driver tells nothing of the console
    window.errors = [];
    addEventListener('error', ({message}) => errors.push(message));
    addEventListener('unhandledrejection', ({reason}) => errors.push(String(reason)));
    const {error} = console;
    console.error = (...said) => errors.push(said.join(' ')) && error(...said);
}"""


class WebKit(Driver):
    """One window of a WebKitGTK browser, started by the driver at this address."""

    def __init__(self, address: str, browser: str, downloads: Path) -> None:
        self.base, self.pressed, self.downloads = address, 0.0, downloads
        wait_for(lambda: self.http("GET", "/status"))
        options = {"binary": browser, "args": ["--automation"]}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        session = self.http("POST", "/session", {"capabilities": capabilities})
        self.base += f"/session/{session['sessionId']}"
        self.http("POST", "/timeouts", {"script": 60_000})
        self.resize(*SIZE)

    def http(self, method: str, path: str, given: Any = None) -> Any:
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if given is None else json.dumps(given).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            found = json.load(error)["value"]
            raise RuntimeError(f"{found['error']}: {found['message']}") from None

    def new_errors(self) -> list[str]:
        return self.evaluate("window.errors?.splice(0) ?? []")

    def goto(self, address: str) -> None:
        self.http("POST", "/url", {"url": address})
        self.evaluate(WATCH)

    def call(self, function: str, given: str) -> str:
        script = f"""const [given, done] = arguments;
            ({function})(given).then(said => done({{said}}),
                                     error => done({{error: String(error)}}));"""
        asked = {"script": script, "args": [given]}
        answer = self.http("POST", "/execute/async", asked)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["said"]

    def perform(self, source: dict[str, Any]) -> None:
        """Two presses within 300 ms are a double click to the driver, wherever."""
        if DOWN in source["actions"]:
            time.sleep(max(0, self.pressed + 0.35 - time.monotonic()))
        self.http("POST", "/actions", {"actions": [source]})
        self.pressed = time.monotonic()

    def png(self) -> bytes:
        return base64.b64decode(self.http("GET", "/screenshot"))

    def resize(self, width: int, height: int) -> None:
        """Keep the middle of the screen in the window: there the X pointer is, and
        without a window manager the window below it has the keys.
        """
        x, (w, h) = (SIZE[0] - width) // 2, (width, height)
        for _ in range(3):
            self.http("POST", "/window/rect", {"x": x, "y": 0, "width": w, "height": h})
            time.sleep(0.1)
            inner = self.evaluate("[innerWidth, innerHeight]")
            w, h = w + width - inner[0], h + height - inner[1]


@contextlib.contextmanager
def webkit(driver: str, browser: str, xvfb: str) -> Iterator[WebKit]:
    """Start a WebKitGTK browser on a display of its own."""
    with a_folder() as home, a_display(xvfb) as display:
        environment = {
            "DISPLAY": display,
            "GDK_BACKEND": "x11",
            "HOME": home,
            "NO_AT_BRIDGE": "1",
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",  # half the work
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",  # root has no other way
            "XDG_CONFIG_HOME": home,  # else it might know another folder for downloads
            "XDG_RUNTIME_DIR": home,
        }
        port = free_port()
        with running([driver, f"--port={port}"], environment):
            opened = WebKit(f"http://127.0.0.1:{port}", browser, home)
            yield opened
            opened.http("DELETE", "")


@contextlib.contextmanager
def a_display(xvfb: str) -> Iterator[str]:
    """Start an X server whose number nobody else has."""
    read, write = os.pipe()
    width, height = SIZE
    command = [xvfb, "-displayfd", str(write), "-nolisten", "tcp"]
    command += ["-screen", "0", f"{width}x{height + 100}x24"]  # and a bar for tools
    with running(command, {}, pass_fds=[write]):
        os.close(write)
        with os.fdopen(read) as told:
            number = told.readline().strip()
        yield f":{number}"


# ---- processes ----


@contextlib.contextmanager
def running(
    command: list[str | Path], environment: dict[str, Any], **options: Any
) -> Iterator[None]:
    """Run a command; it and what it starts end here, or when pytest is killed."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", *command],
        env=os.environ | {name: str(value) for name, value in environment.items()},
        start_new_session=True,
        **options,
    )
    try:
        yield
    finally:
        for end in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, end)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)


@contextlib.contextmanager
def a_folder() -> Iterator[Path]:
    """Make a folder; whatever its browser leaves in it goes with it."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(ask: Callable[[], Any], seconds: float = 60) -> Any:
    """Ask until an answer comes."""
    end = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except (OSError, ValueError):
            if time.monotonic() > end:
                raise
        time.sleep(0.05)
