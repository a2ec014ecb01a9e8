"""The lesson asks what the chapters ask; guide and sheet say what NumPy computes."""

import re
from pathlib import Path

import loops
import mistune
import nbformat
import numpy as np
import psutil
import pytest
from drive import OnScreen, assert_same
from lab import Lab
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page, expect

import attention_helpers
from attention_helpers import Explorer, causal_mask, examples, self_attention, softmax
from attention_helpers.exercises import session
from attention_helpers.explorer import MATRICES

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
CHAPTERS = sorted(path.name for path in NOTEBOOKS.glob("0[1-5]_*.ipynb"))
LESSON = "lesson.ipynb"
GUIDE = (NOTEBOOKS / "teaching_guide.md").read_text(encoding="utf-8")
SHEET = (NOTEBOOKS / "vote_sheet.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w.])−?\d*\.?\d+")


def cells(name: str, kind: str) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def explorers(name: str, monkeypatch: pytest.MonkeyPatch) -> list[Explorer]:
    """Run a notebook's code and return the explorers that it makes, in order."""
    made = []

    def explore(*args, **options):
        made.append(Explorer(*args, **options))
        return made[-1]

    monkeypatch.setattr(attention_helpers, "explore", explore)
    monkeypatch.setattr(attention_helpers.exercises, "check", lambda *a, **k: None)
    namespace = {}
    with np.printoptions():
        for cell in cells(name, "code"):
            if "raises-exception" not in cell.metadata.get("tags", []):
                exec(cell.source, namespace)
    return made


# The lesson as it is stored


def votes(made: list[Explorer]) -> list[tuple]:
    """Return what decides each question, its choices and its answer."""
    names = ("tokens", "embeddings", *MATRICES, "query", "mask", "divide_by", "predict")
    return [tuple(getattr(e, name) for name in names) for e in made if e.predict]


def test_the_votes_are_those_of_the_chapters_in_order(monkeypatch) -> None:
    assert len(CHAPTERS) == 5
    of_chapters = [votes(explorers(name, monkeypatch)) for name in CHAPTERS]
    of_lesson = votes(explorers(LESSON, monkeypatch))
    assert of_lesson == [vote for chapter in of_chapters for vote in chapter]
    assert len(of_lesson) > 5


def test_every_explorer_is_large(monkeypatch) -> None:
    made = explorers(LESSON, monkeypatch)
    assert len(made) > 15
    assert all(explorer.large for explorer in made)


def test_no_code_is_to_be_seen() -> None:
    """JupyterLab shows the first line of a folded cell: a comment."""
    for cell in cells(LESSON, "code"):
        assert cell.metadata.jupyter.source_hidden
        assert cell.source.startswith("# ")
        assert not cell.metadata.jupyter.get("outputs_hidden")


def tables(twin: str) -> dict[str, np.ndarray]:
    """Return the matrices of a text twin by title; a hidden cell is 0."""
    found = {}
    for block in twin.split("\n\n")[1:]:
        title, _, *rows = block.replace("−", "-").replace("·", "0").splitlines()
        numbers = [re.findall(r"-?\d+(?:\.\d+)?(?=\s|$)", row) for row in rows]
        found[title] = np.array(numbers, float)
    return found


def by_loops(explorer: Explorer) -> dict[str, list]:
    """Compute an explorer's stages in plain Python."""
    inputs = [getattr(explorer, name) for name in ("embeddings", *MATRICES)]
    n, mask = len(explorer.tokens), None
    if explorer.mask == "causal":
        mask = [[j <= i for j in range(n)] for i in range(n)]
    scale = 1 if explorer.divide_by == "1" else None
    stages = loops.self_attention(*inputs, mask=mask, scale=scale)
    return stages | {name: getattr(explorer, name) for name in MATRICES}


def test_the_stored_numbers_are_those_of_plain_loops(monkeypatch) -> None:
    compared = 0
    stored = [
        output.data["text/plain"]
        for cell in cells(LESSON, "code")
        for output in cell.outputs
        if output.data["text/plain"].startswith("explorer: ")
    ]
    made = explorers(LESSON, monkeypatch)
    for explorer, twin in zip(made, stored, strict=True):
        stages = by_loops(explorer)
        for title, shown in tables(twin).items():
            name = title.replace("attention weights", "weights").replace(" ", "_")
            expected = np.array(stages[name])
            if len(shown) < len(expected):
                expected = expected[[explorer.query]]
            np.testing.assert_allclose(shown, expected, atol=0.50001e-4, err_msg=title)
            compared += shown.size
    assert compared > 400


MINUTES = re.compile(r"^##+ (.+?)(?: ·|,) (\d+) minutes", re.M)


def test_the_chapters_take_64_minutes() -> None:
    prose = "\n".join(cell.source for cell in cells(LESSON, "markdown"))
    in_lesson = {name: int(minutes) for name, minutes in MINUTES.findall(prose)}
    assert list(in_lesson) == [
        *("One word", "All words", "Trainable weights", "Scaled", "Masked")
    ]
    assert sum(in_lesson.values()) == 64
    assert "64 minutes, and one more to begin with" in prose
    in_guide = {name: int(minutes) for name, minutes in MINUTES.findall(GUIDE)}
    assert in_guide == in_lesson | {"In pairs": 7, "Exit ticket": 3}


def section(heading: str) -> str:
    """Return a part of the guide, up to the next heading of its kind."""
    return re.split(r"^## ", GUIDE.split(f"## {heading}\n")[1], flags=re.M)[0]


def test_both_lessons_of_the_guide_take_75_minutes() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\w ]+) \|", section("The lesson"), re.M)
    start = 0
    for begins, minutes, name in rows:
        assert int(begins) == start
        start += int(minutes)
        if name != "The first 60 seconds":
            assert f"### {name}, {minutes} minutes" in GUIDE
    assert start == 75
    second = re.findall(r"^\| (\d+) \| \w", section("A second lesson"), re.M)
    assert sum(map(int, second)) == 75


# What is said is what is computed

BANK = examples["bank"]
coins, on, bank, by, river = range(5)


def attend(embeddings=BANK.embeddings, **changed):
    matrices = {name: getattr(BANK, name) for name in MATRICES}
    return self_attention(embeddings, **(matrices | changed))


def with_one(table, row: int, column: int, x: float) -> np.ndarray:
    changed = np.array(table, float)
    changed[row, column] = x
    return changed


DRY = with_one(BANK.embeddings, river, 0, 0)
POOR = with_one(BANK.embeddings, coins, 1, -2)
FREE, DRIED = attend(), attend(DRY)
CAUSAL = attend(mask=causal_mask(5))
PLAIN = self_attention(BANK.embeddings, scale=1.0)
PLAIN_DRY = self_attention(DRY, scale=1.0)
PLAIN_POOR = self_attention(POOR, scale=1.0)
WRONG = softmax(PLAIN.scores, axis=0)
LOUD = {told: attend(W_key=with_one(BANK.W_key, 0, 0, told)) for told in (0.75, 0.5)}
TIED = attend(W_key=BANK.W_query)
DOUBLED = attend(W_query=2 * BANK.W_query)
ZERO_SCORES = softmax(np.where(causal_mask(5), FREE.scaled_scores, 0))
ZERO_WEIGHTS = FREE.weights * causal_mask(5)
BY = {d: attend(scale=d**-0.5).weights[bank, river] for d in (1, 2, 4, 5)}


def words_looked_at(d_k: int, divisor: float) -> float:
    """Count the words that a random row looks at, on average of 2000."""
    rng = np.random.default_rng(0)
    queries = rng.standard_normal((2000, 1, d_k))
    rows = softmax((queries @ rng.standard_normal((2000, d_k, 6)))[:, 0] / divisor)
    return np.exp(-(rows * np.log(rows)).sum(axis=1)).mean()


SIX = examples["journey"].embeddings @ examples["journey"].embeddings.T
LEVELS = [
    [words_looked_at(d_k, d_k**power) for d_k in (2, 512)] for power in (0, 0.5, 1)
]
B, R = BANK.embeddings[bank], BANK.embeddings[river]
B_WITH_R = [*np.ravel([*zip(B, R, strict=True)]), B @ R]
B_WITH_B = [*np.ravel([*zip(B, B, strict=True)]), B @ B]
QUERY, KEY = FREE.queries[bank], FREE.keys[river]

# A phrase, and its numbers in order.
IN_BOTH = {
    "from 3 to 0": [R[0], 0],
    "from 1.51 to 0.96": [PLAIN.context[bank, 0], PLAIN_DRY.context[bank, 0]],
    "0.26 and 0.01": [PLAIN.weights[bank, river], PLAIN.weights[river, bank]],
    "from 2 to −2": [2, -2],
    "from 2 to 512": [2, 512],
    "from 0.87 to 0.985": [w.weights[bank, river] for w in (FREE, DOUBLED)],
    "no word has more than 3": [BANK.embeddings.max()],
    "e to the power of 0 is 1": [0, np.exp(0)],
}
IN_LESSON = IN_BOTH | {
    "2.63 against 0.23": FREE.context[bank],
    "1.79 against 0.19": DRIED.context[bank][::-1],
    "1×3 + 1×0 + 2×1 + 0×0 = 5": B_WITH_R,
    "1×1 + 1×1 + 2×2 + 0×0 = 6": B_WITH_B,
    "become 0": [0],
    "Not to 0": [0],
    "share of −0.22": [PLAIN_POOR.scores[bank, 0] / PLAIN_POOR.scores[bank].sum()],
    "gives 0.0002": [PLAIN_POOR.weights[bank, coins]],
    "by 2.2": [2.2],
    "the score is 5": [PLAIN.scores[bank, river]],
    "river asks bank: 5": [PLAIN.scores[river, bank]],
    "sum to 1: river gives away 1.29": [1, WRONG[river].sum()],
    "new wet is 3.24": [(WRONG @ BANK.embeddings)[river, 0]],
    "what kind? with 4 and where? with 1": QUERY,
    "tells 2.5 and 1": KEY,
    "4×2.5 + 1×1 = 11": [QUERY[0], KEY[0], QUERY[1], KEY[1], QUERY @ KEY],
    "drag the 1.0 of W_key": [BANK.W_key[0, 0]],
    "down to 0.5": [0.5],
    "with 0.84": [LOUD[0.5].weights[bank, coins]],
    "At 0.75": [0.75],
    "with 0.998": [TIED.weights[bank, bank]],
    "divided by √2": [FREE.queries.shape[1]],
    "64 numbers or more": [64],
    "from 4.1 words down to 1.1": LEVELS[0],
    "0.95 undivided, 0.87, 0.76, 0.72": BY.values(),
    "sums to 1": [1],
    "sum to 1": [1],
    "with 0.80": [CAUSAL.weights[bank, coins]],
    "−∞ is 0": [np.exp(-np.inf)],
    "a 0 would": [0],
    "gives 0.80 to words": [ZERO_SCORES[coins, 1:].sum()],
    "to 0 and back": [0],
    "0 in the scores": [0],
    "0 after softmax": [0],
    "a score of 0": [0],
}
SCORES = PLAIN.scores[bank]
IN_GUIDE = IN_BOTH | {
    "from 1 to 0.5": [BANK.W_key[0, 0], 0.5],
    "Before: wet 1, rich 1": B[:2],
    "After: 2.63 and 0.23": FREE.context[bank],
    "And now: 0.19 and 1.79": DRIED.context[bank],
    "bank itself, 0.72": [PLAIN.weights[bank, bank]],
    "Its score is 6, river has 5, coins 2": SCORES[[bank, river, coins]],
    "becomes 0": [0],
    "from 0.26 to 0.02": [w.weights[bank, river] for w in (PLAIN, PLAIN_DRY)],
    "gives −0.22": [PLAIN_POOR.scores[bank, 0] / PLAIN_POOR.scores[bank].sum()],
    "softmax 0.0002": [PLAIN_POOR.weights[bank, coins]],
    "2: Your and journey": [(SIX.argmax(axis=1) == range(6)).sum()],
    "both scores are 5": [PLAIN.scores[bank, river]],
    "sums to 1.29": [WRONG[river].sum()],
    "its wet is 3.24": [(WRONG @ BANK.embeddings)[river, 0]],
    "river, 0.87": [FREE.weights[bank, river]],
    "coins gets 0.10, bank itself 0.03": FREE.weights[bank, [coins, bank]],
    "coins, 0.84": [LOUD[0.5].weights[bank, coins]],
    "at 0.75": [0.75],
    "× to 2": [2],
    "looks at itself, 0.998": [TIED.weights[bank, bank]],
    "from 4.1 words to 1.1": LEVELS[0],
    "from 4.7 to 4.4": LEVELS[1],
    "from 5.2 to 6.0": LEVELS[2],
    "around 0": [0],
    "0.95, 0.87, 0.76 or 0.72": BY.values(),
    "coins, 0.80": [CAUSAL.weights[bank, coins]],
    "was (2.63, 0.23)": FREE.context[bank],
    "is (0.20, 1.80)": CAUSAL.context[bank],
    "0.50 to coins and 0.50 to itself": CAUSAL.weights[on, [coins, on]],
    "would a 0 hide": [0],
    "gives 0.80 to its future": [ZERO_SCORES[coins, 1:].sum()],
    "every row still sums to 1": [1],
    "0 in the scores": [0],
    "0 after softmax": [0],
    "from (0.03, 0.23) to (0.19, 1.79)": [
        *(ZERO_WEIGHTS @ FREE.values)[bank],
        *(DRIED.weights * causal_mask(5) @ DRIED.values)[bank],
    ],
    "value (0, 0)": FREE.values[on],
    "a row sums to 1": [1],
    "add 5": [5],
}


MARKUP = r"^#+ .*|<[^>]*>|\]\([^)]*\)|^\d\. |Ctrl\S*|−1e9"
COUNTING = r"[Vv]ote \d|^\| \d+ \| \d+ .*|^\| \d+|64 minutes|70 of 100"


def written(prose: str) -> str:
    """Return prose without markup, headings, and what numbers votes and minutes."""
    prose = re.sub(f"{MARKUP}|{COUNTING}", " ", prose, flags=re.M)
    return " ".join(re.sub(r"[*`]", "", prose).split())


def unsaid(prose: str, phrases: dict[str, list]) -> list[str]:
    """Return the numbers of a text that no phrase holds."""
    for phrase in sorted(phrases, key=len, reverse=True):
        prose = prose.replace(phrase, " … ")
    return NUMBER.findall(prose)


def test_every_number_of_the_lesson_is_covered() -> None:
    prose = written("\n".join(cell.source for cell in cells(LESSON, "markdown")))
    assert [phrase for phrase in IN_LESSON if phrase not in prose] == []
    assert unsaid(prose, IN_LESSON) == []


def test_every_number_of_the_guide_is_covered() -> None:
    prose = written(section("The lesson").split("### In pairs")[0])
    prose += written(section("The lesson").split("### When somebody asks")[1])
    assert [phrase for phrase in IN_GUIDE if phrase not in prose] == []
    assert unsaid(prose, IN_GUIDE) == []


@pytest.mark.parametrize(
    ("phrase", "computed"), [*IN_LESSON.items(), *IN_GUIDE.items()]
)
def test_what_is_said_is_computed(phrase: str, computed: list) -> None:
    for said, value in zip(NUMBER.findall(phrase), computed, strict=True):
        decimals = len(said.partition(".")[2])
        assert abs(float(said.replace("−", "-")) - value) <= 0.5000001 * 10**-decimals


def looked_at(weights: np.ndarray) -> list[str]:
    """Name the word, or the words, that each row looks at most."""
    tops = [np.flatnonzero(np.isclose(row, row.max())) for row in weights]
    return ["/".join(BANK.tokens[j] for j in top) for top in tops]


def test_the_answers_and_wrong_answers_are_as_told() -> None:
    assert looked_at(PLAIN.weights)[bank] == "bank"
    assert looked_at(FREE.weights)[bank] == "river"
    assert looked_at(CAUSAL.weights)[bank] == "coins"
    assert looked_at(LOUD[0.5].weights)[bank] == "coins"
    assert looked_at(LOUD[0.75].weights)[bank] == "coins/river"
    assert [SIX.argmax(axis=1)[i] == i for i in range(6)] == [True, True] + [False] * 4
    longer = examples["journey"].embeddings.copy()
    longer[4] *= 2.2
    assert (longer @ longer[1]).argmax() == 4


def test_which_ways_leak_is_as_told() -> None:
    """Context rows before river, for river's wet at 3 and at 0."""
    future = causal_mask(5)
    ways = [
        lambda s: softmax(np.where(future, s, -np.inf)),
        lambda s: softmax(np.where(future, s, 0)),
        lambda s: softmax(s) * future,
        lambda s: softmax(s) * future / (softmax(s) * future).sum(1, keepdims=True),
    ]
    moved = []
    for way in ways:
        wet, dry = (way(w.scaled_scores) @ w.values for w in (FREE, DRIED))
        moved.append([not np.allclose(wet[i], dry[i]) for i in range(river)])
    assert moved == [
        [False] * 4,
        [True] * 4,
        [False, False, True, False],
        [False] * 4,
    ]


@pytest.mark.parametrize(
    ("told", "name", "row", "column", "passes", "fails"),
    [
        ("row *rich*, *what kind?*, at least 0.7", "W_query", 1, 0, 0.7, 0.6),
        ("row *wet*, *where?*, at least 0.6", "W_key", 0, 1, 0.6, 0.5),
        ("row *rich*, *where?*, at most −1.1", "W_key", 1, 1, -1.1, -1.0),
    ],
)
def test_the_pairs_goal_is_reached_as_told(
    told: str, name: str, row: int, column: int, passes: float, fails: float
) -> None:
    assert told in GUIDE
    for x, reached in ((passes, True), (fails, False)):
        weights = attend(
            **{name: with_one(getattr(BANK, name), row, column, x)}
        ).weights
        assert (weights[coins].argmax() == river) == reached


# The guide on grading, settings and memory


def test_the_summary_in_the_guide_is_what_is_printed(monkeypatch) -> None:
    monkeypatch.setattr(session, "_records", {})
    session.check("dot product blank", 3)
    session.check("dot product blank", 5)
    session.check("scores of one word", lambda query, embeddings: embeddings @ query)
    assert f"```\n{session.summary()}\n```" in GUIDE


def test_every_setting_is_explained() -> None:
    path = NOTEBOOKS.parent / "binder" / "labconfig" / "default_setting_overrides.json"
    settings = re.findall(r'^ {4}"(\w+)":', path.read_text(encoding="utf-8"), re.M)
    told = re.findall(r"^\| `(\w+)`", section("What the settings do"), re.M)
    assert told == settings


def memory(name: str) -> float:
    """Run a notebook in a fresh kernel; return the kernel's RSS at the end, in MB."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    settings = {"resources": {"metadata": {"path": str(NOTEBOOKS)}}, "timeout": 120}
    client = NotebookClient(notebook, kernel_name="python3", **settings)
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        kernel = psutil.Process(client.km.provisioner.pid)
        return kernel.memory_info().rss / 1e6


def test_a_kernel_needs_no_more_memory_than_told() -> None:
    text = section("A kernel for everyone")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.M)
    measured = {name: int(megabytes) for name, megabytes in rows}
    assert set(measured) == {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    largest = max(measured, key=measured.get)
    assert measured[largest] < KERNEL
    assert memory(f"{largest}.ipynb") < KERNEL


KERNEL, SERVER, ONE_CHAPTER, GUARANTEE, LIMIT, CLASS = 200, 150, 350, 512, 1000, 16_000


def test_the_memory_adds_up() -> None:
    text = section("A kernel for everyone")
    assert f"Count {KERNEL} MB for a kernel and {SERVER} MB for the server" in text
    assert f"under {ONE_CHAPTER} MB; guarantee {GUARANTEE} MB" in text
    assert "limit at 1 GB" in text
    assert "30 learners fit into 16 GB" in text
    server = int(re.search(r"^\| the server \| (\d+) \|", text, re.M)[1])
    chapters = re.findall(r"^\| `0[1-5]_\w+` \| (\d+) \|", text, re.M)
    assert server < SERVER
    assert KERNEL + SERVER <= ONE_CHAPTER < GUARANTEE
    assert server + sum(map(int, chapters)) < LIMIT
    assert 30 * GUARANTEE < CLASS


# The sheet


def test_the_key_is_computed() -> None:
    assert f"**Votes**: bank; {(SIX.argmax(axis=1) == range(6)).sum()};" in SHEET
    scores = " ".join(f"{score:.0f}" for score in SCORES)
    shares = " ".join(f"{share:.2f}".lstrip("0") for share in PLAIN.weights[bank])
    assert f"**Scores**: {scores}. **Shares**: {shares}." in SHEET
    for name, result in ("All", PLAIN), ("Trainable", FREE), ("Masked", CAUSAL):
        assert f"**{name}**: {', '.join(looked_at(result.weights))}." in SHEET


def test_the_sheet_has_five_votes_and_the_words() -> None:
    assert re.findall(r"\*\*Vote (\d)\.\*\*", SHEET) == list("12345")
    assert SHEET.count("☐ I don't know") == 5
    for word, row in zip(BANK.tokens, BANK.embeddings, strict=True):
        assert f"| **{word}** | " + " | ".join(f"{x:.0f}" for x in row) in SHEET
    journey = examples["journey"]
    for word, row in zip(journey.tokens, journey.embeddings, strict=True):
        assert f"*{word}* " + " ".join(f"{x:.2f}".lstrip("0") for x in row) in SHEET


LIKE_GITHUB = """
    body { font: 16px/1.5 "Noto Sans", Helvetica, Arial, sans-serif }
    p, table { margin: 0 0 16px }
    h1 { font-size: 2em; margin: 24px 0 16px; padding-bottom: 0.3em }
    table { border-collapse: collapse }
    td, th { border: 1px solid #888; padding: 6px 13px }
"""


@pytest.mark.parametrize("style", ["", LIKE_GITHUB])
def test_the_sheet_prints_on_one_page(browser: Browser, style: str) -> None:
    page = browser.new_page()
    body = mistune.create_markdown(escape=False, plugins=["table"])(SHEET)
    page.set_content(f"<!doctype html><style>{style}</style>{body}")
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    pdf = page.pdf(format="A4", margin=margin)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


# In a real JupyterLab


def explorer_on(page: Page, nth: int) -> OnScreen:
    found = page.locator(".attention-explorer").nth(nth)
    found.scroll_into_view_if_needed()
    return OnScreen(found)


def test_a_lesson_is_taught(lab: Lab, page: Page, monkeypatch) -> None:
    made = explorers(LESSON, monkeypatch)
    lab.open(page, LESSON)
    lab.run_all(page)

    page.locator("summary").click()
    again = page.get_by_role("paragraph").filter(has_text="Vote again.")
    expect(again).to_be_visible()
    page.keyboard.press("Space")
    expect(again).to_be_hidden()

    hook = explorer_on(page, 0)
    expect(hook.root.locator("[data-stage=context]")).to_have_count(0)
    hook.action("step").click()
    hook.drag("embeddings", river, 0, -30)
    found = [hook.number("context", bank, j) for j in range(2)]
    np.testing.assert_allclose(found, DRIED.context[bank], rtol=1e-9)

    for nth, explorer in enumerate(made):
        screen = explorer_on(page, nth)
        expect(screen.root).to_have_class(re.compile(r"\blarge\b"))
        assert screen.root.evaluate("e => getComputedStyle(e).fontSize") == "21px"
        if explorer.predict:
            expect(screen.root).to_have_attribute("data-locked", "true")
            screen.root.get_by_text("Before you look:").click()
            page.keyboard.press("s")
            expect(screen.root.locator("[data-part=verdict]")).to_contain_text("It is")
        expect(screen.root).to_have_attribute("data-locked", "false")
        if nth > 0:
            stages = by_loops(explorer)
            if explorer.mask == "zero_scores":
                result = explorer.attention
                stages = {n: getattr(result, n) for n in ("masked_scores", "weights")}
            assert_same(screen, stages)

    lab.kill_kernel(page)
    pages = page.locator(".widget-html-content", has_text="d_k = ")
    pages.filter(visible=True).scroll_into_view_if_needed()
    expect(pages.filter(visible=True)).to_contain_text(f"{LEVELS[0][0]:.1f} of 6")
    track = page.locator(".noUi-target")  # it may still move down a little
    end = track.bounding_box()["width"] - 1
    track.click(position={"x": end, "y": 2})
    expect(pages.filter(visible=True)).to_contain_text("d_k = 512")
    for words in LEVELS:
        said = f"{words[1]:.1f} of 6"
        expect(pages.filter(visible=True)).to_contain_text(said)
    said = "Could not send widget sync message"  # to the dead kernel, by ipywidgets
    page.errors = [error for error in page.errors if said not in error]
