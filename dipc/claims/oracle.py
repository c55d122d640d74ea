"""Signs of functions of eps on the range of a claim: every question is answered once and remembered."""

from __future__ import annotations

import dipc.signs.inequality as signs
from dipc.errors import InputError, LimitReached, Span
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Fails, Holds, Unclear
from dipc.signs.limits import Unsettled
from dipc.signs.proofs import Proof, SignTable
from dipc.signs.search import proof
from dipc.signs.tables import roots_within


class SignOracle:
    """Decides inequalities between functions of eps on one range, each only once."""

    def __init__(self, budgets: EpsRange) -> None:
        self.budgets = budgets
        self.answers: dict[ExpPoly, Answer] = {}
        self._denominators: dict[ExpPoly, int] = {}
        self._proofs: dict[ExpPoly, Proof] = {}

    def nonnegative(self, value: Quotient) -> Answer:
        """Whether value >= 0 on all budgets."""
        return self.decide(self.normal_form(value))

    def normal_form(self, value: Quotient) -> ExpPoly:
        """A function with the signs of ``value``, the same if values differ by a positive factor."""
        return signs.without_monomial(self.numerator(value))

    def decide(self, f: ExpPoly) -> Answer:
        """Whether f >= 0 on all budgets."""
        answer = self.answers.get(f)
        if answer is None:
            answer = self.answers[f] = signs.nonnegative(f, self.budgets)
        return answer

    def proof_of(self, f: ExpPoly) -> Proof:
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
            if (sign := signs.sign_of_denominator(value, self.budgets)) is None:
                message = f"a probability is undefined for some eps in {self.budgets}: {below} vanishes"
                raise InputError(message, hint="restrict the claim: private ... for eps in (low, high)")
            self._denominators[below] = sign
        return self._denominators[below]


def require_nonnegative(value: Quotient, judge: SignOracle, span: Span | None, otherwise: str) -> None:
    """Raise :class:`InputError`, or :class:`LimitReached` if unsettled, unless value >= 0 on all budgets."""
    match judge.nonnegative(value):
        case Fails(sample):
            hint = "fix it, or restrict the claim: private ... for eps in (low, high)"
            raise InputError(f"{otherwise} at eps = {sample}", span, hint)
        case Unclear(low, high):
            raise LimitReached(f"it is not settled whether {otherwise} for eps in [{low}, {high}]")


def require_positive(value: Quotient, judge: SignOracle, span: Span | None) -> None:
    """Raise :class:`InputError` unless ln(value) has a value on all budgets; :class:`LimitReached`."""
    message = f"ln({value}) has no value: its argument is not positive"
    if not value:
        raise InputError(message, span)
    require_nonnegative(value, judge, span, message)
    budgets = judge.budgets
    try:
        roots = roots_within(value.numerator, budgets.low, budgets.high)
    except Unsettled as doubt:
        raise LimitReached(f"it is not settled whether {message} near eps = {doubt.low}") from None
    inside = [root.low for root in roots if not root.is_rational or root.low in budgets]
    for eps in (*inside, *(end for end in budgets.closed_ends if not value.numerator.sign_at(end))):
        raise InputError(f"{message} near eps = {eps}", span, "restrict the claim to an interval")
