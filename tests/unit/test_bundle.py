"""The JavaScript as the browser gets it, and the words that Python reads in it."""

import re

import pytest
from places import PACKAGE

from attention_helpers.explorer.bundle import LOADER, SOURCE, modules, packed
from attention_helpers.facts import TEXT

STATIC = PACKAGE / "static"


def write(folder, **sources):
    for name, source in sources.items():
        path = folder / f"{name.replace('__', '/')}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")


def test_a_module_stands_after_those_it_imports(tmp_path):
    write(
        tmp_path,
        widget='import { a } from "./one.js";\nimport {\n  b,\n} from "./two.js";\n',
        one='import { c } from "./words/en.js";\n',
        two='import "./one.js";\nimport { w } from "./widget.js"; // in a circle\n',
        words__en='import { d } from "../deep.js";\n',
        deep="export const d = 1;\n",
        other="not imported\n",
    )
    names = [path.stem for path in modules(tmp_path / "widget.js")]
    assert names == ["deep", "en", "one", "two", "widget"]


def test_imports_comments_and_indents_go(tmp_path):
    code = """// A comment.
import {
  one,
  two,
} from "./one.js";

/** What it does,
 *  in two lines.
 */
export const text = "// stays"; // stays
  const deep = `import`;
"""
    write(tmp_path, module=code)
    expected = 'export const text = "// stays"; // stays\nconst deep = `import`;\n'
    assert packed(tmp_path / "module.js") == expected


def test_every_module_is_in_the_source_and_the_loader_alone_is_not():
    files = {path for path in STATIC.rglob("*.js") if path.parent == STATIC}
    used = set(modules(STATIC / "widget.js"))
    assert files - used == {STATIC / "loader.js"}
    assert "import " not in re.sub(r"`[^`]*`|\"[^\"]*\"", "", SOURCE)
    assert SOURCE.count("export default") == LOADER.count("export default") == 1


def test_no_import_gives_another_name():
    """All modules end in one scope."""
    for path in modules(STATIC / "widget.js"):
        imports = re.findall(r"^import\b[^;]*;", path.read_text("utf-8"), re.M)
        assert not [line for line in imports if re.search(r"\bas\b|\*", line)], path


def test_the_loader_is_about_a_kilobyte():
    assert len(LOADER) < 2000


@pytest.mark.parametrize("key", ["stages", "questions"])
def test_the_words_are_text(key):
    assert all(isinstance(text, str) and text for text in TEXT[key].values())
    assert TEXT["lead"].format(question="Why?").endswith("Why?")
