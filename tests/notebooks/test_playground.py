"""The playground offers every choice, and its widgets move the explorer."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pytest
from drive import OnScreen
from lab import Lab
from places import FACTS, NOTEBOOKS
from playwright.sync_api import Page, expect

import attention_helpers
from attention_helpers import (
    Example,
    Explorer,
    causal_mask,
    examples,
    heatmap,
    self_attention,
)
from attention_helpers.explorer import CONTROLS, MOST_TOKENS

NAME = "playground.ipynb"
PATH = NOTEBOOKS / NAME
CELLS = nbformat.read(PATH, as_version=4).cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Explorer]:
    """Run the notebook's code and return its explorers as they are made."""
    made = []

    def explore(*args, **options):
        explorer = Explorer(*args, **options)
        made.append(explorer)
        return explorer

    monkeypatch.setattr(attention_helpers, "explore", explore)
    namespace = {}
    with np.printoptions():  # the notebook sets its own
        for cell in CELLS:
            if cell.cell_type == "code":
                exec(cell.source, namespace)
    return made


def test_every_control_is_offered(made: list[Explorer]) -> None:
    assert {name for e in made for name in e.controls} == set(CONTROLS)


# ---- what is said is what is computed ----


def moved(name: str, *changes: tuple[str, str, str, float], **options) -> Explorer:
    """Return an explorer of a sentence after some numbers were moved."""
    explorer = Explorer(name, **options)
    for matrix, row, column, x in changes:
        rows = explorer.columns["embeddings"]
        rows = explorer.tokens if matrix == "embeddings" else rows
        table = np.array(getattr(explorer, matrix))
        table[rows.index(row), explorer.columns[matrix].index(column)] = x
        setattr(explorer, matrix, table)
    return explorer


def preset(name: str, choice: str) -> Explorer:
    """Return the explorer of a sentence with another word in it."""
    explorer = Explorer(name)
    change = explorer.presets[choice]
    i = explorer.tokens.index(change["token"])
    tokens, table = list(explorer.tokens), np.array(explorer.embeddings)
    tokens[i], table[i] = change["becomes"], change["embedding"]
    return Explorer(name, tokens=tokens, embeddings=table)


def share(explorer: Explorer, row: str, *columns: str) -> list[float]:
    """Return what a word gives some words."""
    shares = explorer.attention.weights[explorer.tokens.index(row)]
    return [shares[explorer.tokens.index(column)] for column in columns]


def holds(explorer: Explorer, row: str, *columns: str) -> list[float]:
    """Return what the context of a word holds."""
    context = explorer.attention.context[explorer.tokens.index(row)]
    return [context[explorer.columns["W_value"].index(column)] for column in columns]


def score(explorer: Explorer, row: str, column: str) -> float:
    i, j = map(explorer.tokens.index, (row, column))
    return explorer.attention.scores[i, j]


PLACES = ("embeddings", "robot", "first", 0), ("embeddings", "child", "third", 0)
ROBOT, QUEEN, HORSE, SOUP, WEATHER = map(
    Explorer, ("robot", "queen", "horse", "soup", "weather")
)
NOWHERE = moved("robot", *PLACES)
SHE = preset("queen", "she instead of it")
CHESS = moved("queen", ("embeddings", "queen", "thing", 2))
BROKEN = preset("horse", "broken instead of scared")
BAD = preset("soup", "bad instead of good")
RAIN = preset("weather", "rain today instead of sun")
BOTH = moved("robot", ("W_query", "action", "to whom?", 2))


@cache
def lively() -> dict[float, Explorer]:
    """Return *horse* for every place of the slider of *it*, *alive*."""
    return {
        x: moved("horse", ("embeddings", "it", "alive", x))
        for x in np.arange(-30, 31) / 10
    }


GOALS = {
    *("child at least 0.60", "least 0.35 each", "until it gives horse at least 0.60"),
    *("at least 0.70 pleasant and 0.70 flipped", "gives snow at least 0.60"),
}
SAID = {
    "child get 0.45 each": share(NOWHERE, "carries", "robot", "child")[:1],
    "get 0.05 each": share(NOWHERE, "carries", "gently"),
    "gives robot 0.89": share(ROBOT, "carries", "robot"),
    "machine 1.79, human 0.18": holds(ROBOT, "carries", "machine", "human"),
    "machine 1.32, human 0.42": holds(ROBOT, "gently", "machine", "human"),
    "score 4, share 0.81": [score(QUEEN, "it", "cup"), *share(QUEEN, "it", "cup")],
    "thing 1.67, person 0.10": holds(QUEEN, "it", "thing", "person"),
    "gives queen 0.81": share(SHE, "she", "queen"),
    "0.47 to queen, 0.47 to cup": share(QUEEN, "falls", "queen", "cup"),
    "cup gives her 0.50": share(CHESS, "cup", "queen"),
    "bridge keep 0.24 each": share(BROKEN, "it", "bridge"),
    "tell nothing, score 0": [score(BROKEN, "it", "broken")],
    "gives bridge 0.74": share(BROKEN, "broken", "bridge"),
    "gives horse 0.74": share(HORSE, "scared", "horse"),
    "gets 0.44 at best": lambda: [
        max(share(horse, "it", "horse")[0] for horse in lively().values())
    ],
    "Above zero, 0.36": holds(SOUP, "good", "pleasant"),
    "a share of 0.18": share(SOUP, "good", "good"),
    "pleasant below 0, so no average is below 0": [0, 0],
    "pleasant −0.36, flipped 1.47": holds(BAD, "bad", "pleasant", "flipped"),
    "gives good 0.85": share(SOUP, "soup", "good"),
    "pleasant 1.70, flipped 0.10": holds(SOUP, "soup", "pleasant", "flipped"),
    "score 4, share 0.85": [
        score(WEATHER, "sun (2)", "rain"),
        *share(WEATHER, "sun (2)", "rain"),
    ],
    "sun 0.20, rain 1.70, snow 0.10": holds(WEATHER, "sun (2)", "sun", "rain", "snow"),
    "snow comes next, with 0.85": share(RAIN, "rain (2)", "snow"),
    "0.25 to each": share(WEATHER, "snow", "sun"),
    "child 0.50 each": share(BOTH, "carries", "child"),
    # what stands in the tables
    "0.5 each": [ROBOT.W_key[0][0]],
    "first does it, 1": [ROBOT.W_key[3][0]],
    "it is done, 1": [ROBOT.W_key[4][1]],
    "who does it?, with strength 2": [ROBOT.W_query[2][0]],
    "both with strength 2": [QUEEN.W_query[0][0]],
    "to both, −0.5": [QUEEN.W_key[3][0]],
    "up from −0.5": [QUEEN.W_key[3][1]],
    "and flipped? with strength 2": [SOUP.W_query[2][1]],
    "like what, with strength 2": [SOUP.W_key[2][0]],
    "become 0": [0],
    "two ones to 0": [0],
    # sizes
    "At most 32 words": [MOST_TOKENS],
    "ends at 32 words": [MOST_TOKENS],
    "These 36 words": [36],
    "chapters 1 and 2": [1, 2],
}
TURNS = "From 0.8 on, it gives itself at least 0.60", "from 1.9 on it finds itself"
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:\.\d+)?")


def test_every_number_in_the_prose_is_covered() -> None:
    prose = re.sub(r"```.*?```|\]\([^)]*\)|seed=1|\w+=\d", " ", PROSE, flags=re.S)
    prose = " ".join(re.sub(r"[*`]", "", prose).split())
    known = [*SAID, *GOALS, *TURNS]
    assert [phrase for phrase in known if phrase not in prose] == []
    for phrase in sorted(known, key=len, reverse=True):
        prose = prose.replace(phrase, " … ")
    assert NUMBER.findall(prose) == []


@pytest.mark.parametrize(("phrase", "computed"), SAID.items())
def test_what_is_said_is_computed(
    phrase: str, computed: list | Callable[[], list]
) -> None:
    computed = computed() if callable(computed) else computed
    for said, value in zip(NUMBER.findall(phrase), computed, strict=True):
        decimals = len(said.partition(".")[2])
        assert abs(float(said.replace("−", "-")) - value) <= 0.5000001 * 10**-decimals


def test_what_is_said_to_be_the_same_is_the_same() -> None:
    assert np.ptp(share(NOWHERE, "carries", "robot", "child")) < 1e-12
    assert np.ptp(share(NOWHERE, "carries", "carries", "gently")) < 1e-12
    assert share(HORSE, "it", "horse", "bridge") == share(
        BROKEN, "it", "horse", "bridge"
    )
    assert np.ptp(share(HORSE, "it", "horse", "bridge")) < 1e-12
    falls, drops = (
        QUEEN.attention.weights[QUEEN.tokens.index(w)] for w in ("falls", "drops")
    )
    assert (falls == drops).all()
    cup = moved("queen", ("embeddings", "it", "person", 1))
    assert abs(share(cup, "cup", "queen")[0] - share(QUEEN, "cup", "queen")[0]) < 0.005
    assert WEATHER.attention.weights[2].tolist() == [0.25] * 4
    assert holds(SOUP, "good", "flipped") == pytest.approx(holds(BAD, "bad", "flipped"))
    masked = Explorer("weather", mask="causal")
    assert masked.attention.weights[0].tolist() == [1, 0, 0, 0]
    said = holds(BOTH, "carries", "machine", "human")
    assert np.ptp(said) < 1e-12


def test_from_where_a_word_finds_itself_is_as_told() -> None:
    """One step before it does not."""
    for x, itself in ((0.7, False), (0.8, True), (3, True)):
        queen = moved("queen", ("W_key", "refers", "which thing", x))
        assert (share(queen, "it", "it")[0] >= 0.6) == itself
    for x, horse in [(x, horse) for x, horse in lively().items() if x > 0.5]:
        row = horse.attention.weights[horse.tokens.index("it")]
        assert (horse.tokens[row.argmax()] == "it") == (x >= 1.9)


@pytest.mark.parametrize(
    ("change", "truck", "swapped"),
    [
        (("machine", "who does it", -0.2), False, False),
        (("human", "who does it", 1.1), False, False),
        (("first", "who does it", -0.4), True, True),
        (("third", "who does it", 1.2), True, True),
    ],
)
def test_rules_find_the_third_word_and_patches_do_not(
    change: tuple, truck: bool, swapped: bool
) -> None:
    W_key = moved("robot", ("W_key", *change)).W_key
    another = preset("robot", "truck instead of child")
    another.W_key = W_key
    assert (share(another, "carries", "truck")[0] >= 0.6) == truck
    turned = np.array(ROBOT.embeddings)[[2, 1, 0, 3]]
    turned[[0, 2], 3:] = turned[[2, 0], 3:]  # the places stay
    tokens = ["child", "carries", "robot", "gently"]
    other = Explorer("robot", tokens=tokens, embeddings=turned, W_key=W_key)
    assert (share(other, "carries", "robot")[0] >= 0.6) == swapped


@pytest.mark.parametrize(
    ("change", "heard"),
    [
        (("W_query", "thing", "flipped?", 0.9), False),
        (("W_key", "flips", "like what", 0.9), True),
    ],
)
def test_was_hears_both_words_only_where_the_answer_changed(
    change: tuple, heard: bool
) -> None:
    soup = moved("soup", change)
    assert min(holds(soup, "soup", "pleasant", "flipped")) >= 0.7
    assert (min(holds(soup, "was", "pleasant", "flipped")) >= 0.7) == heard


def test_each_goal_has_as_many_ways_as_told() -> None:
    facts = json.loads((FACTS / "more_examples.json").read_text(encoding="utf-8"))
    told = re.findall(r"\*\*The goal\*\*.*?There are (\w+) ways\.", PROSE)
    facts.pop("about")
    ways = [len(fact["solutions"]) for fact in facts.values() if "goal" in fact]
    assert [{"two": 2, "four": 4}[said] for said in told] == ways


def test_the_tale_is_too_long_for_an_explorer() -> None:
    source = next(cell.source for cell in CELLS if "tale = " in cell.source)
    tale = " ".join(re.findall(r'"([^"]+)"', source))
    assert f"These {len(tale.split())} words" in PROSE
    with pytest.raises(ValueError, match="heatmap"):
        Explorer(Example.from_text(tale))


def test_what_is_shown_as_text_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    space = {"np": np, "robot": ROBOT, "heatmap": heatmap, "Path": Path}
    for block in re.findall(r"```python\n(.*?)```", PROSE, re.S):
        exec(block, space)
    written = np.loadtxt("shares.csv", delimiter=",")
    np.testing.assert_allclose(written, ROBOT.attention.weights, atol=0.5e-4)
    assert Path("shares.pdf").read_bytes().startswith(b"%PDF")


# ---- in a real JupyterLab ----

TYPED = [
    ("cats sleep", ["cats", "sleep"], "2 words"),
    ("<b>bold</b> 🙂 $x$", ["<b>bold</b>", "🙂", "$x$"], "3 words"),
    ("alone", ["alone"], "A word alone"),
    ("word " * 50, ["alone"], "These are 50 words"),
    ("", ["alone"], "Type some words"),
]


def test_the_widgets_move_the_explorer(lab: Lab, page: Page) -> None:
    """In a notebook of their cells alone: the other explorers take their time."""
    code = [cell.source for cell in CELLS if cell.cell_type == "code"]
    box, model, said = (
        next(k for k, source in enumerate(code) if call in source)
        for call in ("word_box(", "model = explore(", "tell(None)")
    )
    lab.write("widgets.ipynb", [code[0], *code[box : box + 2], *code[model : said + 1]])
    lab.open(page, "widgets.ipynb")
    lab.run_all(page)
    root = page.locator(".attention-explorer").last
    root.scroll_into_view_if_needed()
    screen = OnScreen(root)
    bank = examples["bank"]
    matrices = bank.W_query, bank.W_key, bank.W_value
    free = self_attention(bank.embeddings, *matrices).weights
    causal = self_attention(bank.embeddings, *matrices, mask=causal_mask(5)).weights
    said = page.locator(".widget-label:not(:has-text('stages'))").last

    own = page.locator(".attention-explorer").first
    box = page.get_by_placeholder("your words")
    line = page.locator(".widget-vbox", has=box).locator(".widget-label").last
    for typed, words, says in TYPED:
        box.fill(typed)
        box.press("Enter")
        expect(line).to_contain_text(says)
        expect(own.locator("[data-stage=weights] tbody th")).to_have_text(words)
    root.scroll_into_view_if_needed()

    page.locator(".widget-dropdown select").select_option("river")
    expect(screen.cell("weights", 4, 0)).to_be_visible()
    expect(said).to_have_text(f"river gives river {free[4, 4]:.2f}")
    page.locator(".widget-dropdown select").select_option("bank")
    page.locator(".widget-toggle-button", has_text="causal").click()
    expect(screen.cell("weights", 2, 4)).to_have_attribute("data-masked", "true")
    expect(said).to_have_text(f"bank gives coins {causal[2, 0]:.2f}")

    screen.drag("embeddings", 0, 1, -20)
    expect(said).to_contain_text("bank gives bank")

    lab.kill_kernel(page)
    expect(root.locator("[data-stage=context]")).to_have_count(1)
    page.locator(".noUi-target").click(position={"x": 1, "y": 2})
    expect(root.locator("[data-stage=context]")).to_have_count(0)
    expect(root.locator("[data-stage=embeddings]")).to_have_count(1)
    said = "Could not send widget sync message"  # to the dead kernel, by ipywidgets
    page.errors = [error for error in page.errors if said not in error]
