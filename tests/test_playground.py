"""The playground offers every choice, and its widgets move the explorer."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from drive import OnScreen
from lab import Lab
from playwright.sync_api import Page, expect

import attention_helpers
from attention_helpers import Example, Explorer, causal_mask, examples, self_attention
from attention_helpers.explorer import CONTROLS, MOST_TOKENS, QUESTIONS, STAGES

NAME = "playground.ipynb"
PATH = Path(__file__).resolve().parent.parent / "notebooks" / NAME
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
    for cell in CELLS:
        if cell.cell_type == "code":
            exec(cell.source, namespace)
    return made


def test_every_control_is_offered_once(made: list[Explorer]) -> None:
    groups = [e.controls for e in made if len(e.controls) > 1]
    assert sorted(name for group in groups for name in group) == sorted(CONTROLS)
    assert len(CONTROLS) == 11
    assert "Eleven controls" in PROSE


def test_what_is_listed_is_what_there_is() -> None:
    questions = PROSE.split("The questions are ")[1].split(".")[0]
    assert re.findall(r"`(\w+)`", questions) == list(QUESTIONS)
    stages = PROSE.split("computed by NumPy: ")[1].split(".")[0]
    assert re.findall(r"`(\w+)`", stages) == list(STAGES[4:])


def test_the_numbers_in_prose_are_right(made: list[Explorer]) -> None:
    assert f"At most {MOST_TOKENS} words" in PROSE
    assert f"An explorer ends at {MOST_TOKENS} words" in PROSE
    source = next(cell.source for cell in CELLS if "tale = " in cell.source)
    tale = " ".join(re.findall(r'"([^"]+)"', source))
    assert f"These {len(tale.split())} words" in PROSE
    with pytest.raises(ValueError, match="heatmap"):
        Explorer(Example.from_text(tale))
    assert "Five words, one guess" in PROSE
    guess = next(explorer for explorer in made if explorer.predict)
    shares = np.sort(guess.attention.weights[guess.query])
    assert len(shares) == 5
    assert shares[-1] - shares[-2] > 0.1  # no guess between equals


def test_one_number_is_enough_for_tired_to_look_at_dog(made: list[Explorer]) -> None:
    explorer = made[0]
    tired, dog = map(explorer.tokens.index, ("tired", "dog"))
    assert explorer.attention.weights[tired].argmax() != dog
    moved = np.array(explorer.embeddings)
    moved[dog, 3] = 1
    explorer.embeddings = moved
    assert explorer.attention.weights[tired].argmax() == dog
    assert len(explorer.changes) == 1


def test_equal_words_have_equal_rows(made: list[Explorer]) -> None:
    weights = made[0].attention.weights
    first, second = map(made[0].tokens.index, ("the", "the (2)"))
    assert (weights[first] == weights[second]).all()
    assert (weights[:, first] == weights[:, second]).all()


def test_the_widgets_move_the_explorer(lab: Lab, page: Page) -> None:
    lab.open(page, NAME)
    lab.run_all(page, 120)
    root = page.locator(".attention-explorer").last
    root.scroll_into_view_if_needed()
    screen = OnScreen(root)
    bank = examples["bank"]
    matrices = bank.W_query, bank.W_key, bank.W_value
    free = self_attention(bank.embeddings, *matrices).weights
    causal = self_attention(bank.embeddings, *matrices, mask=causal_mask(5)).weights
    said = page.locator(".widget-label:not(:has-text('stages'))").last

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
