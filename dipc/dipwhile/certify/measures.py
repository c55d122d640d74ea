"""Certificates of accuracy, bounded range and Renyi divergences.

The kernel's walk is the only one: it asks for a proof of each function that it needs
(:mod:`dipc.kernel.measures`), which is searched when a certificate is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from flint import fmpq

import dipc.kernel.measures as kernel
from dipc.certificate.format import accepted, fraction, listed_interval, listed_proof, terms
from dipc.claims.accuracy import Accurate, Inaccuracy
from dipc.claims.divergence import Excess, Measured
from dipc.claims.ratios import vanishes
from dipc.claims.verdict import Proved, Refuted, Verdict
from dipc.clock import Clock
from dipc.dipwhile.certify.listing import LawWriter, flat, listed_pairs, related
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.measures import inputs_with
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import OutputLaws
from dipc.dipwhile.semantics.valuations import holds
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram
from dipc.dipwhile.syntax.measures import compile_condition_on_inputs, compile_good
from dipc.dipwhile.syntax.parser import parse_accurate
from dipc.errors import CLAIM_NAME, InputError
from dipc.kernel.facts import Function
from dipc.kernel.facts import Proof as ListedProof
from dipc.models.laws import Vector
from dipc.models.values import Value
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.search import proof


def certificate(program: CoreProgram, verdict: Verdict) -> kernel.Proved | kernel.Violated:
    """The certificate of a verdict on one of these claims.

    Raises :class:`InputError` if nothing was decided about all inputs, and :class:`LimitReached`.
    """
    match verdict:
        case Proved(Accurate() as claim):
            return accuracy(program, claim)
        case Refuted(Accurate() as claim, counterexample=Inaccuracy() as error):
            return inaccuracy(program, claim, error)
        case Proved(Measured() as claim) if program.adjacency is not None:
            return bounded(program, program.adjacency, claim)
        case Refuted(Measured() as claim, counterexample=Excess() as excess) if program.adjacency is not None:
            return exceeded(program, program.adjacency, claim, excess)
    raise InputError("there is no certificate: nothing was decided about all inputs of the program")


def proved(listed: kernel.Proved, on: EpsRange) -> kernel.Proved:
    """The certificate with the proofs that the kernel asks for.  Raises :class:`LimitReached`."""
    found = list[ListedProof]()

    def search(f: Function) -> ListedProof:
        numbers = ((c, n, a, k, b) for (n, a, k, b), c in f.items())
        g = ExpPoly.from_terms([Term(rational(c), n, *map(rational, rest)) for c, n, *rest in numbers])
        found.append(listed_proof(proof(g, on), g))
        return found[-1]

    with accepted():
        kernel.checked(listed, prover=search)
    return replace(listed, proofs=found)


def rational(value: Any) -> fmpq:
    return fmpq(value.numerator, value.denominator)


# --- accuracy -------------------------------------------------------------------------------------------


def accuracy(program: CoreProgram, claim: Accurate) -> kernel.Proved:
    """A proof: the laws of all inputs, and the bad outcomes of those that meet the condition."""
    clock, explored, writer = Clock(), Explored(program), LawWriter(program, claim.budgets)
    explorer = Explorer(program, clock.deadline)
    functions = OutputFunctions(explorer, explored.space, partial(clock.tick, "output distributions"))
    laws = OutputLaws(functions, explored.space)
    diagram, outcomes = writer.diagram(laws), [flat(outcome) for outcome in laws.outcomes]
    good, when = expressions(program, claim)
    chosen = {cells_of(writer, u) for u in inputs_with(explored, when, clock)}
    bad: list[list[int] | None] = []
    for u in explored.space.listed():
        cells = cells_of(writer, u)
        law = laws.law(laws.leaf(cells))
        bad.append(bad_outcomes(program, good, cells, outcomes, law) if cells in chosen else None)
    fields = writer.header("measure", accurate(writer, claim), outcomes) | diagram
    return proved(kernel.Proved(**fields, adjacency=None, divisors=[], bad=bad, proofs=[]), claim.budgets)


def inaccuracy(program: CoreProgram, claim: Accurate, found: Inaccuracy) -> kernel.Violated:
    """An input at which an error is too likely."""
    writer = LawWriter(program, EpsRange.point(found.epsilon))
    (cells,), outcomes, (law,) = writer.laws_on([found.input])
    good, _ = expressions(program, claim)
    functions = [*writer.ratios.numbers]
    bad = bad_outcomes(program, good, cells, outcomes, [functions[i] for i in law])
    place = [str(v) for v in cells]
    violation = kernel.Violation(place, place, bad, fraction(found.epsilon), [])
    fields = writer.header("measure", accurate(writer, claim), outcomes)
    return kernel.Violated(**fields, adjacency=None, divisors=[], laws=[law, law], violation=violation)


def accurate(writer: LawWriter, claim: Accurate) -> kernel.Accurate:
    """The claim as it is listed."""
    beta, divisor = writer.ratios.ratio(claim.beta)
    return kernel.Accurate(
        claim.good, claim.condition, (terms(beta), divisor), listed_interval(claim.budgets)
    )


def expressions(program: CoreProgram, claim: Accurate) -> Any:
    """What is good, and the condition, with their constants evaluated."""
    when = "" if claim.condition is None else f" when {claim.condition}"
    read = parse_accurate(f"accurate {claim.good}, 0{when}", CLAIM_NAME)
    condition = None if read.condition is None else compile_condition_on_inputs(read.condition, program)
    return compile_good(read.good, program), condition


def cells_of(writer: LawWriter, u: Any) -> tuple[Value, ...]:
    """The values of the cells of an input."""
    return tuple(u[cell] for cell in writer.space.cells)


def bad_outcomes(
    program: CoreProgram, good: Any, cells: Sequence[Value], outcomes: Sequence[Any], law: Sequence[Quotient]
) -> list[int]:
    """The possible outcomes that are not good."""
    variables, each = (*program.inputs, *program.outputs), enumerate(zip(outcomes, law, strict=True))
    return [o for o, (outcome, p) in each if p and not holds(good, variables, (*cells, *outcome))]


# --- likelihood ratios ------------------------------------------------------------------------------------


def bounded(program: CoreProgram, adjacency: CoreAdjacency, claim: Measured) -> kernel.Proved:
    """A proof about the laws of all adjacent inputs."""
    writer = LawWriter(program, claim.budgets)
    neighbours, _ = Explored(program).neighbours(adjacency, Clock())
    diagram, outcomes = writer.diagram(neighbours), [flat(outcome) for outcome in neighbours.outcomes]
    divisors = divisors_of(writer, claim, [(case.left, case.right) for case in neighbours.by_law()])
    fields = writer.header("measure", bound(writer, claim), outcomes) | diagram
    fields |= {"adjacency": related(adjacency, listed_pairs(adjacency, neighbours)), "divisors": divisors}
    return proved(kernel.Proved(**fields, bad=[], proofs=[]), claim.budgets)


def exceeded(
    program: CoreProgram, adjacency: CoreAdjacency, claim: Measured, found: Excess
) -> kernel.Violated:
    """Two adjacent inputs whose laws differ by more than is claimed."""
    writer = LawWriter(program, EpsRange.point(found.epsilon))
    cells, outcomes, laws = writer.laws_on([found.input, found.neighbour])
    numbers = [*writer.ratios.numbers]
    vectors = [tuple(numbers[i] for i in law) for law in laws]
    divisors = [] if found.infinite else divisors_of(writer, claim, [(vectors[0], vectors[1])])
    sets = [found.outputs, found.others] if claim.measure.order is None else [(), ()]
    some, others = (sorted(outcomes.index(tuple(flat(o))) for o in each) for each in sets)
    first, last = sorted(map(writer.position, cells))
    pairs = [(first, last)] if adjacency.formula is not None else None
    u, v = ([str(x) for x in values] for values in cells)
    violation = kernel.Violation(u, v, some, fraction(found.epsilon), others)
    fields = writer.header("measure", bound(writer, claim), outcomes)
    fields |= {"adjacency": related(adjacency, pairs), "divisors": divisors}
    return kernel.Violated(**fields, laws=laws, violation=violation)


def divisors_of(writer: LawWriter, claim: Measured, laws: Sequence[tuple[Vector, Vector]]) -> list[int]:
    """The functions that a divergence divides by; their numerators are listed among the denominators."""
    compared = {(p, q) for left, right in laws for p, q in zip(left, right, strict=True)}
    divisors = {q for p, q in compared if p and p != q and claim.measure.order is not None}
    for q in (usable := [q for q in divisors if not vanishes(q, writer.on)]):
        writer.ratios.positive(q)
    return sorted(writer.ratios.number(q) for q in usable)


def bound(writer: LawWriter, claim: Measured) -> kernel.Bounded:
    """The claim as it is listed."""
    factor: Quotient = claim.exponent.factor
    return kernel.Bounded(claim.measure.order, writer.ratios.positive(factor), listed_interval(claim.budgets))
