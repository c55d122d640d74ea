"""Sentences of Th_exp with one quantifier, and their decision.

    forall eps in I: B          exists eps in I: B

B is a Boolean combination of comparisons of functions of eps (quotients of exponential polynomials), I an
range of eps.  The claim of a program is such a sentence (:mod:`dipc.claims`), and ``dipc decide`` answers any
other one.

**Meaning.**  Every function must be defined on all of I: a sentence with a divisor that vanishes for some
eps in I is refused, even where logic would give it a value.

**Decision.**  A comparison ``p < q`` is a sign condition on the numerator of p - q, because its denominator
has no root in I and so one sign.  The numerators cut I into points and open intervals of constant signs
(:mod:`dipc.signs.tables`); B has one truth value on each, found at one sample.

Only for functions with constants exp(k), inverse exponents exp(b/eps) or great degrees can the answer be
"undecided": all possible signs at blurred roots are tried, and often they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, assert_never

from flint import fmpq

from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval, runs, shown
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import MORE_PROBES, PROBES, sign_if_constant, without_monomial
from dipc.signs.limits import Unsettled
from dipc.signs.tables import Piece, RootCluster, Signs, end_as_text, pieces, places_of


class Relation(Enum):
    """Comparisons; the value is the spelling."""

    LT = "<"
    LE = "<="
    EQ = "="
    NE = "!="
    GE = ">="
    GT = ">"


SIGNS = dict(zip(Relation, ((-1,), (-1, 0), (0,), (-1, 1), (0, 1), (1,)), strict=True))
"""The signs of ``left - right`` for which a comparison holds."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left ~ right``."""

    left: Quotient
    relation: Relation
    right: Quotient


@dataclass(frozen=True, slots=True)
class Not:
    """The part is false."""

    part: Formula


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts; of none, true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of the parts; of none, false."""

    parts: tuple[Formula, ...]


Formula = Comparison | Not | And | Or


class Quantifier(Enum):
    """The value is the spelling."""

    FORALL = "forall"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A closed formula of Th_exp.  Its text can be read again by :func:`dipc.decide`."""

    quantifier: Quantifier
    budgets: EpsRange
    body: Formula

    def __str__(self) -> str:
        return f"{self.quantifier.value} eps in {self.budgets}: {show(self.body)}"

    @property
    def negation(self) -> Sentence:
        """The sentence that is true iff this one is false."""
        other = Quantifier.EXISTS if self.quantifier is Quantifier.FORALL else Quantifier.FORALL
        return Sentence(other, self.budgets, Not(self.body))

    def to_sympy(self) -> Any:
        """The body in sympy, a Boolean combination of inequalities in the positive symbol ``eps``."""
        return _sympy(self.body)


def _sympy(formula: Formula) -> Any:
    import sympy

    match formula:
        case Comparison(left, relation, right):
            compared = getattr(sympy, relation.name.capitalize())  # sympy.Lt for Relation.LT
            return compared(left.to_sympy(), right.to_sympy(), evaluate=False)
        case Not(part):
            return sympy.Not(_sympy(part), evaluate=False)
        case And(parts):
            return sympy.And(*map(_sympy, parts), evaluate=False)
        case Or(parts):
            return sympy.Or(*map(_sympy, parts), evaluate=False)
        case _:
            assert_never(formula)


def show(formula: Formula) -> str:
    """The formula as text."""
    match formula:
        case Comparison(left, relation, right):
            return f"{left} {relation.value} {right}"
        case Not(part):
            return f"not {show(part)}"
        case And(parts):
            return f"({' and '.join(map(show, parts))})" if parts else "true"
        case Or(parts):
            return f"({' or '.join(map(show, parts))})" if parts else "false"
        case _:
            assert_never(formula)


def atoms(formula: Formula) -> Iterator[Comparison]:
    """The comparisons, in the order of the text."""
    match formula:
        case Comparison():
            yield formula
        case Not(part):
            yield from atoms(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from atoms(part)
        case _:
            assert_never(formula)


@dataclass(frozen=True, slots=True)
class Witness:
    """A value of eps: exact if ``low == high``, else the only root of some function between the two.

    As text it is the exact number, or ten significant digits of it.
    """

    low: fmpq
    high: fmpq
    text: str = field(default="", compare=False)

    @property
    def exact(self) -> fmpq | None:
        """The rational value, if it is known to be one."""
        return self.low if self.low == self.high else None

    def __str__(self) -> str:
        return self.text or str(self.low)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a sentence is true; ``truth`` is None if that is undecided.

    ``witness`` is an eps at which the body holds (of a true ``exists``) or fails (of a false ``forall``);
    ``regions`` are the intervals on which the body holds, None if not settled.
    """

    sentence: Sentence
    truth: bool | None
    witness: Witness | None = None
    regions: tuple[Interval, ...] | None = None
    reason: str = ""

    @property
    def holds_for(self) -> tuple[str, ...] | None:
        """The intervals as texts such as ``(0, 1]``; an end is exact or rounded inwards, a point rounded."""
        return None if self.regions is None else tuple(each.brackets(marked=False) for each in self.regions)

    @property
    def status(self) -> str:
        """``true``, ``false`` or ``undecided``."""
        return "undecided" if self.truth is None else str(self.truth).lower()

    def __str__(self) -> str:
        return f"{self.status}: {self.sentence}"


def decide(sentence: Sentence) -> Decision:
    """Decide a sentence.  Raises :class:`InputError` if a function is not defined on the whole interval."""
    wanted = sentence.quantifier is Quantifier.EXISTS
    try:
        conditions = _Conditions(sentence)
    except Unsettled as doubt:
        return Decision(sentence, None, reason=str(doubt))
    try:
        found = pieces(conditions.functions, sentence.budgets)
    except Unsettled as doubt:
        for probe in _probes(doubt, sentence.budgets):
            if conditions.holds_at(probe) is wanted:
                return Decision(sentence, wanted, Witness(probe, probe))
        return Decision(sentence, None, reason=str(doubt))
    truths = [conditions.truths(piece) for piece in found]
    witnesses = [piece for piece, t in zip(found, truths, strict=True) if t == {wanted}]
    witness = _witness(witnesses) if witnesses else None
    regions = _regions(found, truths)
    if witness is not None:
        return Decision(sentence, wanted, witness, regions)
    if any(wanted in t for t in truths):
        return Decision(sentence, None, None, regions, "roots of two functions could not be told apart")
    return Decision(sentence, not wanted, None, regions)


def _probes(doubt: Unsettled, budgets: EpsRange) -> Iterator[fmpq]:
    """Some values of eps, first those where the doubt is."""
    near = [simplest_between(doubt.low, doubt.high)] if doubt.low < doubt.high else []
    probes = (doubt.low, doubt.high, *near, *PROBES, *MORE_PROBES)
    return (probe for probe in probes if probe in budgets)


class _Conditions:
    """The comparisons of a sentence as sign conditions on different functions."""

    def __init__(self, sentence: Sentence) -> None:
        self._body = sentence.body
        self._budgets = sentence.budgets
        self._number: dict[ExpPoly, int] = {}
        self._places = {atom: self._normal_form(atom) for atom in atoms(sentence.body)}

    @cached_property
    def functions(self) -> list[ExpPoly]:
        """The different functions whose signs matter."""
        return list(self._number)

    def truths(self, piece: Piece) -> set[bool]:
        """The truth values that the body may have on a piece."""
        return {self._holds(self._body, signs) for signs in piece.readings}

    def holds_at(self, eps: fmpq) -> bool:
        """Whether the body holds at a rational eps."""
        return self._holds(self._body, tuple(f.sign_at(eps) for f in self.functions))

    def _normal_form(self, atom: Comparison) -> tuple[int, int]:
        """The number of the function that matters, and the sign, 1 or -1, with which it is needed."""
        difference = atom.left - atom.right
        for side in (atom.left, atom.right, difference):
            if not sign_if_constant(side.denominator, self._budgets):
                message = f"the divisor {side.denominator} is 0 for some eps in {self._budgets}"
                raise InputError(message, hint=NARROW)
        sign = sign_if_constant(difference.denominator, self._budgets)
        assert sign is not None
        f = without_monomial(difference.numerator)
        if f and next(f.terms()).coefficient < 0:
            f, sign = -f, -sign
        return self._number.setdefault(f, len(self._number)), sign

    def _holds(self, formula: Formula, signs: Signs) -> bool:
        match formula:
            case Comparison(relation=relation):
                number, factor = self._places[formula]
                return signs[number] * factor in SIGNS[relation]
            case Not(part):
                return not self._holds(part, signs)
            case And(parts):
                return all(self._holds(part, signs) for part in parts)
            case Or(parts):
                return any(self._holds(part, signs) for part in parts)
            case _:
                assert_never(formula)


NARROW = "restrict the interval to budgets where the sentence has a meaning"


def _witness(candidates: Iterable[Piece]) -> Witness:
    """A rational eps if there is one, of least denominator and then least."""
    exact = [piece.sample for piece in candidates if piece.sample is not None]
    if exact:
        simplest = min(exact, key=lambda x: (int(x.q), x))
        return Witness(simplest, simplest)
    place = next(iter(candidates)).low
    assert isinstance(place, RootCluster)
    text = end_as_text(place)
    for root in place.roots:
        root.refine_to(fmpq(10) ** -(places_of(root.low, 10) + 2))
    return Witness(place.low, place.high, text)


def _regions(found: Sequence[Piece], truths: Sequence[set[bool]]) -> tuple[Interval, ...] | None:
    """The maximal intervals on which the body holds; None if that is not known on some piece."""
    if any(len(t) > 1 for t in truths):
        return None
    truth = dict(zip(found, truths, strict=True))
    return tuple(shown(region) for region, _ in runs(found, lambda piece: truth[piece] == {True}))
