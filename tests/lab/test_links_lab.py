"""The explorer's menu in JupyterLab: its link holds what the kernel holds."""

from drive import assert_kernel, on_bench, wait_until
from lab import Lab
from linked import as_page
from playwright.sync_api import Page, expect
from words import TEXT, on_page_like

from attention_helpers import Explorer
from attention_helpers.explorer import SITE, STATE

IMPORT = "from attention_helpers import Explorer, explore"
SHOW = "explorer = explore('bank', query='bank', mask='causal')\nexplorer"
SOURCES = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
    .map(cell => cell.sharedModel.getSource())"""


def test_the_menu_gives_a_link_to_what_the_kernel_holds(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW)
    high = screen.root.bounding_box()["height"]
    assert screen.drag("embeddings", 4, 0, -6) == [2.4]
    assert_kernel(lab, screen)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    before = page.evaluate(SOURCES)
    screen.action("menu").click()
    assert screen.root.bounding_box()["height"] == high
    status = screen.root.locator(".entries [role=status]")
    for key in ("x", "d", "d", "a"):  # JupyterLab's own, did it get them
        screen.action("copy-link").press(key)
    assert page.evaluate(SOURCES) == before
    screen.action("copy-link").press("Enter")
    expect(status).to_have_text(on_page_like(TEXT["links"]["copied"]))
    address = page.evaluate("navigator.clipboard.readText()")
    assert address.startswith(f"{SITE}/explorer.html#")
    sent = Explorer.from_link(address)
    assert sent.embeddings[4][0] == 2.4
    assert sent.start["embeddings"][4][0] == 3
    asked = f"{{name: getattr(explorer, name) for name in {STATE!r}}}"
    wait_until(lambda: lab.python(page, asked) == as_page(sent))
    assert lab.python(page, f"Explorer.from_link({address!r}).link()") == sent.link()
    with page.expect_download() as download:
        screen.action("save-svg").click()
    assert download.value.suggested_filename == f"{TEXT['links']['file']}.svg"
    screen.action("save-svg").press("Escape")
    expect(screen.root.locator(".entries")).to_be_hidden()
    expect(screen.action("menu")).to_be_focused()
    assert page.evaluate(SOURCES) == before
