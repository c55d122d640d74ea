"""Why a formula fails in a state: the one probability or inequality to blame, with exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, assert_never

from flint import arb, ctx, fmpq

from dipc.dpctl.enclosed import FIRST
from dipc.dpctl.formula import (
    And,
    EachNext,
    Formula,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Proposition,
    Truth,
    Until,
)
from dipc.dpctl.regions import Evaluation, Judge, merged
from dipc.dpctl.syntax import show
from dipc.dpctl.verdict import Near, Witness
from dipc.models.chain import Mdp, Model
from dipc.numbers.exact import ends
from dipc.numbers.quotient import Quotient
from dipc.signs.tables import Piece, RootCluster


class Reason(NamedTuple):
    """A formula that has the truth value ``truth`` in a state, with the numbers that make it so.

    ``neighbour`` and its probability are there if two states matter; ``bound`` is what the probability was
    compared with, ``excess`` the difference.  ``prefix`` and ``cycle`` are the actions that lead there.
    """

    formula: Formula
    truth: bool
    state: int
    probability: Quotient | Near | None = None
    neighbour: int | None = None
    neighbour_probability: Quotient | Near | None = None
    bound: Quotient | Near | None = None
    excess: Quotient | Near | None = None
    prefix: tuple[int, ...] = ()
    cycle: tuple[int, ...] = ()


def answer(local: Judge, formula: Formula, state: int) -> Reason | bool | None:
    """True if a formula holds in a state, None if that is undecided, else why it fails."""
    truth = local.truth(formula, state)
    return reason(local, formula, state) if truth is False else truth


def reason(local: Judge, formula: Formula, state: int, truth: bool = False) -> Reason | None:
    """Why a formula has this truth value in a state; None if it has not, or that is undecided.

    Of a conjunction it is the first operand that fails, of D the first pair in the order of the file.
    """
    local = local.on(formula)
    if local.truth(formula, state) is not truth:
        return None
    if (found := _in_balls(local, formula, state, truth)) is not None:
        return found
    match formula:
        case Not(operand):
            return reason(local, operand, state, not truth)
        case And(operands) | Or(operands):
            reasons = (reason(local, operand, state, truth) for operand in operands)
            return next(filter(None, reasons), Reason(formula, truth, state))
        case Probability(interval, path):
            low, high = local.extremes(path, state)
            p, bound = (low, interval.low) if interval.low else (high, interval.high)
            bound = local.number(bound)
            for each in (high, low):
                if (missed := local.missed(interval, each)) is not None:
                    p, bound = each, missed
            excess = bound - p if local.sign(bound - p) > 0 else p - bound
            return Reason(formula, truth, state, p, bound=bound, excess=excess)
        case Privacy(epsilon, delta, path) if not truth:
            s, t, p, q, prefix, cycle, steps = local.breach(formula, state)
            if isinstance(path, EachNext) and steps is not None:
                formula = replace(formula, path=Next(path.operand, steps) if steps else path.operand)
            bound = local.number(delta)
            if q:
                bound = local.number(epsilon.factor) * q + bound
            return Reason(formula, truth, s, p, t, q, bound, p - bound, prefix, cycle)
        case Truth() | Proposition() | Privacy():
            return Reason(formula, truth, state)
        case Next() | EachNext() | Until():
            raise AssertionError("a path formula is not evaluated in states")
        case _:
            assert_never(formula)


def _in_balls(local: Judge, formula: Formula, state: int, truth: bool) -> Reason | None:
    """The reason with enclosures instead of numbers, where these would take long and do not matter."""
    with ctx.workprec(FIRST):
        match formula:
            case Probability(interval, path) if balls := local.near(path, state):
                low, high = local.number(interval.low), local.number(interval.high)
                below, above = low.enclose(arb(1)) - balls[0], balls[0] - high.enclose(arb(1))
                if truth:
                    bound, excess = (low, -below) if low else (high, -above)
                else:
                    bound, excess = (low, below) if below > 0 else (high, above)
                if excess > 0:
                    return Reason(formula, truth, state, _near(balls[0]), bound=bound, excess=_near(excess))
            case Privacy(epsilon, delta, path) if not truth and local.near(path, state):
                s, t = next(local.broken(formula, state))
                if (balls := local.near(path, s, t)) is None:
                    return None
                factor, least = (local.number(x).enclose(arb(1)) for x in (epsilon.factor, delta))
                bound_ball = factor * balls[1] + least
                if (gap := balls[0] - bound_ball) > 0:
                    p, q, right, more = map(_near, (*balls, bound_ball, gap))
                    return Reason(formula, truth, s, p, t, q, right, more)
    return None


def _near(ball: arb) -> Near:
    low, high = ends(ball)
    return Near(fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator))


def simplest(candidates: Sequence[Piece]) -> Piece:
    """The piece with the simplest rational eps in it; one without any only if there is nothing else."""
    exact = [(int(p.sample.q), p.sample, i) for i, p in enumerate(candidates) if p.sample is not None]
    return candidates[min(exact)[2] if exact else 0]


def witness(evaluation: Evaluation, model: Model, blamed: Reason, piece: Piece, symbolic: bool) -> Witness:
    """The witness for a reason on a piece of the range; ``symbolic`` if anything depends on eps."""
    names, place = model.names, piece.low if piece.sample is None else piece.sample
    actions = model.actions if isinstance(model, Mdp) else ()
    assert isinstance(place, RootCluster | fmpq)
    return Witness(
        show(blamed.formula),
        names[blamed.state],
        None if blamed.neighbour is None else names[blamed.neighbour],
        blamed.probability,
        blamed.neighbour_probability,
        blamed.bound,
        blamed.excess,
        place if symbolic else None,
        merged(evaluation.everywhere(lambda local: _violated(local, blamed)), bool) if symbolic else (),
        tuple(actions[a] for a in blamed.prefix),
        tuple(actions[a] for a in blamed.cycle),
    )


def _violated(local: Judge, blamed: Reason) -> bool:
    """Whether the same inequality is violated on another piece."""
    formula, s, t = blamed.formula, blamed.state, blamed.neighbour
    local = local.on(formula)
    if isinstance(formula, Privacy) and t is not None:
        return local.violates(formula, s, t)
    return local.truth(formula, s) is blamed.truth
