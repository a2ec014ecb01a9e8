"""The pages that `make site` writes, and one of odd cells, built once for all tests."""

import copy
import json
import os
import re
import time
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
import pages
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import notebooks
from attention_helpers import Example, Explorer
from attention_helpers.explorer import STATE
from notebooks import WIDGET_VIEW as WIDGET_VIEW

NOTEBOOKS = sorted((pages.ROOT / "notebooks").glob("*.ipynb"))
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
FOLDED = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}

SAMPLE = [
    new_markdown_cell(
        "# A sample & more\n\n**The question**: does it *stand*?\n\n"
        "[the lesson](lesson.ipynb), [the start](00_start_here.ipynb#Run-a-cell), "
        "[a guide](guide.md), [elsewhere](https://example.org)\n\n"
        r"$$\text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$ and $d_k$."
    ),
    new_code_cell("from attention_helpers import explore, heatmap"),
    new_code_cell('explore("bank", controls=["preset"])'),
    new_code_cell(
        'explore(tokens=("</script><b>", "<!--"), embeddings=[[1], [2]], W_query=None,'
        " W_key=None, W_value=None, columns={}, slider=None)"
    ),
    new_code_cell('heatmap([[1, 2]], ["a"], ["b", "c"], title="two")'),
    new_code_cell("from ipywidgets import IntSlider\nIntSlider()"),
    new_code_cell(
        'from attention_helpers.exercises import check\ncheck("dot product blank", ...)'
    ),
    new_code_cell('check("dot product blank", 5, record=False)', metadata=FOLDED),
    new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]}),
    new_markdown_cell("## More: a fold", metadata={pages.COLLAPSED: True}),
    new_markdown_cell("### Deeper"),
    new_code_cell("print('folded away')"),
    new_markdown_cell("## Not folded\n\n[the terms](glossary.md)"),
    new_code_cell("print('a < b')"),
]


def keeping(folder: Path, path: Path) -> Any:
    """Run a notebook as the pages do; keep what `make notebooks` would store.

    And, beside it, every explorer that it has made; in `alive`, what JupyterLab would
    store: with its widgets. That of odd cells has no stored pictures to keep.
    """
    notebook, widgets = notebooks.executed(path, redraw=path.stem == "sample")
    text = notebooks.as_stored(copy.deepcopy(notebook))
    (folder / path.name).write_text(text, encoding="utf-8", newline="\n")
    made = [
        {option: state[option] for option in STATE}
        for state in widgets.values()
        if pages.MOUNTED.get(state.get("_anywidget_id"), [""])[0] == "explorer"
    ]
    (folder / f"{path.stem}.json").write_text(json.dumps(made), encoding="utf-8")
    alive = copy.deepcopy(notebook)
    alive.metadata.widgets = {WIDGET_STATE: as_saved(widgets)}
    nbformat.write(alive, folder.with_name("alive") / path.name)
    return notebook, widgets


def as_saved(widgets: notebooks.Widgets) -> dict[str, Any]:
    """Return the state of widgets as a saved notebook holds it."""
    kept = ("_model_name", "_model_module", "_model_module_version")
    states = {
        model: {name[1:]: state[name] for name in kept} | {"state": state}
        for model, state in widgets.items()
    }
    return {"version_major": 2, "version_minor": 0, "state": states}


def stored(site: Path, name: str) -> Path:
    """Return the notebook as `make notebooks` would store it."""
    return site.with_name("stored") / name


def explorers(site: Path, name: str) -> list[Explorer]:
    """Return the explorers that a notebook's code makes, in order."""
    made = stored(site, name).with_suffix(".json").read_text(encoding="utf-8")
    found = []
    for state in json.loads(made):
        words = {option: state.pop(option) for option in ("tokens", "embeddings")}
        found.append(Explorer(Example(**words, name=state.pop("example")), **state))
    return found


def shorten_lesson(site: Path) -> Path:
    lesson, end = (site / "lesson.html").read_text(encoding="utf-8").split("</main>")
    head, *cells = re.split(r'(?=<div class="(?:cell|prose)")', lesson)
    explorers = [cell for cell in cells if "data-explorer" in cell]
    laboratories = [cell for cell in cells if "data-laboratory" in cell]
    short = [head, *explorers[:3], *laboratories, "</main>", end]
    begun = site / f"classroom-{os.getpid()}"  # each worker makes it: always whole
    begun.write_text("".join(short), encoding="utf-8")
    begun.replace(site / "classroom.html")
    return site


def build_once(folder: Path) -> Path:
    """Build the site in this folder; of several workers, one builds for all.

    The notebooks are run once for all: what they give stands in `stored` and `alive`
    beside it.
    """
    site = folder / "site"
    try:
        (folder / "site-lock").mkdir()
    except FileExistsError:
        end = time.monotonic() + 240
        while not site.exists():
            assert time.monotonic() < end, "another worker has not built the site"
            time.sleep(0.1)
        return site
    sample = folder / "sample.ipynb"
    nbformat.write(new_notebook(cells=SAMPLE), sample)
    (folder / "stored").mkdir()
    (folder / "alive").mkdir()
    with mock.patch.object(pages, "executed", partial(keeping, folder / "stored")):
        paths = map(str, [*NOTEBOOKS, sample])
        pages.main([*paths, "--output", str(folder / "site-begun")])
    return (folder / "site-begun").rename(site)
