"""Try the other places where a learner may be, each in an environment of its own.

usage: python tools/reach.py [--pyodide FOLDER] [PLACE ...]

Places: voila, notebook, jupyterlab (the browser tests on the release that Binder has)
and lite (what `make lite` built in _lite/, or `--lite FOLDER`). Without names, all but
lite. With `--pyodide`, the lab's Pyodide is answered from a folder and every other
address is blocked; without it, the browser fetches Pyodide as a reader's does.
"""

import argparse
import contextlib
import functools
import http.server
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from browser import FLAGS, find_browser
from environment import ROOT
from playwright.sync_api import Page, Route, sync_playwright

sys.path.insert(0, str(ROOT / "tests" / "helpers"))
from drive import STAGES, OnScreen, assert_same
from lab import READY, RUN_ALL, SHOW

from attention_helpers import examples, explore

NOTEBOOKS = ROOT / "notebooks"
NEEDS = {
    "voila": ["voila==0.5.*", "ipykernel"],
    "notebook": ["notebook==7.*"],
    "jupyterlab": ["jupyterlab==4.4.9"],
}
OF_THE_LAB = [
    *("lab/test_lab.py", "lab/test_explorer_lab.py", "lab/test_faults.py"),
    "notebooks/test_start_here.py",
]
CHAPTER = "01_one_word.ipynb"
FIRST_OPEN = (
    'controls=["normalise"]'  # the cell of its first explorer without a question
)
CDN = re.compile(r"^https://[^/]+/pyodide/v[0-9.]+/full/")
SECONDS = 1000

ASK = """async expression => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const code = `print(${expression})`;
    const asked = kernel.requestExecute({code, store_history: false});
    let said = '';
    asked.onIOPub = ({content}) => said += content.text ?? content.evalue ?? '';
    await asked.done;
    return said;
}"""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="*", choices=[*NEEDS, "lite", []])
    parser.add_argument("--pyodide", type=Path)
    parser.add_argument("--lite", type=Path, default=ROOT / "_lite")
    given = parser.parse_args(arguments)
    for place in given.places or NEEDS:
        start = time.monotonic()
        if place == "jupyterlab":
            test_jupyterlab()
        elif place == "lite":
            try_lite(given.lite, given.pyodide)
        else:
            with browser_page() as page:
                {"voila": try_voila, "notebook": try_notebook}[place](page)
        print(f"{place}: works, {time.monotonic() - start:.0f} s", flush=True)


def environment(place: str) -> Path:
    """Return the Python of an environment that has what the place needs."""
    folder = ROOT / "build" / "reach" / place
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    package = f"{ROOT}[test]" if place == "jupyterlab" else ROOT
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--editable", package, *NEEDS[place]], check=True)
    return python


@contextlib.contextmanager
def browser_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(120 * SECONDS)
        yield page
        browser.close()


def try_drag(page: Page) -> None:
    """Drag a number of the first explorer without a question; compare with NumPy."""
    context = page.locator("[data-stage=context]")
    explorer = page.locator(".attention-explorer", has=context).first
    explorer.wait_for()
    screen = OnScreen(explorer)
    before = screen.numbers()["context"]
    screen.drag("embeddings", 4, 0, -5, -10)
    page.wait_for_timeout(500)
    after = screen.numbers()
    assert after["embeddings"][4, 0] == 2.0, after["embeddings"]
    assert after["context"] != before
    bank = examples["bank"].without_matrices()
    explorer = explore(bank, query="bank")
    explorer.embeddings = [
        [after["embeddings"][i, j] for j in range(4)] for i in range(5)
    ]
    result = explorer.attention
    assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})


# ---- places with a server ----


@contextlib.contextmanager
def server(place: str, *options: str) -> Iterator[str]:
    """Start a Jupyter server in the place's environment; its address comes back."""
    python = environment(place)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        kinds = ("CONFIG", "DATA", "RUNTIME")
        names = {f"JUPYTER_{kind}_DIR": f"{own}/{kind}" for kind in kinds}
        command = [python, "-m", place, "--no-browser", f"--port={port}", *options]
        process = subprocess.Popen(
            command,
            env=os.environ | names | {"IPYTHONDIR": f"{own}/ipython"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def wait_for(address: str, process: subprocess.Popen) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/", timeout=60).close()
            return
        except urllib.error.HTTPError:
            return  # it answers, and wants a token
        except OSError:
            if process.poll() is not None:
                sys.exit(f"the server at {address} ended")
            time.sleep(0.2)
    sys.exit(f"no answer from {address}")


def try_voila(page: Page) -> None:
    with server("voila", str(NOTEBOOKS / CHAPTER), "--Voila.ip=127.0.0.1") as address:
        page.goto(address)
        try_drag(page)


def try_notebook(page: Page) -> None:
    """Run chapter 1 in a copy of the notebooks: Notebook saves by itself."""
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(NOTEBOOKS, Path(folder, "notebooks"))
        options = [
            "--ServerApp.ip=127.0.0.1",
            "--allow-root",
            f"--ServerApp.root_dir={copy}",
            f"--IdentityProvider.token={token}",
            "--JupyterNotebookApp.expose_app_in_browser=True",
        ]
        with server("notebook", *options) as address:
            page.goto(f"{address}/notebooks/{CHAPTER}?token={token}")
            run_all(page, CHAPTER)
            page.evaluate(SHOW, FIRST_OPEN)
            try_drag(page)
            ask_kernel(page)


def run_all(page: Page, name: str) -> None:
    page.wait_for_function(READY, arg=name)
    cells = page.evaluate(RUN_ALL, 300 * SECONDS)
    assert cells, f"{name} took too long"
    for cell in json.loads(cells):
        if "raises-exception" in cell["metadata"].get("tags", []):
            continue
        errors = [o for o in cell["outputs"] if o["output_type"] == "error"]
        assert not errors, f"{name}: {errors[0]['ename']}: {errors[0]['evalue']}"


def ask_kernel(page: Page) -> None:
    """See that the kernel knows the drag and a choice, and checks an exercise."""
    wet = "[o.embeddings[4][0] for o in Out.values() if hasattr(o, 'embeddings')]"
    assert "2.0" in page.evaluate(ASK, wet)
    page.locator("[data-control=normalise]").first.select_option("sum")
    page.wait_for_timeout(500)
    ways = "[o.normalise for o in Out.values() if hasattr(o, 'divide_by')]"
    assert "sum" in page.evaluate(ASK, ways), "the choice did not arrive"
    answer = page.evaluate(ASK, "check('dot product blank', 5, record=False)")
    assert "passed" in answer, answer


def test_jupyterlab() -> None:
    python = environment("jupyterlab")
    tests = [f"tests/{name}" for name in OF_THE_LAB]
    subprocess.run([python, "-m", "pytest", "-q", *tests], cwd=ROOT, check=True)


# ---- the browser-only lab ----


def try_lite(site: Path, pyodide: Path | None) -> None:
    """Run every notebook of the built site; a drag and a check in chapter 1.

    Each has a browser profile of its own, else the lab opens those before it again.
    """
    notebooks = sorted((site / "files").glob("*.ipynb"))
    if len(notebooks) != len(list(NOTEBOOKS.glob("*.ipynb"))):
        sys.exit(f"{site} has {len(notebooks)} notebooks; run make lite first")
    with served(site) as address:
        left: list[str] = []
        for path in notebooks:
            start = time.monotonic()
            with browser_page() as page:
                if pyodide:
                    answers = functools.partial(answer, address, pyodide, left)
                    page.context.route("**/*", answers)
                page.goto(f"{address}/lab/index.html?path={path.name}")
                run_all(page, path.name)
                if path.name == CHAPTER:
                    page.evaluate(SHOW, FIRST_OPEN)
                    try_drag(page)
                    ask_kernel(page)
            print(f"  {path.name}: {time.monotonic() - start:.0f} s", flush=True)
        assert not left, left


def answer(address: str, pyodide: Path, left: list[str], route: Route) -> None:
    url = route.request.url
    if url.startswith((address, "data:", "blob:")):
        route.continue_()
    elif CDN.match(url) and (pyodide / CDN.sub("", url)).is_file():
        path = pyodide / CDN.sub("", url)
        kind = {".mjs": "text/javascript", ".wasm": "application/wasm"}
        headers = {"Access-Control-Allow-Origin": "*"}
        if path.suffix in kind:
            headers["Content-Type"] = kind[path.suffix]
        route.fulfill(path=path, headers=headers)
    else:
        left.append(url)
        route.abort()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder under a path of its own, as GitHub Pages does."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            below = path.removeprefix("/any/path")
            return super().translate_path(below if below != path else "/nowhere")

        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/any/path"
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main(sys.argv[1:])
