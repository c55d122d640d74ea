"""Reading a path state by state: what is left of a formula decides which runs satisfy it.

Source: Bacchus and Kabanza, *Planning for temporally extended goals*, 1998.  What is left is kept as the
irredundant disjunction of conjunctions of subformulas of the rest of the path; there are finitely many.

A formula is *co-safe* if a finite beginning of every path that satisfies it proves so: what is left becomes
true.  A Boolean combination of co-safe formulas (negated: *safe*) is settled by which of them become true,
so its deterministic automaton is weak.  Other formulas need :mod:`dipc.dpctl.automata`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Until, is_state_formula, operands, outermost
from dipc.errors import InternalError, LimitReached

States = frozenset[int]
Marks = frozenset[int]
Condition = tuple[tuple[Marks, Marks], ...]
"""Some pair (fin, inf): no mark of ``fin`` and every mark of ``inf`` occurs infinitely often."""

Literal = tuple[Formula, bool | None]
"""What the rest of the path must satisfy, or not; None: this U was put off."""

Clause = frozenset[Literal]
Rest = frozenset[Clause]
TRUE: Rest = frozenset([frozenset()])
FALSE: Rest = frozenset()
MOST_CLAUSES = 2_000


def is_cosafe(formula: Formula, positive: bool = True) -> bool:
    """Whether a formula (its negation, if not ``positive``) is co-safe by its form.

    >>> from dipc.dpctl.formula import Proposition, Truth
    >>> eventually = Until(Truth(True), Proposition("a"))
    >>> is_cosafe(Next(eventually)), is_cosafe(Not(eventually)), is_cosafe(Not(eventually), False)
    (True, False, True)
    """
    if is_state_formula(formula):
        return True
    if isinstance(formula, Until) and formula.bound is None and not positive:
        return False
    inner = positive is not isinstance(formula, Not)
    return all(is_cosafe(operand, inner) for operand in operands(formula))


def is_bounded(formula: Formula) -> bool:
    """Whether a path formula looks at a bounded number of states."""
    return is_cosafe(formula) and is_cosafe(formula, False)


def combination(formula: Formula) -> Formula | None:
    """The formula as a Boolean combination of co-safe ones; None if it is none."""
    if is_cosafe(formula):
        return formula
    if is_cosafe(formula, False):
        return Not(Not(formula))
    match formula:
        case Not(operand):
            inner = combination(operand)
            return None if inner is None else Not(inner)
        case And(parts) | Or(parts):
            kept = tuple(part for part in map(combination, parts) if part is not None)
            return type(formula)(kept) if len(kept) == len(parts) else None
        case Next(Not(operand), count):
            return combination(Not(Next(operand, count)))
        case Next(And(parts) | Or(parts) as inside, count):
            return combination(type(inside)(tuple(Next(part, count) for part in parts)))
        case _:
            return None


def progression(formula: Formula, known: Mapping[Formula, States]) -> Progression | None:
    """The automaton of a Boolean combination of co-safe formulas; None for other formulas."""
    if (shape := combination(formula)) is None:
        return None
    return Progression(shape, tuple(dict.fromkeys(outermost(shape, is_cosafe))), known)


Memory = tuple[Rest, ...] | bool


@dataclass(frozen=True, slots=True)
class Progression:
    """A weak automaton: its memory is what is left of every co-safe part, or the truth once it is settled.

    The mark 0 means that the path satisfies the formula unless more parts become true.
    """

    shape: Formula
    parts: tuple[Formula, ...]
    known: Mapping[Formula, States]
    _found: dict[tuple[Memory | None, tuple[bool, ...]], Memory] = field(default_factory=dict)
    accepted: Condition = ((frozenset(), frozenset([0])),)
    rejected: Condition = ((frozenset([0]), frozenset()),)

    @property
    def settles(self) -> bool | None:
        """True for a co-safe formula, False for the negation of one: only this truth can be settled for
        every path that has it."""
        if self.shape in self.parts:
            return True
        return False if isinstance(self.shape, Not) and self.shape.operand in self.parts else None

    def read(self, before: Memory | None, state: int) -> Memory:
        """What is left after one more state; ``before`` is None at the first one."""
        if isinstance(before, bool):
            return before
        key = before, tuple(state in states for states in self.known.values())
        if key not in self._found:
            start = tuple(_later(part, True) for part in self.parts)
            rests = tuple(
                _any(all_of(unfolded(f, bool(p), state, self.known) for f, p in clause) for clause in rest)
                for rest in (start if before is None else before)
            )
            truth = self._truth(self.shape, rests, None)
            self._found[key] = rests if truth is None else truth
        return self._found[key]

    def marks(self, memory: Memory) -> Marks:
        """The mark 0, if the path satisfies the formula when nothing more becomes true."""
        truth = memory if isinstance(memory, bool) else self._truth(self.shape, memory, False)
        return frozenset([0]) if truth else frozenset()

    def _truth(self, shape: Formula, rests: tuple[Rest, ...], otherwise: bool | None) -> bool | None:
        if shape in self.parts:
            rest = rests[self.parts.index(shape)]
            return True if rest == TRUE else False if rest == FALSE else otherwise
        truths = [self._truth(operand, rests, otherwise) for operand in operands(shape)]
        if isinstance(shape, Not):
            return None if truths[0] is None else not truths[0]
        decisive = isinstance(shape, Or)
        return decisive if decisive in truths else None if None in truths else not decisive


def unfolded(
    formula: Formula, positive: bool, state: int, known: Mapping[Formula, States], putting_off: bool = False
) -> Rest:
    """What a formula, or its negation, leaves to the rest of the path after this state.

    If ``putting_off``, clauses say which unbounded U they put off.
    """

    def after(formula: Formula, positive: bool) -> Rest:
        return unfolded(formula, positive, state, known, putting_off)

    if formula in known:
        return TRUE if (state in known[formula]) is positive else FALSE
    match formula:
        case Not(operand):
            return after(operand, not positive)
        case And(parts) | Or(parts):
            rests = (after(part, positive) for part in parts)
            return all_of(rests) if isinstance(formula, And) is positive else _any(rests)
        case Next(operand, count):
            return _later(operand if count == 1 else Next(operand, count - 1), positive)
        case Until(_, right, 0):
            return after(right, positive)
        case Until(left, right, bound):
            later = _later(Until(left, right, None if bound is None else bound - 1), positive)
            if not positive:
                return all_of((after(right, False), _any((after(left, False), later))))
            if putting_off and bound is None:
                later = frozenset([frozenset([(formula, True), (formula, None)])])
            return _any((after(right, True), all_of((after(left, True), later))))
    raise InternalError(f"the states of {formula} are not known")


def _later(formula: Formula, positive: bool) -> Rest:
    return frozenset([frozenset([(formula, positive)])])


def _any(rests: Iterable[Rest]) -> Rest:
    return _irredundant(clause for rest in rests for clause in rest)


def all_of(rests: Iterable[Rest]) -> Rest:
    """The conjunction."""
    return reduce(lambda left, right: _irredundant(a | b for a in left for b in right), rests, TRUE)


def _irredundant(clauses: Iterable[Clause]) -> Rest:
    """The clauses without those that another one implies."""
    kept: list[Clause] = []
    for clause in sorted(set(clauses), key=len):
        if not any(smaller <= clause for smaller in kept):
            kept.append(clause)
    if len(kept) > MOST_CLAUSES:
        raise LimitReached(f"what is left of the path formula has more than {MOST_CLAUSES} cases")
    return frozenset(kept)
