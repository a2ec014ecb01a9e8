"""Print mutants of Python modules as JSON: what Cosmic Ray changes, one at a time.

Run by run.py in .venv-mutants, which holds Cosmic Ray and nothing else. Each argument
is a module and a share: `attention.py:1` for all its mutants, `kinds.py:5` for one in
five. The choice depends on the changed line alone, so that it outlives other changes.
"""

import ast
import difflib
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

# On floats and arrays these raise in every test; `is` is == for small numbers.
NOISE = re.compile(r"_(RShift|LShift|BitOr|BitAnd|BitXor|FloorDiv|Mod|Is|IsNot)$")


def meaning(source: str) -> str:
    """Return what is run: no annotations, no layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, ast.Constant(None))
    return ast.dump(tree)


def changed_lines(before: str, after: str) -> tuple[str, str]:
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    old, new = ([x[2:].strip() for x in lines if x[0] == sign] for sign in "-+")
    return " ".join(old), " ".join(new)


def mutants(path: Path, share: int) -> Iterator[dict]:
    """Yield mutants that mean neither the same as the module nor as another one."""
    source = path.read_text(encoding="utf-8")
    lines, tree = source.splitlines(), get_ast(source)
    seen = {meaning(source)}
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments() or NOISE.search(name):
            continue
        spots = [s for n in ast_nodes(tree) for s in kind().mutation_positions(n)]
        for k, (start, end) in enumerate(spots):
            which = spots[:k].count((start, end))
            module = re.sub(r"^chapter_\d+_", "", path.name)
            text = f"{module} {name} {lines[start[0] - 1]} {start[1]} {which}"
            if int(hashlib.sha256(text.encode()).hexdigest(), 16) % share:
                continue
            mutated = mutate_code(source, kind(), k)
            try:
                means = meaning(mutated)
            except SyntaxError:
                continue
            if means not in seen:
                seen.add(means)
                before, after = changed_lines(source, mutated)
                change = {"before": before, "after": after, "source": mutated}
                yield {"file": path.as_posix(), **change}


if __name__ == "__main__":
    wanted = [argument.rsplit(":", 1) for argument in sys.argv[1:]]
    found = [m for path, share in wanted for m in mutants(Path(path), int(share))]
    json.dump(found, sys.stdout)
