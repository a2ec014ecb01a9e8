"""A class' notebooks are graded: right, wrong, broken and cheating ones."""

import csv
import json
import os
import re
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from places import ROOT

from attention_helpers import explore, grade
from attention_helpers.exercises import session
from attention_helpers.explorer import STATE
from attention_helpers.grading import box, find, notebook, wire
from attention_helpers.grading.run import LIES, Graded, Notebook
from attention_helpers.grading.table import Row, as_text, as_words, rows_of

SECONDS = 10  # for a cell: two that never end wait so long, without working
IMPORTS = "import numpy as np\nfrom attention_helpers import *\n"
IMPORTS += "from dataclasses import replace\n"
IMPORTS += "from attention_helpers.exercises import check, session"
BLANK = 'check("dot product blank", 5)'
SOFTMAX = "def mine(scores):\n    return np.exp(scores) / np.exp(scores).sum()\n"
SOFTMAX += 'check("softmax", mine)'
WRONG = 'def wrong(scores):\n    return scores\ncheck("softmax", wrong)'
GOAL = 'goal = explore("bank", edit=["W_query", "W_key"])\ngoal'

if box.trouble():
    print(f"bubblewrap {box.trouble()}: graded without boxes")


def a_notebook(*cells, **metadata):
    made = [
        cell if isinstance(cell, dict) else {"cell_type": "code", "source": cell}
        for cell in cells
    ]
    return {"nbformat": 4, "metadata": metadata, "cells": made}


def solutions():
    """Return all solutions of all notebooks, given as answers."""
    cells = [IMPORTS, "bank = examples['bank']", BLANK, SOFTMAX]
    cells += ['check("dot product", 11)', "three = small = None"]
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            made = re.search(r"^(erased|learner|to_coins) = ", source, re.M)
            if "record=False" in source or made:
                cells.append(source.replace(", record=False", ""))
    return [*cells, TIMES]


def moved(number, **more):
    """Return a notebook whose explorer was moved by hand, and saved with that."""
    explorer = explore("bank", edit=["W_query", "W_key"])
    W_query = [list(row) for row in explorer.W_query]
    W_query[1][0] = number
    explorer.W_query = W_query
    state = {name: getattr(explorer, name) for name in STATE} | more
    view = {"model_id": "m", "version_major": 2}
    shown = {"cell_type": "code", "source": GOAL}
    shown["outputs"] = [{"data": {notebook.VIEW: view}}, {"output_type": "stream"}]
    widgets = {notebook.WIDGETS: {"state": {"m": {"state": state}}}}
    cells = IMPORTS, shown, 'check("slider goal", goal)'
    return a_notebook(*cells, widgets=widgets)


FAKE = "def check(name, answer):\n    return 'passed'\nsummary = check\n"
PATCHED = """
import attention_helpers.exercises as package
package.check = session.check = lambda name, answer: "passed"
session._records["softmax"] = session.Record("passed", 1)
from attention_helpers.exercises import check
"""
LIE = """
from attention_helpers.exercises.judge.kinds import Verdict
class Yes:
    def __init__(self, name): self.name = name
    def judge(self, answer): return Verdict("passed")
session.EXERCISES.update({name: Yes(name) for name in session.EXERCISES})
class Wrong:
    def __init__(self, *matrices): pass
    def __call__(self, embeddings): return embeddings
for name in session.EXERCISES:
    by_hand = "goal" in name or "wish" in name
    check(name, lambda *given: 0)
    check(name, Wrong if "class" in name else explore("bank") if by_hand else 3)
"""
FORGE = """
import json, os
answer = {"name": "softmax", "status": "passed", "seed": None}
for told in ({"check": answer | {"answer": {"number": 1}}}, {"ran": {}}, {"judged": 1}):
    for pipe in range(3, 30):
        try:
            os.write(pipe, json.dumps(told).encode() + bytes([10]))
        except OSError:
            pass
"""
SPY = """
import os, socket, urllib.request
answer = 5
if any(map(os.path.exists, {hidden!r})) or "HOME_SECRET" in os.environ:
    answer = 1
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=2)
    answer = 2
except OSError:
    pass
for file in (session.__file__, os.__file__):
    try:
        open(file, "a").close()
        answer = 3
    except OSError:
        pass
if len([name for name in os.listdir("/proc") if name.isdigit()]) > 4:
    answer = 6
check("dot product blank", answer)
"""
LOUD = """
import threading, time
def shout():
    while True:
        print("passed")
        time.sleep(0.05)
for _ in range(9):
    threading.Thread(target=shout, daemon=True).start()
for _ in range(200):
    print("passed " * 20_000)
input()
"""
DEAF = "import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0)\ntime.sleep(1e6)"
SLOW = "import time\ndef slow(scores):\n    time.sleep(1e6)\ncheck('softmax', slow)"
STORED = {"cell_type": "code", "source": 'check("softmax", ...)'}
STORED["outputs"] = [{"output_type": "stream", "text": "softmax: passed"}]
SEEDED = 'bank = examples.variant("bank", 7).embeddings\n'
SEEDED += 'check("dot product blank", bank[2] @ bank[4], seed=7)'
SLIP = 'check("softmax", not_there)'
TIMES = 'check("table times table", [[10, 11], [12, 15]])'

NOTEBOOKS = {
    "ada/all.ipynb": a_notebook(*solutions()),
    "ada/again.ipynb": a_notebook(IMPORTS, 'check("queries", 1)'),
    "ben.ipynb": a_notebook(
        *(IMPORTS, WRONG, 'check("dot product blank", 3)', "1 / 0", BLANK, SLIP)
    ),
    "seeded.ipynb": a_notebook(
        *(IMPORTS, SEEDED, BLANK.replace(")", ", seed=7)")),
        *(GOAL, 'check("slider goal", goal)'),
    ),
    "hand right.ipynb": moved(0.7),
    "hand wrong.ipynb": moved(0.2),
    "hand foul.ipynb": moved(0.7, W_key="passed"),
    "cheat own check.ipynb": a_notebook(
        FAKE, 'check("softmax", None)', "summary(1, 2)"
    ),
    "cheat patch.ipynb": a_notebook(IMPORTS + PATCHED, WRONG),
    "cheat folder/01.ipynb": a_notebook(IMPORTS, WRONG, STORED),
    "cheat lie.ipynb": a_notebook(IMPORTS, BLANK, LIE, 'check("softmax", 1)'),
    "cheat forge.ipynb": a_notebook(IMPORTS, BLANK, FORGE, SOFTMAX),
    "loud.ipynb": a_notebook(
        *(IMPORTS, LOUD, "np.ones(10**15)", SOFTMAX),
        *("import sys, os; sys.exit()", BLANK, "os._exit(0)", TIMES),
    ),
    "endless.ipynb": a_notebook(IMPORTS, BLANK, SLOW, SOFTMAX.replace("soft", "arg")),
    "deaf.ipynb": a_notebook(IMPORTS, BLANK, DEAF, SOFTMAX),
    "julia.ipynb": a_notebook(BLANK, kernelspec={"language": "julia"}),
    "none.ipynb": a_notebook("1 + 1"),
    "=1+1.ipynb": a_notebook(),
    "\x1b[31m+x.ipynb": a_notebook(),
}
FORK = a_notebook(IMPORTS, BLANK, "import os\nwhile True:\n    os.fork()", SOFTMAX)
FILES = {
    "cheat folder/attention_helpers/__init__.py": FAKE,
    "cheat folder/attention_helpers/exercises/__init__.py": FAKE,
    "cheat folder/.ipynb_checkpoints/01.ipynb": "hidden",
    "empty.ipynb": "",
    "broken.ipynb": '{"cells": [',
    "deep.ipynb": "[" * 100_000,
    "odd.ipynb": '{"nbformat": 4, "metadata": {}, "cells": [7]}',
    "old.ipynb": '{"nbformat": 3, "metadata": {}, "worksheets": []}',
    "essay.pdf": "an essay",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade the whole class once; return its rows, what was printed, and the folder."""
    folder = tmp_path_factory.mktemp("class") / "handed in"
    server = socket.create_server(("127.0.0.1", 0))
    hidden = [str(folder), str(Path.home() / ".bashrc"), str(ROOT / "tests")]
    spy = SPY.format(hidden=hidden, port=server.getsockname()[1])
    notebooks = dict(NOTEBOOKS)
    if not box.trouble():
        notebooks["fork.ipynb"] = FORK
        notebooks["spy.ipynb"] = a_notebook(IMPORTS, spy)
    written = {name: json.dumps(made) for name, made in notebooks.items()}
    written["copy.ipynb"] = written["ben.ipynb"]
    for name, text in (written | FILES).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with (folder / "huge.ipynb").open("wb") as huge:
        huge.truncate(notebook.LARGEST + 1)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.ipynb")
        (folder / "link.ipynb").symlink_to("ben.ipynb")
    before = {path: path.stat().st_mtime_ns for path in box.PACKAGE.rglob("*.py")}
    table = folder / "table.csv"
    more = ["--unboxed"] if box.trouble() else []
    run = subprocess.run(
        [
            *(sys.executable, "-m", "attention_helpers.grade", folder),
            *("--csv", table, "--jobs", "2", "--timeout", str(SECONDS), *more),
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"HOME_SECRET": "1"},
    )
    server.close()
    assert run.returncode == 0, run.stderr
    assert before == {path: path.stat().st_mtime_ns for path in before}
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    return rows, run, folder


@pytest.fixture(scope="module")
def rows(graded):
    return graded[0]


def test_every_right_answer_passes_in_the_graders_eyes_too(rows):
    """Functions, classes, functions of functions, explorers: all that there is."""
    row = rows["ada"]
    assert not row["where it broke"]
    assert {name: row[name] for name in session.EXERCISES} == dict.fromkeys(
        session.EXERCISES, "passed"
    )
    assert row["passed"] == str(len(session.EXERCISES))
    assert (
        "again.ipynb" in row["notes"] or "all.ipynb" in row["notes"]
    )  # queries, twice
    assert rows["seeded"]["dot product blank"] == "passed"
    assert rows["seeded"]["dot product blank: tries"] == "1"
    assert rows["seeded"]["seeds"] == "7"


def test_a_row_says_passed_tries_and_where_it_broke(rows):
    row = rows["ben"]
    assert (row["softmax"], row["softmax: tries"]) == ("not yet", "1")
    assert (row["dot product blank"], row["dot product blank: tries"]) == (
        "passed",
        "2",
    )
    assert "[4] ZeroDivisionError" in row["where it broke"]
    assert "[6] NameError: name 'not_there' is not defined" in row["where it broke"]
    assert row["weighted average"] == ""
    assert "same file as that of ben" in rows["copy"]["notes"]
    assert "same file as that of copy" in rows["ben"]["notes"]


def test_an_explorer_counts_as_the_hand_left_it(rows):
    assert rows["hand right"]["slider goal"] == "passed"
    assert rows["hand wrong"]["slider goal"] == "not yet"
    for lost in ("seeded", "hand foul"):
        assert rows[lost]["slider goal"] == "by hand"


@pytest.mark.parametrize("name", ["cheat own check", "cheat patch"])
def test_a_check_of_ones_own_is_not_heard(rows, name):
    assert rows[name]["softmax"] == "unheard"
    assert rows[name]["passed"] == "0"


def test_neither_a_folder_beside_it_nor_stored_text_makes_an_answer_right(rows):
    row = rows["cheat folder"]
    assert (row["softmax"], row["softmax: tries"]) == ("not yet", "1")
    assert row["notes"].count("no notebook") == 2


def test_a_kernel_that_lies_is_told_apart(rows):
    row = rows["cheat lie"]
    for name in session.EXERCISES:
        right = name in ("dot product blank",)
        assert row[name] == ("passed" if right else "not yet"), name
    assert "softmax: its own kernel said passed" in row["notes"]
    row = rows["cheat forge"]
    assert row["dot product blank"] == "passed"
    assert row["softmax"] in ("not yet", "not reached")
    assert "does not say" in row["where it broke"]


def test_what_ends_or_never_ends_is_said_and_keeps_what_came_before(rows):
    row = rows["loud"]
    assert "[5] SystemExit; " in row["where it broke"]
    assert "[7] its kernel ended" in row["where it broke"]
    assert row["dot product blank"] == "passed"
    assert row["table times table"] == "not reached"
    row = rows["endless"]
    assert (row["dot product blank"], row["softmax"]) == ("passed", "endless")
    assert f"[3] took longer than {SECONDS} s" in row["where it broke"]
    row = rows["deaf"]
    assert (row["dot product blank"], row["softmax"]) == ("passed", "not reached")
    assert f"[3] took longer than {SECONDS} s" in row["where it broke"]


def test_noise_threads_and_hunger_harm_nobody(rows):
    row = rows["loud"]
    assert row["softmax"] == "passed"
    assert "[2] EOFError" in row["where it broke"]
    assert "[3] MemoryError" in row["where it broke"]


@pytest.mark.skipif(bool(box.trouble()), reason=f"bubblewrap {box.trouble()}")
def test_a_box_holds(rows):
    assert rows["spy"]["dot product blank"] == "passed", (
        "it sees, or reaches, something"
    )
    row = rows["fork"]
    assert (row["dot product blank"], row["softmax"]) == ("passed", "not reached")
    assert "[3] started more than" in row["where it broke"]


def test_files_that_cannot_be_graded_are_rows_that_say_so(rows):
    for learner, why in {
        "julia": "in julia, not in Python",
        "none": "checks no exercise",
        "empty": "an empty file",
        "broken": "no JSON",
        "deep": "no JSON",
        "odd": "not that of a notebook",
        "old": "format 3",
        "essay": "no notebook",
        "huge": "too large",
        "pipe": "no plain file",
        "link": "a link",
    }.items():
        assert why in rows[learner]["notes"], learner
        assert rows[learner]["passed"] == "0"
    assert "table" not in rows


def test_no_text_of_a_learners_is_a_formula_or_moves_the_terminal(graded):
    rows, run, folder = graded
    assert "'=1+1" in rows
    text = (folder / "table.csv").read_text("utf-8-sig")
    assert not any(
        cell.startswith("=") for row in rows.values() for cell in row.values()
    )
    for written in (text, run.stdout, run.stderr):
        assert "\x1b" not in written
    for text in ("=1", "+1", "-1", "@x", " =1", "＝1"):
        assert as_words(text) == "'" + text
    assert as_words("\t=1").startswith("␉")
    assert as_words("Ada") == "Ada"


def test_it_is_printed_with_its_progress(graded):
    rows, run, _ = graded
    assert "one word" in run.stdout
    assert "where it broke" in run.stdout
    assert "unheard: its cell ran" in run.stdout
    files = sum(f.suffix == ".ipynb" for f in map(Path, [*NOTEBOOKS, *FILES]))
    assert f"{run.stderr.split('/')[1].split()[0]}" != "0"
    assert files <= len(rows) + 3


# ---- without a class ----


def test_it_runs_without_a_box_only_where_that_is_asked_for(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "ada.ipynb").write_text(json.dumps(a_notebook(IMPORTS, BLANK)))
    monkeypatch.setattr(box, "trouble", lambda: "is not installed here")
    assert grade.main([str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert "--unboxed" in said.err
    assert "apt install bubblewrap" in said.err
    assert not said.out
    assert grade.main([str(tmp_path), "--unboxed"]) == 0
    assert "ada                  passed" in capsys.readouterr().out


def test_what_cannot_be_done_is_said_at_once(tmp_path, capsys):
    for given, why in {
        ("nowhere",): "FOLDER is nowhere; expected a folder",
        (tmp_path, "--jobs", "0"): "--jobs is 0",
        (tmp_path, "--timeout", "nan"): "--timeout is nan",
        (tmp_path, "--csv", tmp_path / "no" / "x.csv"): "No such file",
    }.items():
        assert grade.main([str(each) for each in given]) == 2
        assert why in capsys.readouterr().err
    assert grade.main([str(tmp_path), "--unboxed"]) == 0
    assert "Nothing was handed in." in capsys.readouterr().out


def test_a_locked_file_is_a_row(tmp_path, monkeypatch):
    (tmp_path / "ada.ipynb").write_text("{}")

    def locked(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", locked)
    (file,) = find.handed_in(tmp_path)
    assert file.trouble == "cannot be opened: Permission denied"
    monkeypatch.setattr(Path, "open", locked)
    with pytest.raises(notebook.Unreadable, match="Permission denied"):
        notebook.read(tmp_path / "ada.ipynb")


def test_a_learner_who_hands_in_too_much_hides_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(find, "MOST", 3)
    for learner in ("ann", "bob"):
        (tmp_path / learner).mkdir()
        for k in range(5):
            (tmp_path / learner / f"{k}.txt").write_text("")
    files = find.handed_in(tmp_path)
    assert [file.learner for file in files] == ["ann"] * 3 + ["bob"] * 3
    assert (
        files[2].trouble == "not looked at, as are all that follow: 3 files are enough"
    )


def test_the_pipe_carries_numbers_and_nothing_else():
    import numpy as np

    for value in (1, 1.5, True, None, ..., [1, (2, 3.5)], float("inf"), [[True]]):
        assert wire.unpack(wire.pack(value)) == value
    for table in (np.eye(2), np.tri(3, dtype=bool), np.zeros((0, 3), int)):
        back = wire.unpack(json.loads(json.dumps(wire.pack(table))))
        assert back.shape == table.shape
        assert back.dtype == table.dtype
        assert (back == table).all()
    over = explore("bank", heads=2, off=[1], train=["W_value"])
    over.heads, over.W_value = 1, None  # what is off and trained is left over
    assert wire.unpack(wire.pack(over)).off == ()
    looped = []
    looped.append(looped)
    for strange in ("text", {1: 2}, looped, object(), print, 10**5000, 1j):
        assert isinstance(wire.unpack(wire.pack(strange)), wire.Strange)
    for junk in (7, {}, {"table": [1], "shape": [9]}, {"function": 1}, {"number": "x"}):
        assert isinstance(wire.unpack(junk), wire.Strange)


def test_of_what_one_learner_hands_in_the_best_counts_and_all_is_told():
    def came(status, tries, broke, seed):
        return Graded({"softmax": session.Record(status, tries)}, broke, [], {seed})

    row = Row(learner="ada")
    row.add("one.ipynb", came("not yet", 2, ["[1] NameError: a"], 3))
    row.add("two.ipynb", came("passed", 1, ["[7] KeyError: b"], 4))
    row.add("three.ipynb", came("not yet", 5, [], 4))
    assert row.results["softmax"] == session.Record("passed", 1)
    assert row.broke == ["one.ipynb [1] NameError: a", "two.ipynb [7] KeyError: b"]
    row.results["queries"] = session.Record("not yet", 2)
    assert (row.passed, row.seeds) == (1, {3, 4})
    assert sum("handed in once more" in note for note in row.notes) == 2
    row.notes = [f"note {k}" for k in range(8)]
    assert "note 4; 3 more" in as_text([row])
    assert "note 5" not in as_text([row])
    disk = [
        find.File("max", f"{k}.txt", Path(f"{k}.txt"), "no notebook") for k in range(9)
    ]
    [row] = rows_of(disk, {})
    assert row.notes[3:] == ["6 more that are no notebook"]
    assert [as_words(text) for text in (" =1", "1 =1")] == ["' =1", "1 =1"]


def test_what_a_kernel_says_is_entered_once(monkeypatch):
    cell = notebook.Cell(number=3, source="1 / 0", may_fail=True, checks=(), solves=())
    one = Notebook([cell], Graded(), seconds=1.0)
    error = {"ran": {"error": "ZeroDivisionError"}}
    for name, does in (("_tell", lambda _: None), ("_next", lambda: error)):
        monkeypatch.setattr(one, name, does)
    monkeypatch.setattr(one, "_is_right", lambda *_: False)
    one.end = float("inf")
    one._run(cell)
    assert one.graded.broke == []  # it teaches an error
    one._run(replace(cell, may_fail=False))
    assert one.graded.broke == ["[3] ZeroDivisionError"]
    for _ in range(2):
        one._judge({"name": "softmax", "status": "passed"})
    assert one.graded.results["softmax"] == session.Record("not yet", 2)
    assert one.graded.notes == [f"softmax: {LIES}"]
    goal = {"name": "slider goal", "status": "not attempted yet", "by_hand": True}
    for moved, status in ((True, "not attempted yet"), (False, "by hand")):
        one.moved = moved
        one._judge(goal)
        assert one.graded.results["slider goal"].status == status
