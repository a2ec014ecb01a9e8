"""Find a Chromium for the browser tests, or install one: `--install`."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

FLAGS = [
    "--no-sandbox",  # Chromium refuses to run as root, as in a container, without it
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
NAMES += ["chrome", "msedge"]

USUAL_PLACES = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
]

MISSING = """no Chromium found, and the browser tests need one. Any of these helps:
  python tools/browser.py --install     (Playwright's Chromium, or Debian's as root)
  sudo apt-get install chromium         (Debian, Ubuntu)
  install Google Chrome                 (macOS, Windows)
  CHROMIUM=/path/to/chrome make test    (a browser in an unusual place)"""


def find_browser() -> str:
    """Return the path of a Chromium, Chrome or Edge; FileNotFoundError if none."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise FileNotFoundError(f"CHROMIUM is {chosen!r}, which cannot be run")
        return path
    candidates = [shutil.which(name) for name in NAMES] + USUAL_PLACES
    for path in candidates:
        if path and Path(path).is_file():
            return path
    path = playwrights_own()
    if Path(path).is_file():
        return path
    raise FileNotFoundError(MISSING)


def playwrights_own() -> str:
    """Return where Playwright keeps its Chromium, downloaded or not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def install() -> None:
    """Get a Chromium: Debian's as root, else Playwright's download."""
    if is_root() and is_debian():
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "chromium"],
            check=True,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
    else:
        subprocess.run(
            [sys.executable, "-m", "playwright", "install", "chromium"], check=True
        )


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_debian() -> bool:
    """Tell Debian from Ubuntu, whose package needs snap."""
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def main() -> None:
    try:
        find_browser()
    except FileNotFoundError:
        if "--install" in sys.argv:
            print("no Chromium found: installing one", flush=True)
            install()
    print(find_browser())


if __name__ == "__main__":
    try:
        main()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
