"""Where things stand in the repository."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
PACKAGE = ROOT / "attention_helpers"
NOTEBOOKS = ROOT / "notebooks"
FACTS = TESTS / "facts"
