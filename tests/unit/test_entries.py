"""A mask style, a stage, a question, a control and an option are one entry in Python.

Each is really made in a copy of the package, as CONTRIBUTING says, and seen to work.
JavaScript has an entry of its own for each; the browser tests make those.
"""

import os
import shutil
import subprocess
import sys

from places import PACKAGE

START = """
import numpy as np
from attention_helpers import explore
from attention_helpers.explorer import OPTIONS, page_state, twin

def refused(words, **options):
    try:
        explore("bank", **options)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
"""

MASK_STYLE = {
    "explorer/masks.py": (
        "MASKS = {\n",
        '    "itself": Mask(lambda i, j: i == j, "weights", 0.0, True),\n',
    )
}
MASKS_ITSELF = """
explorer = explore("bank", mask="itself", stages=["weights"])
assert (explorer.attention.weights == np.eye(5)).all()
assert (explorer.attention.context == explorer.attention.values).all()
assert repr(explorer).splitlines()[4].split() == ["coins", "1", "0", "0", "0", "0"]
refused("mask is 'nothing'; expected any of ['itself', 'none'", mask="nothing")
refused("mask is 'itself' while axis is", mask="itself", axis="columns")
"""

STAGE = {
    "attention.py": ("    weights: Matrix\n", "    sharper: Matrix\n"),
    "attention.py ": ("        weights=weights,\n", "        sharper=weights**2,\n"),
    "static/words/en.js": ('"stages": {', '"sharper": "sharper weights", '),
}
TALL_STAGE = {  # not one row and one column a word
    "attention.py": ("    values: Matrix\n", "    halves: Matrix\n"),
    "attention.py ": ("        values=values,\n", "        halves=values / 2,\n"),
    "static/facts.js": (
        "export const FORMS = {\n",
        '"halves": { "rows": "tokens", "columns": "W_value", "asks": false },\n',
    ),
    "static/facts.js ": ("export const SHOWN_WHERE = {\n", '  "halves": "named",\n'),
    "static/words/en.js": ('"stages": {', '"halves": "halves", '),
}
SHOWS_HALVES = """
[part] = twin.parts(explore("bank", stages=["halves"], query="coins"))
assert part.columns == ("wet", "rich") and part.rows == explore("bank").tokens
assert (part.matrix == explore("bank").attention.values / 2).all()
assert "halves" not in twin.visible(explore("bank"))
"""
SHOWS_SHARPER = """
explorer = explore("bank", stages=["sharper"], query="coins")
assert explorer.attention.sharper[0, 0] == explorer.attention.weights[0, 0] ** 2
assert "sharper weights" in repr(explorer)
assert twin.alternative(explorer) == "coins on bank by river: sharper weights."
assert "sharper" in twin.visible(explore("bank"))
"""

QUESTION = {"static/words/en.js": ('"questions": {', '"mine": "What about {query}?", ')}
ASKS = """
explorer = explore("bank", predict="mine", query="bank")
assert repr(explorer).splitlines()[1] == "Before you look: What about bank?"
assert page_state(explorer)["predict"] == "mine"
"""

CONTROL = {"explorer/widget.py": ("CONTROLS = (\n", '    "mine",\n')}
HAS_CONTROL = """
assert explore("bank", controls=["mine"]).controls == ("mine",)
refused("expected a list of any of mine, query", controls=["yours"])
"""

OPTION = {
    "explorer/widget.py": (
        "    large = Bool(False)\n",
        "    dark = Bool(True).tag(reset=True)\n",
    )
}
HAS_OPTION = """
explorer = explore("bank")
assert (explorer.dark, explore("bank", dark=False).dark) == (True, False)
assert page_state(explorer)["dark"] is True
assert "dark" in OPTIONS and "dark" in explorer.get_state()
refused("dark is 'no'; expected a boolean", dark="no")
explorer.dark = False
explorer.reset()
assert explorer.dark and not explore("bank", dark=False).start["dark"]
"""


ENTRIES = [
    (MASK_STYLE, MASKS_ITSELF),
    (STAGE, SHOWS_SHARPER),
    (TALL_STAGE, SHOWS_HALVES),
    (QUESTION, ASKS),
    (CONTROL, HAS_CONTROL),
    (OPTION, HAS_OPTION),
]


def test_one_entry_each_is_enough(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name)
    for entries, _ in ENTRIES:
        for name, (line, entry) in entries.items():
            path = tmp_path / PACKAGE.name / name.strip()
            before = path.read_text(encoding="utf-8")
            assert before.count(line) == 1, (name, line)
            path.write_text(before.replace(line, line + entry), encoding="utf-8")
    script = START + "".join(works for _, works in ENTRIES)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
