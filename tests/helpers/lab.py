"""A real JupyterLab for the browser tests, and the handles to drive it."""

import ast
import asyncio
import contextlib
import json
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import zmq
from jupyter_client import KernelClient
from nbformat.sign import NotebookNotary
from playwright.sync_api import Page
from start_lab import NOTEBOOKS, lab_environment, lab_options

Cell = str | tuple[str, str]

READY = """name => {
    const panel = window.jupyterapp?.shell.currentWidget;
    const kernel = panel?.sessionContext?.session?.kernel;
    return panel?.context?.path === name && panel.context.isReady
        && kernel?.status === 'idle' && panel.content.widgets.length > 0;
}"""

RUN_ALL = """async timeout => {
    const run = jupyterapp.commands.execute('notebook:run-all-cells');
    const late = new Promise(resolve => setTimeout(resolve, timeout, 'late'));
    if (await Promise.race([run, late]) === 'late') return null;
    const cells = [...jupyterapp.shell.currentWidget.context.model.cells];
    const code = cells.filter(cell => cell.type === 'code').map(cell => cell.toJSON());
    return JSON.stringify(code);
}"""

KERNEL_ID = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"

KERNEL_DEAD = """async () => {
    await jupyterapp.serviceManager.sessions.refreshRunning();
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
    return !kernel || kernel.status === 'dead';
}"""

OPEN = """async path => {
    const late = new Promise((_, reject) => setTimeout(reject, 60_000, path));
    await Promise.race([jupyterapp.commands.execute('docmanager:open', {path}), late]);
}"""  # and not the widget, of which Playwright would send every property
SHOW = """text => {
    const {content, context} = jupyterapp.shell.currentWidget;
    const cells = [...context.model.cells].map(cell => cell.toJSON().source);
    return content.scrollToItem(cells.findIndex(cell => cell.includes(text)), 'start');
}"""  # before 4.5 JupyterLab hides cells that are out of sight, even from Playwright
LEFT = 700  # milliseconds: until then JupyterLab needs the kernel of what it closed
BENCH = "bench-"  # so the names of notebooks for `run_on_bench` begin
PUT = """([bench, cells]) => {
    const panel = window.jupyterapp?.shell.currentWidget;
    if (!panel?.context?.path.startsWith(bench)) return false;
    const {sharedModel} = panel.context.model;
    sharedModel.transact(() => {
        sharedModel.deleteCellRange(0, sharedModel.cells.length);
        sharedModel.insertCells(0, cells);
    });
    return true;
}"""
CLOSE = """async ([name, bench, others]) => {
    if (!window.jupyterapp) return;
    await jupyterapp.restored;  // after a reload it may still be opening what it showed
    const {shell} = jupyterapp;
    const close = () => {
        for (const widget of [...shell.widgets('main')])
            if (widget.context?.path.startsWith(name) ? bench : others)
                widget.dispose();
    };
    close();
    const [{type}] = performance.getEntriesByType('navigation');
    if (type === 'reload' && performance.now() < 20_000) {  // one may come back, once
        await new Promise(resolve => setTimeout(resolve, 1000));
        close();
    }
    if (shell.leftCollapsed) shell.expandLeft();
}"""

NOISE = (
    "Canceled future for debug_request message",  # when a kernel dies
    "Could not restore the debugger state: .*isStarted",  # where it has no debugger
    "Pending messages < 0",  # when an answer thought lost comes late after all
)

SAVE = "async () => { await jupyterapp.commands.execute('docmanager:save'); }"


class Lab:
    """One JupyterLab server in a folder of its own, started on construction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "notebooks"
        self.token = secrets.token_hex(16)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        if NOTEBOOKS.is_dir():
            shutil.copytree(NOTEBOOKS, self.folder)
        else:
            self.folder.mkdir()
        self.log = folder / "jupyterlab.log"
        self.command = [
            sys.executable,
            "-m",
            "jupyterlab",
            *lab_options(),
            "--no-browser",
            f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.folder}",
            f"--IdentityProvider.token={self.token}",
            "--LabApp.expose_app_in_browser=True",
        ]
        own = {
            "JUPYTER_CONFIG_DIR": folder / "config",
            "JUPYTER_DATA_DIR": folder / "data",
            "JUPYTER_RUNTIME_DIR": folder / "runtime",
            "IPYTHONDIR": folder / "ipython",
        }
        self.environment = lab_environment() | {k: str(v) for k, v in own.items()}
        self.start()

    def start(self) -> None:
        """Start the server, the first time or after `stop`: same port, same token."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=log, stderr=log
            )
        self._wait_until_up()

    def _wait_until_up(self, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.rest("GET", "/api/status")
                return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()}")

    def stop(self) -> None:
        """End the server; it ends its kernels."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def rest(self, method: str, path: str, sent: Any = None) -> Any:
        """Ask the server's REST interface; JSON comes back, or None."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if sent is None else json.dumps(sent).encode(),
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            body = response.read()
        return json.loads(body) if body else None

    def write(self, name: str, cells: Sequence[Cell]) -> None:
        """Write a notebook of these cells."""
        notebook = nbformat.v4.new_notebook(cells=notebook_cells(cells))
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, self.folder / name)

    def read(self, name: str) -> nbformat.NotebookNode:
        """Return the notebook as it is on disk."""
        return nbformat.read(self.folder / name, as_version=4)

    def trust(self, name: str) -> None:
        """Sign a notebook that was edited on disk, as `jupyter trust` does."""
        notary = NotebookNotary(data_dir=self.environment["JUPYTER_DATA_DIR"])
        notary.sign(self.read(name))
        notary.store.close()

    def open(self, page: Page, name: str, base: str | None = None) -> None:
        """Open a notebook and wait for its kernel.

        A page that shows JupyterLab opens it there, as a click on the file does; any
        other one loads JupyterLab, in a workspace of its own. The kernel starts
        meanwhile, and kernels that no page shows any more end. `base` is another
        address of the same server, as a `Wire` has one.
        """
        shown = page.evaluate("location.href").startswith(base or self.url)
        close_notebooks(page, others=False)
        if shown:
            page.wait_for_timeout(LEFT)
        for kernel in self.rest("GET", "/api/kernels"):
            if not kernel["connections"]:
                self.rest("DELETE", f"/api/kernels/{kernel['id']}")
        wanted = {"path": name, "name": name, "type": "notebook"}
        wanted |= {"kernel": {"name": "python3"}}
        session = self.rest("POST", "/api/sessions", wanted)
        if shown:
            self.execute(session["kernel"]["id"], "")  # what is saved needs it awake
            page.evaluate(OPEN, name)
        else:
            workspace = f"test-{uuid.uuid4().hex[:8]}"
            address = f"{base or self.url}/lab/workspaces/{workspace}/tree/{name}"
            page.goto(f"{address}?token={self.token}")
        page.wait_for_function(READY, arg=name, timeout=60_000)

    def run_on_bench(self, page: Page, *cells: Cell) -> None:
        """Run these cells in place of those of the call before, and in its kernel.

        Where its notebook is not shown any more, one is opened; where its kernel has
        ended, JupyterLab starts another.
        """
        if not page.evaluate(PUT, [BENCH, notebook_cells(cells)]):
            close_notebooks(page)  # after a reload one may come back late
            name = f"{BENCH}{uuid.uuid4().hex[:8]}.ipynb"
            self.write(name, cells)
            self.open(page, name)
        self.run_all(page)

    def run_all(self, page: Page, seconds: float = 60) -> None:
        """Run all cells and wait; an error in a cell that should not raise fails."""
        cells = page.evaluate(RUN_ALL, seconds * 1000)
        assert cells, f"Run All took more than {seconds} s"
        for number, cell in enumerate(json.loads(cells), 1):
            source = "".join(cell["source"])
            if not source.strip():
                continue
            assert cell["execution_count"], f"code cell {number} did not run:\n{source}"
            if "raises-exception" in cell["metadata"].get("tags", []):
                continue
            for output in cell["outputs"]:
                assert output["output_type"] != "error", (
                    f"code cell {number} failed: {output['ename']}: "
                    f"{output['evalue']}\n{source}"
                )

    def save(self, page: Page) -> None:
        """Save the notebook shown, as Ctrl+S does."""
        page.evaluate(SAVE)

    def python(self, page: Page, code: str, seconds: float = 60) -> Any:
        """Run code in the notebook's kernel, beside the page.

        The value of a last expression comes back through JSON; arrays as lists.
        """
        return self.execute(page.evaluate(KERNEL_ID), code, seconds)

    def execute(self, kernel: str, code: str, seconds: float = 60) -> Any:
        """Run code in a kernel, as `python` does: at its own door, past the server."""
        file = self.folder.parent / "runtime" / f"kernel-{kernel}.json"
        context = zmq.Context.instance()
        client = KernelClient(connection_file=str(file), context=context)
        client.load_connection_file()
        with client.connect_shell() as shell:
            client.session.send(shell, "execute_request", execute_request(code))
            if not shell.poll(seconds * 1000):
                raise TimeoutError(f"the kernel gave no answer within {seconds} s")
            return value_of(client.session.recv(shell)[1]["content"])

    def kill_kernel(self, page: Page) -> None:
        """Shut the notebook's kernel down for good and wait until the page knows."""
        self.rest("DELETE", f"/api/kernels/{page.evaluate(KERNEL_ID)}")
        page.wait_for_function(KERNEL_DEAD, timeout=30_000)


def notebook_cells(cells: Sequence[Cell]) -> list[nbformat.NotebookNode]:
    """Return cells of a notebook: a str is a code cell, ("markdown", text) is prose."""
    return [
        nbformat.v4.new_code_cell(cell)
        if isinstance(cell, str)
        else nbformat.v4.new_markdown_cell(cell[1])
        for cell in cells
    ]


def is_jupyterlabs_own(error: str) -> bool:
    """Say whether JupyterLab calls that an error, and no one is to blame."""
    return re.search("|".join(NOISE), error) is not None


def close_notebooks(page: Page, *, bench: bool = True, others: bool = True) -> None:
    """Close what JupyterLab shows, if it is there, without asking."""
    page.evaluate(CLOSE, [BENCH, bench, others])


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def execute_request(code: str) -> dict[str, Any]:
    """Return what an execute request holds that asks for the last expression."""
    tree = ast.parse(code)
    expressions = {}
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        value = ast.unparse(tree.body.pop().value)
        as_list = "default=lambda array: array.tolist()"
        expressions["value"] = f"__import__('json').dumps({value}, {as_list})"
    return {
        "code": ast.unparse(tree),
        "silent": False,
        "store_history": False,
        "user_expressions": expressions,
        "allow_stdin": False,
        "stop_on_error": False,
    }


def value_of(reply: dict[str, Any]) -> Any:
    """Return the value that a kernel's reply holds; RuntimeError where it failed."""
    answer = reply["user_expressions"].get("value") if "ename" not in reply else reply
    if answer is None:
        return None
    if answer["status"] == "error":
        raise RuntimeError("\n".join(answer["traceback"]))
    return json.loads(ast.literal_eval(answer["data"]["text/plain"]))


class Wire:
    """A second way to a server: it hands every byte on, in order, both ways.

    It takes `milliseconds` there and back, and can be cut. While `silent` is set bytes
    get lost without a word, as when a radio link fails.
    """

    def __init__(self, target: int) -> None:
        self.target, self.milliseconds = target, 0
        self.silent = self.is_cut = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self._run(asyncio.start_server(self._connect, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    def stop(self) -> None:
        self._run(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def cut(self) -> None:
        """End every connection and refuse new ones, until `mend`."""
        self.is_cut = True
        self._run(self._end_connections())

    def mend(self) -> None:
        """Let everything through again, at once."""
        self.silent, self.is_cut, self.milliseconds = False, False, 0

    async def _close(self) -> None:
        self.server.close()
        await self._end_connections()

    async def _end_connections(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self.is_cut:
            return writer.close()
        there = await asyncio.open_connection("127.0.0.1", self.target)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(
                self._pass_on(reader, there[1]), self._pass_on(there[0], writer)
            )

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        receiving = asyncio.create_task(self._receive(reader, queue))
        try:
            with contextlib.suppress(ConnectionError):
                while True:
                    due, chunk = await queue.get()
                    await asyncio.sleep(due - self.loop.time())
                    if not chunk:
                        break
                    if self.silent:
                        continue
                    writer.write(chunk)
                    await writer.drain()
        finally:
            receiving.cancel()
            writer.close()

    async def _receive(
        self, reader: asyncio.StreamReader, queue: "asyncio.Queue[tuple[float, bytes]]"
    ) -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = await reader.read(65536)
            except ConnectionError:
                chunk = b""
            queue.put_nowait((self.loop.time() + self.milliseconds / 2000, chunk))
