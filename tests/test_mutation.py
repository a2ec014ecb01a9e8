"""The lists of `make mutants` have not rotted. The command itself runs the mutants."""

from collections import Counter
from pathlib import Path

import pytest
from mutation.run import MUTANTS, TESTS, engine_mutants, explained

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "attention_helpers"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.why)
def test_what_a_mutant_changes_stands_once_in_its_file(mutant):
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert source.count(mutant.before) == 1
    assert mutant.after != mutant.before


@pytest.mark.parametrize("guard", sorted({mutant.guard for mutant in MUTANTS}))
def test_every_guard_is_a_test_of_the_suite(guard):
    file, name = guard.split("::")
    assert file.removesuffix(".py") in TESTS["engine"]
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert f"def {name}(" in text


def test_no_mutant_is_there_twice():
    assert max(Counter((m.file, m.before, m.after) for m in MUTANTS).values()) == 1
    assert max(Counter(m.why for m in MUTANTS).values()) == 1


def test_every_survivor_that_is_explained_is_a_mutant_of_what_stands_there():
    known = explained()
    assert known.keys() == TESTS.keys()
    engine = {f"{mutant.file}: {mutant.change}" for mutant in engine_mutants(PACKAGE)}
    assert known.pop("engine").keys() <= engine
    for survivors in known.values():
        for survivor in survivors:
            file, change = survivor.split(": ", 1)
            before = change.split("` → `")[0].removeprefix("`")
            lines = (PACKAGE / file).read_text("utf-8").splitlines()
            assert before in map(str.strip, lines), survivor
