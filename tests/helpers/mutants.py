"""Small mistakes made by a machine: one change at a time to a solution's source."""

import ast
import inspect
import textwrap

OPERATORS = (ast.MatMult, ast.Mult, ast.Div, ast.Add, ast.Sub)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
OTHER_NAMES = {
    "exp": ("exp2", "expm1", "log"),
    "sqrt": ("square", "cbrt"),
    "sum": ("mean", "max", "prod"),
    "max": ("min", "mean", "sum"),
    "std": ("var", "mean"),
    "normal": ("random", "exponential"),
    "tril": ("triu",),
    "ones": ("zeros",),
    "zeros": ("ones",),
    "shape": ("strides",),
    "allclose": ("array_equal",),
    "copy": ("view",),
    "len": ("max",),
}


def mutants(solution):
    """Yield (what changed, the changed function or class) for every single change."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(solution)))
    tree.body[0].decorator_list = []
    before = ast.unparse(tree)
    for node in list(ast.walk(tree)):
        for place, name, value in list(_changes(node, tree)):
            kept = getattr(place, name)
            setattr(place, name, value)
            after = ast.unparse(tree)
            setattr(place, name, kept)
            yield _difference(before, after), _made(after, solution)


def _changes(node, tree):
    """Yield changes: something in the tree, one of its fields, and its new value."""

    def put(name, value):
        return node, name, value

    def instead(new):
        return _replacing(tree, node, new)

    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for operator in OPERATORS:
            if not isinstance(node.op, operator):
                yield put("op", operator())
    if isinstance(node, ast.BinOp):
        yield instead(node.left)
        yield instead(node.right)
        if not isinstance(node.op, (ast.Add, ast.Mult)):  # their order is all one
            yield instead(ast.BinOp(node.right, node.op, node.left))
    if isinstance(node, ast.Compare):
        for comparison in COMPARISONS:
            if not isinstance(node.ops[0], comparison):
                yield put("ops", [comparison()])
    if isinstance(node, ast.UnaryOp):
        yield instead(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield put("value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield put("value", node.value + 1)
        yield put("value", node.value - 1)
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            yield put("keywords", [k for k in node.keywords if k is not keyword])
        for argument in node.args:
            yield instead(argument)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if node.attr == "T":
            yield instead(node.value)
        for other in OTHER_NAMES.get(node.attr, ()):
            yield put("attr", other)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        names = _names(tree)
        for other in names - {node.id} if node.id in names else ():
            yield put("id", other)
    if isinstance(node, ast.Return) and node.value is not None:
        yield put("value", ast.Constant(None))
    if isinstance(node, (ast.FunctionDef, ast.For)):
        for k, line in enumerate(node.body):
            if len(node.body) > 1 and not isinstance(line, ast.Return):
                yield put("body", node.body[:k] + node.body[k + 1 :])


def _names(tree):
    """Return the parameters and local names, in no order that matters."""
    nodes = list(ast.walk(tree))
    names = {node.arg for node in nodes if isinstance(node, ast.arg)}
    stored = (n for n in nodes if isinstance(n, ast.Name))
    names |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    return dict.fromkeys(sorted(names - {"self"})).keys()


def _replacing(tree, old, new):
    """Return the change that puts a node where another one is."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                return parent, name, new
            if isinstance(value, list) and old in value:
                return parent, name, [new if x is old else x for x in value]
    raise LookupError(ast.dump(old))


def _difference(before, after):
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    old, new = next(((b, a) for b, a in pairs if b != a), (before, "(end)"))
    if len(before.splitlines()) != len(after.splitlines()):
        return f"without {old.strip()}"
    return f"{old.strip()} -> {new.strip()}"


def _made(source, solution):
    space = dict(inspect.getmodule(solution).__dict__)
    exec(compile(source, "<mutant>", "exec"), space)
    return space[solution.__name__]
