"""Film a real drag in a real browser, for README: notebooks/images/drag.gif.

usage: python tools/picture.py
"""

import io
import json
from pathlib import Path

from browser import find_browser
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from attention_helpers import examples, explore
from attention_helpers.explorer import SOURCE, STYLE, page_state

FILE = Path(__file__).resolve().parent.parent / "notebooks/images/drag.gif"
SIZE = {"width": 740, "height": 480}
HAND = """
const hand = document.createElement("div");
hand.style = "position:fixed; font-size:22px; pointer-events:none; z-index:9";
hand.textContent = "☝";
document.body.append(hand);
addEventListener("pointermove", (event) => {
  hand.style.left = `${event.clientX - 7}px`;
  hand.style.top = `${event.clientY + 4}px`;
});
"""


def main() -> None:
    with sync_playwright() as playwright:
        path = find_browser()
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)
        frames = film(page)
        browser.close()
    save(frames)
    print(f"{FILE.name}: {len(frames)} frames, {FILE.stat().st_size // 1024} KB")


def film(page: Page) -> list[tuple[bytes, int]]:
    """Drag *river*'s *wet* from 3 to 0 and back; return (PNG, ms) each."""
    bank = examples["bank"].without_matrices()
    explorer = explore(bank, query="bank")
    state = json.dumps(page_state(explorer))
    page.set_content(
        f"<style>body {{ margin: 4px 8px }} {STYLE}</style><div id=here></div>"
        f"<script type=module>{SOURCE}\nmount(here, {state});{HAND}</script>"
    )
    page.locator("[data-stage=weights] td[data-col='4']").click()
    box = page.locator("[data-stage=embeddings] td[data-row='4'][data-col='0']")
    rect = box.bounding_box()
    x, y = rect["x"] + rect["width"] / 2 + 14, rect["y"] + rect["height"] / 2
    page.mouse.move(x, y)
    frames = [(page.screenshot(), 1200)]
    page.mouse.down()
    for k in [*range(31), *range(29, -1, -1)]:
        page.mouse.move(x - k, y)
        page.wait_for_timeout(60)  # lights and words follow the numbers
        frames.append((page.screenshot(), 1500 if k == 30 else 70))
    page.mouse.up()
    return frames


def save(frames: list[tuple[bytes, int]]) -> None:
    """Write the frames as one GIF, all with one palette."""
    images = [Image.open(io.BytesIO(png)).convert("RGB") for png, _ in frames]
    palette = Image.blend(images[0], images[len(images) // 2], 0.5)
    palette.paste(images[len(images) // 2].crop((0, 0, 740, 240)))
    palette = palette.quantize(128)
    first, *rest = (image.quantize(palette=palette, dither=0) for image in images)
    FILE.parent.mkdir(exist_ok=True)
    times = [time for _, time in frames]
    first.save(
        FILE, save_all=True, append_images=rest, duration=times, loop=0, optimize=True
    )


if __name__ == "__main__":
    main()
