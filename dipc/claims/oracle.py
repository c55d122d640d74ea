"""Signs of functions of eps on the range of a claim: every question is answered once and remembered."""

from __future__ import annotations

import dipc.signs.inequality as signs
from dipc.errors import InputError, LimitReached, Span
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Number
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Fails, Holds, Unclear
from dipc.signs.proofs import Proof, SignTable
from dipc.signs.radicals import Function, Radical
from dipc.signs.search import proof


class SignOracle:
    """Decides inequalities between functions of eps on one range, each only once."""

    def __init__(self, budgets: EpsRange) -> None:
        self.budgets = budgets
        self.answers: dict[Function, Answer] = {}
        self._denominators: dict[Function, int] = {}
        self._proofs: dict[Function, Proof] = {}

    def nonnegative(self, value: Number) -> Answer:
        """Whether value >= 0 on all budgets."""
        return self.decide(self.normal_form(value))

    def normal_form(self, value: Number) -> Function:
        """A function with the signs of ``value``, the same for all values that differ by a positive factor.

        (With a square root, for some of them.)
        """
        f = self.signs_of(value)
        return signs.without_monomial(f) if isinstance(f, ExpPoly) else f

    def signs_of(self, value: Number) -> Function:
        """A function with the signs of ``value``; see :meth:`numerator`."""
        if isinstance(value, Quotient):
            return self.numerator(value)
        above, below = (self._radical(*pair, value.radicand) for pair in (value.above, value.below))
        return above if self._sign_of(below) > 0 else -above

    def _radical(self, a: Quotient, b: Quotient, g: Quotient) -> Function:
        """``(a + b sqrt(g)) da db dg``, with da, db, dg > 0 the denominators of a, b and g."""
        da, db, dg = (self.positive(x) for x in (a, b, g))
        pa, pb, pg = (self.numerator(x) for x in (a, b, g))
        # sqrt(pg/dg) = sqrt(pg*dg)/dg
        return Radical(pa * db * dg, pb * da, pg * dg) if b else pa

    def decide(self, f: Function) -> Answer:
        """Whether f >= 0 on all budgets."""
        answer = self.answers.get(f)
        if answer is None:
            answer = self.answers[f] = signs.nonnegative(f, self.budgets)
        return answer

    def proof_of(self, f: Function) -> Proof:
        """The proof of f >= 0 that a certificate can hold, found once; f is one that holds.

        Raises :class:`~dipc.signs.limits.NoProof`.
        """
        if f not in self._proofs:
            match self.decide(f):
                case Holds(known) if not isinstance(known, SignTable):
                    self._proofs[f] = known
                case _:
                    self._proofs[f] = proof(f, self.budgets)
        return self._proofs[f]

    def numerator(self, value: Quotient) -> ExpPoly:
        """A function with the signs of ``value``: its numerator, up to the sign of the denominator.

        Raises :class:`InputError` if the denominator has a root at a budget of the claim.
        """
        return value.numerator * self._sign_below(value)

    def positive(self, value: Quotient) -> ExpPoly:
        """The denominator of ``value``, positive on all budgets; the other side of :meth:`numerator`."""
        return value.denominator * self._sign_below(value)

    def _sign_below(self, value: Quotient) -> int:
        below = value.denominator
        if below not in self._denominators:
            self._remember(below, signs.sign_of_denominator(value, self.budgets))
        return self._denominators[below]

    def _sign_of(self, denominator: Function) -> int:
        if denominator not in self._denominators:
            self._remember(denominator, signs.sign_if_constant(denominator, self.budgets))
        return self._denominators[denominator]

    def _remember(self, denominator: Function, sign: int | None) -> None:
        if sign is None:
            message = f"a probability is undefined for some eps in {self.budgets}: {denominator} vanishes"
            raise InputError(message, hint="restrict the claim: private ... for eps in (low, high)")
        self._denominators[denominator] = sign


def require_nonnegative(value: Number, judge: SignOracle, span: Span | None, otherwise: str) -> None:
    """Raise :class:`InputError`, or :class:`LimitReached` if unsettled, unless value >= 0 on all budgets."""
    match judge.nonnegative(value):
        case Fails(sample):
            hint = "fix it, or restrict the claim: private ... for eps in (low, high)"
            raise InputError(f"{otherwise} at eps = {sample}", span, hint)
        case Unclear(low, high):
            raise LimitReached(f"it is not settled whether {otherwise} for eps in [{low}, {high}]")
