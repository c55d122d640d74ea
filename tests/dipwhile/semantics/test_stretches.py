"""Stretches of assignments and what dies in them, against steps one by one and sets of live cells."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from numeric import fixed
from strategies import programs

import dipc
from dipc.dipwhile.semantics import explore, run
from dipc.dipwhile.semantics.explore import Configuration, Explorer
from dipc.dipwhile.semantics.liveness import Liveness, live_cells, successors
from dipc.dipwhile.semantics.run import Sweep
from dipc.dipwhile.semantics.state import State
from dipc.dipwhile.syntax.ast import Name, Number
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Instruction, Put
from dipc.errors import InputError

DECLARED = "input q[2] in {0, 1}; output o[3] in 0..2 = 0; output p in 0..1 = 0\nx <- 1; y <- 0; z <- 2\n"
VALUES = (
    "0",
    "1",
    "x",
    "y",
    "z",
    "q[1]",
    "q[2]",
    "min(x + y, 2)",
    "max(x, y) - y",
    "o[x]",
    "o[y + 1]",
    "r + x",
)
TARGETS = ("x", "y", "z", "o[1]", "o[2]", "o[min(y, 2) + 1]", "a[1]", "a[x]", "a[y + 1]")


NOISY = (
    "r <- Lap(eps, x)",
    "t <- Lap(eps/2, y)",
    "s <- r + x",
    "b <- t - y",
    "b <- s",
    "r <- 2*t; x <- q[1]",
    "t <- 0; x <- q[2]",
    "if b > y then p <- 1 end",
    "if s > t then p <- 1 end",
)


def assigning(seed: int) -> str:
    """A random program with many assignments in a row; for half of them, an index is outside its array."""
    chance = random.Random(seed)

    def line(depth: int = 0) -> str:
        kind = chance.random()
        if kind < 0.1:
            return f"{chance.choice('xyz')} <- choose {{0: 1/2, 1: 1/4, 2: 1/4}}"
        if kind < 0.2:
            return chance.choice(NOISY)
        if kind < 0.3 and depth < 2:
            inner = "; ".join(line(depth + 1) for _ in range(3))
            other = "exit" if chance.random() < 0.2 else line(depth + 1)
            return f"if {chance.choice('xyz')} > {chance.choice('0xyz')} then {inner} else {other} end"
        if kind < 0.35 and not depth:
            return f"n <- 0; while n < 2 do {line(2)}; n <- n + 1 end; c <- flip(1/3)"
        return f"{chance.choice(TARGETS)} <- {chance.choice(VALUES)}"

    lines = "\n".join(line() for _ in range(14))
    return f"{DECLARED}a[1] <- 0; a[2] <- 0; a[3] <- 0; r <- 0; t <- 0; s <- 0; b <- 0\n{lines}\n"


def told(states: tuple[State, ...]) -> list[object]:
    return [(state.key, state.joint) for state in states]


def explored(program: CoreProgram) -> object:
    """Everything that an exploration meets, or the error with its place."""
    explorer, seen = Explorer(program), []
    domains = {cell: v.domain for v in program.inputs for cell in v.cells}
    try:
        todo: list[Configuration] = [explorer.start.configuration]
        seen.append(list(explorer.start.emitted.items()))
        while todo:
            configuration = todo.pop()
            seen.append((configuration.asks, told(configuration.states), configuration.known))
            for value in () if configuration.asks is None else domains[configuration.asks]:
                arrival = explorer.after(configuration, value)
                seen.append(list(arrival.emitted.items()))
                todo.append(arrival.configuration)
        return seen, explorer._steps, explorer.left_open
    except InputError as error:
        return str(error), error.span


def assert_as_step_by_step(program: CoreProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    found = explored(program)
    with monkeypatch.context() as patched:
        patched.setattr(explore, "Sweep", lambda *given, stretches: Sweep(*given))
        assert explored(program) == found


def assignable(instruction: Instruction, arrays: dict[str, int]) -> list[Cell]:
    match instruction:
        case Put(target=target) | Draw(target=target) if isinstance(target, Name):
            return [(target.name, 0)]
        case Put(target=target) | Draw(target=target) if isinstance(target.index, Number):
            return [(target.array, int(target.index.value.p))]
        case Put(target=target) | Draw(target=target):
            return [(target.array, i) for i in range(1, arrays[target.array] + 1)]
    return []


def assert_dies_as_sets_say(program: CoreProgram) -> None:
    """What dies on an edge is what is live before it, or assigned, and not live after it."""
    live, liveness = live_cells(program), Liveness(program)
    inputs = {cell: v.domain[0] for v in program.inputs for cell in v.cells}
    for pc, instruction in enumerate(program.code):
        assert liveness.readable(inputs, [pc]).keys() == live[pc] & inputs.keys()
        present = live[pc] | frozenset(assignable(instruction, dict(program.arrays)))
        for to in successors(instruction, pc):
            assert liveness.dropped(pc, to) == present - live[to] - inputs.keys()
            values: dict[Cell, int] = dict.fromkeys(present - inputs.keys(), 0)
            assert liveness.kept(values, pc, to).keys() == live[to] & values.keys()
    outputs = dict.fromkeys((cell for v in program.outputs for cell in v.cells), 0)
    assert liveness.at_start(outputs).keys() == live[0] & outputs.keys()


def compiled(text: str) -> CoreProgram | None:
    try:
        return dipc.load(text).program
    except InputError:
        return None


SEEDS = [seed for seed in range(100) if compiled(assigning(seed)) is not None]


@pytest.mark.parametrize("seed", SEEDS)
def test_many_assignments(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compiled(assigning(seed))
    assert program is not None
    assert_dies_as_sets_say(program)
    assert_as_step_by_step(program, monkeypatch)


@fixed(40)
@given(programs())
def test_random_programs(text: str) -> None:
    program = dipc.load(text).program
    assert_dies_as_sets_say(program)
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert_as_step_by_step(program, monkeypatch)


@pytest.mark.parametrize("line", ["o[i] <- 0; b <- t", "r <- 0", "r <- 2*t", "s <- r; r <- t; t <- s"])
def test_samples_that_change(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample that dies is integrated out, and the others are renumbered, before an input is read."""
    text = f"""input q in {{0, 1}}; output o[2] in {{0, 1}}; r <- Lap(eps, 0); t <- Lap(eps/2, 1); b <- 0
o[2] <- 0; for i in 1..1 do {line} end; o[1] <- q; if r > b and t > q then o[2] <- 1 end"""
    assert_as_step_by_step(dipc.load(text).program, monkeypatch)


LINES = ("o[i] <- q", "x <- i; o[i] <- min(x, 1)", "n <- n + 1; o[i] <- mod(n, 2)")


@pytest.mark.parametrize("line", LINES)
def test_work_is_linear(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """States are copied as often in a long stretch as in a short one, and little dies at each place."""

    def copies(size: int) -> int:
        text = f"input q in {{0, 1}}; output o[{size}] in {{0, 1}}\nn <- 0; for i in 1..{size} do {line} end"
        explorer, copied, visits = Explorer(dipc.load(text).program), [], run._visits

        def counted(arrivals: list[tuple[State, run.Way | None]]) -> list[run.Visit]:
            copied.append(len(arrivals))
            return visits(arrivals)

        with monkeypatch.context() as patched:
            patched.setattr(run, "_visits", counted)
            explorer.law({("q", 0): explorer.stepper.program.inputs[0].domain[0]})
        live = explorer.stepper.live
        assert sum(map(len, (*live._dropped.values(), *live._live.values()))) <= 3 * size + 3
        return sum(copied)

    assert copies(10) == copies(60)
