"""Turn every notebook into a page whose explorers move without a kernel.

usage: python tools/pages.py [--output FOLDER] [--base ADDRESS] [NOTEBOOK ...]

Without names it takes every notebook of notebooks/ and writes to _site/. A page needs
nothing but itself and its pictures: no kernel, no other host, no place of its own. The
text files beside the notebooks become pages, too, to read and to print; explorer.html
is one explorer to set up, like every template of tools/page/ a page of no notebook.
What they copy as a link begins with ADDRESS.
"""

import argparse
import base64
import json
import re
import sys
from dataclasses import dataclass, field
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment, FileSystemLoader, Template
from latex2mathml.converter import convert
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from attention_helpers import examples, explore
from attention_helpers.explorer import (
    SITE,
    SOURCE,
    STATE,
    STYLE,
    Explorer,
    laboratory,
    page_state,
)
from notebooks import WIDGET_VIEW, executed, in_order

ROOT = Path(__file__).resolve().parent.parent
PARTS = Path(__file__).parent / "page"
REPOSITORY = "https://github.com/attention-by-hand/attention-by-hand"
BINDER = "https://mybinder.org/v2/gh/attention-by-hand/attention-by-hand/main"
LAB = f"{SITE}/lite/lab/index.html"  # where publish.yml puts what `make lite` builds

COLLAPSED = "jp-MarkdownHeadingCollapsed"  # JupyterLab shows the section folded
MOUNTED = {  # by what anywidget calls it: what page.js calls it, and what that needs
    f"{widget.__module__}.{widget.__qualname__}": (kind, names)
    for kind, widget, names in (
        ("explorer", Explorer, STATE),
        ("laboratory", laboratory.ScaleLaboratory, laboratory.STATE),
    )
}
DRAWN = "what the code above draws"  # a picture of a reader's own, without a word
SEEDS = 30  # variants of *bank* in a page
LARGEST = 500_000  # bytes of a page without its pictures


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--output", type=Path, default=ROOT / "_site")
    parser.add_argument("--base", default=SITE, help="where the pages will be")
    given = parser.parse_args(arguments)
    sizes = build(given.notebooks or in_order(), given.output, given.base)
    for name, size in sizes.items():
        print(f"{name:<32}{size:>9,} bytes")
    too_large = [name for name, size in sizes.items() if size > LARGEST]
    if too_large:
        print(f"larger than {LARGEST:,} bytes: {', '.join(too_large)}")
    return len(too_large)


@dataclass
class Page:
    """One notebook on its way to a page."""

    name: str
    notebook: NotebookNode
    live: dict[str, Any] = field(default_factory=dict)  # kind and state, by model
    states: dict[str, Any] = field(default_factory=dict)  # of the explorers, by cell
    laboratories: dict[str, Any] = field(default_factory=dict)  # theirs, by cell
    pictures: dict[str, bytes] = field(default_factory=dict)

    @property
    def href(self) -> str:
        """The name of the file it becomes."""
        return f"{self.name}.html"

    @property
    def prose(self) -> str:
        """All its markdown."""
        return "\n\n".join(
            cell.source for cell in self.notebook.cells if cell.cell_type == "markdown"
        )

    @property
    def title(self) -> str:
        """Its first heading."""
        found = re.search(r"^# (.+)$", self.prose, re.M)
        return found[1] if found else self.name

    @property
    def description(self) -> str:
        """The question of a chapter; elsewhere the first paragraph."""
        found = re.search(r"^\*\*The question\*\*: (.+)$", self.prose, re.M)
        found = found or re.search(r"^(?![#\s<-])(.+)$", self.prose, re.M)
        text = re.sub(r"[*`]", "", found[1]) if found else self.title
        return text[0].upper() + text[1:]

    @property
    def kind(self) -> str:
        """What sort of page it is, as the style and the template call it."""
        if self.classroom or self.name == "index":
            return "classroom" if self.classroom else "index"
        code = any(cell.cell_type == "code" for cell in self.notebook.cells)
        return "chapter" if code else "sheet"

    @property
    def classroom(self) -> bool:
        """Whether it is shown to a class: no code, large type, a state that stays."""
        return self.name == "lesson"


def build(paths: list[Path], output: Path, base: str = SITE) -> dict[str, int]:
    """Write a page for each notebook, and the contents; return their sizes in bytes."""
    base = base.rstrip("/")
    pages = [read(path) for path in paths]
    sheets = [sheet(path) for path in sorted((ROOT / "notebooks").glob("*.md"))]
    names = {page.name for page in (*pages, *sheets)}
    output.mkdir(parents=True, exist_ok=True)
    (output / ".nojekyll").touch()  # GitHub Pages serves the files as they are
    sizes = {}
    for k, page in enumerate(pages):
        prepare(page)
        neighbours = {
            "previous": pages[k - 1] if k else None,
            "next": pages[k + 1] if k + 1 < len(pages) else None,
        }
        sizes[page.href] = write(page, output, names, base, **neighbours)
    for page in sheets:
        sizes[page.href] = write(page, output, names, base)
    found = hosts(base)
    entries = {"contents": pages, "hosts": [entry(href, found[href]) for href in found]}
    sizes["index.html"] = write(contents(pages), output, names, base, **entries)
    for href, text in found.items():
        sizes[href] = (output / href).write_bytes(text.encode())
    return sizes


def contents(pages: list[Page]) -> Page:
    """Return the page that leads to the others, with the first explorer of all."""
    text = (PARTS / "contents.md").read_text(encoding="utf-8")
    page = Page("index", nbformat.v4.new_notebook())
    page.notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    first = next(page for page in pages if page.states)
    cell = next(cell for cell in first.notebook.cells if cell.id in first.states)
    page.notebook.cells.append(nbformat.from_dict({**cell, "code": "", "folded": ""}))
    page.states[cell.id] = first.states[cell.id]
    page.live = first.live
    return page


def sheet(path: Path) -> Page:
    """Return a text as a page: its one cell."""
    text = path.read_text(encoding="utf-8")
    cells = [nbformat.v4.new_markdown_cell(text)]
    return Page(path.stem, nbformat.v4.new_notebook(cells=cells))


# ---- running a notebook, and what it leaves ----


def read(path: Path) -> Page:
    """Run a notebook in memory, as `make notebooks` does; stored pictures are kept."""
    notebook, widgets = executed(path)
    page = Page(path.stem, notebook)
    for model, state in widgets.items():
        kind, names = MOUNTED.get(state.get("_anywidget_id"), (None, ()))
        if kind:
            page.live[model] = kind, {name: state[name] for name in names}
        if kind == "explorer":
            code = widgets[state["_code"].removeprefix("IPY_MODEL_")]
            library = code["library"] if "example" in state["controls"] else {}
            page.live[model][1]["library"] = library
    return page


def prepare(page: Page) -> None:
    """Say of every cell what the template shows of it."""
    places = {"explorer": page.states, "laboratory": page.laboratories}
    for cell in page.notebook.cells:
        if cell.cell_type != "code":
            continue
        hidden = cell.metadata.get("jupyter", {})
        cell.hides_outputs = bool(hidden.get("outputs_hidden"))
        exercise = re.search(r"^check\(", cell.source, re.M) and not cell.hides_outputs
        cell.code = "" if page.classroom else coloured(cell.source)
        cell.folded = folded(hidden) if cell.code else ""
        cell.shown = [] if exercise else [shown(page, cell, o) for o in cell.outputs]
        if exercise:
            cell.shown = [{"kind": "exercise"}]
        for output in cell.shown:
            if "model" in output:
                places[output["kind"]][cell.id] = page.live[output["model"]][1]
    fold_sections(page.notebook.cells)


def fold_sections(cells: list[NotebookNode]) -> None:
    """Say which cells begin and end a section that is shown folded."""
    begun = 0  # the level of its heading, within such a section
    for number, cell in enumerate(cells):
        heading = re.match(r"#+(?= )", cell.source)
        if cell.cell_type == "code" or not heading:
            continue
        if len(heading[0]) <= begun:
            cells[number - 1].ends, begun = True, 0
        if cell.metadata.get(COLLAPSED):
            cell.begins, begun = True, len(heading[0])
    if begun:
        cells[-1].ends = True


def folded(hidden: dict[str, bool]) -> str:
    """Name what is folded away, as its summary."""
    names = {"source_hidden": "code", "outputs_hidden": "output"}
    parts = [name for key, name in names.items() if hidden.get(key)]
    return "Show " + " and ".join(parts) if parts else ""


def shown(page: Page, cell: NotebookNode, output: NotebookNode) -> dict[str, Any]:
    """Return one output as the template wants it."""
    if output.output_type == "stream":
        return {"kind": "text", "text": strip_ansi(output.text)}
    if output.output_type == "error":
        return {"kind": "text", "text": f"{output.ename}: {output.evalue}"}
    data = output.data
    text = data.get("text/plain", "")
    model = data.get(WIDGET_VIEW, {}).get("model_id")
    picture = None
    if "image/png" in data:
        picture = f"pictures/{page.name}-{cell.id}.png"
        page.pictures[picture] = base64.b64decode(data["image/png"])
    alt = (output.metadata.get("image/png") or {}).get("alt", DRAWN)
    drawn = {"picture": picture, "alt": alt, "text": text}
    if model in page.live:
        kind, _ = page.live[model]
        return drawn | {"kind": kind, "model": model, "cell": cell.id}
    if model:
        return drawn | {"kind": "widget"}
    return drawn | {"kind": "picture" if picture else "text"}


# ---- writing a page ----


def write(page: Page, output: Path, names: set[str], base: str, **around: Any) -> int:
    """Write one page and its pictures; return its size in bytes without them."""
    for picture, content in page.pictures.items():
        (output / picture).parent.mkdir(exist_ok=True)
        (output / picture).write_bytes(content)
    values = {
        "kind": page.kind,
        "title": page.title,
        "description": page.description,
        "style": style(),
        "script": script(page, f"{base}/{page.href}"),
        "lab": f"{LAB}?path={page.name}.ipynb",
        "binder": f"{BINDER}?urlpath=lab/tree/notebooks/{page.name}.ipynb",
        "repository": REPOSITORY,
    }
    body = template("index.html.j2").render(
        cells=page.notebook.cells,
        page=values | around,
        prose=partial(to_html, names=names, anchors=not page.classroom),
        heading=partial(to_html, names=names, anchors=False),
        reachable=reachable,
    )
    content = body.encode("utf-8")
    (output / page.href).write_bytes(content)
    return len(content)


def template(name: str) -> Template:
    return templates(PARTS).get_template(name)


@cache
def templates(parts: Path) -> Environment:
    return Environment(loader=FileSystemLoader(parts))


@cache
def style() -> str:
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    dark = f"@media screen and (prefers-color-scheme: dark) {{ {dark} }}"
    page = (PARTS / "page.css").read_text(encoding="utf-8")
    return "\n".join([light, dark, STYLE, page])


def script(page: Page, here: str) -> str:
    """Return one module: the widgets' source once, and every state as JSON."""
    if not page.live:
        return ""
    places = {
        "KEEP": page.classroom,
        "HERE": here,
        "LABORATORIES": json_text(page.laboratories),
        "STATES": json_text(page.states),
        "VARIANTS": variants(),
    }
    return module("page.js", places)


def json_text(found: dict[str, Any]) -> str:
    """Return JSON to be parsed: as an object of JavaScript __proto__ is no name."""
    return json.dumps(found, separators=(",", ":"))


def module(name: str, places: dict[str, Any]) -> str:
    """Return the widgets' source and one of the scripts here, its places filled."""
    own = (PARTS / name).read_text(encoding="utf-8")
    found = {
        place: json.dumps(x).replace("<", "\\u003c") for place, x in places.items()
    }
    own = re.sub(rf"\b({'|'.join(found)})\b", lambda match: found[match[1]], own)
    source = SOURCE.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f"{source}\n{own}"


def hosts(base: str) -> dict[str, str]:
    """Return the pages of no notebook: templates that bring their explorers along."""
    found = {}
    for path in sorted(PARTS.glob("*.html.j2")):
        href = path.name.removesuffix(".j2")
        if href == "index.html":  # that of the notebooks
            continue
        found[href] = template(path.name).render(
            state=state_text,
            script=partial(module, places={"HERE": f"{base}/{href}"}),
            style=style(),
            repository=REPOSITORY,
        )
    return found


def state_text(example: Any, **options: Any) -> str:
    """Return an explorer as JSON that can stand between single quotes in HTML."""
    text = json_text(page_state(explore(example, **options)))
    return escape(text, quote=False).replace("'", "&#39;")


def entry(href: str, text: str) -> dict[str, str]:
    """Return what the contents say of a page: its title and its description."""
    title = re.search(r"<title>(.+)</title>", text)
    said = re.search(r'<meta name="description" content="(.+)">', text)
    if not (title and said):
        raise ValueError(f"{href} says no title or description; expected both")
    return {"href": href, "title": title[1], "description": said[1]}


@cache
def variants() -> str:
    """Return other embeddings for *bank*, as JSON: ?seed= in an address chooses."""
    bank = examples["bank"]
    drawn = [
        {
            "embeddings": one.embeddings.tolist(),
            "presets": {name: p["embedding"] for name, p in one.presets.items()},
        }
        for one in (examples.variant("bank", seed) for seed in range(SEEDS))
    ]
    found = {"tokens": bank.tokens, "embeddings": bank.embeddings.tolist()}
    return json.dumps(found | {"drawn": drawn}, separators=(",", ":"))


class Renderer(IPythonRenderer):
    """Markdown as JupyterLab reads it, with formulas as MathML."""

    def block_math(self, body: str) -> str:
        """Return a formula in a line of its own."""
        formula = convert(body, display="block")
        reachable = 'role="group" aria-label="formula" tabindex="0"'  # if it scrolls
        return f'<span class="display" {reachable}>{formula}</span>'

    def block_code(self, code: str, info: str | None = None) -> str:
        """Return code in colours; plain text where no language is named."""
        return super().block_code(code, info) if info else reachable(code.rstrip("\n"))

    def table(self, text: str) -> str:
        """Return a table; the keyboard reaches it where a phone scrolls it."""
        reach = ' tabindex="0"' if text.count("<th") > 5 else ""
        return f"<table{reach}>\n{text}</table>\n"

    def inline_math(self, body: str) -> str:
        """Return a formula within a line."""
        return convert(body)


def to_html(source: str, names: set[str], anchors: bool) -> str:
    """Return a markdown cell as HTML whose links lead to pages."""
    renderer = Renderer(escape=False, exclude_anchor_links=not anchors)
    text = MarkdownWithMath(renderer=renderer).render(source)
    return re.sub(r'href="(?!\w+:|#)([^"]+)"', partial(page_link, names), text)


def page_link(names: set[str], found: re.Match[str]) -> str:
    path, hash_, anchor = found[1].partition("#")
    name = re.sub(r"\.(ipynb|md)$", "", path)
    if name != path and name in names:
        return f'href="{name}.html{hash_}{anchor}"'
    return f'href="{REPOSITORY}/blob/main/notebooks/{found[1]}"'


def reachable(text: str) -> str:
    """Return text as it stands; the keyboard reaches it where a phone scrolls it."""
    widest = max(map(len, text.splitlines()), default=0)
    reach = ' role="group" aria-label="output" tabindex="0"' if widest > 30 else ""
    return f"<pre{reach}>{escape(text, quote=False)}</pre>"


def coloured(source: str) -> str:
    """Return code as HTML with a class for every kind of word."""
    return highlight(source, PythonLexer(), HtmlFormatter(cssclass="highlight code"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
