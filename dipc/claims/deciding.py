"""From a claim and the laws of adjacent inputs to a verdict, whatever system the laws come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from dipc.claims.cases import Counts, Evidence, Findings, go_through
from dipc.claims.claim import Claim, PairOfLaws
from dipc.claims.oracle import SignOracle
from dipc.claims.verdict import Doubt, Refuted, Undecided, Verdict
from dipc.clock import Clock
from dipc.errors import LimitReached
from dipc.models.laws import Neighbours, cases_in_order


def decide(
    claim: Claim,
    inputs: int,
    explore: Callable[[SignOracle], Neighbours],
    clock: Clock,
    system: object = None,
) -> Verdict:
    """Decide a claim about a system with this number of inputs.

    ``explore`` finds the laws of adjacent inputs; it may ask the oracle whether they make sense on the range
    of the claim.  A proof carries its evidence about ``system``, if one is given and no ``shortcut`` was
    taken that has none.  Raises :class:`InputError` if the claim or the system makes no sense; a limit that
    runs out is an :class:`Undecided` verdict.
    """
    oracle, findings = SignOracle(claim.budgets), Findings()
    inequalities = claim.inequalities(oracle)
    neighbours: Neighbours | None = None
    try:
        claim.validate(oracle)
        neighbours = explore(oracle)
        clock.lap("distributions")
        cases = cases_in_order(neighbours, claim.by_output)
        clock.lap("neighbours")
        go_through(cases, inequalities, findings, partial(clock.tick, "inequalities"))
        clock.lap("decision")
        counts = findings.counts(neighbours, claim)
        if findings.violation is not None:
            violation, rank = findings.violation, findings.violation.pair
            pair = PairOfLaws(neighbours.outcomes, neighbours.pair(rank), neighbours.laws(rank))
            clock.found(claim.refuted(claim, counts, {}, inequalities.witness_as_found(violation, pair)))
            found = inequalities.witness(violation, pair)
            clock.lap("counterexample")
            notes = _notes(claim, oracle, neighbours)
            refuted: Verdict = claim.refuted(claim, counts, clock.laps, found, notes=notes)
            return refuted
    except (LimitReached, MemoryError) as limit:
        so_far = None if neighbours is None else findings.counts_so_far(neighbours)
        return given_up(claim, inputs, clock, limit, so_far)
    if findings.doubts:
        doubts = tuple(
            Doubt(*neighbours.pair(rank), tuple(neighbours.outcomes[o] for o in outputs), x.low, x.high)
            for rank, outputs, x in findings.doubts
        )
        return Undecided(claim, counts, clock.laps, doubts, "the sign of an inequality could not be settled")
    complete = system is not None and not neighbours.shortcut
    evidence = Evidence(system, neighbours, findings.answers) if complete else None
    notes = _notes(claim, oracle, neighbours)
    proved: Verdict = claim.proved(claim, counts, clock.laps, notes=notes, evidence=evidence)
    return proved


def reason_of(limit: Exception) -> str:
    """The limit in words."""
    return str(limit) if isinstance(limit, LimitReached) else "the memory ran out"


def given_up(
    claim: Claim, inputs: int, clock: Clock, limit: Exception, counts: Counts | None = None
) -> Verdict:
    """The verdict after a limit that ran out; ``counts`` say what was settled before, if anything was.

    A violation that was found stays one: it has an eps and exact numbers.  It may be less simple.
    """
    clock.lap("limit")
    if isinstance(clock.known, Refuted) and clock.known.claim == claim:
        as_found = f"the counterexample is shown as it was found: {reason_of(limit)}"
        return replace(clock.known, seconds=clock.laps, notes=(as_found,))
    settled = Counts(inputs, 0, 0, 0, 0) if counts is None else counts
    return Undecided(claim, settled, clock.laps, (), f"{reason_of(limit)} ({clock.doing})")


def _notes(claim: Claim, oracle: SignOracle, neighbours: Neighbours) -> tuple[str, ...]:
    """Why the verdict may say less than it seems to."""
    notes = list(claim.notes(oracle))
    if not neighbours.different:
        notes.append("no two different inputs are neighbours: each input was compared with itself only")
    if len(neighbours.outcomes) == 1:
        notes.append("there is only one possible output, whatever the input")
    if not neighbours.symmetric:
        notes.append("the adjacency formula is not symmetric: it was read both ways round")
    return tuple(notes)
