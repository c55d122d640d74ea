"""Checks of the architecture: imports go one way, no float decides anything, heavy packages load lazily."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "dipc"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    {"excerpts"},
    {
        "errors",
        "views",
        "version",
        "lazily",
        "frozen",
        "kernel",
        "files",
        "systems",
    },
    {"clock", "suggest"},
    {"child", "guesses"},
    {"numbers"},
    {"signs", "integration"},
    {"models"},
    {"claims"},
    {"shipped"},
    {"certificate"},
    {"export"},
    {"report"},
    {"cli"},
    {"dpctl", "pufferfish", "dipwhile.syntax"},
    {"dipwhile.semantics", "dipwhile.editors"},
    {"dipwhile.hub"},
    {"dipwhile.convert", "dipwhile.pipeline", "dipwhile.sentences"},
    {
        "dipwhile.allsizes",
        "dipwhile.distribution",
        "dipwhile.measures",
        "dipwhile.priors",
        "dipwhile.python",
        "dipwhile.rederive",
        "dipwhile.star",
    },
    {"dipwhile.explain"},
    {"dipwhile.certify"},
    {"dipwhile.export"},
    {"dipwhile.mechanisms"},
    {"dipwhile.decorator", "dipwhile.records"},
    {"dipwhile.modules"},
    {"dipwhile.panels"},
    {"dipwhile.commands"},
    {"testing", "papers"},
    {"words", "__init__", "pytest_items"},
    {"python"},
    {"pytest_plugin"},
    {"__main__"},
)
"""The parts of the package from the bottom up: each imports from lower layers only."""

NUMERIC = {"numbers", "signs", "integration", "models", "claims", "dipwhile.semantics"}
"""Where no float may occur."""

LAZY = {
    "sympy",
    "networkx",
    "matplotlib",
    "rich",
    "numpy",
    "scipy",
    "mpmath",
    "joblib",
    "pygments",
    "IPython",
    "stormpy",
}


FLOOR = {name: floor for floor, names in enumerate(LAYERS) for name in names}


def part(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return part_of(path.relative_to(PACKAGE).with_suffix("").parts)


def part_of(names: Sequence[str]) -> str:
    """A folder or a file at the top; in the folder of the program system, its folder or file there.

    >>> part_of(["signs", "roots"]), part_of(["dipwhile", "syntax", "ast"]), part_of(["dipwhile", "__init__"])
    ('signs', 'dipwhile.syntax', 'dipwhile')
    """
    name = ".".join(names[:2])
    return name if name in FLOOR else names[0]


def imported(node: ast.AST) -> Iterator[str]:
    """The dotted names that an import statement imports."""
    match node:
        case ast.Import(names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield module
            if module == "dipc":
                yield from (f"dipc.{alias.name}" for alias in names if (PACKAGE / alias.name).exists())


def part_of_import(name: str) -> str:
    return part_of(name.split(".")[1:] or ["__init__"])


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> Sequence[ast.AST]:
    return tuple(ast.walk(tree(path)))


def place(path: Path, node: ast.AST | None = None) -> str:
    """What is wrong where, as an editor finds it; each test below is about all files."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def at_load_time(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when a module is imported: not those in functions or under TYPE_CHECKING."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                continue
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                continue
        yield child
        yield from at_load_time(child)


def test_imports_go_one_way() -> None:
    for path in MODULES:
        own = part(path)
        for node in nodes(path):
            for name in imported(node):
                if name.split(".")[0] == "dipc" and part_of_import(name) != own:
                    lower = FLOOR[part_of_import(name)] < FLOOR[own]
                    assert lower, f"{place(path, node)}: {own} must not import {name}"


KERNEL = sorted((PACKAGE / "kernel").glob("*.py"))


def test_the_kernel_stands_alone() -> None:
    """The checker of certificates shares nothing with what it checks: the standard library only."""
    assert KERNEL
    for path in KERNEL:
        for node in nodes(path):
            names = {name.split(".")[0] for name in imported(node)}
            assert names <= sys.stdlib_module_names, f"{place(path, node)}: {names}"


def test_no_relative_import_and_no_own_import_inside_a_function() -> None:
    for path in MODULES:
        module = tree(path)
        checked = [b for b in module.body if isinstance(b, ast.If) and ast.unparse(b.test) == "TYPE_CHECKING"]
        top = {id(node) for node in (*at_load_time(module), *(n for block in checked for n in block.body))}
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                relative = node.level and path not in KERNEL
                assert not relative, f"{place(path, node)}: only a copied folder may"
            if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in top:
                hidden = [name for name in imported(node) if name.split(".")[0] == "dipc"]
                assert not hidden, f"{place(path, node)}: an import in a function can hide a cycle: {hidden}"


def test_no_cycle_between_modules() -> None:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in MODULES}
    graph = {
        name: {i for node in at_load_time(tree(path)) for i in imported(node) if i in names and i != name}
        for name, path in names.items()
    }
    while graph:
        free = [name for name, needs in graph.items() if not needs & graph.keys()]
        assert free, f"an import cycle among {sorted(graph)}"
        for name in free:
            del graph[name]


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    for path in MODULES:
        own = {"pygments"} if path.name == "pygments_lexer.py" else set()  # only pygments itself imports that
        for node in at_load_time(tree(path)):
            for name in imported(node):
                assert name.split(".")[0] not in LAZY - own, f"{place(path, node)}: {name} at load time"


EXACT = {"lcm", "gcd", "comb", "factorial", "prod", "isqrt", "perm"}


def is_inexact(node: ast.AST) -> bool:
    """Whether it is a float, or makes one."""
    match node:
        case ast.Constant(value=float() | complex()) | ast.Call(func=ast.Name("float" | "round")):
            return True
        case ast.ImportFrom(module="math", names=names):
            return not {alias.name for alias in names} <= EXACT
        case ast.Import(names=names):
            return bool({alias.name for alias in names} & {"math", "cmath", "random"})
    return False


@pytest.mark.parametrize("text", ["1.5", "2j", "float(x)", "round(x)", "import math", "from math import exp"])
def test_floats_are_found(text: str) -> None:
    exact = "from math import gcd\nx // 2 + len(y)\n"
    assert [is_inexact(node) for node in ast.walk(ast.parse(exact + text))].count(True) == 1


def test_no_float_ever_decides_anything() -> None:
    paths = [path for path in MODULES if part(path) in NUMERIC]
    assert {part(path) for path in paths} == NUMERIC
    assert not [place(path, node) for path in paths for node in nodes(path) if is_inexact(node)]


def test_importing_dipc_is_light() -> None:
    code = "import sys, dipc, dipc.cli.main; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not LAZY & set(run.stdout.split())


def test_every_part_has_a_floor_and_every_floor_a_part() -> None:
    parts = {part(path) for path in MODULES if path.stem != "__init__" or path.parent == PACKAGE}
    assert parts == set(FLOOR)


REFERENCE = re.compile(r":(mod|func|class|meth|attr|data|exc):`~?(dipc[\w.]*)`")


def dangles(role: str, target: str) -> bool:
    """Whether a reference in a docstring leads nowhere."""
    names = target.split(".")
    for cut in range(len(names), 0, -1):
        try:
            found: object = import_module(".".join(names[:cut]))
        except ImportError:
            continue
        missing = object()
        for name in names[cut:]:
            found = getattr(found, name, missing)
        return found is missing or (role == "mod" and cut < len(names))
    return True


def test_no_reference_in_a_docstring_dangles() -> None:
    assert (
        dangles("func", "dipc.nowhere") and dangles("mod", "dipc.load") and not dangles("func", "dipc.load")
    )
    for path in MODULES:
        for role, target in REFERENCE.findall(path.read_text(encoding="utf-8")):
            assert not dangles(role, target), f"{place(path)}: {target}"


def test_every_package_is_installed() -> None:
    """pyproject.toml lists the packages one by one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    inside = {".".join(path.parent.relative_to(ROOT).parts) for path in PACKAGE.rglob("__init__.py")}
    assert set(project["tool"]["setuptools"]["packages"]) == {*inside, "dipc.programs"}


def test_the_public_door_is_the_same_for_type_checkers() -> None:
    """``__all__``, the table of homes, and the imports that only type checkers read."""
    import dipc

    (block,) = [node for node in tree(PACKAGE / "__init__.py").body if isinstance(node, ast.If)]
    read = {
        (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert read == {(f"dipc.{home}", name) for home, names in dipc.HOMES.items() for name in names}
    assert {name for _, name in read} == set(dipc.__all__)
    assert all(getattr(dipc, name) is not None for name in dipc.__all__)


WHERE = {
    "Which systems are there, and what does each offer?": "dipc/systems.py:SYSTEMS",
    "Where is the list of commands on the first help page?": "dipc/cli/group.py:ENTRIES",
    "Where does a command ask about one file or several?": "dipc/cli/asking.py:Asking",
    "What is the exit status of a verdict?": "dipc/cli/outcome.py:exit_status",
    "Where are the shipped programs found?": "dipc/shipped.py:catalogue",
    "Where are limits of time and memory held?": "dipc/child.py:held",
    "Where is the sign of a function of eps decided for every eps?": "dipc/signs/inequality.py:nonnegative",
    "Where are roots isolated?": "dipc/signs/roots.py:positive_roots",
    "Where are densities?": "dipc/integration/piecewise.py:Piecewise",
    "Where is a claim's contract?": "dipc/claims/claim.py:Claim",
    "Where is the least t found?": "dipc/claims/tightness/least.py:Least",
    "Where is an inequality of (eps, delta)-privacy made?": "dipc/claims/privacy.py:PrivacyInequalities",
    "Where is a state of a program stepped?": "dipc/dipwhile/semantics/step.py:Stepper",
    "Where is a program compiled?": "dipc/dipwhile/syntax/unroll.py:Compiler",
    "Where are sums rewritten for every N?": "dipc/dipwhile/allsizes/rewrite.py:rewritten",
    "Where is a verdict shown to people and machines?": "dipc/claims/rows.py:Row",
    "Where is the certificate of a program written?": "dipc/dipwhile/certify/privacy.py:certificate",
    "Where does `dipc verify` compare a Markov chain?": "dipc/dpctl/commands/judge.py:judge",
    "Where is a formula of dpCTL* read?": "dipc/dpctl/syntax.py:parse_property",
    "Where is an .hmm file read?": "dipc/pufferfish/reading.py:read_question",
}
"""Twenty questions of a newcomer, each with the place that answers it."""


@pytest.mark.parametrize("question", WHERE)
def test_where_things_are(question: str) -> None:
    file, name = WHERE[question].split(":")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^ *(?:def |class |){name}\b(?:\(|:| =)", text, re.MULTILINE), question
