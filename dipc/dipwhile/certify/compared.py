"""``dipc verify --deep``: the distributions of a certificate derived anew from the program text.

The slow, obvious route is in :mod:`dipc.dipwhile.rederive`.  From dipc it uses the kernel, the checks of the
front end, which may only refuse, and the parser, which is trusted.  All its arithmetic is that of the
standard library.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.rederive.accuracy import Errors
from dipc.dipwhile.rederive.claims import is_claim_of
from dipc.dipwhile.rederive.draws import check_draws
from dipc.dipwhile.rederive.functions import Draw, NotCovered, Pair, constant, same
from dipc.dipwhile.rederive.programs import (
    Inputs,
    Known,
    Outcome,
    adjacent,
    all_inputs,
    distribution,
    domain_of,
    inputs_at,
    named_adjacency,
    parameters,
    size_of,
)
from dipc.dipwhile.rederive.values import Plain, described
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_claim, read
from dipc.dipwhile.syntax.parser import is_accurate, parse, parse_accurate, parse_claim, parse_expression
from dipc.errors import CLAIM_NAME, InputError, LimitReached, Source
from dipc.kernel import measures
from dipc.kernel.laws import Domain, Variable, places
from dipc.kernel.privacy import Certificate, Violation
from dipc.kernel.reading import Refused
from dipc.kernel.sizes import Certificate as EverySize

MAX_INPUTS = 20_000  # whose distributions are derived
MAX_SHOWN = 200  # characters of a claim as written


Understood = tuple[ast.Program, dict[str, int]]  # a program and the sizes of its arrays


def rederive(certificate: Certificate, text: Understood | None = None) -> str:
    """Derive everything that the kernel trusts from the program text, and compare; what was found, in words.

    ``text`` is what :func:`compared` understood of the same certificate's program; else it is read here.
    Raises :class:`~dipc.kernel.reading.Refused` for a difference and
    :class:`~dipc.dipwhile.rederive.functions.NotCovered`.
    """
    data, listed_parameters = certificate.listed, certificate.listed.parameters
    program, sizes = text or understood(source_in(certificate), listed_parameters)
    known = parameters(program, listed_parameters)
    for part, own, listed in (
        ("parameters", known, listed_parameters),
        ("inputs", declared(program.inputs, known), data.inputs),
        ("outputs", declared(program.outputs, known), data.outputs),
    ):
        if own != listed:
            raise Refused(f"deep: {part}", "they are not those of the program")
    size = math.prod(map(len, certificate.sets.inputs))
    if not certificate.violated and size > MAX_INPUTS:
        raise NotCovered(f"{size} inputs: the distributions of at most {MAX_INPUTS} are derived one by one")
    check_adjacency(program, certificate, known)
    rows = [tuple(plain(value) for value in outcome) for outcome in data.outcomes]
    drawn: dict[object, Draw] = {}
    count, table, errors = 0, certificate.table, errors_of(program, certificate, known)
    for law, inputs in laws_of(program, certificate, known):
        ratios = [table.functions[i] for i in law]
        pairs = ((ratio.numerator, table.denominators[ratio.denominator]) for ratio in ratios)
        derived = distribution(program, inputs, known, drawn, sizes)
        compare(derived, dict(zip(rows, pairs, strict=True)))
        if errors is not None:
            violated = isinstance(data, measures.Violated)
            errors.check(inputs, data.violation.outcomes if violated else data.bad[count], rows, derived)
        count += 1
    check_draws(drawn.values(), certificate.claim.on)
    return f"{count} distributions were derived from the program text"


@dataclass(frozen=True)
class Statement:
    """How a certificate's statement differs from the one that is asked for, and from the program's own."""

    differences: list[str]
    overridden: list[str]
    text: Understood | None = None


def compared(certificate: Certificate, given: Mapping[str, Fraction], claim: str | None) -> Statement:
    """Compare the parameters and the claim with the program's own, except where others are given.

    Raises :class:`~dipc.kernel.reading.Refused`,
    :class:`~dipc.dipwhile.rederive.functions.NotCovered`, and
    :class:`~dipc.errors.InputError` for what is given.
    """
    listed = certificate.listed.parameters
    source = source_in(certificate)
    text = understood(source, listed)
    program, _ = text
    statement = parameters_compared(program, listed, given)
    differences, overridden = statement.differences, statement.overridden
    known = parameters(program, listed)
    accuracy = isinstance(certificate.listed.claim, measures.Accurate)
    own_claim = program.accurate if accuracy else program.claim
    if own_claim is None or not is_about(certificate, program, own_claim, known):
        overridden.append(f"claim {certificate.claim_shown()} (the program says {written(own_claim)})")
        if claim is None:
            differences.append(overridden[-1])
    if claim is not None:
        asked = understood_claim(claim, source, listed)
        if not is_about(certificate, program, asked, known):
            differences.append(f"claim {certificate.claim_shown()} (--claim says '{claim}')")
    return replace(statement, text=text)


def is_about(
    certificate: Certificate, program: ast.Program, claim: ast.Claim | ast.AccurateClaim, known: Known
) -> bool:
    """Is the certificate about this claim, of accuracy with the same words?"""
    said = certificate.listed.claim
    if isinstance(said, measures.Accurate) and isinstance(claim, ast.AccurateClaim):
        read = stated(said)
        if (read.good, read.condition) != (claim.good, claim.condition):
            return False
    return is_claim_of(certificate, program, claim, known)


def parameters_compared(
    program: ast.Program, listed: Known, given: Mapping[str, Fraction], others: Collection[str] = ()
) -> Statement:
    """Compare the listed parameters; the ``others`` of the program have no value."""
    own, wanted = parameters(program, {}), parameters(program, given)
    if set(own) != {*listed, *others}:
        raise Refused("deep: parameters", "they are not those of the program")
    for name in set(given) - set(own):
        raise InputError(f"the program has no parameter `{name}`")
    return Statement(unlike(listed, wanted, given), unlike(listed, own))


def unlike(listed: Known, others: Known, options: Container[str] = ()) -> list[str]:
    """The listed parameters with other values than these, and who says so."""
    return [
        f"{name} = {described(value)} "
        f"({'-D' if name in options else 'the program'} says {described(others[name])})"
        for name, value in listed.items()
        if value != others[name]
    ]


def source_in(certificate: Certificate | EverySize) -> Source:
    """The program text that a certificate contains."""
    return Source(certificate.program.name, certificate.program.text)


def written(claim: ast.Claim | ast.AccurateClaim | None) -> str:
    """A claim as the program has it."""
    if claim is None:
        return "nothing: it makes no claim"
    text = claim.span.source.text[claim.span.start : claim.span.end]
    return f"'{text[:MAX_SHOWN]}'"


def understood_claim(
    text: str, source: Source, known: Mapping[str, Fraction]
) -> ast.Claim | ast.AccurateClaim:
    """The claim in a text, which the front end accepts."""
    core = read(source, rationals(known))
    if is_accurate(text):
        return parse_accurate(text, CLAIM_NAME)
    claim = parse_claim(text, CLAIM_NAME)
    compile_claim(claim, dict(core.parameters), core.inputs, core.adjacency)
    return claim


def rationals(known: Mapping[str, Fraction]) -> dict[str, Any]:
    """Numbers as the front end takes them."""
    return {name: to_rational(value, name) for name, value in known.items()}


def understood(source: Source, known: Mapping[str, Fraction]) -> Understood:
    """The tree of a program that dipc accepts, and the sizes of its arrays.

    The front end is shared with the main route, but can only refuse here: what it accepts must have the
    meaning that the slow route gives it.
    """
    try:
        program = parse(source)
        core = read(source, rationals(known))
    except InputError as error:
        raise Refused("deep: program", error.message) from None
    except LimitReached as limit:
        raise Refused("deep: program", str(limit)) from None
    return program, dict(core.arrays)


def compare(derived: dict[Outcome, Pair], listed: dict[Outcome, Pair]) -> None:
    """Refuse a listed probability that is not the derived one."""
    if not set(derived) <= set(listed):
        raise Refused("deep: outcomes", "an outcome of the program is not listed")
    for outcome, probability in listed.items():
        if not same(derived.get(outcome, ({}, constant(1))), probability):
            names = ", ".join(map(str, outcome))
            raise Refused("deep: laws", f"another probability of [{names}] is derived from the program")


def plain(value: str) -> Plain:
    """A number or a name of the certificate."""
    return Fraction(value) if value[0] in "-0123456789" else value


def declared(declarations: Iterable[ast.Declaration], known: Known) -> list[Variable]:
    """Names, sizes and sets as a certificate lists them."""
    return [
        Variable(d.name, size_of(d, known), [described(value) for value in domain_of(d, known)])
        for d in declarations
    ]


def violating_inputs(
    program: ast.Program, violation: Violation, domains: Sequence[Domain], known: Known
) -> list[Inputs]:
    """The two inputs of a violation."""
    both = (places(values, domains, "violation") for values in (violation.input, violation.neighbour))
    return [inputs_at(program, digits, domains, known) for digits in both]


def errors_of(program: ast.Program, certificate: Certificate, known: Known) -> Errors | None:
    """What has to be compared of a claim of accuracy."""
    said = certificate.listed.claim
    return Errors(program, stated(said), known) if isinstance(said, measures.Accurate) else None


def stated(said: measures.Accurate) -> ast.AccurateClaim:
    """The claim in the words of a certificate, but for its beta and interval."""
    try:
        when = None if said.when is None else parse_expression(said.when, CLAIM_NAME)
        return ast.AccurateClaim(parse_expression(said.good, CLAIM_NAME), ast.Eps(), when)
    except InputError as error:
        raise Refused("deep: claim", error.message) from None


def laws_of(
    program: ast.Program, certificate: Certificate, known: Known
) -> Iterator[tuple[Sequence[int], Inputs]]:
    """Each input with the law that the certificate gives it: the numbers of its functions."""
    listed = certificate.listed
    if certificate.violated:
        inputs_of_both = violating_inputs(program, listed.violation, certificate.sets.inputs, known)
        yield from zip(listed.laws, inputs_of_both, strict=True)
    elif certificate.diagram is not None:
        for position, inputs in enumerate(all_inputs(program, known)):
            yield certificate.diagram.at(certificate.sets.digits(position)), inputs


def check_adjacency(program: ast.Program, certificate: Certificate, known: Known) -> None:
    """Refuse unless adjacent inputs are those of the program.

    A named adjacency is compared by its name and distance, a formula on all pairs of inputs.
    """
    if isinstance(certificate.listed.claim, measures.Accurate):
        return  # it compares no inputs
    if certificate.violated:
        violation = certificate.listed.violation
        u, v = violating_inputs(program, violation, certificate.sets.inputs, known)
        if not adjacent(program, u, v, known):
            raise Refused("deep: adjacency", "the two inputs are not adjacent in the program")
    elif certificate.adjacency.pairs is None:
        if named_adjacency(program, known) != certificate.adjacency[:2]:
            raise Refused("deep: adjacency", "it is not that of the program")
    else:
        pairs = set(certificate.adjacency.pairs)
        inputs = list(enumerate(all_inputs(program, known)))
        for (i, u), (j, v) in itertools.product(inputs, repeat=2):
            if i <= j and adjacent(program, u, v, known) != ((i, j) in pairs):
                raise Refused("deep: adjacency", "the pairs are not the neighbours of the program")
