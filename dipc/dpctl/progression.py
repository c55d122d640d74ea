"""Reading a path state by state: what is left of a formula decides which runs satisfy it.

Source: Bacchus and Kabanza, *Planning for temporally extended goals*, 1998.  What is left is kept as the
irredundant disjunction of conjunctions of subformulas of the rest of the path; there are finitely many.

A formula is *co-safe* if a finite beginning of every path that satisfies it proves so: what is left becomes
true.  A Boolean combination of co-safe formulas (negated: *safe*) is settled by which of them become true,
so its deterministic automaton is weak.

``F h`` with a safe h, such as F G a, is the negation of ``G g`` with the co-safe g = not h. That holds if
and only if all obligations g, one from each state on, become true: those that are pending are one
conjunction, and when it becomes true, the conjunction of those that have begun meanwhile takes its place. So
``G g`` holds if this happens infinitely often (*breakpoints*). G F a and G (a -> F b) are such formulas.
Boolean combinations of these and of co-safe formulas have deterministic automata, too; others need
:mod:`dipc.dpctl.automata`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product, repeat

from dipc.dpctl.formula import (
    And,
    Formula,
    Next,
    Not,
    Or,
    Truth,
    Until,
    is_state_formula,
    operands,
    outermost,
)
from dipc.errors import InternalError, LimitReached

States = frozenset[int]
Marks = frozenset[int]
NONE: Marks = frozenset()
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


def is_persistent(formula: Formula) -> bool:
    """Whether a formula is ``F h`` with a safe h, by its form."""
    match formula:
        case Until(Truth(True), safe, None):
            return is_cosafe(safe, False)
        case _:
            return False


def combination(formula: Formula) -> Formula | None:
    """The formula as a Boolean combination of co-safe and persistent ones; None if it is none."""
    if is_cosafe(formula) or is_persistent(formula):
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
        case Next(Until(Truth(True) as always, later, None), count):
            return combination(Until(always, Next(later, count)))
        case Until(Truth(True) as always, Or(parts), None):
            return combination(Or(tuple(Until(always, part) for part in parts)))
        case Until(Truth(True), Until(Truth(True), _, None) as later, None):
            return combination(later)
        case Until(left, right, None) if is_cosafe(left, False) and is_cosafe(right, False):
            weak = Not(Until(Not(right), And((Not(left), Not(right)))))
            return combination(And((Until(Truth(True), right), weak)))
        case _:
            return None


def progression(formula: Formula, known: Mapping[Formula, States]) -> Progression | None:
    """The automaton of a Boolean combination of co-safe and persistent formulas; None for other formulas."""
    if (shape := combination(formula)) is None:
        return None
    parts = tuple(dict.fromkeys(outermost(shape, lambda part: is_cosafe(part) or is_persistent(part))))
    if is_weak := all(map(is_cosafe, parts)):
        accepted, rejected = [(NONE, frozenset([0]))], [(frozenset([0]), NONE)]
    else:
        accepted, rejected = (_condition(shape, positive, parts) for positive in (True, False))
    return Progression(shape, parts, known, tuple(accepted), tuple(rejected), is_weak)


def _condition(shape: Formula, positive: bool, parts: Sequence[Formula]) -> list[tuple[Marks, Marks]]:
    """When a combination of parts is true, or false: conditions on the marks of :class:`Progression`."""
    if shape in parts:
        mark = frozenset([parts.index(shape)])
        return [(NONE, mark) if is_cosafe(shape) is positive else (mark, NONE)]
    if isinstance(shape, Not):
        return _condition(shape.operand, not positive, parts)
    each = [_condition(operand, positive, parts) for operand in operands(shape)]
    if isinstance(shape, Or) is positive:
        return [pair for pairs in each for pair in pairs]
    return [
        (frozenset().union(*(fin for fin, _ in pairs)), frozenset().union(*(inf for _, inf in pairs)))
        for pairs in product(*each)
    ]


Pending = tuple[Rest, Rest, bool]
"""What is left of the obligations that are pending, and of those that have begun since; whether the former
have just become true."""

Memory = tuple[Pending, ...] | bool


@dataclass(frozen=True, slots=True)
class Progression:
    """An automaton whose memory is what is left of every part, or the truth once it is settled.

    The mark i means that the i-th part is true, if it is co-safe, else that the obligations of its negation
    have become true once more.  If all parts are co-safe, the automaton is weak, and its only mark, 0, means
    that the path satisfies the formula unless more parts become true.
    """

    shape: Formula
    parts: tuple[Formula, ...]
    known: Mapping[Formula, States]
    accepted: Condition
    rejected: Condition
    is_weak: bool
    _found: dict[tuple[Memory | None, tuple[bool, ...]], Memory] = field(default_factory=dict)

    def read(self, before: Memory | None, state: int) -> Memory:
        """What is left after one more state; ``before`` is None at the first one."""
        if isinstance(before, bool):
            return before
        key = before, tuple(state in states for states in self.known.values())
        if key not in self._found:
            start = ((_later(part, True) if is_cosafe(part) else TRUE, TRUE, False) for part in self.parts)
            memory = tuple(map(self._step, self.parts, start if before is None else before, repeat(state)))
            rests = zip(self.parts, memory, strict=True)
            truths = {part: _settled(rest, is_cosafe(part)) for part, (rest, _, _) in rests}
            truth = _truth(self.shape, truths)
            self._found[key] = memory if truth is None else truth
        return self._found[key]

    def _step(self, part: Formula, before: Pending, state: int) -> Pending:
        pending, begun = (_after(rest, state, self.known) for rest in before[:2])
        if isinstance(part, Until) and not is_cosafe(part):
            begun = all_of((begun, unfolded(part.right, False, state, self.known)))
        if FALSE in (pending, begun):
            return FALSE, FALSE, False
        if pending == TRUE and not is_cosafe(part):
            return begun, TRUE, True
        return pending, begun, pending == TRUE

    def marks(self, memory: Memory) -> Marks:
        """The marks of a memory; where the truth is settled, some that mean it."""
        if isinstance(memory, bool):
            condition = self.accepted if memory else self.rejected
            return next(inf for fin, inf in condition if not fin & inf)
        marked = {part: mark for part, (_, _, mark) in zip(self.parts, memory, strict=True)}
        if self.is_weak:
            return frozenset([0]) if _truth(self.shape, marked) else NONE
        return frozenset(i for i, mark in enumerate(marked.values()) if mark)


def _settled(pending: Rest, is_cosafe: bool) -> bool | None:
    """The truth of a part, as far as it is settled."""
    if pending == FALSE:
        return not is_cosafe
    return True if pending == TRUE and is_cosafe else None


def _truth(shape: Formula, truths: Mapping[Formula, bool | None]) -> bool | None:
    """The truth of a Boolean combination of parts, None if it is not settled."""
    if shape in truths:
        return truths[shape]
    found = [_truth(operand, truths) for operand in operands(shape)]
    if isinstance(shape, Not):
        return None if found[0] is None else not found[0]
    decisive = isinstance(shape, Or)
    return decisive if decisive in found else None if None in found else not decisive


def _after(rest: Rest, state: int, known: Mapping[Formula, States]) -> Rest:
    """What is left after one more state."""
    return _any(all_of(unfolded(f, bool(p), state, known) for f, p in clause) for clause in rest)


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
        case Truth(value):
            return TRUE if value is positive else FALSE
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
