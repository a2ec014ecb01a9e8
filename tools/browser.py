"""Find the browsers for the tests, or install them: `--install`.

Chromium is needed everywhere. Firefox and WebKit are driven on Linux where they are
installed; the tests say what they leave out.
"""

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

SHELL = "chromium-headless-shell"  # the same engine without windows: a fifth less work
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


def find_shell() -> str:
    """Return the path of a Chromium without windows; FileNotFoundError if none."""
    path = shutil.which(SHELL)
    if path is None:
        raise FileNotFoundError(f"no lighter Chromium for the tests (Debian: {SHELL})")
    return path


def find_light() -> str:
    """Return what the tests drive: CHROMIUM, else one without windows, else any."""
    shell = None if os.environ.get("CHROMIUM") else shutil.which(SHELL)
    return shell or find_browser()


def find_firefox() -> str:
    """Return the path of a Firefox; FileNotFoundError if there is none to drive."""
    if sys.platform != "linux":
        raise FileNotFoundError("Firefox is driven on Linux only")
    if Path("/snap/bin/firefox").exists():
        raise FileNotFoundError("a Firefox in a snap cannot read the tests' profile")
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        raise FileNotFoundError("no Firefox is installed (Debian: firefox-esr)")
    return path


def find_webkit() -> dict[str, str]:
    """Return the paths of WebKitGTK's driver, its browser and an X server."""
    if sys.platform != "linux":
        raise FileNotFoundError("WebKit is driven on Linux only")
    browsers = Path("/usr").glob("lib/*/webkit2gtk-4.1/MiniBrowser")
    found = {
        "driver": shutil.which("WebKitWebDriver"),
        "browser": next(map(str, browsers), None),
        "xvfb": shutil.which("Xvfb"),
    }
    if None in found.values():
        needs = "Debian: webkit2gtk-driver and xvfb"
        raise FileNotFoundError(f"no WebKit is installed ({needs})")
    return found


def playwrights_own() -> str:
    """Return where Playwright keeps its Chromium, downloaded or not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


PACKAGES = {  # Debian's, and how to see that they are there
    ("chromium",): find_browser,
    (SHELL,): find_shell,
    ("firefox-esr",): find_firefox,
    ("webkit2gtk-driver", "xvfb"): find_webkit,
}


def install() -> None:
    """Get what is missing: from Debian as root, else Playwright's Chromium."""
    for packages, find in PACKAGES.items():
        try:
            find()
        except FileNotFoundError as missing:
            print(str(missing).splitlines()[0], flush=True)
            needed = find is find_browser or (find is not find_shell and all_wanted())
            get(packages, needed)


def get(packages: tuple[str, ...], needed: bool) -> None:
    if is_root() and is_debian():
        try:
            from_debian(packages)
        except subprocess.CalledProcessError as error:
            if needed:
                raise
            print(f"not installed: {error}")
    elif "chromium" in packages:
        print("installing Playwright's Chromium", flush=True)
        subprocess.run(
            [sys.executable, "-m", "playwright", "install", "chromium"], check=True
        )


def from_debian(packages: tuple[str, ...]) -> None:
    """Chromium comes with what it recommends: fonts."""
    print(f"installing {' '.join(packages)}", flush=True)
    fewer = [] if "chromium" in packages else ["--no-install-recommends"]
    install = ["apt-get", "install", "-y", "-qq", *fewer, *packages]
    for command in (["apt-get", "update", "-qq"], install):
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(command, check=True, env=quiet)


def all_wanted() -> bool:
    """Tell whether a missing browser is an error: on CI, where it can be installed."""
    return bool(os.environ.get("CI")) and is_root() and is_debian()


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_debian() -> bool:
    """Tell Debian from Ubuntu, whose package needs snap."""
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def main() -> None:
    if "--install" in sys.argv:
        install()
    print(find_browser())
    for find in (find_firefox, find_webkit):
        try:
            print(find())
        except FileNotFoundError as missing:
            if all_wanted():
                raise
            print(f"left out of the tests: {missing}")


if __name__ == "__main__":
    try:
        main()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
