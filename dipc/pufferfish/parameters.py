"""Claims about models with parameters: decided for the whole class, the shortest sequences first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached
from dipc.numbers.exact import ends
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ZERO, Word
from dipc.pufferfish.classes import number
from dipc.pufferfish.clearing import Cleared, Constant, Inequality, probabilities
from dipc.pufferfish.question import Claim, Parameters, Question
from dipc.pufferfish.verdict import Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import Answer, Fails, Holds, Point, Side, Unclear
from dipc.signs.eps_range import simplest_between

BITS = (24, 53, 128, 400)
"""Precisions of the rational bounds of a transcendental c."""

DEPTH_OF_ANY = 8
"""So many observations are tried for "any" horizon, unless before that everything stops or is settled."""

LONGER = f"private for {DEPTH_OF_ANY} observations; longer sequences are not settled"

CLOSE = 60


def check_with_parameters(question: Question, clock: Clock) -> PufferfishVerdict:
    """Decide a claim for every value of the parameters, and every eps if there is one.

    A limit that runs out is an Undecided verdict.  Raises :class:`InputError` as
    :func:`~dipc.pufferfish.classes.check_class` does.
    """
    claim = question.claim
    if claim is None:
        raise InputError("nothing is claimed", hint="write a line `private ln(2)`, or use `--claim`")
    common: dict[str, Any] = {"question": question, "pairs": len(question.pairs), "notes": question.notes}
    try:
        problem = Cleared(question, clock, claim.rate)
        common = problem.common
        if claim.delta:
            return Undecided(**common, reason="delta > 0 is not decided for a class of parameters")
        return _decided(problem, claim)
    except LimitReached as limit:
        return Undecided(**common, reason=f"{limit} ({clock.doing})")


def _decided(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    constant, horizon, reasons = Constant(claim), problem.question.horizon, []
    levels = problem.levels(constant.bounds(BITS[0])[0])
    for level in islice(levels, horizon or DEPTH_OF_ANY):
        found, doubts = _violation(problem, constant, level)
        if found:
            return Violated(**problem.common, counterexample=_counterexample(problem, claim, *found))
        reasons += doubts
    if horizon is None and next(levels, None) is not None:
        reasons.append(LONGER)
    if reasons:
        return Undecided(**problem.common, reason=reasons[0])
    return Private(**problem.common)


def _violation(
    problem: Cleared, constant: Constant, level: Iterable[Inequality]
) -> tuple[tuple[Inequality, Point] | None, list[str]]:
    """A violation of this length, at the centre of the class if there is one; and what is not settled."""
    level, centre, doubts = list(level), problem.family.anchor, []
    assert centre is not None
    at_centre = [f for f in level if constant.is_below(f.above(*centre), f.below(*centre))]
    at_centre = [f for f in at_centre if violates(problem, constant, f, centre)]
    if at_centre:
        return (max(at_centre, key=lambda f: _order(f, centre)), centre), []
    for f in level:
        match decide(problem, constant, f):
            case Fails(point):
                return (f, point), []
            case Unclear(box):
                doubts.append(unsettled_on(problem, f, box))
    return None, doubts


def unsettled_on(problem: Cleared, f: Inequality, box: Sequence[Side]) -> str:
    """What is open, in words."""
    names = problem.question.parameters.names
    sides = (f"{name} in [{low}, {high}]" for name, (low, high) in zip(names, box, strict=False))
    pair, word = problem.pairs[f.pair], " ".join(problem.steps.text(f.word))
    where = f" on the box {', '.join(sides)} of the unit cube" if box else ""
    return f"{pair.left.name} against {pair.right.name}: the sequence {word} is not settled{where}"


def _order(f: Inequality, point: Point) -> tuple[bool, fmpq]:
    above, below = f.above(*point), f.below(*point)
    return (not above, below / above if above else ZERO)


def violates(problem: Cleared, constant: Constant, f: Inequality, u: Point) -> bool:
    """Whether the probabilities at a point break the claim, computed anew."""
    numbers = problem.numbers(f, u)
    return numbers is not None and constant.is_below(numbers[1], numbers[0])


def decide(problem: Cleared, constant: Constant, f: Inequality) -> Answer:
    """Whether c0 * above >= below on the class; a witness is computed anew.

    For a transcendental c0 both rational neighbours are asked: ``above`` is nonnegative, so the lower one
    proves and the upper one refutes.  The least c of a sequence is algebraic, so some precision settles it.
    """
    wrong = partial(violates, problem, constant, f)
    if constant.is_rational:
        return problem.family.nonnegative(constant.factor * f.above - f.below, wrong)
    for bits in BITS:
        low, high = constant.bounds(bits)
        proved = problem.family.nonnegative(low * f.above - f.below)
        if isinstance(proved, Holds):
            return proved
        refuted = problem.family.nonnegative(high * f.above - f.below, wrong)
        if isinstance(refuted, Fails):
            return refuted
    return Unclear(())


def _counterexample(problem: Cleared, claim: Claim, f: Inequality, u: Point) -> Counterexample:
    values, parameters = problem.family.values(u), problem.question.parameters
    if parameters.eps_name is None:
        shown = violation_at(problem, claim, (f.pair, [f.word]), values, None)
        if shown is None:
            raise InternalError("a counterexample that does not violate the claim")
        return shown
    near = logarithm(values.pop(parameters.eps_name)) * -parameters.eps_unit
    for power in range(1, CLOSE):
        eps = simplest_between(near - near / 2**power, near + near / 2**power)
        shown = violation_at(problem, claim, (f.pair, [f.word]), values, eps)
        if shown:
            return shown
    raise LimitReached("no rational budget was found near the violation")


def logarithm(x: fmpq) -> fmpq:
    """A rational number near ln(x); it decides nothing."""
    with ctx.workprec(4 * CLOSE):
        low, _ = ends(arb(x).log())
    return fmpq(low.numerator, low.denominator)


def violation_at(
    problem: Cleared,
    claim: Claim,
    some: tuple[int, Sequence[Word]],
    values: Mapping[str, fmpq],
    eps: fmpq | None,
) -> Counterexample | None:
    """The numbers of some words of a pair at a point, if they violate the claim."""
    (number, words), question = some, problem.question
    pair, value = problem.pairs[number], partial(_number_at, question.parameters, values, eps)
    found = [probabilities(question.model, pair, word, value) for word in words]
    left, right = (sum((both[i] for both in found if both), Quotient.of(0)) for i in (0, 1))
    bound = right * claim.c.at(eps or ZERO) + claim.delta
    excess = left - bound
    if excess.sign_at(ZERO) <= 0:
        return None
    return Counterexample(
        **sides(problem, number, words),
        parameters=values,
        epsilon=eps,
        probability=left,
        other_probability=right,
        bound=bound,
        excess=excess,
    )


def sides(problem: Cleared, number: int, words: Sequence[Word]) -> dict[str, Any]:
    """What is compared, and the sequences."""
    left, right = problem.pairs[number]
    texts = tuple(map(problem.steps.text, words))
    found = {"secret": left.name, "against": right.name, "prior": left.prior, "sequence": texts[0]}
    return found | ({"sequences": texts} if len(texts) > 1 else {})


def _number_at(
    parameters: Parameters, values: Mapping[str, fmpq], eps: fmpq | None, p: Parametric
) -> Quotient:
    """A function where the parameters are numbers, and eps is one."""
    f = p.at(values)
    return Quotient.of(number(f)) if eps is None else parameters.function_of_eps(f).at(eps)
