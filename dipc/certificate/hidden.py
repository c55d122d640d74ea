"""Certificates of Pufferfish privacy of hidden Markov models: how they are written and compared.

A proof of privacy is the enumeration that :mod:`dipc.kernel.hidden` repeats, with what only a search finds:
which differences are kept, and the multipliers of those that are dominated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import fmpq

from dipc.certificate.classes import accepted, class_certificate, listed_class, numbered
from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.kernel import classes
from dipc.kernel import hidden as kernel
from dipc.kernel.privacy import FORMAT, VERSION
from dipc.models.simplex import combination
from dipc.pufferfish import pumps
from dipc.pufferfish.beliefs import ONE, ZERO, Sparse
from dipc.pufferfish.cone import Cone, closed_cone
from dipc.pufferfish.horizons import BRIEFLY, CONE_CELLS
from dipc.pufferfish.question import Claim, Question, claimed
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Counterexample, PufferfishVerdict, Violated

Json = Any
Multipliers = dict[int, fmpq]

FEW_CELLS = 12
"""Combinations of several differences are sought for so many states at most; else multiples of one."""

MOST = 5_000
"""So many differences are kept at most: the kernel refuses longer proofs."""


def question_certificate(question: Question, verdict: PufferfishVerdict, clock: Clock | None = None) -> Json:
    """A certificate, without its digest, of a verdict about a question.

    Raises :class:`InputError` if nothing was decided or compared, :class:`Unsupported` for delta > 0 and
    c = exp(...), and :class:`LimitReached` if no proof was found or the kernel would refuse it.
    """
    if verdict.status == "undecided":
        raise InputError("no certificate: nothing was decided")
    clock = clock or Clock()
    claim = certifiable(question)
    if question.parameters.names:
        return class_certificate(question, verdict, clock)
    certificate = listed(question, clock)
    problem, certificate["verdict"] = Rational(question, clock), verdict.status
    if isinstance(verdict, Violated):
        certificate["proof"] = _violation(problem, verdict.counterexample)
    else:
        certificate["proof"] = _private(problem, claim.factor, clock)
    with accepted():
        kernel.checked({**certificate, "digest": ""})
    return certificate


def certifiable(question: Question) -> Claim:
    """The claim, if certificates cover it and the question.  Raises :class:`InputError`."""
    claim = claimed(question.claim)
    if claim.delta:
        raise Unsupported("certificates of Pufferfish privacy with delta > 0")
    if not question.parameters.rational:
        raise Unsupported("certificates of models with eps outside of exp, exp(1/2), or a range of eps")
    if claim.constant or (claim.rate and not question.parameters.eps_name):
        raise Unsupported(f"certificates of Pufferfish privacy with the claim {claim.text}: c = exp(...)")
    return claim


def listed(question: Question, clock: Clock | None = None) -> dict[str, Json]:
    """What a certificate says about a question: everything but the verdict and its proof."""
    claim, clock = certifiable(question), clock or Clock()
    if question.parameters.names:
        return listed_class(question, clock)
    problem = Rational(question, clock)
    if not problem.pairs:
        raise InputError("no certificate: nothing was compared")
    model, steps = question.model, problem.steps
    sides, pairs = numbered(problem.pairs, [list(map(_row, both)) for both in problem.sides])
    return {
        "format": FORMAT,
        "version": VERSION,
        "statement": "hidden",
        "model": question.name,
        "states": list(model.states),
        "observations": list(model.observations),
        "emissions": [_row(row) for row in steps.emissions[:-1]],
        "transitions": [_row(steps.transitions[s]) if row else [] for s, row in enumerate(model.transitions)],
        "sides": sides,
        "pairs": pairs,
        "horizon": question.horizon,
        "c": str(claim.factor),
    }


def other_question(certificate: kernel.Certificate | classes.Certificate, question: Question) -> list[str]:
    """What a certificate has otherwise than a question: its states, rows, sides, pairs, horizon or c."""
    expected, data = listed(question), certificate.data
    if data["statement"] != expected["statement"]:
        return ["the parameters (the file has others)"]
    fields = (kernel if data["statement"] == "hidden" else classes).MODEL.split()
    parts = [name for name in fields if data[name] != expected[name]]
    return [f"the {name} (the file has others)" for name in parts]


def _row(weights: Sparse) -> Json:
    return [[place, str(p)] for place, p in sorted(weights.items())]


def _violation(problem: Rational, shown: Counterexample) -> Json:
    """The pair and the sequence of a counterexample, and its pump if it has one."""
    sequence = [problem.steps.names.index(name) for name in shown.sequence]
    for number, (left, right) in enumerate(problem.pairs):
        if (left.name, left.prior, right.name) == (shown.secret, shown.prior, shown.against):
            pump = {"pump": _pump(problem, number)} if shown.pump is not None else {}
            return {"pair": number, "sequence": sequence, **pump}
    raise InternalError("a counterexample about a pair that is not compared")


def _pump(problem: Rational, number: int) -> Json:
    """The pump that the verdict shows for a pair, with the vectors that prove it."""
    found = pumps.find(problem.steps, [problem.sides[number]], problem.clock)
    if found is None:
        raise InternalError("a pump that is not found again")
    return {
        "prefix": list(found.prefix),
        "word": list(found.word),
        "left": _row(found.x),
        "right": _row(found.y),
        "growth": str(found.growth),
        "other_growth": str(found.other_growth),
    }


def _private(problem: Rational, c: fmpq, clock: Clock) -> Json:
    """A proof of privacy; over a cone if it is for every horizon, and would be long without."""
    has_cone = problem.question.horizon is None and problem.steps.size <= CONE_CELLS
    try:
        return list(_proof(problem, c, clock, BRIEFLY if has_cone else MOST))
    except LimitReached:
        cone = closed_cone(problem.steps, clock) if has_cone else None
        if cone is None:
            raise
    return _over_cone(problem, c, clock, cone)


def _over_cone(problem: Rational, c: fmpq, clock: Clock, cone: Cone) -> Json:
    steps, size = problem.steps, problem.steps.size
    generators: list[Sparse] = [{u: ONE, v: -d} for (u, v), d in cone.bounds.items()]

    def settled(x: Sparse) -> Json | None:
        """The multipliers for every observation, if x is settled over the cone."""
        parts = [part for _, part in sorted(steps.filtered(x).items())]
        found = [_dominated(part, generators, size) for part in parts]
        return None if None in found else [_terms(multipliers) for multipliers in found]

    return {
        "cone": [[u, v, str(d)] for (u, v), d in cone.bounds.items()],
        "closed": [settled(steps.moved(generator)) for generator in generators],
        "items": list(
            _proof(problem, c, clock, MOST, lambda x: {"cone": found} if (found := settled(x)) else None)
        ),
    }


def _proof(
    problem: Rational, c: fmpq, clock: Clock, most: int, settled: Callable[[Sparse], Json] = lambda x: None
) -> Iterator[Json]:
    """The items of the kernel's enumeration; ``settled`` is the item of a difference that a cone settles."""
    steps, horizon = problem.steps, problem.question.horizon
    level = [
        {s: left.get(s, ZERO) - c * right.get(s, ZERO) for s in {**left, **right}}
        for left, right in problem.sides
    ]
    kept: list[Sparse] = []
    depth = 0
    while level and depth != horizon:
        unsettled = [x for x in level if max(x.values()) > 0]
        items = [settled(x) for x in unsettled]
        rest = [x for x, item in zip(unsettled, items, strict=True) if item is None]
        fresh = [rest[i] for i in _needed(rest, kept, steps.size, clock)]
        kept += fresh
        if len(kept) > most:
            raise LimitReached(f"no certificate: a proof takes more than {most} differences")
        for x, item in zip(unsettled, items, strict=True):
            new = item is None and not any(x is y for y in fresh)
            yield _terms(_dominated(x, kept, steps.size)) if new else item
        level = [steps.moved(part) for x in fresh for _, part in sorted(steps.filtered(x).items())]
        depth += 1


def _terms(multipliers: Multipliers | None) -> Json:
    """Multipliers as they are listed."""
    return None if multipliers is None else [[j, str(factor)] for j, factor in multipliers.items()]


def _needed(level: Sequence[Sparse], kept: Sequence[Sparse], size: int, clock: Clock) -> list[int]:
    """The places of those that the others, with what was kept before, do not dominate."""
    needed: list[int] = []
    strengths = [sum(x.values(), ZERO) / sum(map(abs, x.values()), ZERO) for x in level]
    for i in sorted(range(len(level)), key=strengths.__getitem__, reverse=True):
        clock.tick("certificate", len(kept) + len(needed))
        if _multiple(level[i], [*kept, *(level[j] for j in needed)]) is None:
            needed.append(i)
    for i in list(needed):
        clock.tick("certificate", len(kept) + len(needed))
        others = [level[j] for j in needed if j != i]
        if _dominated(level[i], [*kept, *others], size) is not None:
            needed.remove(i)
    return sorted(needed)


def _dominated(x: Sparse, kept: Sequence[Sparse], size: int) -> Multipliers | None:
    """Multipliers >= 0 with which kept differences dominate x, if some were found."""
    found = _multiple(x, kept)
    if found is not None or size > FEW_CELLS:
        return found
    cells = range(size)
    columns = [[y.get(s, ZERO) for s in cells] for y in kept]
    columns += [[-ONE if s == t else ZERO for s in cells] for t in cells]
    solution = combination(columns, [x.get(s, ZERO) for s in cells])
    return None if solution is None else {j: x for j, x in enumerate(solution[: len(kept)]) if x}


def _multiple(x: Sparse, kept: Sequence[Sparse]) -> Multipliers | None:
    """A multiple of one difference."""
    for j, y in enumerate(kept):
        least = max((x[s] / y[s] for s in y if y[s] > 0 and s in x), default=ZERO)
        if least > 0 and all(x.get(s, ZERO) <= least * y.get(s, ZERO) for s in {**x, **y}):
            return {j: least}
    return None
