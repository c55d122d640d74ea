"""Model checking, beside Storm.

stormpy is looked for in this Python and in those listed in DIPC_EXPORT_PYTHONS; without it, its columns are
empty.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from dpctl.fast import path_probabilities, satisfying
from export_tools import interpreter_with
from flint import fmpq

from bench.page import LONG, ROOT, ROUNDS, Tables, row, shown, timed
from dipc.clock import Clock, Limits
from dipc.dpctl.formula import Exponent, Formula, Not, Privacy, Proposition, Truth, Until
from dipc.dpctl.model import load_model, wrapped
from dipc.errors import LimitReached
from dipc.export.markov_picture import FORMATS
from dipc.models.chain import K, MarkovChain, Row
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

ABOVE_THRESHOLD = ROOT / "programs" / "chains" / "above_threshold.dpm"
TIME_LIMIT = 60  # seconds
LARGEST_EXACT = {"acyclic grid": 100_000, "layers of 100, 1 % back edges": 1_000}  # states, else 10,000

ONE = fmpq(1)
F_GOAL = Until(Truth(True), Proposition("goal"))
FORMULA = Privacy(Exponent(fmpq(0), fmpq(1, 2)), Quotient.of(0), F_GOAL)
BACK_FIRST = Until(Not(Proposition("first")), Proposition("goal"))

STORM = """
import sys, time, stormpy
number = getattr(stormpy, sys.argv[2])
model = stormpy.build_model_from_drn[number](sys.argv[1])
formula = stormpy.parse_property(sys.argv[3])
times = []
while len(times) < int(sys.argv[4]) or (len(times) < 100 and sum(times) < 1):
    start = time.perf_counter()
    result = stormpy.model_checking(model, formula, only_initial_states=False)
    seconds = time.perf_counter() - start
    times.append(seconds)
    print(seconds, result.get_value(1), flush=True)
    if seconds > float(sys.argv[5]):
        break
"""


# --- chains --------------------------------------------------------------------------------------


def chain(rows: list[Row[K]], goal: int, pairs: tuple[tuple[int, int], ...] = ()) -> MarkovChain[K]:
    """A chain whose states are numbers; without pairs n and n + 1 are neighbours."""
    n = len(rows)
    labels = {"goal": frozenset([goal]), "first": frozenset([0])}
    pairs = pairs or tuple((s, s + 1) for s in range(n - 1))
    start = tuple(sorted({s for pair in pairs for s in pair}))
    return MarkovChain(tuple(map(str, range(n))), labels, pairs, start, tuple(rows))


def gambler(n: int) -> MarkovChain[fmpq]:
    """A gambler who wins a round with probability 2/5."""
    win, lose = fmpq(2, 5), fmpq(3, 5)
    inner: list[Row[fmpq]] = [((s - 1, lose), (s + 1, win)) for s in range(1, n - 1)]
    return chain([((0, ONE),), *inner, ((n - 1, ONE),)], n - 1)


def grid(n: int) -> MarkovChain[fmpq]:
    """Right or down on a square of n states, up to rounding: to the lower right corner, or a trap."""
    rows = grid_rows(n, lambda i, j: (p := fmpq(1 + (3 * i + 5 * j) % 7, 8), 1 - p), ONE)
    return chain(rows, len(rows) - 1)


def grid_rows(n: int, down_and_right: Callable[[int, int], tuple[K, K]], one: K) -> list[Row[K]]:
    side = max(2, round(n**0.5))
    rows: list[Row[K]] = []
    for s in range(side * side):
        i, j = divmod(s, side)
        if j == side - 1:
            rows.append(((s, one),))
        elif i == side - 1:
            rows.append(((s + 1, one),))
        else:
            down, right = down_and_right(i, j)
            rows.append(((s + 1, right), (s + side, down)))
    return rows


def layered(n: int, back: int = 0, width: int = 10) -> MarkovChain[fmpq]:
    """Layers of states with 3 successors in the next layer, ``back`` in a thousand anywhere before."""
    rng = Random(n)
    rows: list[Row[fmpq]] = []
    for s in range(n - width):
        low = s - s % width + width
        targets = rng.sample(range(low, min(low + width, n)), 3)
        if s and rng.randrange(1000) < back:
            targets[0] = rng.randrange(s)
        weights = [rng.randint(1, 9) for _ in targets]
        rows.append(tuple((t, fmpq(w, sum(weights))) for t, w in zip(targets, weights, strict=True)))
    return chain([*rows, *(((s, ONE),) for s in range(n - width, n))], n - 1)


def with_back_edges(n: int) -> MarkovChain[fmpq]:
    """The layers; one state in a hundred has an edge back."""
    return layered(n, 10)


def wide_with_back_edges(n: int) -> MarkovChain[fmpq]:
    """The same with layers of 100 states."""
    return layered(n, 10, 100)


Z = Quotient(ExpPoly.exp(1))
UP, DOWN = Z / (Z + 1), 1 / (Z + 1)


def symbolic_line(n: int) -> MarkovChain[Quotient]:
    """A walk that goes up with probability e^eps/(1 + e^eps); two states in the middle are neighbours."""
    inner: list[Row[Quotient]] = [((s - 1, DOWN), (s + 1, UP)) for s in range(1, n - 1)]
    ends = Quotient.one()
    return chain([((0, ends),), *inner, ((n - 1, ends),)], n - 1, ((n // 2, n // 2 + 1),))


def symbolic_grid(n: int) -> MarkovChain[Quotient]:
    """The grid with e^eps/(1 + e^eps) down or right, by turns; the successors of 0 are neighbours."""
    rows = grid_rows(n, lambda i, j: (UP, DOWN) if (i + j) % 2 else (DOWN, UP), Quotient.one())
    return chain(rows, len(rows) - 1, ((1, max(2, round(n**0.5))),))


EXACT: dict[str, Callable[[int], MarkovChain[fmpq]]] = {
    "gambler's ruin": gambler,
    "acyclic grid": grid,
    "layered, 3 successors": layered,
    "layered, 1 % back edges": with_back_edges,
    "layers of 100, 1 % back edges": wide_with_back_edges,
}
SYMBOLIC = {"line": symbolic_line, "grid": symbolic_grid}


# --- times ---------------------------------------------------------------------------------------


def time_of(action: Callable[[], object]) -> str:
    """The time of an action, if it stays within the limit."""
    try:
        return shown(timed(action)[1])
    except LimitReached:
        return f"> {TIME_LIMIT} s"


def storm(model: MarkovChain[K], number: str, formula: str) -> tuple[str, str | None]:
    """The time of Storm for the probabilities from all states, and the one from state 1."""
    python = interpreter_with("stormpy")
    if python is None:
        return "-", None
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.drn")
        file.write_text(FORMATS["drn"](model), encoding="utf-8")
        command = [python, "-c", STORM, str(file), number, formula, str(ROUNDS), str(LONG)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=True)
        except subprocess.TimeoutExpired:
            return f"> {TIME_LIMIT} s", None
    lines = [line.split(maxsplit=1) for line in run.stdout.splitlines() if line[0].isdigit()]
    return shown(min(float(seconds) for seconds, _ in lines)), lines[0][1]


def values(model: MarkovChain[K], path: Formula) -> Sequence[K]:
    """The probabilities of a path formula from all states."""
    clock, everything = Clock(Limits(TIME_LIMIT)), frozenset(range(len(model.rows)))
    known = {Not(Proposition("first")): everything - {0}, Truth(True): everything}
    sets = {**known, Proposition("goal"): model.labels["goal"]}
    return path_probabilities(model, path, sets.__getitem__, lambda: clock.tick("states"))


def exact_row(name: str, model: MarkovChain[fmpq]) -> str:
    """Exact values of ours and of Storm, which must agree, and the check of a formula."""
    ours = theirs = "-"
    if len(model.rows) <= LARGEST_EXACT.get(name, 10_000):
        found: list[Sequence[fmpq]] = []
        ours = time_of(lambda: found.append(values(model, F_GOAL)))
        theirs, value = storm(model, "Rational", 'P=? [F "goal"]')
        assert value is None or all(value == str(each[1]) for each in found), name
    time = time_of(lambda: satisfying(model, FORMULA, Clock(Limits(TIME_LIMIT))))
    return row(name, f"{len(model.rows):,}", ours, theirs, time)


def symbolic_row(name: str, model: MarkovChain[Quotient]) -> str:
    """Functions of eps of ours and of Storm, and the checks of two formulas for all eps > 0."""
    ours = time_of(lambda: values(model, BACK_FIRST))
    theirs, _ = storm(model, "RationalFunction", 'P=? [!"first" U "goal"]')
    questions = "D[eps, 0](!first U goal)", "P>=1/2 (!first U goal)", f"P>=1/2 (F<={len(model.rows)} goal)"
    checks = [
        time_of(lambda f=f: wrapped(model).check(f)) if len(model.rows) <= most else "-"
        for f, most in zip(questions, (1024, 1024, 300), strict=True)
    ]
    return row(name, f"{len(model.rows):,}", ours, theirs, *checks)


def process_row(k: int) -> str:
    """The least delta over all words of actions, for all pairs of neighbours."""
    query = f"D[0, ?](X^{2 * k + 2} top)"
    model = load_model(ABOVE_THRESHOLD)
    values, seconds = timed(lambda: model.value(query).values)
    found = values[""][0].found
    assert found is not None
    return row(k, f"`{query}`", found.value, shown(seconds))


def section(few: bool = False) -> Tables:
    sizes = (1_000,) if few else (1_000, 10_000, 100_000)
    model = grid(sizes[-1])
    value = time_of(lambda: wrapped(model).value("P=? (F goal)"))
    return {
        "Chains without eps": [exact_row(name, make(n)) for name, make in EXACT.items() for n in sizes]
        + [row("all values of the grid", f"{len(model.rows):,}", value, "", "")],
        "Chains with eps": [
            symbolic_row(name, make(n))
            for name, make in SYMBOLIC.items()
            for n in ((100,) if few else (100, 300, 1_000))
        ],
        "Decision processes": [process_row(k) for k in range(1 if few else 4)],
    }


def storm_version() -> str:
    """For example ``, stormpy 2.0.0``."""
    python = interpreter_with("stormpy")
    if python is None:
        return ", no stormpy"
    code = "from importlib.metadata import version; print(version('stormpy'))"
    return ", stormpy " + subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()
