"""A new mask style, stage, option, question, control: one entry each, and its words.

Each test puts the entry into a copy of the joined source, as a contributor would put it
into its file, and sees it work in a page.
"""

import itertools
import re
import shutil
from operator import itemgetter
from pathlib import Path

import numpy as np
import pages
import pytest
from drive import OnScreen, assert_same, state_of, write
from playwright.sync_api import Page, expect
from words import TEXT, read_words

from attention_helpers import explore
from attention_helpers.explorer import SITE, SOURCE, STYLE

IMPORT = """async source => {
    const blob = new Blob([source], {type: 'text/javascript'});
    window.helpers = await import(URL.createObjectURL(blob));
}"""
MOUNT = """state => {
    window.store = helpers.createStore(state);
    helpers.mount(document.getElementById('here'), store);
}"""


def with_entry(source: str, table: str, entry: str) -> str:
    """Put an entry at the beginning of a table, or of a group of words."""
    opening = re.compile(rf'^(export const {table} = {{|"{table}": {{)', re.M)
    assert len(opening.findall(source)) == 1, table
    return opening.sub(lambda match: f"{match[0]} {entry}, ", source)


def explorer_with(page: Page, entries: dict[str, str], explorer, **options) -> OnScreen:
    """Mount an explorer of a source with some more entries."""
    source = SOURCE
    for table, entry in entries.items():
        source = with_entry(source, table, entry)
    write(page, f"<style>{STYLE}</style><div id=here></div>")
    page.evaluate(IMPORT, source)
    page.evaluate(MOUNT, state_of(explorer) | options)
    return OnScreen(page.locator(".attention-explorer"))


# ---- mask styles ----

NAME = '"mine": { "name": "my mask", "does": "my heading" }'
WHY = '"mine": "{row} may not see {column}"'
STYLES = {  # what it lets be seen, where, what it writes: entry and NumPy
    "a band, before softmax": (
        'may: (i, j) => Math.abs(i - j) < 2, at: "masked_scores", fill: -Infinity,'
        ' hides: ["masked_scores", "weights"]',
        lambda i, j: abs(i - j) < 2,
    ),
    "only the past, before softmax": (
        'may: (i, j) => j < i, at: "masked_scores", fill: -Infinity,'
        ' hides: ["masked_scores", "weights"]',
        lambda i, j: j < i,
    ),
    "only the past, after softmax": (
        'may: (i, j) => j < i, at: "weights", fill: 0, hides: ["weights"],'
        " renormalise: true",
        lambda i, j: j < i,
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_a_mask_style_is_one_entry(page: Page, style: str) -> None:
    """Two of them leave the first word nothing to look at: its shares are 0."""
    entry, may = STYLES[style]
    entries = {"MASKS": f"mine: {{ why: TEXT.why.mine, {entry} }}"}
    entries |= {"masks": NAME, "why": WHY}
    explorer = explore("bank", controls=["mask", "query"])
    screen = explorer_with(page, entries, explorer)
    screen.control("mask").select_option(label="my mask")
    seen = np.array([[may(i, j) for j in range(5)] for i in range(5)])
    scores = explorer.attention.scaled_scores
    weights = np.where(seen, np.exp(scores - scores.max()), 0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    for cell in screen.cells()["weights"]:
        place = int(cell["row"]), int(cell["col"])
        assert float(cell["value"]) == pytest.approx(weights[place], abs=1e-12)
        assert (cell.get("masked") == "true") == (not seen[place])
    for i, j in itertools.product((0, 2, 4), (0, 4)):  # seen, hidden, of no share
        screen.cell("weights", i, j).click()
        said = screen.part("explanation")
        words = {"row": explorer.tokens[i], "column": explorer.tokens[j]}
        assert (f"{words['row']} may not see {words['column']}" in said) != seen[i, j]
        assert TEXT["numbers"]["undefined"] not in said
    summary = screen.root.locator("[data-part=summary]")
    screen.control("query").select_option("0")
    nothing = TEXT["row"]["nothing"].format(word=explorer.tokens[0])
    expect(summary).to_contain_text(nothing if not seen[0].any() else "coins")
    assert (summary.get_attribute("data-kind") == "nothing") == (not seen[0].any())
    screen.control("query").select_option("1")
    assert "my heading" in screen.root.inner_text()


# ---- stages ----

STAGE = """sharper: { line: true, formula: () => "weights, squared",
    run: (S) => S.scores.map((line) => line.map((x) => x ** 2)),
    from: (S, i, j) => [{ stage: "scores", row: i, col: j }],
    say: (S, i, j) => [TEXT.say.sharper, { score: String(S.scores[i][j]) }] }"""


def test_a_stage_is_one_entry(page: Page) -> None:
    source = SOURCE.replace("\nweights: square(", f"\n{STAGE},\nweights: square(")
    assert source != SOURCE
    for group, entry in {
        "stages": '"sharper": "sharper scores"',
        "say": '"sharper": "{row} on {column}: {score} squared is {result}"',
    }.items():
        source = with_entry(source, group, entry)
    write(page, f"<style>{STYLE}</style><div id=here></div>")
    page.evaluate(IMPORT, source)
    explorer = explore("bank", query="bank", controls=["query"])
    page.evaluate(MOUNT, state_of(explorer))
    screen = OnScreen(page.locator(".attention-explorer"))
    shown = list(screen.numbers())
    assert shown.index("sharper") == shown.index("weights") - 1
    figure = screen.root.locator("[data-stage=sharper]")
    assert figure.locator("b").inner_text() == "sharper scores"
    assert set(screen.numbers()["sharper"]) == {(2, j) for j in range(5)}
    screen.cell("sharper", 2, 4).click()
    assert screen.part("explanation") == "bank on river: 11 squared is 121"
    assert screen.root.locator("td.one").count() == 1
    with screen.held(screen.cell("embeddings", 2, 2)) as hand:
        hand.to(-10)
        score = screen.number("scores", 2, 4)
        assert screen.number("sharper", 2, 4) == score**2
    page.evaluate(IMPORT, with_entry(source, "SHOWN_WHERE", '"sharper": "named"'))
    visible = "state => helpers.visibleStages(state)"
    assert "sharper" not in page.evaluate(visible, state_of(explorer))
    named = state_of(explorer) | {"stages": ["sharper"]}
    assert page.evaluate(visible, named) == ["sharper"]


PART = """%s: { formula: () => "a part of the values",
    run: (S) => S.values.map((line) => line.map((x) => x / %d)),
    from: (S, i, j) => [{ stage: "values", row: i, col: j }],
    say: (S, i, j) => [TEXT.say.%s, { value: String(S.values[i][j]) }] }"""


def test_stages_that_are_no_square_say_what_their_columns_are(page: Page) -> None:
    form = '{"rows": "tokens", "columns": "W_value", "asks": false}'
    source = SOURCE
    for name, divisor in {"halves": 2, "thirds": 3}.items():
        part = PART % (name, divisor, name)
        source = source.replace("\nscores: square(", f"\n{part},\nscores: square(")
        for group, entry in {
            "FORMS": f"{name}: {form}",
            "stages": f'"{name}": "{name}"',
            "say": f'"{name}": "{{value}} / {divisor} = {{result}}"',
        }.items():
            source = with_entry(source, group, entry)
    write(page, f"<style>{STYLE}</style><div id=here></div>")
    page.evaluate(IMPORT, source)
    page.evaluate(MOUNT, state_of(explore("bank", query="bank", edit=["W_value"])))
    screen = OnScreen(page.locator(".attention-explorer"))
    halves, values = (screen.numbers()[name] for name in ("halves", "values"))
    assert halves == {place: value / 2 for place, value in values.items()}
    columns = screen.root.locator("[data-stage=halves] thead .label")
    assert columns.all_inner_texts() == ["wet", "rich"]
    screen.cell("halves", 4, 0).click()
    assert screen.part("explanation") == "3 / 2 = 1.5"
    figures = screen.root.locator("figure[data-stage]").all()
    boxes = [figure.bounding_box() for figure in figures]
    for a, b in itertools.combinations(boxes, 2):
        left, upper = min(a, b, key=itemgetter("x")), min(a, b, key=itemgetter("y"))
        beside = left["x"] + left["width"] <= max(a["x"], b["x"])
        assert beside or upper["y"] + upper["height"] <= max(a["y"], b["y"])


# ---- options ----


def test_an_option_is_one_entry(page: Page) -> None:
    """It has its start value, is undone, is reset and builds the page anew."""
    entries = {"OPTIONS": 'flavour: ["plain", "subr"]'}
    screen = explorer_with(page, entries, explore("bank"))
    lists = "() => [helpers.SYNCED, helpers.UNDOABLE, helpers.BUILDS, helpers.RESET]"
    assert all("flavour" in names for names in page.evaluate(lists))
    assert page.evaluate("store.state.flavour") == "plain"
    figure = screen.root.locator("[data-stage=weights]").element_handle()
    page.evaluate("store.edit({flavour: 'sweet'})")
    assert not figure.evaluate("e => e.isConnected")
    page.evaluate("store.undo()")
    assert page.evaluate("store.state.flavour") == "plain"
    page.evaluate("store.edit({flavour: 'sweet'})")
    screen.action("reset").click()
    assert page.evaluate("store.state.flavour") == "plain"


# ---- questions and controls ----

QUESTION = """mine: { fits: () => true, right: (S) => [S.tokens[0]],
    choices: (S) => S.tokens.map((token) => choice(token)),
    result: (S) => S.tokens[0], why: (S) => about(S, TEXT.why_not.mine) }"""


def test_a_question_is_one_entry(page: Page) -> None:
    entries = {
        "QUESTIONS": QUESTION,
        "questions": '"mine": "Who stands before {last}?"',
    }
    entries |= {"why_not": '"mine": "{first} does."'}
    screen = explorer_with(page, entries, explore("bank"), predict="mine")
    assert "Who stands before river?" in screen.part("question")
    screen.root.locator("[data-choice=bank]").check()
    screen.action("commit").click()
    verdict = screen.root.locator("[data-part=verdict]")
    assert verdict.get_attribute("data-kind") == "wrong"
    assert verdict.inner_text().endswith("coins does.")


def test_a_control_is_one_entry(page: Page) -> None:
    source = SOURCE.replace(
        "const CONTROLS = {",
        'const CONTROLS = { mine: menuOf("mine", TEXT.mine),',
    )
    source = with_entry(source, "OPTIONS", 'mine: ["one", "sub"]')
    source = with_entry(source, "controls", '"mine": "how many"')
    source = source.replace(
        '"verbs":', '"mine": { "one": "just one", "two": "a pair" },\n"verbs":'
    )
    write(page, f"<style>{STYLE}</style><div id=here></div>")
    page.evaluate(IMPORT, source)
    page.evaluate(MOUNT, state_of(explore("bank")) | {"controls": ["mine"]})
    screen = OnScreen(page.locator(".attention-explorer"))
    screen.root.get_by_label("how many").select_option(label="a pair")
    assert page.evaluate("store.state.mine") == "two"


# ---- pages ----

HOST = """<!doctype html><html lang="en"><head><title>Two</title>
<meta name="description" content="Two explorers.">
<style>{{ style }}</style></head><body>
<div data-state='{{ state("bank", query="bank", controls=["mask"]) }}'></div>
<div data-state='{{ state("bank", tokens=["it's", "<b>", "&", "c", "d"]) }}'></div>
<script type="module">{{ script("host.js") }}</script></body></html>
"""


def test_a_page_of_its_own_is_one_template(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two explorers on it, alive; tests/unit/test_ten_changes.py sees it listed."""
    before = pages.hosts(SITE)
    parts = shutil.copytree(pages.PARTS, tmp_path / "page")
    (parts / "two.html.j2").write_text(HOST, encoding="utf-8")
    monkeypatch.setattr(pages, "PARTS", parts)
    found = pages.hosts(SITE)
    assert set(found) == {*before, "two.html"}
    path = tmp_path / "two.html"
    path.write_text(found["two.html"], encoding="utf-8")
    page.goto(path.as_uri())
    first, second = (OnScreen(root) for root in page.locator("[data-state]").all())
    explorer = explore("bank", query="bank", controls=["mask"])
    first.control("mask").select_option("causal")
    explorer.mask = "causal"
    assert first.drag("embeddings", 4, 0, -6) == [2.4]
    explorer.embeddings = [*explorer.embeddings[:4], (2.4, *explorer.embeddings[4][1:])]
    assert_same(first, {"context": explorer.attention.context})
    assert {"it's", "<b>", "&"} < {*second.root.inner_text().split()}


# ---- words ----


def places_in(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


CLICK_AND_READ = """(root, stage) => {
    [...root.querySelectorAll(`[data-stage=${stage}] td`)].at(-1).click();
    const explanation = root.querySelector('[data-part=explanation]').textContent;
    const titles = [...root.querySelectorAll('[aria-label], [title]')].flatMap(
        e => ['aria-label', 'title'].map(name => e.getAttribute(name) ?? ''));
    return [explanation, root.textContent, ...titles];
}"""


def test_no_place_of_a_text_stays_empty_or_unfilled(page: Page) -> None:
    """No brace and no undefined reaches a reader, whatever is clicked."""
    for options in [
        {"mask": "zero_weights_renormalised", "dropout_p": 0.5},
        {"mask": "zero_scores", "divide_by": "sqrt_d_in"},
        {"normalise": "sum", "axis": "columns"},
        {"query": 1, "predict": "largest_weight"},
    ]:
        controls = ["row", "tie", "dropout"]
        screen = explorer_with(page, {}, explore("bank", controls=controls, **options))
        if "predict" in options:
            screen.action("skip").click()
        explained = []
        for stage in screen.numbers():
            explanation, *heard = screen.root.evaluate(CLICK_AND_READ, stage)
            explained.append(explanation)
            assert not any("{" in text or "}" in text for text in heard)
            undefined = any("undefined" in text for text in heard)
            assert not undefined or options.get("normalise") == "sum"
        assert len({*explained}) == len(explained) > 8


def test_words_are_strict_json_and_name_everything_that_is_in_a_table(
    engine_page: Page,
) -> None:
    words = read_words()
    tables = ["STAGES", "QUESTIONS", "MASKS", "DIVISORS"]
    names = engine_page.evaluate("t => t.map(n => Object.keys(helpers[n]))", tables)
    groups = ["stages", "questions", "masks", "divisors"]
    assert [sorted(words[group]) for group in groups] == [sorted(n) for n in names]
    assert engine_page.evaluate("helpers.TEXT") == words


def test_questions_ask_for_no_more_than_both_sides_can_fill() -> None:
    for text in TEXT["questions"].values():
        assert places_in(text) <= {"query", "n", "last", "goal", "matrix"}
    assert places_in(TEXT["lead"]) == {"question"}
