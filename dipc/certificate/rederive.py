"""``dipc verify --deep``: the distributions of a certificate derived anew from the program text.

The slow, obvious route is in :mod:`dipc.certificate.slow`.  From dipc it uses the parser and the kernel, and
all its arithmetic is that of the standard library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dipc.certificate.kernel import Certificate, Ratio, Refused
from dipc.certificate.kernel import places as digits
from dipc.certificate.slow.draws import check_draws
from dipc.certificate.slow.functions import EPS, Draw, Pair, constant, same
from dipc.certificate.slow.programs import (
    Inputs,
    Known,
    Outcome,
    adjacent,
    all_inputs,
    claimed,
    claimed_interval,
    distribution,
    domain_of,
    parameters,
    size_of,
)
from dipc.certificate.slow.values import Plain
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source


def rederive(certificate: Certificate) -> str:
    """Derive everything that the kernel trusts from the program text, and compare; what was found, in words.

    Raises :class:`~dipc.certificate.kernel.Refused` for a difference and
    :class:`~dipc.certificate.slow.functions.NotCovered`.
    """
    data = certificate.data
    program = parse(Source(data["program"]["name"], data["program"]["text"]))
    known = parameters(program, certificate.parameters)
    if known != certificate.parameters:
        raise Refused("deep: parameters", "they are not those of the program")
    if declared(program.inputs, known) != data["inputs"]:
        raise Refused("deep: inputs", "they are not those of the program")
    if declared(program.outputs, known) != data["outputs"]:
        raise Refused("deep: outputs", "they are not those of the program")
    derived_from = neighbouring_inputs(program, certificate, known)
    rows = [tuple(plain(value) for value in outcome) for outcome in data["outcomes"]]
    drawn: dict[str, Draw] = {}
    for law, inputs in zip(certificate.laws, derived_from, strict=True):
        claimed_law = {
            outcome: certificate_pair(certificate, i) for outcome, i in zip(rows, law, strict=True)
        }
        compare(distribution(program, inputs, known, drawn), claimed_law)
    check_draws(drawn.values(), certificate.on)
    own = claim_is_own(program, certificate, known)
    return f"{len(derived_from)} distributions were derived from the program text" + OWN[own]


OWN = {
    True: "",
    False: "; the claim is not the one that the program makes",
    None: "; whether the claim, with a square root in delta, is the program's own was not looked at",
}


def certificate_pair(certificate: Certificate, place: int) -> Pair:
    """A probability as the certificate lists it."""
    ratio = certificate.functions[place]
    return ratio.numerator, certificate.denominators[ratio.denominator]


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


def declared(declarations: Iterable[ast.Declaration], known: Known) -> list[dict[str, Any]]:
    """Names, sizes and sets as a certificate lists them."""
    return [
        {"name": d.name, "size": size_of(d, known), "domain": [str(value) for value in domain_of(d, known)]}
        for d in declarations
    ]


def neighbouring_inputs(program: ast.Program, certificate: Certificate, known: Known) -> list[Inputs]:
    """The inputs of the laws; refused unless the pairs of the certificate are the program's neighbours."""
    inputs = all_inputs(program, known)
    if certificate.violated:
        written = [certificate.data["violation"][name] for name in ("input", "neighbour")]
        places = [certificate.place(digits(v, certificate.inputs, "violation")) for v in written]
        u, v = (inputs[place] for place in places)
        if not adjacent(program, u, v, known):
            raise Refused("deep: adjacency", "the two inputs are no neighbours in the program")
        return [u, v]
    pairs = set(certificate.pairs)
    for (i, u), (j, v) in itertools.product(enumerate(inputs), repeat=2):
        if i <= j and adjacent(program, u, v, known) != ((i, j) in pairs):
            raise Refused("deep: adjacency", "the pairs are not the neighbours of the program")
    return inputs


def claim_is_own(program: ast.Program, certificate: Certificate, known: Known) -> bool | None:
    """Whether the certificate is about the claim that the program makes; None if that is not compared."""
    if program.claim is None:
        return False
    if not isinstance(certificate.delta, Ratio):
        return None
    epsilon, delta = claimed(program.claim, known)
    listed_delta = certificate.delta
    return (
        tuple(certificate.on) == claimed_interval(program.claim, known)
        and same(epsilon, ({EPS: certificate.t} if certificate.t else {}, constant(1)))
        and same(delta, (listed_delta.numerator, certificate.denominators[listed_delta.denominator]))
    )
