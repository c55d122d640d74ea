"""Why two inputs have the privacy loss that they have: the paths to an output, and what each of them pays.

:func:`explain` chooses two inputs and outputs: those of the counterexample, if the claim is violated; else
those that force the least epsilon (or the least delta); or those that were asked for.  It then computes

* the paths to the outputs on both inputs, put side by side where they make the same random choices;
* for each such pair of paths the cheapest shift of its samples (:mod:`dipc.dipwhile.explain.shifts`);
* the least t for these inputs and outputs alone, and where the claimed inequality is broken.

Everything is exact.  The probabilities of the paths must add up to that of the outputs, which the main
pipeline has computed in another way: if they do not, dipc contradicts itself and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from flint import fmpq

import dipc.views as views
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, Violated
from dipc.claims.regions import Region, violated_regions
from dipc.claims.tightness.curves import profile
from dipc.claims.tightness.least import Kind, Least, Spot, least
from dipc.claims.tightness.least_epsilon import WIDTH, budget, demand
from dipc.claims.tightness.losses import Witness
from dipc.claims.verdict import Undecided
from dipc.clock import Clock
from dipc.dipwhile.convert import cells_of, to_outcome
from dipc.dipwhile.explain.paths import Found, Path, Stop, Walk
from dipc.dipwhile.explain.shifts import Alignment, alignment
from dipc.dipwhile.pipeline import (
    Ask,
    check,
    distribution,
    eps_range_of,
    goal_of,
    losses_of,
    neighbours_of,
)
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.semantics.valuations import grouped, output_valuation
from dipc.dipwhile.syntax.core import Cell, CoreClaim, CoreProgram
from dipc.errors import InputError, InternalError, LimitReached
from dipc.models.laws import Case, Pairs
from dipc.models.values import Valuation, Value
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Number
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.roots import Unsettled

MOST_PATHS = 8


class Reason(Enum):
    """Why these inputs and outputs."""

    VIOLATED = "they break the claim"
    TIGHTEST = "no others need a greater budget"
    ASKED = "they were asked for"


@dataclass(frozen=True, slots=True)
class Route:
    """A path on u with its twin on u', which makes the same random choices; or a path on one of them only.

    Of a path on u only, ``stop`` tells how far its choices can be made on u'.
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
    bound: Number
    excess: Number
    regions: tuple[Region, ...] | None

    @property
    def identity(self) -> bool:
        """Whether it is an equality for every eps."""
        return not self.excess

    def broken_at(self, eps: fmpq) -> bool:
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
        costs = []
        for route in self.routes:
            if route.left is None:
                continue
            found = route.alignment
            if found is None or found.factor != Quotient.one() or (found.inverse and found.cost):
                return None
            costs.append(found.cost)
        return max(costs, default=None) if self.complete else None


def explain(
    program: CoreProgram,
    claim: CoreClaim | None,
    ask: Ask,
    outcome: Outcome | None = None,
    most: int = MOST_PATHS,
) -> Explanation:
    """The explanation of a claim, or of the program's tightest budget if there is none.

    The inputs of ``ask`` and the ``outcome`` are chosen here if they are None; ``most`` paths are listed.
    Raises :class:`InputError`, and :class:`LimitReached` if the claim stays undecided.
    """
    clock = ask.clock()
    goal = None if claim is None else goal_of(claim)
    budgets = eps_range_of(claim)
    if ask.at is not None and ask.at not in budgets:
        raise InputError(f"eps = {ask.at} is not one of the budgets {budgets}")
    if outcome is None:
        chosen = _chosen(program, claim, goal, ask, clock)
    elif ask.pair is None:
        raise InputError("an output alone cannot be explained", hint="give the two inputs, too")
    else:
        neighbours_of(program, SignOracle(budgets), ask.pair, clock)  # refuses inputs that are not adjacent
        chosen = _Chosen(Reason.ASKED, ask.pair, (outcome,))
    eps = ask.at if ask.at is not None else chosen.eps
    return _explained(program, goal, budgets, chosen, eps, most, clock)


@dataclass(frozen=True, slots=True)
class _Chosen:
    reason: Reason
    pair: tuple[Input, Input]
    outcomes: tuple[Outcome, ...]
    eps: fmpq | None = None
    tightness: Tightness | None = None


def _chosen(
    program: CoreProgram,
    claim: CoreClaim | None,
    goal: Goal | None,
    ask: Ask,
    clock: Clock,
) -> _Chosen:
    """The counterexample, or what is tightest."""
    budgets = ask.eps_range(claim)
    if claim is not None:
        match check(program, claim, ask):
            case Violated(counterexample=found):
                return _of(
                    program, Reason.VIOLATED, found.input, found.neighbour, found.outputs, found.epsilon
                )
            case Undecided(reason=reason):
                raise LimitReached(f"nothing is explained, because the claim is undecided: {reason}")
    if goal is not None and goal.delta:
        least_delta = profile(losses_of(program, budgets, clock, ask.pair), goal.t, WIDTH)
        if least_delta.witnesses:  # else no delta is needed at all
            return _tightest(program, least_delta.least, least_delta.witnesses, True)
    found_budget = budget(losses_of(program, budgets, clock, ask.pair))
    return _tightest(program, found_budget.least, found_budget.witnesses, False)


def _tightest(
    program: CoreProgram, found: Least, witnesses: Sequence[tuple[Spot, Witness]], of_delta: bool
) -> _Chosen:
    if not witnesses:
        raise InputError(
            "there is no loss to explain: all neighbours have the same output distribution",
            hint="give two inputs and an output: --input ... --neighbour ... --output ...",
        )
    spot, witness = witnesses[0]
    same = tuple(s for s, w in witnesses if w == witness)
    place = spot.place if spot.kind is Kind.AT and isinstance(spot.place, fmpq) else None
    chosen = _of(program, Reason.TIGHTEST, witness.input, witness.neighbour, witness.outputs, place)
    return replace(chosen, tightness=Tightness(True, found, same) if of_delta else None)


def _of(
    program: CoreProgram,
    reason: Reason,
    left: Valuation,
    right: Valuation,
    outputs: Sequence[Valuation],
    eps: fmpq | None,
) -> _Chosen:
    pair = cells_of(program.inputs, dict(left), "input"), cells_of(program.inputs, dict(right), "input")
    outcomes = tuple(to_outcome(program, dict(output)) for output in outputs)
    exact = None if eps is None else fmpq(int(eps.numerator), int(eps.denominator))
    return _Chosen(reason, pair, outcomes, exact)


# --- the computation -------------------------------------------------------------------------------


def _explained(
    program: CoreProgram,
    goal: Goal | None,
    budgets: EpsRange,
    chosen: _Chosen,
    eps: fmpq | None,
    most: int,
    clock: Clock,
) -> Explanation:
    (u, v), outcomes = chosen.pair, chosen.outcomes
    at = eps if eps is not None else simple_budget(budgets)
    p, q = (_mass(program, values, outcomes, budgets) for values in chosen.pair)
    walks = Walk(program, u, clock.tick), Walk(program, v, clock.tick)
    lefts, rights = (walk.paths(outcomes, most) for walk in walks)
    routes = _routes(lefts, rights, walks[1])
    rest = _rest(p, [route.left for route in routes], lefts.complete, at)
    neighbour_rest = _rest(q, [route.right for route in routes], rights.complete, at)
    return Explanation(
        program=program,
        reason=chosen.reason,
        input=grouped(program.inputs, u),
        neighbour=grouped(program.inputs, v),
        outputs=tuple(output_valuation(program, outcome) for outcome in outcomes),
        changed=tuple((c, u[c], v[c]) for x in program.inputs for c in x.cells if u[c] != v[c]),
        budgets=budgets,
        eps=at,
        probability=p,
        neighbour_probability=q,
        routes=tuple(routes),
        rest=rest,
        neighbour_rest=neighbour_rest,
        complete=lefts.complete,
        neighbour_complete=rights.complete or not neighbour_rest,
        claimed=None if goal is None else _claimed(goal, p, q),
        tightness=chosen.tightness or _tightness(goal, p, q, budgets, clock),
    )


def simple_budget(budgets: EpsRange) -> fmpq:
    """1, if that is one of the budgets, else the simplest one inside."""
    if fmpq(1) in budgets:
        return fmpq(1)
    return budgets.low if budgets.is_point else simplest_between(budgets.low, budgets.high)


def _mass(program: CoreProgram, values: Input, outcomes: Sequence[Outcome], budgets: EpsRange) -> Quotient:
    law = distribution(program, values, budgets)
    return sum((law.get(outcome, Quotient.of(0)) for outcome in outcomes), Quotient.of(0))


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
        if alike := twins.get(path.signature):
            routes.append(_side_by_side(path, alike.pop(0)))
            continue
        stop = walk.follow(path)
        if not rights.complete and stop.path is not None and stop.path.outcome in wanted:
            routes.append(_side_by_side(path, stop.path))
        else:
            routes.append(Route(path, None, stop=stop))
    return [*routes, *(Route(None, path) for alike in twins.values() for path in alike)]


def _side_by_side(left: Path, right: Path) -> Route:
    return Route(left, right, alignment(left, right))


def _claimed(goal: Goal, p: Quotient, q: Quotient) -> Claimed:
    bound = goal.bound(q)
    excess = p - bound
    return Claimed(goal, bound, excess, _regions(goal, excess))


def _regions(goal: Goal, excess: Number) -> tuple[Region, ...] | None:
    """The budgets of the claim at which these outputs break it; None if not settled."""
    try:
        return tuple(violated_regions([SignOracle(goal.budgets).signs_of(-excess)], goal.budgets))
    except Unsettled:
        return None


def _tightness(
    goal: Goal | None, p: Quotient, q: Quotient, budgets: EpsRange, clock: Clock
) -> Tightness | None:
    """The least t for these probabilities; with a delta one number alone says nothing."""
    if (goal is not None and goal.delta) or not p:
        return None
    found = least([demand(Case((0,), (p,), (q,), Pairs(0, 1)))], budgets, WIDTH, clock.tick)
    return Tightness(False, found, found.spots)
