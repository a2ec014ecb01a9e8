"""Two learners at a real hub: each works, and reaches nothing of the other's.

`make hub-test` runs this. It needs Linux, bubblewrap and .venv-hub.
"""

import json
import os
import statistics
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import websocket
from drive import STAGES, OnScreen, assert_same
from lab import OPEN, READY, RUN_ALL, SHOW
from learner import Kernel, Learner
from playwright.sync_api import Browser, Page, TimeoutError
from start import address_in_network
from trial import Hub

from attention_helpers import examples, explore

CHAPTER = "01_one_word.ipynb"
FIRST_OPEN = 'controls=["normalise"]'  # its first explorer without a question


@pytest.fixture(scope="module")
def kernel(anna: Learner) -> Kernel:
    """Start a kernel of Anna's: whatever she runs, runs there."""
    return anna.kernel("playground.ipynb")


@pytest.fixture(scope="module")
def bens(ben: Learner) -> Kernel:
    """Start a kernel of Ben's, who has a secret."""
    kernel = ben.kernel("playground.ipynb")
    kernel.run(f"open('/home/secret', 'w').write({SECRET!r})")
    return kernel


SECRET = uuid.uuid4().hex


# ---- the lesson ----


def log_in(page: Page, hub: Hub, name: str) -> None:
    """Log in as a learner does: the address, a name, the class' word."""
    page.goto(hub.url)
    page.locator("#username_input").fill(name)
    page.locator("#password_input").fill(hub.word)
    page.locator("#login_submit").click()
    page.wait_for_url(f"**/user/{name}/lab/tree/attention/00_start_here.ipynb*")
    start = "attention/00_start_here.ipynb"
    try:
        page.wait_for_function(READY, arg=start, timeout=120_000)
    except TimeoutError:
        pytest.fail(f"{page.url} shows: {page.locator('body').inner_text()}")


def run_chapter(page: Page) -> None:
    """Open chapter 1 and run all its cells; none may fail."""
    path = f"attention/{CHAPTER}"
    page.evaluate(OPEN, path)
    page.wait_for_function(READY, arg=path, timeout=120_000)
    cells = json.loads(page.evaluate(RUN_ALL, 120_000))
    for cell in cells:
        taught = "raises-exception" in cell["metadata"].get("tags", [])
        kinds = [output["output_type"] for output in cell["outputs"]]
        assert taught or "error" not in kinds, cell
        assert cell["execution_count"] or not "".join(cell["source"]).strip()


def test_two_learners_run_chapter_1(hub: Hub, browser: Browser) -> None:
    contexts = [
        browser.new_context(viewport={"width": 1280, "height": 800}) for _ in "ab"
    ]
    pages = [context.new_page() for context in contexts]
    for page, name in zip(pages, ("anna", "ben"), strict=True):
        page.set_default_timeout(120_000)
        log_in(page, hub, name)
        run_chapter(page)
    for page, places in zip(pages, (-10, -5), strict=True):
        page.evaluate(SHOW, FIRST_OPEN)
        context = page.locator("[data-stage=context]")
        screen = OnScreen(page.locator(".attention-explorer", has=context).first)
        screen.root.wait_for()
        screen.drag("embeddings", 4, 0, places)
        seen = screen.numbers()
        embeddings = [[seen["embeddings"][i, j] for j in range(4)] for i in range(5)]
        explorer = explore(examples["bank"].without_matrices(), query="bank")
        assert embeddings != explorer.embeddings
        explorer.embeddings = embeddings
        result = explorer.attention
        assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})
    for context in contexts:
        context.close()


# ---- the door ----


@pytest.mark.parametrize(
    "name", ["../ben", "a/b", "/etc", ".", "..", "", "a b", "x" * 40, "ben\n.."]
)
def test_a_name_that_is_no_folder_is_refused(hub: Hub, name: str) -> None:
    with pytest.raises(ValueError, match="not let in"):
        Learner(hub.url, name, hub.word)


def test_only_the_right_word_lets_in(hub: Hub) -> None:
    for name, word in [
        ("carl", "wrong-word"),
        ("carl", ""),
        ("carl", hub.teachers_word),
        ("teacher", hub.word),
        ("Teacher", hub.word),
    ]:
        with pytest.raises(ValueError, match="not let in"):
            Learner(hub.url, name, word)
    teacher = Learner(hub.url, "teacher", hub.teachers_word)
    assert teacher.hub("GET", "users").status_code == 200, "the teacher is an admin"
    assert not (hub.folder / "learners" / "carl").exists()


# ---- what a learner tries from the box ----


def test_anna_sees_no_file_of_others(
    hub: Hub, ben: Learner, bens: Kernel, kernel: Kernel
) -> None:
    assert (hub.folder / "learners" / "ben" / "secret").read_text() == SECRET
    hidden = [
        hub.folder,
        hub.notebooks,
        Path("/root"),
        Path("/var"),
    ]
    root = Path(__file__).resolve().parents[3]
    hidden += [root / ".git", root / "tools", root / "tests", Path("/etc/shadow")]
    paths = [str(path) for path in hidden]
    assert kernel.run(f"import os; [p for p in {paths} if os.path.exists(p)]") == []
    needles = [SECRET, hub.teachers_word, token_of(ben)]
    found = kernel.run(SEARCH.format(needles=[needle[::-1] for needle in needles]))
    assert found["read"] > 50, "it has looked"
    assert found["found"] == []
    mine = SEARCH.format(needles=["Unsere Nadel"])
    kernel.run("open('/home/mine', 'w').write('Unsere Nadel'[::-1])")
    assert kernel.run(mine)["found"] == ["/home/mine"], "and would have found it"


SEARCH = """
import os
needles = [needle[::-1].encode() for needle in {needles}]
answer = dict(found=[], read=0)
system = {{'usr', 'dev', 'bin', 'lib', 'lib64', 'sbin'}}
for top in sorted(set(os.listdir('/')) - system):
    for folder, folders, files in os.walk('/' + top):
        passed = ('.venv-hub', 'sys', 'task')
        folders[:] = [name for name in folders if name not in passed]
        if folder.startswith('/proc') and folder.count('/') > 2:
            folders[:] = []
        for name in files:
            path = os.path.join(folder, name)
            if top == 'proc' and name not in ('environ', 'cmdline', 'mountinfo'):
                continue
            try:
                with open(path, 'rb') as file:
                    text = file.read(10_000_000)
            except OSError:
                continue
            answer['read'] += 1
            if any(needle in text for needle in needles):
                answer['found'].append(path)
answer
"""


def test_anna_can_write_nothing_but_her_own(kernel: Kernel) -> None:
    written = kernel.run("""
import os, sys, tempfile
def writable(folder):
    try:
        tempfile.TemporaryFile(dir=folder).close()
        return True
    except OSError:
        return False
import attention_helpers
places = ['/usr/bin', sys.prefix, os.path.dirname(attention_helpers.__file__)]
places += ['/srv/notebooks.git', '/srv/binder', '/etc', '/home', '/tmp']
[place for place in places if writable(place)]
""")
    assert set(written) <= {"/home", "/tmp", "/etc"}, "an own /etc, seen by nobody else"
    assert kernel.run("os.listdir('/etc')") != sorted(os.listdir("/etc"))


def test_anna_sees_no_process_of_others(hub: Hub, bens: Kernel, kernel: Kernel) -> None:
    """Nor can she open the hub's files through her own."""
    seen = kernel.run("""
import os
pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
lines = [open(f'/proc/{pid}/cmdline').read() for pid in pids]
links = []
for pid in pids:
    for name in os.listdir(f'/proc/{pid}/fd'):
        try:
            links.append(os.readlink(f'/proc/{pid}/fd/{name}'))
        except OSError:
            pass
kinds = ['pid', 'net', 'ipc', 'mnt', 'user', 'uts']
spaces = {kind: os.readlink(f'/proc/self/ns/{kind}') for kind in kinds}
dict(lines=lines, links=links, spaces=spaces)
""")
    assert any("singleuser" in line for line in seen["lines"]), "her own she sees"
    for word in (
        "jupyterhub_config",
        "configurable-http-proxy",
        "ben.log",
    ):
        assert not [line for line in seen["lines"] if word in line]
    own = str(hub.folder / "logs" / "anna.log")
    outside = {link for link in seen["links"] if link.startswith(str(hub.folder))}
    assert outside <= {own}
    theirs = bens.run("""
import os
{kind: os.readlink(f'/proc/self/ns/{kind}')
 for kind in ['pid', 'net', 'ipc', 'mnt', 'user', 'uts']}
""")
    further = "subprocess.call(['unshare', '--user', 'true'], stderr=-3)"
    assert kernel.run(f"import subprocess; {further}") != 0, "and no namespaces in hers"
    for kind, space in seen["spaces"].items():
        assert space not in (theirs[kind], os.readlink(f"/proc/self/ns/{kind}")), kind


def listening() -> list[int]:
    """Return every port of this machine that somebody listens on."""
    rows = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        rows += Path(name).read_text().splitlines()[1:]
    fields = [row.split() for row in rows]
    return sorted({int(f[1].rpartition(":")[2], 16) for f in fields if f[3] == "0A"})


def test_anna_reaches_no_port(hub: Hub, bens: Kernel, kernel: Kernel) -> None:
    ports = listening()
    assert hub.port in ports
    own = kernel.run("""
rows = open('/proc/net/tcp').read().splitlines()[1:]
[int(r.split()[1].rpartition(':')[2], 16) for r in rows if r.split()[3] == '0A']
""")
    reached = kernel.run(f"""
import socket
reached = []
for host in ('127.0.0.1', {address_in_network()!r}):
    for port in {sorted(set(ports) - set(own))}:
        probe = socket.socket()
        probe.settimeout(2)
        if probe.connect_ex((host, port)) == 0:
            reached.append((host, port))
        probe.close()
reached
""")
    assert reached == []
    interfaces = kernel.run(
        "import os; os.listdir('/sys') if os.path.exists('/sys') else []"
    )
    assert interfaces == []
    routes = kernel.run("open('/proc/net/route').read().splitlines()[1:]")
    assert routes == [], "no way out: no network but its own loopback"
    assert str(hub.folder) not in kernel.run("open('/proc/net/unix').read()")


# ---- what a learner tries at the hub ----


def token_of(learner: Learner) -> str:
    """Return the token of a learner's server, as the machine's owner can read it."""
    wanted = f"JUPYTERHUB_USER={learner.name}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in environment:
            fields = dict(part.partition(b"=")[::2] for part in environment)
            return fields[b"JUPYTERHUB_API_TOKEN"].decode()
    raise LookupError(f"{learner.name} has no server")


ASK_HUB = """
import http.client, json, os, socket
def ask(method, path):
    connection = http.client.HTTPConnection('hub')
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect('/run/hub')
    token = os.environ['JUPYTERHUB_API_TOKEN']
    headers = {'Authorization': 'token ' + token}
    connection.request(method, '/hub/api/' + path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status
[ask(method, path) for method, path in %r]
"""
FORBIDDEN = [
    ("GET", "users"),
    ("GET", "users/ben"),
    ("GET", "users/teacher"),
    ("GET", "users/ben/tokens"),
    ("POST", "users/ben/tokens"),
    ("POST", "users/ben/server"),
    ("DELETE", "users/ben/server"),
    ("DELETE", "users/ben"),
    ("PATCH", "users/anna"),
    ("GET", "proxy"),
    ("GET", "services"),
    ("POST", "users/carl"),
    ("POST", "shutdown"),
]


def test_annas_token_opens_nothing_of_others(ben: Learner, kernel: Kernel) -> None:
    answers = kernel.run(ASK_HUB % FORBIDDEN)
    assert set(answers) <= {403, 404}, list(zip(FORBIDDEN, answers, strict=True))
    assert kernel.run(ASK_HUB % [("GET", "user")]) == [200], "her own it does"


def test_annas_cookies_open_nothing_of_others(
    hub: Hub, anna: Learner, ben: Learner, bens: Kernel
) -> None:
    for method, path in FORBIDDEN:
        assert anna.hub(method, path).status_code in (403, 404), (method, path)
    theirs = f"{hub.url}/user/ben"
    token = {"Authorization": f"token {token_of(anna)}"}
    for path in ("/lab", "/api/contents", "/api/kernels", "/files/secret"):
        with_cookies = anna.session.get(theirs + path, timeout=60)
        assert with_cookies.status_code in (403, 404), path
        assert SECRET not in with_cookies.text
        with_token = anna.session.get(theirs + path, headers=token, timeout=60)
        assert with_token.status_code in (403, 404), path
    channel = f"ws{theirs[4:]}/api/kernels/{bens.name}/channels"
    cookies = "; ".join(f"{c.name}={c.value}" for c in anna.session.cookies)
    for options in ({"cookie": cookies}, {"header": token}, {}):
        with pytest.raises(websocket.WebSocketBadStatusException):
            websocket.create_connection(channel, timeout=60, **options)


def test_another_page_cannot_speak_for_anna(anna: Learner, kernel: Kernel) -> None:
    """A page of another origin, open in her browser, has her cookies."""
    channel = f"ws{anna.base[4:]}/api/kernels/{kernel.name}/channels"
    cookies = "; ".join(f"{c.name}={c.value}" for c in anna.session.cookies)
    with pytest.raises(websocket.WebSocketBadStatusException):
        websocket.create_connection(
            channel, cookie=cookies, origin="http://example.org", timeout=60
        )
    kernels = anna.rest("GET", "kernels").json()
    without = anna.session.post(f"{anna.base}/api/kernels", json={}, timeout=60)
    # The server refuses before it has read all; one time in sixty the proxy hears of
    # the closed line first and calls that 503.
    assert without.status_code in (403, 503)
    assert {one["id"] for one in anna.rest("GET", "kernels").json()} == {
        one["id"] for one in kernels
    }


def test_annas_socket_leads_nowhere_else(
    anna: Learner, ben: Learner, kernel: Kernel
) -> None:
    """She puts a link to the hub in its place: the proxy does not follow it."""
    kernel.run("""
import os
os.rename('/run/server/socket', '/run/server/mine')
os.symlink('/run/hub', '/run/server/socket')
""")
    try:
        assert anna.rest("GET", "status").status_code == 200
    finally:
        kernel.run("os.replace('/run/server/mine', '/run/server/socket')")
    assert ben.rest("GET", "status").status_code == 200


# ---- one takes all that there is ----


def answer_times(kernel: Kernel, times: int = 20) -> list[float]:
    """Return how many seconds each of some small requests took."""
    taken = []
    for _ in range(times):
        start = time.monotonic()
        assert kernel.run("sum(range(1000))") == 499500
        taken.append(time.monotonic() - start)
    return taken


def test_full_memory_is_bens_alone(bens: Kernel, kernel: Kernel) -> None:
    said = bens.run("""
taken = []
try:
    while len(taken) < 400:
        taken.append(b'x' * 2**24)
    said = 'no end'
except MemoryError:
    said = len(taken) * 2**24
del taken
said
""")
    assert said != "no end"
    assert said < 2**30
    assert bens.run("1 + 1") == 2, "his kernel lives"
    assert kernel.run("2 + 2") == 4
    with pytest.raises(RuntimeError, match="File too large"):
        bens.run("open('/home/huge', 'wb').truncate(2**30 + 1)")


def test_endless_loops_and_processes_are_bens_alone(
    bens: Kernel, kernel: Kernel
) -> None:
    started = bens.run("""
import subprocess
endless = []
try:
    while len(endless) < 400:
        busy = len(endless) < 8
        command = ['sh', '-c', 'while :; do :; done'] if busy else ['sleep', '600']
        endless.append(subprocess.Popen(command))
except BlockingIOError:
    pass
len(endless)
""")
    try:
        assert 100 < started < 256, "a limit of his own"
        assert kernel.run("import subprocess; subprocess.call(['true'])") == 0
        assert statistics.median(answer_times(kernel)) < 1
    finally:
        bens.run("for process in endless: process.kill()\nfor p in endless: p.wait()")
    assert bens.run("subprocess.call(['true'])") == 0, "and he goes on"


# ---- the teacher changes the notebooks ----


def test_a_change_arrives_and_overwrites_nothing(hub: Hub) -> None:
    carl = Learner(hub.url, "carl", hub.word)
    carl.start()
    copy = hub.folder / "learners" / "carl" / "attention" / CHAPTER
    source = hub.notebooks / "notebooks" / CHAPTER
    changed = {1: "mine = 1", 3: "mine = 3"}
    edit(carl, copy, changed)
    carl.rest(
        "PUT", "contents/attention/new.md", text_file("carl's")
    ).raise_for_status()
    carl.stop()
    notebook = nbformat.read(source, 4)
    last = len(notebook.cells) - 1
    notebook.cells[3].source, notebook.cells[last].source = "theirs = 3", "theirs"
    nbformat.write(notebook, source)
    (source.parent / "new.md").write_text("the teacher's")
    hub.git("add", "--all")
    hub.git("commit", "--quiet", "-m", "A change")
    carl.start()
    arrived = nbformat.read(copy, 4).cells
    assert arrived[1].source == "mine = 1"
    assert arrived[3].source == "mine = 3", "both changed it: the learner's stays"
    assert arrived[last].source == "theirs"
    assert (copy.parent / "new.md").read_text() == "the teacher's"
    kept = [path.read_text() for path in copy.parent.glob("new_*.md")]
    kept += [path.read_text() for path in copy.parent.glob("new.md_*")]
    assert kept == ["carl's"], sorted(path.name for path in copy.parent.iterdir())
    hub.git("commit", "--quiet", "--amend", "-m", "Another history")
    carl.stop()
    carl.start()
    assert nbformat.read(copy, 4).cells[1].source == "mine = 1"
    carl.stop()


def edit(learner: Learner, copy: Path, changed: dict[int, str]) -> None:
    """Save the notebook with other sources, through the learner's server."""
    notebook = nbformat.read(copy, 4)
    for index, source in changed.items():
        notebook.cells[index].source = source
    sent = {"type": "notebook", "format": "json", "content": notebook}
    learner.rest("PUT", f"contents/attention/{copy.name}", sent).raise_for_status()


def text_file(text: str) -> dict[str, Any]:
    return {"type": "file", "format": "text", "content": text}


# ---- the end ----


def test_an_idle_server_ends_and_nothing_stays(new_hub: Callable[..., Hub]) -> None:
    hub = new_hub(HUB_IDLE="40")
    dora = Learner(hub.url, "dora", hub.word)
    dora.start()
    assert running(hub) > 2
    end = time.monotonic() + 180
    while dora.hub("GET", "users/dora").json()["servers"]:
        assert time.monotonic() < end, "an idle server did not end"
        time.sleep(1)
    dora.start()
    words = hub.word, hub.teachers_word
    hub.stop()
    assert running(hub) == 0
    hub.start()
    assert (hub.word, hub.teachers_word) == words
    assert (hub.folder / "learners/dora/attention" / CHAPTER).exists()


def running(hub: Hub) -> int:
    """Count the processes that have this hub's folder in their environment or name."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            about = (folder / "environ").read_bytes() + (
                folder / "cmdline"
            ).read_bytes()
        except OSError:
            continue
        count += str(hub.folder).encode() in about
    return count
