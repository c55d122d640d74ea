"""Where the privacy loss of two inputs comes from: the paths to an output, and the cost of each.

:func:`explain` chooses two inputs and outputs: those of the counterexample, if the claim is violated; else
those that need the least epsilon (or the least delta); or those that the user names.  It then computes

* the paths to the outputs on both inputs, put side by side where they make the same random choices;
* for each such pair of paths the cheapest shift of its samples (:mod:`dipc.dipwhile.explain.shifts`);
* the least t for these inputs and outputs alone, and where the claimed inequality is broken.

Everything is exact.  The probabilities of the paths must add up to that of the outputs, which the main
pipeline computes in another way: if they do not, dipc contradicts itself and reports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from flint import fmpq

import dipc.dipwhile.pipeline as pipeline
import dipc.views as views
from dipc.claims.counterexample import Counterexample
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, Violated
from dipc.claims.regions import Region, violated_regions
from dipc.claims.tightness.curves import profile
from dipc.claims.tightness.least import Kind, Least, Spot, least
from dipc.claims.tightness.least_epsilon import WIDTH, budget, requirement
from dipc.claims.tightness.losses import Witness
from dipc.claims.verdict import Undecided, Verdict
from dipc.clock import Clock
from dipc.dipwhile.convert import to_input, to_outcome
from dipc.dipwhile.explain.paths import Found, Path, Stop, Walk
from dipc.dipwhile.explain.shifts import Alignment, alignment
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import Ask
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.semantics.valuations import grouped, output_valuation
from dipc.dipwhile.syntax.core import Cell, CoreClaim, CoreProgram
from dipc.errors import InputError, InternalError, LimitReached
from dipc.models.values import Valuation, Value
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.roots import Unsettled


class Reason(Enum):
    """Why these inputs and outputs."""

    VIOLATED = "they break the claim"
    TIGHTEST = "no others need a greater budget"
    ASKED = "they were asked for"


@dataclass(frozen=True, slots=True)
class Route:
    """A path on u with its twin on u', which makes the same random choices; or a path on one of them only.

    For a path on u only, ``stop`` says how far its choices can be made on u'.
    """

    left: Path | None
    right: Path | None
    alignment: Alignment | None = None
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Tightness:
    """The least t (or delta) for these inputs and outputs, and the spots where they need it."""

    of_delta: bool
    least: Least
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """The claim for these inputs and outputs: ``probability <= bound``.

    It is broken on ``regions``; None if that was not settled.
    """

    goal: Goal
    bound: Quotient
    excess: Quotient
    regions: tuple[Region, ...] | None

    @property
    def identity(self) -> bool:
        """Whether it is an equality for every eps."""
        return not self.excess

    def broken_at(self, eps: fmpq) -> bool:
        """Whether the inequality fails at this eps."""
        return self.excess.sign_at(eps) > 0


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(views.Shown):
    """Two inputs, some outputs, and where the loss between them comes from."""

    program: CoreProgram
    reason: Reason
    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    changed: tuple[tuple[Cell, Value, Value], ...]
    budgets: EpsRange
    eps: fmpq
    probability: Quotient
    neighbour_probability: Quotient
    routes: tuple[Route, ...]
    rest: Quotient  # of the probability on u: what the paths that are left out have
    neighbour_rest: Quotient
    complete: bool  # whether no path on u is left out
    neighbour_complete: bool
    claimed: Claimed | None
    tightness: Tightness | None

    @property
    def infinite_loss(self) -> bool:
        """Whether u' never gives these outputs."""
        return not self.neighbour_probability

    @property
    def aligned(self) -> fmpq | None:
        """A t with ``P(u) <= exp(t*eps) * P(u')`` by shifts alone, if every path on u has such a shift."""
        found = [route.alignment for route in self.routes if route.left is not None]
        plain = [a.cost for a in found if a and a.factor == Quotient.one() and not (a.inverse and a.cost)]
        return max(plain, default=None) if self.complete and len(plain) == len(found) else None


def explain(
    explored: Explored, claim: CoreClaim | None, ask: Ask, outcome: Outcome | None, most: int
) -> Explanation:
    """The explanation of a claim, or of the program's least epsilon if there is none.

    The inputs of ``ask`` and the ``outcome`` are chosen here if they are None; ``most`` paths are listed.
    Raises :class:`InputError`, and :class:`LimitReached` if the claim stays undecided.
    """
    goal = None if claim is None else pipeline.goal_of(claim)
    budgets = pipeline.eps_range_of(claim)
    if ask.at is not None and ask.at not in budgets:
        raise InputError(f"eps = {ask.at} is not one of the budgets {budgets}")
    question = _Question(explored, goal, budgets, ask, most, ask.clock)
    if outcome is not None:
        return question.explanation(question.asked_for(outcome))
    violation = None if claim is None else question.violation(pipeline.check(explored, claim, ask))
    return question.explanation(violation or question.tightest())


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The inputs and outputs to explain, and the eps to look at, if there is one."""

    reason: Reason
    pair: tuple[Input, Input]
    outcomes: tuple[Outcome, ...]
    eps: fmpq | None = None
    tightness: Tightness | None = None


@dataclass(frozen=True, slots=True)
class _Question:
    explored: Explored
    goal: Goal | None
    budgets: EpsRange
    ask: Ask
    most: int
    clock: Clock

    @property
    def program(self) -> CoreProgram:
        return self.explored.program

    # --- what to explain -----------------------------------------------------------------------

    def asked_for(self, outcome: Outcome) -> _Chosen:
        """One output on two inputs."""
        pair = self.ask.pair
        if pair is None:
            raise InputError("an output alone cannot be explained", hint="give the two inputs, too")
        # Refuses two inputs that are not adjacent.
        pipeline.neighbours_of(self.explored, SignOracle(self.budgets), pair, self.clock)
        return _Chosen(Reason.ASKED, pair, (outcome,))

    def violation(self, verdict: Verdict) -> _Chosen | None:
        """The counterexample of a violated claim."""
        if isinstance(verdict, Undecided):
            raise LimitReached(f"nothing is explained, because the claim is undecided: {verdict.reason}")
        found = verdict.counterexample if isinstance(verdict, Violated) else None
        return self._chosen(Reason.VIOLATED, found, found.epsilon) if found else None

    def tightest(self) -> _Chosen:
        """What forces the least delta or, where no delta is needed, the least epsilon."""
        at = self.ask.at
        budgets = self.budgets if at is None else EpsRange.point(at)
        losses = pipeline.losses_of(self.explored, budgets, self.clock, self.ask.pair)
        goal = self.goal
        least_delta = profile(losses, goal.exponent, WIDTH) if goal is not None and goal.delta else None
        needs_delta = least_delta is not None and bool(least_delta.witnesses)
        found = least_delta if least_delta is not None and needs_delta else budget(losses)
        if not found.witnesses or (self.ask.pair is None and found.least.exact == 0):
            message = "no pair of neighbours differs: all have the same output distribution, the loss is 0"
            hint = "give two inputs and an output: --pair ... --output ..."
            raise InputError(message, hint=hint)
        spot, witness = found.witnesses[0]
        same = tuple(s for s, w in found.witnesses if w == witness)
        place = spot.place if spot.kind is Kind.AT and isinstance(spot.place, fmpq) else None
        tightness = Tightness(True, found.least, same) if needs_delta else None
        return self._chosen(Reason.TIGHTEST, witness, place, tightness)

    def _chosen(
        self, reason: Reason, of: Counterexample | Witness, eps: fmpq | None, found: Tightness | None = None
    ) -> _Chosen:
        pair = to_input(self.program, dict(of.input)), to_input(self.program, dict(of.neighbour))
        outcomes = tuple(to_outcome(self.program, dict(output)) for output in of.outputs)
        return _Chosen(reason, pair, outcomes, None if eps is None else fmpq(eps.p, eps.q), found)

    # --- the computation -----------------------------------------------------------------------

    def explanation(self, chosen: _Chosen) -> Explanation:
        """Everything about the inputs and outputs that were chosen."""
        program, goal = self.program, self.goal
        (u, v), outcomes = chosen.pair, chosen.outcomes
        at = self.ask.at if self.ask.at is not None else chosen.eps
        eps = at if at is not None else simple_budget(self.budgets)
        laws = [pipeline.distribution(program, values, self.budgets) for values in chosen.pair]
        p, q = (sum((law.get(o, Quotient.of(0)) for o in outcomes), Quotient.of(0)) for law in laws)
        walks = Walk(program, u, self.clock.tick), Walk(program, v, self.clock.tick)
        lefts, rights = (walk.paths(outcomes, self.most) for walk in walks)
        routes = _routes(lefts, rights, walks[1])
        tightness = chosen.tightness
        if (
            tightness is None and p and not (goal and goal.delta)
        ):  # with a delta one number alone says nothing
            found = least([requirement(p, q)], self.budgets, WIDTH, self.clock)
            tightness = Tightness(False, found, found.spots)
        neighbour_rest = _rest(q, [route.right for route in routes], rights.complete, eps)
        return Explanation(
            program=program,
            reason=chosen.reason,
            input=grouped(program.inputs, u),
            neighbour=grouped(program.inputs, v),
            outputs=tuple(output_valuation(program, outcome) for outcome in outcomes),
            changed=tuple((c, u[c], v[c]) for x in program.inputs for c in x.cells if u[c] != v[c]),
            budgets=self.budgets,
            eps=eps,
            probability=p,
            neighbour_probability=q,
            routes=tuple(routes),
            rest=_rest(p, [route.left for route in routes], lefts.complete, eps),
            neighbour_rest=neighbour_rest,
            complete=lefts.complete,
            neighbour_complete=rights.complete or not neighbour_rest,
            claimed=None if goal is None else _claimed(goal, p, q),
            tightness=tightness,
        )


def simple_budget(budgets: EpsRange) -> fmpq:
    """1, if that is one of the budgets, else the simplest one inside."""
    if fmpq(1) in budgets:
        return fmpq(1)
    return budgets.low if budgets.is_point else simplest_between(budgets.low, budgets.high)


def _rest(total: Quotient, paths: Sequence[Path | None], complete: bool, eps: fmpq) -> Quotient:
    """What the paths that are not listed have; nothing, if all are."""
    found = sum((path.probability for path in paths if path is not None), Quotient.of(0))
    rest = total - found
    if (complete and rest) or rest.sign_at(eps) < 0:
        raise InternalError(f"the paths have the probability {found}, their output {total}")
    return rest


def _routes(lefts: Found, rights: Found, walk: Walk) -> list[Route]:
    """Paths side by side: a twin that is not among the first paths on u' is looked for."""
    twins: dict[tuple[object, ...], list[Path]] = {}
    for path in rights.paths:
        twins.setdefault(path.signature, []).append(path)
    wanted = {path.outcome for path in lefts.paths}
    routes = []
    for path in lefts.paths:
        alike = twins.get(path.signature)
        stop = None if alike else walk.follow(path)
        twin = alike.pop(0) if alike else None
        if not rights.complete and stop and stop.path and stop.path.outcome in wanted:
            twin, stop = stop.path, None
        routes.append(Route(path, twin, alignment(path, twin) if twin else None, stop))
    return [*routes, *(Route(None, path) for alike in twins.values() for path in alike)]


def _claimed(goal: Goal, p: Quotient, q: Quotient) -> Claimed:
    bound = goal.bound(q)
    excess = p - bound
    regions = None
    with suppress(Unsettled):
        regions = tuple(violated_regions([SignOracle(goal.budgets).numerator(-excess)], goal.budgets))
    return Claimed(goal, bound, excess, regions)
