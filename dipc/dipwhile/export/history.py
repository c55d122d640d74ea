"""Where the random variables of a state come from: the laws of its samples, and the conditions on them.

A state of the chain knows only the joint density of its samples.  A drawing should show, as Figure 4 of the
DiPC paper does, the parameters with which a sample was drawn and the comparisons that hold on the way to the
state.  So every state gets a history, from those of the states before it.  Conditions count as long as they
bear on a live sample.  Where several ways meet, what they have in common is kept, and the state is marked as
``mixed``.  Histories decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.dipwhile.export.questions import Picture
from dipc.dipwhile.semantics.chain import Node
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.noise import Random
from dipc.dipwhile.semantics.step import Transition
from dipc.export.operators import ARITHMETIC, EXACT, Dialect, Symbol, Tree, scaled, total, write
from dipc.integration.linear import Linear
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

PRETTY = Dialect(ARITHMETIC, symbols={"eps": "ε"})


@dataclass(frozen=True, slots=True)
class Origin:
    """A sample: the variable and the place of its draw, and the laws that it may have there."""

    variable: str
    place: int
    laws: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """``sum of coefficient * sample + constant``, which is positive (not negative, if integer)."""

    terms: tuple[tuple[Origin, fmpq], ...]
    constant: fmpq
    integer: bool

    @property
    def samples(self) -> frozenset[Origin]:
        """The samples compared."""
        return frozenset(origin for origin, _ in self.terms)

    def renamed(self, names: Mapping[Origin, Origin]) -> Condition:
        """The condition with other origins for its samples."""
        terms = tuple((names.get(origin, origin), c) for origin, c in self.terms)
        return Condition(terms, self.constant, self.integer)


@dataclass(frozen=True, slots=True)
class History:
    """The origins of the live samples, in their order, and the conditions that bear on them."""

    samples: tuple[Origin, ...] = ()
    conditions: tuple[Condition, ...] = ()
    mixed: bool = False

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Those of the live samples, then those that conditions mention."""
        mentioned = (origin for condition in self.conditions for origin, _ in condition.terms)
        return tuple(dict.fromkeys((*self.samples, *mentioned)))


def histories(picture: Picture) -> list[History]:
    """The history of every state, in the order of the chain."""
    found: dict[int, History] = {}
    for node in picture.chain:
        ways = [_after(found[id(source)], source, transition) for source, transition in node.ways]
        found[id(node)] = _met(ways or [History()])
    return [found[id(node)] for node in picture.chain]


def _after(history: History, source: Node, transition: Transition) -> History:
    """The history of a state that is reached by a transition."""
    move = transition.move
    if move is None:  # no sample is drawn in a loop; what it compares is not followed
        return _restricted(history, transition.kept, mixed=True)
    samples = history.samples
    conditions = [
        Condition(tuple((samples[i], c) for i, c in form.coefficients), form.constant, form.integer)
        for form in move.branch.conditions
    ]
    if move.noise is not None:
        assert move.cell is not None
        samples = (*samples, Origin(spelled_cell(move.cell), source.state.pc, (law_text(move.noise),)))
    longer = History(samples, (*history.conditions, *conditions), history.mixed)
    return _restricted(longer, transition.kept)


def _restricted(history: History, kept: tuple[int, ...], mixed: bool = False) -> History:
    """The history of the samples that are still live, and of what is compared with them."""
    samples = tuple(history.samples[old] for old in kept)
    known = set(samples)
    while more := {s for c in history.conditions if c.samples & known for s in c.samples if s not in known}:
        known |= more
    conditions = tuple(dict.fromkeys(c for c in history.conditions if c.samples & known))
    return History(samples, conditions, bool(samples) and (history.mixed or mixed))


def _met(arrivals: list[History]) -> History:
    """What several histories have in common."""
    samples = tuple(_united(origins) for origins in zip(*(a.samples for a in arrivals), strict=True))
    conditions = []
    for arrival in arrivals:
        names = dict(zip(arrival.samples, samples, strict=True))
        conditions.append([c.renamed(names) for c in arrival.conditions])
    common = tuple(c for c in conditions[0] if all(c in other for other in conditions[1:]))
    differ = any(len(own) > len(common) for own in conditions)
    return History(samples, common, differ or any(a.mixed for a in arrivals))


def _united(origins: Sequence[Origin]) -> Origin:
    laws = dict.fromkeys(law for origin in origins for law in origin.laws)
    return Origin(origins[0].variable, max(origin.place for origin in origins), tuple(laws))


def law_text(law: Random) -> str:
    """For example ``Lap(1/4*eps, 0)``."""
    rate = write(EXACT.function(Quotient(ExpPoly.of(law.rate, -1 if law.inverse else 1))), PRETTY)
    return f"{law.kind.name}({rate}, {law.mean})"


class Names:
    """Names for the samples of a picture: that of the variable, numbered if it is drawn more than once."""

    def __init__(self, found: Iterable[History]) -> None:
        self._by_variable: dict[str, list[Origin]] = {}
        for origin in dict.fromkeys(origin for history in found for origin in history.origins):
            self._by_variable.setdefault(origin.variable, []).append(origin)

    def __getitem__(self, origin: Origin) -> str:
        all_of_them = self._by_variable[origin.variable]
        if len(all_of_them) == 1:
            return origin.variable
        return origin.variable + str(all_of_them.index(origin) + 1).translate(SUBSCRIPTS)

    def law(self, origin: Origin) -> str:
        """The law of a sample: ``r ~ Lap(ε, 0)``."""
        return f"{self[origin]} ~ {' or '.join(origin.laws)}"

    def value(self, value: Linear, samples: tuple[Origin, ...]) -> str:
        """A linear expression of samples."""
        return sum_text([(self[samples[i]], c) for i, c in value.coefficients], value.constant)

    def condition(self, condition: Condition) -> str:
        """The condition as text, with the sample drawn last on the left."""
        turned = max(condition.terms, key=lambda term: term[0].place)[1] < 0
        terms = [(self[origin], c) for origin, c in condition.terms]
        return comparison_text(terms, condition.constant, condition.integer, turned)


DIGITS = "₀₁₂₃₄₅₆₇₈₉"
SUBSCRIPTS = str.maketrans("0123456789", DIGITS)
RELATIONS = {False: (">", "<"), True: ("≥", "≤")}
"""For real and for integer samples; the second one for a condition whose sides are exchanged."""


def sum_text(terms: list[tuple[str, fmpq]], constant: fmpq) -> str:
    """A linear expression, for example ``r - 2*s + 1/2``."""
    parts: list[Tree] = [scaled(c, [Symbol(name)]) for name, c in terms]
    return write(total([*parts, *([constant] if constant else [])]), PRETTY)


def comparison_text(terms: list[tuple[str, fmpq]], constant: fmpq, integer: bool, turned: bool) -> str:
    """That a linear expression is positive (``integer``: nonnegative), with positive terms on each side.

    The sides are exchanged if ``turned``.

    >>> comparison_text([("t", fmpq(1)), ("r", fmpq(-1))], fmpq(2), False, True)
    'r < t + 2'
    """
    sign = -1 if turned else 1
    left = [(name, c * sign) for name, c in terms if c * sign > 0]
    right = [(name, -c * sign) for name, c in terms if c * sign < 0]
    relation = RELATIONS[integer][turned]
    return f"{sum_text(left, fmpq(0))} {relation} {sum_text(right, -constant * sign)}"
