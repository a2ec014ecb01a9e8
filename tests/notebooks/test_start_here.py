"""The first minute works as 00_start_here tells it."""

import pytest
from lab import SHOW, Lab
from playwright.sync_api import Page, expect

NAME = "00_start_here.ipynb"


def cell(page: Page, stage: str, row: int, column: int):
    where = f'[data-stage="{stage}"] td[data-row="{row}"][data-col="{column}"]'
    return page.locator(f".attention-explorer {where}")


def wet_of_bank(page: Page) -> float:
    return float(cell(page, "context", 2, 0).get_attribute("data-value"))


def drag_to_zero(page: Page) -> None:
    box = cell(page, "embeddings", 4, 0).bounding_box()
    x, y = round(box["x"] + box["width"] / 2), round(box["y"] + 6)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 31):  # a step of 0.1 a pixel
        page.mouse.move(x - step, y)
    page.mouse.up()


def press_to_zero(page: Page) -> None:
    slider = cell(page, "embeddings", 4, 0).locator("input[type=range]")
    for _ in range(3):
        slider.press("Shift+ArrowLeft")


def type_zero(page: Page) -> None:
    cell(page, "embeddings", 4, 0).dblclick()
    page.keyboard.type("0")
    page.keyboard.press("Enter")


def test_river_dries_up_and_bank_follows(lab: Lab, page: Page) -> None:
    lab.open(page, NAME)
    lab.run_all(page)
    page.evaluate(SHOW, "explore(")
    cell(page, "context", 2, 0).scroll_into_view_if_needed()
    for move in drag_to_zero, press_to_zero, type_zero:
        assert wet_of_bank(page) == pytest.approx(1.51, abs=0.005)
        move(page)
        expect(cell(page, "embeddings", 4, 0)).to_have_attribute("data-value", "0")
        assert wet_of_bank(page) == pytest.approx(0.96, abs=0.005)
        row = [cell(page, "embeddings", 2, j) for j in range(4)]
        assert [td.get_attribute("data-value") for td in row] == ["1", "1", "2", "0"]
        page.locator('[data-action="reset"]').first.click()
    assert wet_of_bank(page) == pytest.approx(1.51, abs=0.005)
