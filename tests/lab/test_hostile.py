"""Words that are markup, code or strange signs: text everywhere, or refused."""

import re
from copy import deepcopy
from html import escape
from pathlib import Path
from unittest import mock

import nbformat
import pages
import pytest
from drive import (
    OnScreen,
    assert_kernel,
    assert_numpy,
    explorers,
    on_screen,
    opened,
    show,
)
from lab import Lab
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Locator, Page
from words import TEXT, like, share_of

import notebooks
from attention_helpers import Example, examples, explore
from attention_helpers.text import label

MARKUP = [
    "<b>bold</b>",
    "<script>hacked=1</script>",
    "<img src=x onerror=hacked=1>",
    "<svg onload=hacked=1>",
    "</script><script>hacked=1</script>",
    "</style></title></textarea>",
    "<!-- ]]> -->",
    "javascript:hacked=1",
    "\"'><a onfocus=hacked=1 autofocus>",
    "__proto__",
    "constructor",
    "toString",
    "$& $1 $`",
    "{{hacked=1}} ${hacked=1} %s {0}",
    "weights",
    "query",
]
SIGNS = [
    "\u202egnp.exe",
    "\u2066a\u2069\u202eb",
    "שלום",
    "مرحبا",
    "zero\u200bwidth\u200djoined",
    "\ufeffmark",
    "bell\x07 escape\x1b[31m",
    "two\nlines",
    "tab\tstop\r",
    "line\u2028and\u2029paragraph",
    "Z" + "\u0301\u0316\u0489" * 33,
    "m" * 100,
    "👩🏽\u200d🚀🇨🇭👍🏿",
    "$x^2$ \\(y\\) \\frac",
    "**bold** _i_ `code` [a](b)",
    "&amp;&lt;&#x202e;",
]
SENTENCES = {"markup": MARKUP, "signs": SIGNS}
BAD = "<img src=x onerror=hacked=1>"
NAMES = [BAD, "__proto__", "</script><script>hacked=1</script>", f"\u202ea\n\"'>{BAD}"]

PREPARE = """import numpy as np
from attention_helpers import Example, examples, explore, heatmap
numbers = np.sin(np.arange({n} * 2)).reshape(-1, 2).round(2)
names = {names}
change = {{"token": {first}, "becomes": "new <i>", "embedding": [1, 2]}}
examples[names[0] + "{kind}"] = words = Example({words}, numbers,
    name=names[0] + "{kind}" + "x" * 10_000,
    columns={{"embeddings": names[1:3]}}, source=names[0],
    presets=dict.fromkeys(names, change))"""


def cells_for(kind: str) -> list[str]:
    """Return cells that show these words in every way there is."""
    words = SENTENCES[kind]
    return [
        PREPARE.format(
            kind=kind,
            n=len(words),
            names=ascii(NAMES),
            first=ascii(words[0]),
            words=ascii(words),
        ),
        f'{kind} = explore(words, controls=["query", "preset", "example"],\n'
        f"    stages=['embeddings', 'weights', 'context'])\n{kind}",
        'explore(words, query=1, predict="largest_weight")',
        "heatmap(words.embeddings, words.tokens, names[:2], title=names[3])",
        "words",
        "print(words.source, words.tokens)",
    ]


def of(kind: str) -> Example:
    """Return the example that the cells make."""
    names: dict = {}
    source = cells_for(kind)[0]
    exec(re.sub(r"examples\[.+\] = words", "words", source), names)
    return names["words"]


OUTSIDE = """root => {
    const { left, right } = root.getBoundingClientRect();
    return [...root.querySelectorAll('*')].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width && (box.left < left - 0.5 || box.right > right + 0.5)
            && !e.closest('.scroll table, .only-heard, svg, option');
    }).map(e => e.outerHTML);
}"""


def text_of(locator: Locator) -> list[str]:
    return locator.evaluate_all("all => all.map(e => e.textContent)")


def assert_harmless(page: Page, root: Locator) -> None:
    """Nothing ran, and no word became an element."""
    assert page.evaluate("typeof hacked") == "undefined"
    assert root.locator("img, script, a, i i, iframe, style, textarea").count() == 0
    assert root.locator("[onload], [onerror], [onfocus]").count() == 0


def assert_in_place(screen: OnScreen) -> None:
    """The explorer is as wide as its column, and a row is a row."""
    assert screen.root.evaluate(OUTSIDE) == []
    rows = screen.root.locator("tr")
    heights = rows.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
    assert max(heights) < 60
    order = "all => all.map(e => e.getBoundingClientRect().left)"
    for row in screen.root.locator("[data-stage=context] tbody tr").all():
        left, right = row.locator("td").evaluate_all(order)
        assert left < right  # a word that is written to the left turns no numbers


def assert_shown(screen: OnScreen, words: list[str]) -> None:
    """Every word is text, wherever it stands."""
    for stage in ("embeddings", "weights"):
        labels = screen.root.locator(f"[data-stage={stage}] tbody th .label")
        assert text_of(labels) == words
    heads = screen.root.locator("[data-stage=embeddings] thead th .label")
    assert text_of(heads) == NAMES[1:3]
    assert text_of(screen.control("query").locator("option")) == [
        *words,
        TEXT["options"]["all"],
    ]
    assert text_of(screen.control("preset").locator("option"))[1:] == NAMES
    for i, word in enumerate(words):
        slider = screen.slider("embeddings", i, 1)
        assert slider.get_attribute("aria-label") == f"{word}, {NAMES[2]}"


def plainly(text: str) -> str:
    """Return text without what keeps or turns its direction."""
    return re.sub(r"[\u202a-\u202e\u2066-\u2069]", "", text)


CLICK_FIRST_COLUMN = """root => {
    const parts = ['explanation', 'caption'];
    return [...root.querySelectorAll('[data-stage=weights] [data-col="0"]')].map(
        cell => {
            cell.click();
            const told = part => root.querySelector(`[data-part=${part}]`).textContent;
            return parts.map(told);
        });
}"""


def assert_sentences(screen: OnScreen, words: list[str], *asking: int) -> None:
    """What is clicked names the words of every row; what is chosen, of these."""
    summary = screen.root.locator("[data-part=summary]")
    announcement = screen.root.locator("[data-part=announcement]")
    told = screen.root.evaluate(CLICK_FIRST_COLUMN)
    for word, (explained, captioned) in zip(words, told, strict=True):
        assert share_of(word, words[0]).fullmatch(explained)
        assert captioned == TEXT["caption"].format(row=word, column=words[0])
    for i in asking:
        screen.control("query").select_option(str(i))
        screen.cell("weights", i, 0).click()
        told = text_of(screen.root.locator("[data-part=explanation]"))[0]
        assert share_of(words[i], words[0]).fullmatch(told)
        heard = text_of(announcement)[0]
        assert is_about(plainly(words[i]), plainly(heard))
        assert text_of(summary) == [heard]
        assert closes(heard)
        plane = screen.root.locator("svg[role=img]")
        described = like(TEXT["plane"]["described"])
        points = described.fullmatch(plane.get_attribute("aria-label"))["points"]
        assert like(TEXT["plane"]["point"], word=words[i]).fullmatch(points)
        assert text_of(plane.locator(".mixed title")) == [words[i]]
    screen.control("query").select_option("all")


def is_about(word: str, told: str) -> bool:
    """Tell whether one of the sentences about a row is about this word."""
    sentences = (text for text in TEXT["row"].values() if "{word}" in text)
    return any(like(text, word=word).match(told) for text in sentences)


def closes(text: str) -> bool:
    """Tell whether every turn of direction ends, so that none goes on after it."""
    return not re.search(r"[\u202a-\u202e]", text) and (
        text.count("\u2068") == text.count("\u2069")
        and not re.search(r"[\u2066\u2067]", text)
    )


def assert_asked(screen: OnScreen, words: list[str]) -> None:
    """The question, its choices and the verdict name the words."""
    asked = text_of(screen.root.locator("[data-part=question] legend"))[0]
    assert closes(asked)
    question = TEXT["questions"]["largest_weight"].format(query=plainly(words[1]))
    assert plainly(asked) == TEXT["lead"].format(question=question)
    choices = screen.root.locator("label.choice")
    assert [text.strip() for text in text_of(choices)] == [
        *(word.strip() for word in words),
        TEXT["answers"]["unsure"],
    ]
    screen.root.locator("[data-choice]").nth(2).press("Space")  # wherever it moves to
    screen.action("commit").click()
    verdict = screen.root.locator("[data-part=verdict]")
    assert verdict.get_attribute("data-said") == words[2]
    told = text_of(verdict)[0]
    assert closes(told)
    text = TEXT["verdicts"][verdict.get_attribute("data-kind")]
    assert like(text, said=plainly(words[2])).fullmatch(plainly(told))


def assert_presets_work(screen: OnScreen, words: list[str], *presets: int) -> None:
    labels = screen.root.locator("[data-stage=embeddings] tbody th .label")
    for k in presets:
        screen.control("preset").select_option(index=k + 1)
        assert text_of(labels)[0] == "new <i>"
        screen.control("preset").select_option(index=0)
        assert text_of(labels) == words


# Choosing makes the page anew. "__proto__" becomes a key of JSON, the last name has
# quotes and turns its direction; where words come another way these presets will do.
SOME_ROWS, SOME_PRESETS = (9, 15), (1, 3)


# ---- on a plain page, in every width ----


@pytest.mark.parametrize(("kind", "width"), [("markup", 1280), ("signs", 400)])
def test_words_are_text_on_a_page(page: Page, kind: str, width: int) -> None:
    words = SENTENCES[kind]
    page.set_viewport_size({"width": width, "height": 800})
    explorer = explore(of(kind), controls=["query", "row", "preset"], mask="causal")
    screen = show(page, explorer)
    assert_shown(screen, words)
    assert text_of(screen.control("row").locator("option")) == words
    assert_sentences(screen, words, *SOME_ROWS)
    assert_presets_work(screen, words, *range(len(NAMES)))
    assert_numpy(screen, explorer)
    for pixels in (width, 1680 - width):
        page.set_viewport_size({"width": pixels, "height": 800})
        assert_in_place(screen)
        assert page.evaluate("document.documentElement.scrollWidth") == pixels
    assert_harmless(page, screen.root)


# ---- in JupyterLab ----


def assert_arrived(screen: OnScreen, kind: str) -> None:
    words = SENTENCES[kind]
    assert_shown(screen, words)
    assert_sentences(screen, words, *SOME_ROWS)
    assert_presets_work(screen, words, *SOME_PRESETS)
    titles = text_of(screen.control("example").locator("option"))
    assert BAD + kind + "x" * 10_000 in titles
    assert_in_place(screen)


def test_words_are_text_in_jupyterlab(lab: Lab, page: Page) -> None:
    opened(lab, page, *(cell for kind in SENTENCES for cell in cells_for(kind)))
    page.errors.clear()
    for k, (kind, words) in enumerate(SENTENCES.items()):
        screen, question = explorers(page, 2 * k), explorers(page, 2 * k + 1)
        assert_arrived(screen, kind)
        screen.drag("embeddings", 1, 0, 10)
        assert_kernel(lab, screen, kind)
        assert_asked(question, words)
        assert_in_place(question)
        for root in (screen.root, question.root):
            assert_harmless(page, root)
    outputs = page.locator(".jp-OutputArea-output")
    assert outputs.locator("script, [onerror], [onload]").count() == 0


# ---- on the pages of `make site` ----


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored notebook with the sentences of each kind; its page stands beside it.

    It is run once for both.
    """
    path = tmp_path_factory.mktemp("hostile") / "words.ipynb"

    def stored(path: Path) -> tuple[nbformat.NotebookNode, notebooks.Widgets]:
        notebook, widgets = notebooks.executed(path, redraw=True)
        path.write_text(notebooks.as_stored(deepcopy(notebook)), encoding="utf-8")
        return notebook, widgets

    cells = [new_code_cell(cell) for kind in SENTENCES for cell in cells_for(kind)]
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Words"), *cells]), path)
    with mock.patch.object(pages, "executed", stored):
        pages.build([path], path.parent)
    return path


def test_words_are_text_on_a_live_page(page: Page, written: Path) -> None:
    page.goto(written.with_suffix(".html").as_uri())
    for k, (kind, width) in enumerate({"markup": 400, "signs": 1280}.items()):
        words = SENTENCES[kind]
        page.set_viewport_size({"width": width, "height": 800})
        screen, question = on_screen(page, 2 * k), on_screen(page, 2 * k + 1)
        assert_arrived(screen, kind)
        assert_asked(question, words)
        assert_in_place(question)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        picture = page.locator(".output.picture img").nth(k)
        alt = picture.get_attribute("alt")
        assert alt.startswith(f"Heat map: {label(NAMES[3])}, 16")
        numbers = page.locator("details.numbers pre").nth(k)
        assert label(words[3]) in numbers.text_content()
    assert_harmless(page, page.locator("main .output [data-explorer]"))


# ---- stored, with no script of ours ----


@pytest.mark.parametrize("kind", SENTENCES)
def test_words_are_text_in_a_stored_notebook(written: Path, kind: str) -> None:
    words = SENTENCES[kind]
    notebook = nbformat.read(written, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    first = 5 * list(SENTENCES).index(kind)
    explorer, question, picture, named, _ = outputs[first : first + 5]
    spoken = " ".join(map(label, words))
    for output in (explorer, question):
        assert output.data["text/plain"].split("\n")[0] == TEXT["twin"].format(
            sentence=spoken
        )
        assert output.metadata["image/png"]["alt"].startswith(f"{spoken}: embeddings")
    twin = explorer.data["text/plain"].split("\n")
    assert len(twin) == 1 + 3 * 3 + 3 * len(words)  # a word is a line
    assert next(line for line in twin[4:] if line).startswith(label(words[0]))
    asked = TEXT["questions"]["largest_weight"].format(query=label(words[1]))
    assert asked in question.data["text/plain"]
    assert len(picture.data["text/plain"].split("\n")) == 2 + len(words)
    for output in (explorer, question, picture):
        alt = output.metadata["image/png"]["alt"]
        assert not re.search(r"[\x00-\x1f\u202a-\u202e\u2066-\u2069]", alt)
    assert named.data["text/plain"] == repr(of(kind))


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_words_are_text_where_nbconvert_exports_them(
    page: Page, written: Path, template: str
) -> None:
    exporter = HTMLExporter(template_name=template, mathjax_url="", require_js_url="")
    body, _ = exporter.from_filename(str(written))
    page.route("http*://**", lambda route: route.abort())
    exported = written.with_name(f"{template}.html")
    exported.write_text(body, encoding="utf-8")
    page.goto(exported.as_uri())
    page.errors.clear()  # nbconvert's own scripts are elsewhere
    assert page.evaluate("typeof hacked") == "undefined"
    outputs = page.locator("[class*=output] :is(pre, img)")
    assert outputs.locator("*:not(span)").count() == 0
    pictures = page.locator("img")
    assert pictures.count() == 6
    for k, words in enumerate(SENTENCES.values()):
        if template == "classic":
            alt = pictures.nth(3 * k).get_attribute("alt")
            assert alt.startswith(f"{' '.join(map(label, words))}: embeddings")
        assert escape(ascii(words[0])[1:-1], quote=False) in body


# ---- refused in words ----

LONG = "a" * 10_000
UNFIT = {
    "": "not empty",
    "\u200b\u2066": "not empty",
    LONG: "10000 characters; expected at most 100",
    "a\x00b": "without NUL",
    "\ud83d": "unpaired surrogates",
}


@pytest.mark.parametrize("word", UNFIT)
def test_what_no_screen_can_show_is_refused_in_words(word: str) -> None:
    change = {"token": "a", "becomes": "b", "embedding": [1]}
    for wrong in (
        {"tokens": [word]},
        {"columns": {"embeddings": [word]}},
        {"presets": {word: change}},
        {"presets": {"p": change | {"becomes": word}}},
    ):
        with pytest.raises(ValueError, match=UNFIT[word]) as error:
            Example(**{"tokens": ["a"], "embeddings": [[1]]} | wrong)
        str(error.value).encode()
        assert len(str(error.value)) < 300
        with pytest.raises(ValueError, match=UNFIT[word]):
            explore("bank", **wrong)


def test_a_very_long_answer_from_elsewhere_keeps_the_page(page: Page) -> None:
    explorer = explore(
        examples["bank"], query="bank", predict="largest_weight", predicted=LONG
    )
    screen = show(page, explorer)
    assert LONG in screen.part("verdict")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
