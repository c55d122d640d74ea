"""Certificates of a proof for every size: the automaton and its strategies, as the kernel reads them.

What is written is checked at once by :mod:`dipc.kernel.sizes`, which also says why it is a proof.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, assert_never

from flint import fmpq

from dipc.certificate.format import (
    Ratios,
    accepted,
    fraction,
    listed_interval,
    listed_program,
    listed_proof,
    terms,
)
from dipc.claims.exponent import Exponent
from dipc.claims.privacy import Goal
from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import (
    ZERO,
    Automaton,
    Choice,
    Draw,
    Edge,
    Exponential,
    Form,
    Sample,
    Step,
)
from dipc.dipwhile.allsizes.confirm import Contradicted, confirmed_at
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.question import Question, symbolic
from dipc.dipwhile.allsizes.verdict import Confirmed, ProvedForAll
from dipc.dipwhile.certify.compared import (
    Statement,
    parameters_compared,
    rationals,
    source_in,
    written,
)
from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.rederive.claims import is_claim_of
from dipc.dipwhile.rederive.programs import parameters
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_distance
from dipc.dipwhile.syntax.parser import parse, parse_claim
from dipc.dipwhile.syntax.printer import show
from dipc.dipwhile.syntax.types import names_in
from dipc.errors import CLAIM_NAME, InputError, LimitReached
from dipc.kernel import automata as listing
from dipc.kernel import facts, laws
from dipc.kernel import sizes as kernel
from dipc.kernel.facts import Terms
from dipc.kernel.privacy import Claimed
from dipc.kernel.reading import Refused
from dipc.kernel.schema import FORMAT, VERSION, write
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.search import proof


def sizes_certificate(asked: Question, proved: ProvedForAll) -> kernel.Listed:
    """A certificate of a proof for every size.

    Raises :class:`~dipc.signs.limits.NoProof` for a finite draw, and :class:`~dipc.errors.LimitReached` if
    the kernel would refuse it.
    """
    goal, automaton, strategies = asked.goal, proved.automaton, proved.strategies
    assert goal is not None
    draws = Draws(goal.budgets)
    listed, question = listed_automaton(automaton, draws), _question(asked, automaton)
    spent = (s.potentials.get(automaton.start, ZERO) for s in strategies)
    certificate = kernel.Listed(
        **question,
        **vars(listed),
        t=fraction(max(spent, default=ZERO)),
        claim=Claimed(fraction(goal.multiple), ([], 0), listed_interval(goal.budgets)),
        choices=[draws.listed(draw) for draw in draws.numbers],
        denominators=draws.ratios.listed_denominators(),
        functions=draws.ratios.functions(),
        strategies=[_strategy(strategy, automaton) for strategy in strategies],
    )
    adjacency = certificate.adjacency
    whole = adjacency.distance is None or adjacency.distance.denominator == 1
    if adjacency.kind == "l1" and not whole and automaton.integers and "reals" in automaton.inputs:
        shown = f"`l1 {adjacency.distance}`"
        raise LimitReached(f"no certificate for reals beside integers under {shown}")
    with accepted():
        kernel.checked(certificate)
    return certificate


def _question(asked: Question, automaton: Automaton) -> dict[str, Any]:
    """What is proved: the program, its parameters but for the sizes, the adjacency and the inputs."""
    computed = computed_from(asked.program, automaton.sizes) - asked.overrides.keys()
    values = {x: v for x, v in asked.parameters.items() if x not in {*automaton.sizes, *computed}}
    adjacency = asked.program.adjacency
    if adjacency is None:
        raise InputError("no certificate: the program does not say which inputs are adjacent")
    kind: Any = "formula"
    near = None
    if isinstance(adjacency, ast.NamedAdjacency):
        kind, distance = adjacency.kind, compile_distance(adjacency, values)
        near = None if distance is None else fraction(distance)
    return {
        "format": FORMAT,
        "version": VERSION,
        "statement": "sizes",
        "program": listed_program(asked.source),
        "parameters": {name: fraction(value) for name, value in values.items()},
        "sizes": sorted(set(automaton.sizes) - computed),
        "adjacency": listing.Adjacency(show(adjacency), kind, near),
        "inputs": listing.Inputs(automaton.inputs, automaton.integers),
    }


def listed_automaton(automaton: Automaton, draws: Draws) -> listing.Automaton:
    """The automaton, whose draws are counted."""
    steps = dict[Step, int]()
    edges = [_edge(edge, draws, steps) for edge in automaton.edges]
    kinds: Any = [(step.kind, step.text, step.value) for step in steps]
    places = [listing.Place(place.cut, list(place.live)) for place in automaton.places]
    return listing.Automaton(automaton.start, places, kinds, edges)


class Draws:
    """The finite draws of all edges, each listed once."""

    def __init__(self, on: EpsRange) -> None:
        self.ratios, self.numbers = Ratios(on), dict[Draw, int]()

    def number(self, draw: Draw) -> int:
        """The number of a draw, which is listed."""
        if isinstance(draw, Choice):
            self.ratios.number(draw.left)
            self.ratios.number(draw.right)
        return self.numbers.setdefault(draw, len(self.numbers))

    def listed(self, draw: Draw, proved: bool = True) -> listing.Choice:
        """A draw, perhaps with its proof.  Raises :class:`~dipc.signs.limits.NoProof`."""
        match draw:
            case Exponential(rate, sensitivity):
                return listing.Exponential("Exp", fraction(rate), fraction(sensitivity))
            case Choice(left, right, cost):
                pair = self.ratios.number(left), self.ratios.number(right)
                shown = self._proof(pair, fraction(cost)) if proved else facts.Plain("identity")
                return listing.Finite("finite", *pair, fraction(cost), shown)
            case _:
                assert_never(draw)

    def _proof(self, pair: tuple[int, int], cost: Fraction) -> facts.Proof:
        integers = laws.in_integers(self.ratios.table(Quotient.of(0)).rated(cost))
        slack = integers.slack([pair])
        f = ExpPoly({key: fmpq(c) for key, c in slack.items()}, integers.unit)
        return listed_proof(proof(f, self.ratios.on), f)


def _form(form: Form) -> listing.Form:
    """A form as an object: samples by number, variables by name, the constant under the empty name."""
    constant = {"": fraction(form.constant)} if form.constant else {}
    return {str(symbol): fraction(factor) for symbol, factor in form.terms} | constant


def _edge(edge: Edge, draws: Draws, steps: dict[Step, int]) -> listing.Edge:
    return listing.Edge(
        source=edge.source,
        target=edge.target,
        samples=[_sample(sample.kind, sample) for sample in edge.samples],
        guards=[listing.Guard(_form(guard.form), guard.equal) for guard in edge.guards],
        sets={name: _form(form) for name, form in edge.sets},
        cost=fraction(edge.cost),
        choices=[draws.number(draw) for draw in edge.choices],
        decisions=list(edge.decisions),
        path=[steps.setdefault(step, len(steps)) for step in edge.path],
    )


def _sample(kind: Any, sample: Sample) -> listing.Sample:
    return listing.Sample(kind, fraction(sample.rate), _form(sample.mean))


def _strategy(strategy: Strategy, automaton: Automaton) -> kernel.Strategy:
    """A strategy; nothing is spent where it does not lead."""
    edges = [automaton.edges[i] for i in strategy.edges]
    places = sorted({automaton.start, *(e.source for e in edges), *(e.target for e in edges)})
    deltas = {p: strategy.deltas[p] for p in places}
    return kernel.Strategy(
        edges=list(strategy.edges),
        phi={str(p): fraction(strategy.potentials.get(p, ZERO)) for p in places},
        delta={
            str(p): {name: fraction(deltas[p][name]) for name in automaton.places[p].live} for p in places
        },
        shift=[[fraction(x) for x in shifts] for shifts in strategy.shifts],
    )


# --- is it about this question? -------------------------------------------------------------------------


def compared(certificate: kernel.Certificate, given: Mapping[str, Fraction], claim: str | None) -> Statement:
    """Compare the parameters and the claim with the program's own, except where others are given.

    Any integer >= 1 may be given for a size: the statement covers it.  Raises
    :class:`~dipc.kernel.reading.Refused`, and :class:`InputError` for what is given.
    """
    listed, sizes = certificate.listed.parameters, certificate.listed.sizes
    program = _program_of(certificate)
    computed = computed_from(program, sizes)
    statement = parameters_compared(program, listed, given, {*sizes, *computed})
    lengths = {d.size.name for d in program.inputs if isinstance(d.size, ast.Name)}
    for name in set(sizes) - (lengths - computed_from(program, lengths)):
        raise Refused("deep: sizes", f"'{name}' is not the size of an input, or it is computed from one")
    differences, wanted = statement.differences, parameters(program, given)
    for name in sorted(computed & listed.keys() - given.keys()):
        differences.append(f"{name} = {listed[name]} (the program computes it from {', '.join(sizes)})")
    for name in set(sizes) & set(given):
        if given[name].denominator != 1 or given[name] < 1:
            differences.append(f"every integer {name} >= 1 (-D says {given[name]})")
    asked = program.claim if claim is None else parse_claim(claim, CLAIM_NAME)
    every = (asked and asked.sizes) or (program.claim and program.claim.sizes) or ()
    differences += [
        f"{size.name} = {listed[size.name]} only (the program claims it for all {size.name})"
        for size in every
        if size.name not in given and listed.get(size.name) == wanted.get(size.name)
    ]
    if asked is None or not is_claim_of(certificate, program, asked, listed):
        says = f"the program says {written(asked)}" if claim is None else f"--claim says '{claim}'"
        differences.append(f"claim {certificate.claim_shown()} ({says})")
    return statement


def computed_from(program: ast.Program, sizes: Collection[str]) -> set[str]:
    """The parameters that the program computes from sizes: they change with them."""
    changing = symbolic(program, tuple(sizes), {})
    return {param.name for param in program.params if names_in(param.value) & changing}


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the deep check says in the end: what it has not done, and what it has done."""

    missing: tuple[str, ...]
    done: str


CONFIRMED = (1, 2, 3)
"""The sizes at which ``dipc verify`` asks the exact engine."""


def confirmed(certificate: kernel.Certificate, clock: Clock) -> Confirmation:
    """Build the automaton again, and confirm the proof exactly at the smallest sizes.

    Raises :class:`~dipc.kernel.reading.Refused` for what is not so.
    """
    asked = rebuilt(certificate, clock)
    try:
        t = to_rational(certificate.listed.t, "t")
        found = confirmed_at(CONFIRMED, asked, t, clock, laws=True)
    except Contradicted as contradiction:
        raise Refused("deep: confirmation", f"this is a bug of dipc: {contradiction.text}") from None
    reasons = dict.fromkeys(why for _, why in found.missing)
    missing = []
    for reason in reasons:
        left = Confirmed(found.names, tuple(numbers for numbers, why in found.missing if why == reason))
        missing.append(f"not confirmed {left.text}: {reason}")
    text = f"confirmed {found.text}" if found.text else "not confirmed exactly"
    return Confirmation(tuple(missing), f"{BUILT}; {text}")


BUILT = "the automaton was built again by the program that wrote it"


def rebuilt(certificate: kernel.Certificate, clock: Clock) -> Question:
    """Build the automaton again from the program text, and compare all that is listed of it; the question.

    Raises :class:`~dipc.kernel.reading.Refused` for a difference.
    """
    (question, built), listed = _built(certificate, clock), certificate.listed
    said, draws = _question(question, built), Draws(question.budgets)
    for part in ("parameters", "sizes", "inputs", "adjacency"):
        if getattr(listed, part) != said[part]:
            raise Refused(f"deep: {part}", "it is not what the program says")
    automaton = listed_automaton(built, draws)
    if (listed.start, listed.places) != (automaton.start, automaton.places):
        raise Refused("deep: automaton", "its places are not those of the program")
    choices = [draws.listed(draw, proved=False) for draw in draws.numbers]
    divisors = [terms(f) for f in [*draws.ratios.denominators][1:]]
    ours = edges_in(
        listed.automaton, listed.choices, listed.functions, [d.function for d in listed.denominators]
    )
    theirs = edges_in(automaton, choices, draws.ratios.functions(), divisors)
    for here, there, what in (
        (ours, theirs, "edge {} is not one of the program"),
        (theirs, ours, "an edge of the program is not listed: {}"),
    ):
        if left := here.keys() - there.keys():
            raise Refused("deep: automaton", what.format(min(here[edge] for edge in left)))
    if len(ours) != len(listed.edges):
        raise Refused("deep: automaton", "an edge is listed twice")
    return question


def _built(certificate: kernel.Certificate, clock: Clock) -> tuple[Question, Automaton]:
    """The question about the program text, for what is listed: sizes, parameters, eps; its automaton."""
    claim = certificate.claim
    low, high = to_rational(claim.on.low, "low"), claim.on.high
    end = None if high is None else to_rational(high, "high")
    on = EpsRange(low, end, claim.on.low_closed, claim.on.high_closed)
    goal = Goal(on, Exponent(to_rational(certificate.listed.claim.t, "t")), Quotient.of(0))
    every = ast.Claim(ast.Eps(), sizes=tuple(map(ast.Name, certificate.listed.sizes)))
    program = replace(_program_of(certificate), claim=every)
    known = rationals(certificate.listed.parameters)
    try:
        asked = Question(program, source_in(certificate), known, goal).checked()
        return asked, asked.automaton(clock)
    except InputError as error:
        raise Refused("deep: automaton", error.message) from None


def edges_in(
    automaton: listing.Automaton,
    choices: Sequence[listing.Choice],
    functions: Sequence[laws.Quotient],
    divisors: Sequence[Terms],
) -> dict[str, int]:
    """The numbers of the edges; each has all that it refers to written out, but for the proofs of draws."""

    def function(number: int) -> object:
        numerator, divisor = functions[number]
        return numerator, divisor and divisors[divisor - 1]

    def drawn(draw: listing.Choice) -> object:
        if isinstance(draw, listing.Exponential):
            return draw
        return function(draw.left), function(draw.right), draw.cost

    found = {}
    for number, edge in enumerate(automaton.edges):
        path, made = [automaton.steps[step] for step in edge.path], [drawn(choices[i]) for i in edge.choices]
        whole = replace(edge, path=[], choices=[]), path, made
        found[json.dumps(write(whole), sort_keys=True)] = number
    return found


def _program_of(certificate: kernel.Certificate) -> ast.Program:
    """The tree of the program in a certificate."""
    try:
        return parse(source_in(certificate))
    except InputError as error:
        raise Refused("deep: program", error.message) from None
