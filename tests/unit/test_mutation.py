"""The lists of `make mutants` name what there is. The command itself runs the mutants.

Whether a mutant still fits the source that it changes, the command says.
"""

from collections import Counter
from fnmatch import fnmatch

import pytest
from mutation.run import (
    MUTANTS,
    SHARES,
    SURVIVORS,
    TESTS,
    Change,
    explained,
    hand_made,
    shares,
)
from places import PACKAGE
from places import TESTS as FOLDER


@pytest.mark.parametrize("guard", sorted({mutant.guard for mutant in MUTANTS}))
def test_every_guard_is_a_test_of_the_suite(guard):
    file, name = guard.split("::")
    assert any(fnmatch(file, pattern) for pattern in TESTS["engine"])
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert f"def {name}(" in text


def test_no_mutant_is_there_twice_and_each_changes_something():
    assert max(Counter((m.file, m.before, m.after) for m in MUTANTS).values()) == 1
    assert max(Counter(m.why for m in MUTANTS).values()) == 1
    assert all(mutant.after != mutant.before for mutant in MUTANTS)


def test_each_list_has_modules_tests_and_a_part_of_the_survivors():
    assert explained().keys() == TESTS.keys()
    for patterns in TESTS.values():
        assert all(list(FOLDER.glob(pattern)) for pattern in patterns)
    for name in SHARES:
        assert shares(name, PACKAGE)


def test_every_survivor_is_explained_and_stands_there_once():
    listed = SURVIVORS.read_text(encoding="utf-8").count("\n- ")
    assert sum(map(len, explained().values())) == listed


def test_a_chapter_and_a_part_of_the_judge_are_found(tmp_path):
    for file in ("__init__", "session", "chapter_09_new", "judge/__init__", "judge/it"):
        path = tmp_path / "exercises" / f"{file}.py"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    few, some = SHARES["exercises"].values()
    assert shares("exercises", tmp_path) == {
        "exercises/chapter_09_new.py": few,
        "exercises/judge/it.py": some,
        "exercises/session.py": some,
    }


def test_a_mutant_that_no_longer_fits_is_named(tmp_path):
    (tmp_path / "a.js").write_text("one + two + two", encoding="utf-8")
    fits, gone, twice, lost = (
        Change(file, before, "three", f"{before} of {file} is wrong", "guard")
        for file, before in (
            *(("a.js", "one"), ("a.js", "four"), ("a.js", "two")),
            ("b.js", "one"),
        )
    )
    made, misfits = hand_made([fits, gone, twice, lost], tmp_path)
    assert [mutant.source for mutant in made] == ["three + two + two"]
    assert [misfit.splitlines() for misfit in misfits] == [
        ["a.js: four of a.js is wrong: this stands there 0 times:", "four"],
        ["a.js: two of a.js is wrong: this stands there 2 times:", "two"],
        ["b.js: one of b.js is wrong: this stands there 0 times:", "one"],
    ]
