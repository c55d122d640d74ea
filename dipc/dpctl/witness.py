"""Why a formula fails in a state: the one probability or inequality to blame, with exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from flint import fmpq

from dipc.dpctl.constant import AnyEvaluation
from dipc.dpctl.formula import And, Formula, Next, Not, Or, Privacy, Probability, Proposition, Truth, Until
from dipc.dpctl.regions import Judge, has_value, merged, power_of_e
from dipc.dpctl.syntax import show
from dipc.dpctl.verdict import Scaled, Witness
from dipc.numbers.quotient import Quotient
from dipc.signs.tables import Piece, RootCluster


class Reason(NamedTuple):
    """A formula that has the truth value ``truth`` in a state, with the numbers that make it so.

    ``neighbour`` and its probability are there if two states matter; ``bound`` is what the probability was
    compared with, ``excess`` the difference.
    """

    formula: Formula
    truth: bool
    state: int
    probability: Quotient | None = None
    neighbour: int | None = None
    neighbour_probability: Quotient | None = None
    bound: Quotient | Scaled | None = None
    excess: Quotient | Scaled | None = None


def reason(local: Judge, formula: Formula, state: int, truth: bool = False) -> Reason | None:
    """Why a formula has this truth value in a state; None if it has the other one.

    Of a conjunction it is the first operand that fails, of D the first pair in the order of the file.
    """
    if (state in local.satisfying(formula, frozenset([state]))) is not truth:
        return None
    match formula:
        case Not(operand):
            return reason(local, operand, state, not truth)
        case And(operands) | Or(operands):
            reasons = (reason(local, operand, state, truth) for operand in operands)
            return next(filter(None, reasons), Reason(formula, truth, state))
        case Probability(interval, path):
            p = local.probability(path, state)
            bound = interval.low if interval.low else interval.high
            if (missed := local.missed(interval, p)) is not None:
                bound = missed
            excess = bound - p if local.sign(bound - p) > 0 else p - bound
            return Reason(formula, truth, state, p, bound=bound, excess=excess)
        case Privacy(epsilon, delta, path) if not truth:
            s, t = next(local.broken(formula, state))
            p, q = local.probability(path, s), local.probability(path, t)
            if q and not has_value(epsilon):
                root = Scaled(q, epsilon, delta), Scaled(-q, epsilon, p - delta)
                return Reason(formula, truth, s, p, t, q, *root)
            bound = power_of_e(epsilon) * q + delta if q else delta
            return Reason(formula, truth, s, p, t, q, bound, p - bound)
        case Truth() | Proposition() | Privacy():
            return Reason(formula, truth, state)
        case Next() | Until():
            raise AssertionError("a path formula is not evaluated in states")
        case _:
            assert_never(formula)


def simplest(candidates: Sequence[Piece]) -> Piece:
    """The piece with the simplest rational eps in it; one without any only if there is nothing else."""
    exact = [(int(p.sample.q), p.sample, i) for i, p in enumerate(candidates) if p.sample is not None]
    return candidates[min(exact)[2] if exact else 0]


def witness(evaluation: AnyEvaluation, blamed: Reason, piece: Piece, symbolic: bool) -> Witness:
    """The witness for a reason on a piece of the range; ``symbolic`` if anything depends on eps."""
    names, place = evaluation.chain.names, piece.low if piece.sample is None else piece.sample
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
    )


def _violated(local: Judge, blamed: Reason) -> bool:
    """Whether the same inequality is violated on another piece."""
    formula, s, t = blamed.formula, blamed.state, blamed.neighbour
    if isinstance(formula, Privacy) and t is not None:
        return (s, t) in set(local.broken(formula, s))
    return (s in local.satisfying(formula, frozenset([s]))) is blamed.truth
