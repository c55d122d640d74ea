"""Fixed mutants of the parts that decide, each put to the tests of its folder: which share is killed.

    python tests/mutants.py                      all folders
    python tests/mutants.py signs --first 8      the first eight of one folder
    python tests/mutants.py --write              also write the outcomes into tests/mutants.tsv

A mutant changes an operator, a bound, a constant or a branch.  tests/mutants.tsv names it by its function and
by the text of an expression before and after the change, so that it survives when code moves.  If its code is
gone, it is reported as `gone`, and the next one of the folder takes its place: all candidates have a fixed
order, by a hash of these texts.  A mutant is killed if a test fails, or if the tests take much longer than
they should.  They run in a copy of the tree.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import csv
import hashlib
import os
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutants.tsv"
EACH = 25
"""Mutants of a folder."""
CPU = 120
"""Seconds of the processor after which a mutant counts as killed: the tests of a folder take half of it."""
MEMORY = 4 * 1024**3
"""Bytes that it may use."""
LONGEST = 90
"""Characters of the expression that names a mutant."""
FOLDERS = {
    "signs": "signs",
    "claims": "claims",
    "models": "models",
    "dipwhile/semantics": "dipwhile/semantics",
    "dipwhile/allsizes": "dipwhile/allsizes",
    "kernel": "certificate",
}
"""The folder in tests/ of each folder in dipc/, whose doctests are run, too."""
LATE = (
    *("great_rates", "privacy", "growth", "ends", "reading"),
    *("explore", "chain", "stretches", "large_sensitivity"),
    *("failing_runs", "soundness", "every_size_programs", "refute", "expected"),
    *("chain_mutants", "random_inequalities", "mutants", "verify"),
)
"""Tests that take long and so come last, in this order."""
SPARED = ("hostile", "trust", "shared_front_end", "slow_", "rederive", "rebuilt")
"""Tests of certificates that are not about the kernel, or that put limits to the test."""
UNTRIED = "storm.py"
"""Its tests need stormpy, which is seldom installed."""
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A change of one expression, what became of it, and why it survives."""

    folder: str
    file: str
    function: str
    before: str
    after: str
    outcome: str = ""
    note: str = ""

    @property
    def rank(self) -> str:
        """The place in the order of candidates, whatever file the code is in."""
        return hashlib.sha256("\t".join((self.function, self.before, self.after)).encode()).hexdigest()


# --- candidates ---------------------------------------------------------------------------------------------


def change(node: ast.AST) -> tuple[str, Any] | None:
    """A field of the node and another value for it; None if there is nothing to change."""
    match node:
        case ast.Compare(ops=[op]):
            return "ops", [OTHER[type(op)]()]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHER:
            return "op", OTHER[type(op)]()
        case ast.UnaryOp(op=ast.USub()):
            return "op", ast.UAdd()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return "operand", ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool(value)):
            return "value", not value
        case ast.Constant(value=int(value)) if value < 5:  # greater ones are limits and precisions
            return "value", value + 1
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            return "func", ast.Name(NAMES[name])
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare):
            return "test", ast.UnaryOp(ast.Not(), test)
        case _:
            return None


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions and methods with their qualified names; those inside of others are parts of them."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name):
                yield name, node
            case ast.ClassDef(name=name, body=body):
                yield from (
                    (f"{name}.{part.name}", part) for part in body if isinstance(part, ast.FunctionDef)
                )


def is_expression(node: ast.AST) -> bool:
    """Whether another expression may stand in its place: not if it is a part of a formatted text."""
    return isinstance(node, ast.expr) and not isinstance(node, ast.FormattedValue)


def changes(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The largest expression around each change, before and after it, if it occurs in the function once."""
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    texts = Counter(ast.unparse(node) for node in parents if is_expression(node))
    for node in ast.walk(function):
        found = change(node)
        if found is None:
            continue
        field, new = found
        around = node.test if isinstance(node, ast.If) else node
        while isinstance(parents[around], ast.expr) and len(ast.unparse(parents[around])) <= LONGEST:
            around = parents[around]
        before, old = ast.unparse(around), getattr(node, field)
        setattr(node, field, new)
        after = ast.unparse(node.test if isinstance(node, ast.If) else around)
        setattr(node, field, old)
        if texts[before] == 1 and len(before) <= LONGEST:
            yield before, after


def candidates(folder: str) -> list[Mutant]:
    """The mutants of a folder in their fixed order, one of each function."""
    found: dict[tuple[str, str], Mutant] = {}
    for path in sorted((ROOT / "dipc" / folder).rglob("*.py")):
        if path.name == UNTRIED:
            continue
        file = path.relative_to(ROOT).as_posix()
        for name, function in functions(ast.parse(path.read_text(encoding="utf-8"))):
            mutants = (Mutant(folder, file, name, *texts) for texts in changes(function))
            if first := min(mutants, key=lambda mutant: mutant.rank, default=None):
                found[file, name] = first
    return sorted(found.values(), key=lambda mutant: mutant.rank)


def mutated(mutant: Mutant) -> str | None:
    """The text of the file with the change; None if the code is not there."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    swap = Swap(mutant)
    for name, function in functions(tree):
        if name == mutant.function:
            swap.visit(function)
    return ast.unparse(ast.fix_missing_locations(tree)) if swap.done else None


class Swap(ast.NodeTransformer):
    """Replaces the first expression that reads like the mutant's."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant, self.done = mutant, False

    def visit(self, node: ast.AST) -> ast.AST:
        if not self.done and is_expression(node) and ast.unparse(node) == self.mutant.before:
            self.done = True
            return ast.parse(self.mutant.after, mode="eval").body
        return self.generic_visit(node)


def located(mutant: Mutant) -> Mutant | None:
    """The mutant in the file where its code is now."""
    files = [ROOT / mutant.file, *sorted((ROOT / "dipc").rglob("*.py"))]
    name = mutant.function.rpartition(".")[2]
    for path in files:
        if path.exists() and f"def {name}(" in path.read_text(encoding="utf-8"):
            here = replace(mutant, file=path.relative_to(ROOT).as_posix())
            if mutated(here) is not None:
                return here
    return None


def chosen(folder: str) -> tuple[list[Mutant], list[Mutant]]:
    """The mutants of the table whose code is gone; and the others, filled up with the next candidates."""
    table = [mutant for mutant in read() if mutant.folder == folder]
    places = {mutant: located(mutant) for mutant in table}
    here = [place for place in places.values() if place]
    taken = {mutant.rank for mutant in table}
    more = [mutant for mutant in candidates(folder) if mutant.rank not in taken]
    return [mutant for mutant in table if not places[mutant]], [*here, *more][:EACH]


# --- runs ---------------------------------------------------------------------------------------------------


def paths_of_tests(mutant: Mutant) -> list[str]:
    """The doctests and the tests of the folder: those of the file first, those that take long last."""

    def order(path: Path) -> tuple[bool, int]:
        name = path.stem.removeprefix("test_")
        return name != Path(mutant.file).stem, LATE.index(name) if name in LATE else -1

    doctests = [
        path for path in (ROOT / "dipc" / mutant.folder).rglob("*.py") if ">>>" in path.read_text("utf-8")
    ]
    tests = (ROOT / "tests" / FOLDERS[mutant.folder]).glob("test_*.py")
    wanted = [path for path in sorted(tests) if not path.stem.removeprefix("test_").startswith(SPARED)]
    return [str(path.relative_to(ROOT)) for path in sorted([*sorted(doctests), *wanted], key=order)]


class First:
    """A plugin of pytest that writes down the first test that fails."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.file.exists():
            self.file.write_text(report.nodeid, encoding="utf-8")


def run(mutant: Mutant, copy: Path) -> tuple[str, str]:
    """The outcome of the tests in the copy; the seconds of the processor, and the test that fails."""
    place, failed = copy / mutant.file, copy / "failed"
    failed.unlink(missing_ok=True)
    place.write_text(mutated(mutant) or "", encoding="utf-8")
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        status = pytest.main(["-x", "-q", *paths_of_tests(mutant)], plugins=[First(failed)])
        os._exit(int(status))
    _, status, used = os.wait4(child, 0)
    shutil.copy2(ROOT / mutant.file, place)  # with its time, so that what is compiled fits again
    by = failed.read_text(encoding="utf-8") if failed.exists() else f"status {status}"
    return "killed" if status else "survived", f"{used.ru_utime + used.ru_stime:.0f} s, {by}"


def copied(folder: str) -> Path:
    """A copy of the tree with compiled files, which are not written again."""
    copy = Path(folder) / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", "site"))
    compileall.compile_dir(copy / "dipc", quiet=1)
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    return copy


# --- the table ----------------------------------------------------------------------------------------------


def read() -> list[Mutant]:
    """The table that is checked in."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Mutant(*row) for row in csv.reader(file, delimiter="\t")][1:]


def write(mutants: list[Mutant]) -> None:
    """Replace the rows of these folders."""
    folders = {mutant.folder for mutant in mutants}
    rows = mutants + [mutant for mutant in read() if mutant.folder not in folders]
    rows.sort(key=lambda mutant: list(FOLDERS).index(mutant.folder))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(field.name for field in fields(Mutant))
        writer.writerows(map(astuple, rows))


def tried(mutant: Mutant, copy: Path) -> Mutant:
    """The mutant with its outcome, which is printed; a note about another outcome goes."""
    outcome, by = run(mutant, copy)
    change = f"{mutant.file} {mutant.function}: {mutant.before} -> {mutant.after}"
    print(f"{outcome:8} {change}  ({by})", flush=True)
    return replace(mutant, outcome=outcome, note=mutant.note if outcome == mutant.outcome else "")


def main() -> None:
    """The command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("folders", nargs="*", default=list(FOLDERS), metavar="FOLDER")
    parser.add_argument("--first", type=int, default=EACH, metavar="K")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in ("flint", "hypothesis", "lark", "mpmath", "networkx", "numpy", "scipy", "sympy"):
        import_module(name)  # once, for all runs
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(folder)
        for part in given.folders:
            gone, here = chosen(part)
            done = [tried(mutant, copy) for mutant in here[: given.first]]
            outcomes = Counter(mutant.outcome for mutant in done)
            if not outcomes["survived"]:
                same = replace(here[0], after=here[0].before)
                assert run(same, copy)[0] == "survived", "the tests fail without a mutant"
            for mutant in gone:
                print(f"gone     {mutant.file} {mutant.function}: {mutant.before}")
            print(f"{part}: {outcomes['killed']} of {len(done)} killed", flush=True)
            if given.write:
                write([*done, *here[given.first :]])


if __name__ == "__main__":
    main()
