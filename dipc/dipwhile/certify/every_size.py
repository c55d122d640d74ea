"""Certificates of a proof for every size: the automaton and its strategies, as the kernel reads them.

What is written is checked at once by :mod:`dipc.kernel.sizes`, which also says why it is a proof.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import assert_never

from flint import fmpq

from dipc.certificate.format import (
    Json,
    Ratios,
    fraction,
    listed_interval,
    listed_program,
    proof_as_json,
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
    Place,
    Step,
)
from dipc.dipwhile.allsizes.build import Prepared, prepared
from dipc.dipwhile.allsizes.confirm import Contradicted, confirmed_at
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.strategies import Strategy
from dipc.dipwhile.allsizes.verdict import Confirmed, LeastT, ProvedForAll
from dipc.dipwhile.certify.compared import Statement, rationals, source_in, unlike, written
from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.rederive.programs import is_claim_of, parameters
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_distance
from dipc.dipwhile.syntax.constants import evaluate_parameters
from dipc.dipwhile.syntax.parser import parse, parse_claim
from dipc.dipwhile.syntax.printer import show
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import CLAIM_NAME, InputError, LimitReached, Source
from dipc.kernel import laws
from dipc.kernel import sizes as kernel
from dipc.kernel.laws import Ratio
from dipc.kernel.privacy import FORMAT, VERSION
from dipc.kernel.reading import Refused
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.search import proof


@dataclass(frozen=True, slots=True)
class Proof:
    """What a certificate is about: a proof that a program is t*eps-private for every eps of ``on``.

    ``overrides`` are the values of parameters that are not those of the text.
    """

    program: ast.Program
    source: Source
    proved: ProvedForAll
    t: fmpq
    on: EpsRange = field(default_factory=EpsRange.positive)
    overrides: Mapping[str, fmpq] = field(default_factory=dict)


def sizes_certificate(about: Proof) -> dict[str, Json]:
    """A certificate, without its digest, of a proof for every size.

    Raises :class:`~dipc.signs.limits.NoProof` for a finite draw, and :class:`~dipc.errors.LimitReached` if
    the kernel would refuse it.
    """
    automaton, strategies = about.proved.automaton, about.proved.strategies
    draws, steps = Draws(about.on), dict[Step, int]()
    edges = [_edge(edge, draws, steps) for edge in automaton.edges]
    spent = (s.potentials.get(automaton.start, ZERO) for s in strategies)
    certificate = {
        **_question(about),
        "start": automaton.start,
        "t": str(max(spent, default=ZERO)),
        **draws.as_json(),
        "places": [_place(place) for place in automaton.places],
        "steps": [_step(step) for step in steps],
        "edges": edges,
        "strategies": [_strategy(strategy, automaton) for strategy in strategies],
    }
    kind, distance = certificate["adjacency"]["kind"], certificate["adjacency"]["distance"]
    if kind == "l1" and "/" in distance and automaton.integers and "reals" in automaton.inputs:
        raise LimitReached(f"no certificate for reals beside integers under `l1 {distance}`")
    try:
        kernel.checked({**certificate, "digest": ""}, None)
    except Refused as refused:
        raise LimitReached(f"no certificate: it would be refused: {refused}") from None
    return certificate


def _question(about: Proof) -> dict[str, Json]:
    """What is proved: the program, its parameters but for the sizes, the adjacency and the claim."""
    automaton, adjacency = about.proved.automaton, about.program.adjacency
    known = evaluate_parameters(about.program.params, about.overrides)
    computed = computed_from(about.program, automaton.sizes) - about.overrides.keys()
    values = {name: value for name, value in known.items() if name not in {*automaton.sizes, *computed}}
    sizes = set(automaton.sizes) - computed
    if adjacency is None:
        raise InputError("no certificate: the program does not say which inputs are adjacent")
    kind, distance = "formula", None
    if isinstance(adjacency, ast.NamedAdjacency):
        kind, distance = adjacency.kind, compile_distance(adjacency, values)
    return {
        "format": FORMAT,
        "version": VERSION,
        "statement": "sizes",
        "program": listed_program(about.source),
        "parameters": {name: str(value) for name, value in values.items()},
        "sizes": sorted(sizes),
        "adjacency": {
            "text": show(adjacency),
            "kind": kind,
            "distance": None if distance is None else str(distance),
        },
        "inputs": {"text": automaton.inputs, "integers": automaton.integers},
        "claim": {"t": str(about.t), "delta": [[], 0], "interval": listed_interval(about.on)},
    }


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

    def as_json(self) -> dict[str, Json]:
        """The functions, and the draws with their proofs.  Raises :class:`~dipc.signs.limits.NoProof`."""
        return {**self.ratios.as_json(), "choices": [self._listed(draw) for draw in self.numbers]}

    def without_proofs(self) -> dict[str, Json]:
        """The same without what proves it."""
        divisors = [{"function": terms(f)} for f in [*self.ratios.denominators][1:]]
        choices = [self._unproved(draw) for draw in self.numbers]
        return {"denominators": divisors, "functions": self.ratios.functions(), "choices": choices}

    def _listed(self, draw: Draw) -> Json:
        listed = self._unproved(draw)
        if isinstance(draw, Choice):
            integers = laws.in_integers(self.ratios.table(Ratio({}, 0)), fraction(draw.cost))
            slack = integers.slack([(listed["left"], listed["right"])])
            f = ExpPoly({key: fmpq(c) for key, c in slack.items()}, integers.unit)
            listed["proof"] = proof_as_json(proof(f, self.ratios.on), f)
        return listed

    def _unproved(self, draw: Draw) -> dict[str, Json]:
        match draw:
            case Exponential(rate, sensitivity):
                return {"mechanism": "Exp", "rate": str(rate), "sensitivity": str(sensitivity)}
            case Choice(left, right, cost):
                pair = {"left": self.ratios.number(left), "right": self.ratios.number(right)}
                return {"mechanism": "finite", **pair, "cost": str(cost)}
            case _:
                assert_never(draw)


def _form(form: Form) -> Json:
    """A form as an object: samples by number, variables by name, the constant under the empty name."""
    constant = {"": str(form.constant)} if form.constant else {}
    return {str(symbol): str(factor) for symbol, factor in form.terms} | constant


def _edge(edge: Edge, draws: Draws, steps: dict[Step, int]) -> Json:
    return {
        "from": edge.source,
        "to": edge.target,
        "samples": [{"kind": s.kind, "rate": str(s.rate), "mean": _form(s.mean)} for s in edge.samples],
        "guards": [{"form": _form(guard.form), "equal": guard.equal} for guard in edge.guards],
        "sets": {name: _form(form) for name, form in edge.sets},
        "cost": str(edge.cost),
        "choices": [draws.number(draw) for draw in edge.choices],
        "decisions": list(edge.decisions),
        "path": [steps.setdefault(step, len(steps)) for step in edge.path],
    }


def _step(step: Step) -> Json:
    return [step.kind, step.text, step.value]


def _place(place: Place) -> Json:
    return {
        "cut": place.cut,
        "values": {name: str(value) for name, value in place.values},
        "differences": dict(place.differences),
        "phase": dict(place.phase),
        "facts": list(place.facts),
        "live": list(place.live),
    }


def _strategy(strategy: Strategy, automaton: Automaton) -> Json:
    """A strategy; nothing is spent where it does not lead."""
    edges = [automaton.edges[i] for i in strategy.edges]
    places = sorted({automaton.start, *(e.source for e in edges), *(e.target for e in edges)})
    return {
        "edges": list(strategy.edges),
        "phi": {str(p): str(strategy.potentials.get(p, ZERO)) for p in places},
        "delta": {
            str(p): {name: str(strategy.deltas[p][name]) for name in automaton.places[p].live} for p in places
        },
        "shift": [[str(x) for x in shifts] for shifts in strategy.shifts],
    }


# --- is it about this question? -------------------------------------------------------------------------


def compared(certificate: kernel.Certificate, given: Mapping[str, Fraction], claim: str | None) -> Statement:
    """Compare the parameters and the claim with the program's own, except where others are given.

    Any integer >= 1 may be given for a size: the statement covers it.  Raises
    :class:`~dipc.kernel.reading.Refused`, and :class:`InputError` for what is given.
    """
    listed, sizes = certificate.program.parameters, certificate.sizes
    program = _program_of(certificate)
    own, wanted = (parameters(program, values) for values in ({}, given))
    computed = computed_from(program, sizes)
    if set(own) != {*listed, *sizes, *computed}:
        raise Refused("deep: parameters", "they are not those of the program")
    lengths = {d.size.name for d in program.inputs if isinstance(d.size, ast.Name)}
    for name in set(sizes) - (lengths - computed_from(program, lengths)):
        raise Refused("deep: sizes", f"'{name}' is not the size of an input, or it is computed from one")
    for name in set(given) - set(own):
        raise InputError(f"the program has no parameter `{name}`")
    differences, overridden = unlike(listed, wanted, given), unlike(listed, own)
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
    if asked is None or not is_claim_of(certificate, asked, listed):
        says = f"the program says {written(asked)}" if claim is None else f"--claim says '{claim}'"
        differences.append(f"claim {certificate.claim_shown()} ({says})")
    return Statement(differences, overridden)


def computed_from(program: ast.Program, sizes: Collection[str]) -> set[str]:
    """The parameters that the program computes from sizes: they change with them."""
    found = set[str]()
    for param in program.params:
        names = {node.name for node in nodes(param.value) if isinstance(node, ast.Name)}
        if names & {*sizes, *found}:
            found.add(param.name)
    return found


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
        t = to_rational(Fraction(certificate.data["t"]), "t")
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


def rebuilt(certificate: kernel.Certificate, clock: Clock) -> Prepared:
    """Build the automaton again from the program text, and compare all that is listed of it; the question.

    Raises :class:`~dipc.kernel.reading.Refused` for a difference.
    """
    about, asked = _built(certificate, clock)
    question, automaton = _question(about), about.proved.automaton
    for part in ("parameters", "sizes", "inputs", "adjacency"):
        if certificate.data[part] != question[part]:
            raise Refused(f"deep: {part}", "it is not what the program says")
    draws, steps = Draws(about.on), dict[Step, int]()
    own = {
        "start": automaton.start,
        "places": [_place(place) for place in automaton.places],
        "edges": [_edge(edge, draws, steps) for edge in automaton.edges],
        "steps": [_step(step) for step in steps],
        **draws.without_proofs(),
    }
    if (certificate.data["start"], certificate.data["places"]) != (own["start"], own["places"]):
        raise Refused("deep: automaton", "its places are not those of the program")
    listed, found = edges_in(certificate.data), edges_in(own)
    for here, there, what in (
        (listed, found, "edge {} is not one of the program"),
        (found, listed, "an edge of the program is not listed: {}"),
    ):
        if left := here.keys() - there.keys():
            raise Refused("deep: automaton", what.format(min(here[edge] for edge in left)))
    if len(listed) != len(certificate.data["edges"]):
        raise Refused("deep: automaton", "an edge is listed twice")
    return asked


def _built(certificate: kernel.Certificate, clock: Clock) -> tuple[Proof, Prepared]:
    """The automaton of the program text, for the listed sizes, parameters and range of eps."""
    source, program, claim = source_in(certificate), _program_of(certificate), certificate.claim
    known, low, high = rationals(certificate.program.parameters), claim.on.low, claim.on.high
    ends = to_rational(low, "low"), None if high is None else to_rational(high, "high")
    on, t = EpsRange(*ends, claim.on.low_closed, claim.on.high_closed), to_rational(claim.t, "t")
    every = ast.Claim(ast.Eps(), sizes=tuple(map(ast.Name, certificate.sizes)))
    asking = Question(replace(program, claim=every), source, known, Goal(on, Exponent(t), Quotient.of(0)))
    try:
        asked = prepared(asking)
        automaton = asked.automaton(clock)
    except InputError as error:
        raise Refused("deep: automaton", error.message) from None
    return Proof(program, source, ProvedForAll(automaton, (), LeastT(ZERO, t)), t, on, known), asked


def edges_in(data: Mapping[str, Json]) -> dict[str, int]:
    """The numbers of the edges; each has all that it refers to written out, but for the proofs of draws."""

    def function(number: int) -> Json:
        numerator, divisor = data["functions"][number]
        return numerator, divisor and data["denominators"][divisor - 1]["function"]

    def drawn(number: int) -> Json:
        draw = data["choices"][number]
        sides = {side: function(draw[side]) for side in ("left", "right") if side in draw}
        return {name: value for name, value in draw.items() if name != "proof"} | sides

    found = {}
    for number, edge in enumerate(data["edges"]):
        path = [data["steps"][step] for step in edge["path"]]
        whole = {**edge, "path": path, "choices": [drawn(each) for each in edge["choices"]]}
        found[json.dumps(whole, sort_keys=True)] = number
    return found


def _program_of(certificate: kernel.Certificate) -> ast.Program:
    """The tree of the program in a certificate."""
    try:
        return parse(source_in(certificate))
    except InputError as error:
        raise Refused("deep: program", error.message) from None
