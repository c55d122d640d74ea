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
from dipc.dipwhile.measures import cells, inputs_with
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import OutputLaws
from dipc.dipwhile.semantics.valuations import holds
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram
from dipc.dipwhile.syntax.measures import compile_condition_on_inputs, compile_good
from dipc.dipwhile.syntax.parser import parse_expression
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
            return Errors(program, claim, claim.budgets).proof()
        case Refuted(Accurate() as claim, counterexample=Inaccuracy() as error):
            return Errors(program, claim, EpsRange.point(error.epsilon)).violation(error)
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


class Errors(LawWriter):
    """A certificate of accuracy being written."""

    def __init__(self, program: CoreProgram, claim: Accurate, on: EpsRange) -> None:
        super().__init__(program, on)
        self.claim, self.variables = claim, (*program.inputs, *program.outputs)
        self.good = compile_good(parse_expression(claim.good, CLAIM_NAME), program)

    def bad(self, cells: Sequence[Value], outcomes: Sequence[Any], law: Sequence[Quotient]) -> list[int]:
        """The possible outcomes that are not good."""
        each = enumerate(zip(outcomes, law, strict=True))
        return [
            o for o, (outcome, p) in each if p and not holds(self.good, self.variables, (*cells, *outcome))
        ]

    def fields(self, outcomes: Sequence[Sequence[Value]]) -> dict[str, Any]:
        """The fields of both kinds."""
        beta, divisor = self.ratios.ratio(self.claim.beta)
        on = listed_interval(self.claim.budgets)
        said = kernel.Accurate(self.claim.good, self.claim.condition, (terms(beta), divisor), on)
        return {**self.header("measure", said, outcomes), "adjacency": None, "divisors": []}

    def proof(self) -> kernel.Proved:
        """The laws of all inputs, and the bad outcomes of those that meet the condition."""
        clock, explored, when = Clock(), Explored(self.program), None
        tick = partial(clock.tick, "output distributions")
        functions = OutputFunctions(Explorer(self.program, clock.deadline), self.space, tick)
        laws = OutputLaws(functions, self.space)
        diagram, outcomes = self.diagram(laws), [flat(outcome) for outcome in laws.outcomes]
        if self.claim.condition is not None:
            condition = parse_expression(self.claim.condition, CLAIM_NAME)
            when = compile_condition_on_inputs(condition, self.program)
        chosen = {cells(explored, u) for u in inputs_with(explored, when, clock)}
        every = (cells(explored, u) for u in self.space.listed())
        bad = [self.bad(u, outcomes, laws.law(laws.leaf(u))) if u in chosen else None for u in every]
        return proved(kernel.Proved(**self.fields(outcomes) | diagram, bad=bad, proofs=[]), self.on)

    def violation(self, found: Inaccuracy) -> kernel.Violated:
        """An input at which an error is too likely."""
        (u,), outcomes, (law,) = self.laws_on([found.input])
        functions, place = [*self.ratios.numbers], [str(v) for v in u]
        bad = self.bad(u, outcomes, [functions[i] for i in law])
        violation = kernel.Violation(place, place, bad, fraction(found.epsilon), [])
        return kernel.Violated(**self.fields(outcomes), laws=[law, law], violation=violation)


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
