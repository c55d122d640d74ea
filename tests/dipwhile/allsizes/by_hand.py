"""Automata and proofs made by hand: what the builder and the simplex would find for a few programs."""

from __future__ import annotations

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Automaton, Edge, Form, Guard, Place, Sample, Step
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.errors import Source, Span

SOURCE = Source("svt1", "\n" * 20)
HALF, QUARTER, ONE, ZERO = fmpq(1, 2), fmpq(1, 4), fmpq(1), fmpq(0)


def step(kind: str, text: str, line: int) -> Step:
    name, _, value = text.partition(" = ")
    published = (name, value) if kind == "output" else None
    return Step(kind, text, Span(SOURCE, line - 1, line - 1), published=published)


def number(value: fmpq) -> Form:
    return Form((), value)


PLACES = (Place("start"), Place("line 12: for i", live=("rT",)), Place("end"))
START = Edge(
    0,
    1,
    (Sample("Lap", HALF, number(ZERO)),),
    (),
    (("rT", Form(((0, ONE),))),),
    ZERO,
    (),
    ("start",),
    (step("sample", "rT", 10),),
)
LEAVE = Edge(1, 2, (), (), (), ZERO, (), ("leave",), ())


def round_of(label: fmpq, top: bool) -> Edge:
    """A round of svt1 with c = 1: `r` against `rT`, and out with `top`."""
    sign = ONE if top else -ONE
    guard = Guard(Form(((0, sign), ("rT", -sign))))
    test, shown = ("r >= rT", "top") if top else ("r < rT", "bot")
    path = (
        step("label", f"q[i] changes by {label}", 13),
        step("sample", "r", 13),
        step("test", test, 14),
        step("output", f"out[i] = {shown}", 16),
    )
    kept = () if top else (("rT", Form((("rT", ONE),))),)
    noise = (Sample("Lap", QUARTER, number(label)),)
    return Edge(1, 2 if top else 1, noise, (guard,), kept, ZERO, (), (test, shown), path)


ROUNDS = tuple(round_of(label, top) for top in (False, True) for label in (ONE, -ONE))
SVT1 = Automaton(PLACES, (START, LEAVE, *ROUNDS), 0, ("N",), "q: reals")
SVT1_PROOF = Strategy(
    (0, 1, 2, 3, 4, 5),
    {0: ONE, 1: HALF, 2: ZERO},
    {1: {"rT": ONE}},
    ((ONE,), (), (ONE,), (-ONE,), (ONE,), (ONE,)),
)
