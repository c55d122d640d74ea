"""Model checking of large Markov chains: ``python tests/bench/chains.py [LARGEST]`` prints a table.

Each row is one check of ``D[1/2, 0](F goal)``, where n and n + 1 are neighbours, from a chain in
memory to the set of satisfying states.  Beside it is the exact engine of Storm 2 (``P=? [F goal]`` from all
states of the same chain, reading of the file not counted) where stormpy can be imported, by this Python or by
one in DIPC_EXPORT_PYTHONS.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent.parent)]  # as pytest does

from export_tools import interpreter_with  # noqa: E402
from flint import fmpq  # noqa: E402

from dipc.clock import Clock  # noqa: E402
from dipc.dpctl.checking import satisfying  # noqa: E402
from dipc.dpctl.formula import Exponent, Privacy, Proposition, Truth, Until  # noqa: E402
from dipc.models.chain import MarkovChain, Row  # noqa: E402
from dipc.numbers.quotient import Quotient  # noqa: E402

ONE = fmpq(1)
F_GOAL = Until(Truth(True), Proposition("goal"))
FORMULA = Privacy(Exponent(fmpq(0), fmpq(1, 2)), Quotient.of(0), F_GOAL)
STORM_TIME = 300  # seconds
STORM_SIZE = 10_000  # states

STORM = """
import sys, time, stormpy
model = stormpy.build_model_from_drn[stormpy.Rational](sys.argv[1])
start = time.perf_counter()
result = stormpy.model_checking(model, stormpy.parse_property('P=? [F "goal"]'), only_initial_states=False)
print(time.perf_counter() - start)
"""


def chain(rows: list[Row[fmpq]], goal: int) -> MarkovChain[fmpq]:
    """A chain whose states are numbers; n and n + 1 are neighbours."""
    n = len(rows)
    names = tuple(map(str, range(n)))
    pairs = tuple((s, s + 1) for s in range(n - 1))
    return MarkovChain(names, {"goal": frozenset([goal])}, pairs, (0,), tuple(rows))


def gambler(n: int) -> MarkovChain[fmpq]:
    """A gambler who wins a round with probability 2/5."""
    win, lose = fmpq(2, 5), fmpq(3, 5)
    inner: list[Row[fmpq]] = [((s - 1, lose), (s + 1, win)) for s in range(1, n - 1)]
    return chain([((0, ONE),), *inner, ((n - 1, ONE),)], n - 1)


def grid(n: int) -> MarkovChain[fmpq]:
    """Right or down on a square of n states, up to rounding: to the lower right corner, or a trap."""
    side = max(2, round(n**0.5))
    rows: list[Row[fmpq]] = []
    for i in range(side):
        for j in range(side):
            down, right = (i + 1) * side + j, i * side + j + 1
            p = fmpq(1 + (3 * i + 5 * j) % 7, 8)
            if j == side - 1:
                rows.append(((i * side + j, ONE),))
            elif i == side - 1:
                rows.append(((right, ONE),))
            else:
                rows.append(((down, p), (right, 1 - p)))
    return chain(rows, side * side - 1)


def layered(n: int, back: int = 0) -> MarkovChain[fmpq]:
    """Layers of 10 states with 3 successors in the next layer, ``back`` in a thousand anywhere before."""
    rng, width = Random(n), 10
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
    """The layers with 1 % back edges."""
    return layered(n, 10)


MODELS: dict[str, Callable[[int], MarkovChain[fmpq]]] = {
    "gambler's ruin": gambler,
    "acyclic grid": grid,
    "layered, 3 successors": layered,
    "layered, 1 % back edges": with_back_edges,
}


def drn(model: MarkovChain[fmpq]) -> str:
    """The chain as DRN text."""
    lines = ["@type: DTMC", "@value_type: rational", "@parameters", "", "@reward_models", ""]
    lines += ["@nr_states", str(len(model.rows)), "@nr_choices", str(len(model.rows)), "@model"]
    for s, row in enumerate(model.rows):
        lines += [f"state {s}" + (" init" if s == 0 else "") + (" goal" if s in model.labels["goal"] else "")]
        lines += ["\taction 0", *(f"\t\t{t} : {p}" for t, p in sorted(row))]
    return "\n".join(lines) + "\n"


def storm_seconds(model: MarkovChain[fmpq]) -> str:
    """The time that Storm takes with exact numbers."""
    python = interpreter_with("stormpy")
    if python is None or len(model.rows) > STORM_SIZE:
        return "-"
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.drn")
        file.write_text(drn(model), encoding="utf-8")
        command = [python, "-c", STORM, str(file)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=STORM_TIME, check=True)
        except subprocess.TimeoutExpired:
            return f"> {STORM_TIME}"
    return f"{float(run.stdout.split()[-1]):.2f}"


def main(largest: int) -> None:
    print("| chain | states | dipc, s | satisfying | Storm 2 exact, s |\n|---|---|---|---|---|")
    for name, make in MODELS.items():
        n = 1000
        while n <= largest:
            model = make(n)
            start = perf_counter()
            found = satisfying(model, FORMULA, Clock())
            seconds = perf_counter() - start
            columns = [
                name,
                f"{len(model.rows):,}",
                f"{seconds:.2f}",
                f"{len(found):,}",
                storm_seconds(model),
            ]
            print("| " + " | ".join(columns) + " |", flush=True)
            n *= 10


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
