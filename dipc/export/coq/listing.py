"""A certificate of privacy, or of a violation, as a theorem about the laws that it lists.

The theorem is proved by computation (``vm_compute``) with a checker that ``Privacy.v`` proves right.  Who
trusts Coq has to read the definition of the model and the statement of the theorem only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import ClassVar

from dipc.errors import Unsupported
from dipc.export.coq.terms import LINES, SEARCH, computed, first_that, function, interval, listed, rational
from dipc.kernel.facts import Function
from dipc.kernel.laws import Integers, Ratio, in_integers, places
from dipc.kernel.privacy import Case, Certificate, Claimed, Private, Violated, Violation

MOST_INPUTS = 4096
MOST_OPEN = 12  # outcomes of one pair of laws whose signs change with eps

Pair = tuple[int, int]
Law = tuple[int, ...]


COQ = "From Coq Require Import Reals ZArith QArith List FMapPositive."
OTHERWISE = "a certificate proves it, too: `dipc check --certificate FILE`, `dipc verify FILE`"


def refuse_other_terms(certificate: Certificate) -> None:
    """Of the functions that dipc knows the library has those without 1/eps and constants exp(k)."""
    if not isinstance(certificate.listed.claim, Claimed):
        raise Unsupported("a claim of another epsilon than t*eps is not written for Coq", hint=OTHERWISE)
    table, delta = certificate.table, certificate.table.delta
    for f in (delta.numerator, *table.denominators, *(ratio.numerator for ratio in table.functions)):
        if any(n < 0 or b for n, _, _, b in f):
            raise Unsupported("powers and exponents of 1/eps are not written for Coq", hint=OTHERWISE)
        if any(k for _, _, k, _ in f):
            raise Unsupported("constants such as exp(-2) are not written for Coq", hint=OTHERWISE)


@dataclass(frozen=True)
class Listing:
    """What a certificate lists, as Coq text; numbers of functions and denominators begin at 1 there."""

    certificate: Certificate

    @cached_property
    def integers(self) -> Integers:
        """The functions with one unit and one scale."""
        return in_integers(self.certificate.table)

    @property
    def delta(self) -> Ratio:
        """The delta of the claim."""
        return self.certificate.table.delta

    @property
    def has_delta(self) -> bool:
        """Whether delta is not 0."""
        return bool(self.delta.numerator)

    @cached_property
    def inputs(self) -> list[tuple[list[int], Law]]:
        """The inputs, as places in their sets, with their laws: all of them, or those of a violation."""
        certificate = self.certificate
        domains, listed = certificate.sets.inputs, certificate.listed
        if isinstance(listed, Violated):
            pair = (listed.violation.input, listed.violation.neighbour)
            found = (places(values, domains, "violation") for values in pair)
            return [(u, tuple(law)) for u, law in zip(found, listed.laws, strict=True)]
        assert certificate.diagram is not None
        if (count := prod(map(len, domains))) > MOST_INPUTS:
            raise Unsupported(f"there are {count} inputs; at most {MOST_INPUTS} are written for Coq")
        inputs = product(*(range(len(domain)) for domain in domains))
        return [(list(u), certificate.diagram.at(u)) for u in inputs]

    # --- texts ---

    @cached_property
    def numbers(self) -> dict[str, Fraction]:
        """Names in input sets as numbers so far apart that different ones are never adjacent by distance."""
        names = sorted({v for domain in self.certificate.sets.inputs for v in domain if isinstance(v, str)})
        return {name: i * (self.certificate.adjacency.distance + 1) for i, name in enumerate(names)}

    def names(self) -> Iterator[str]:
        """What the numbers stand for."""
        for name, number in self.numbers.items():
            yield f"   {number} stands for {name}"
        yield "   outcomes, from 0: " + "; ".join(map(", ".join, self.certificate.listed.outcomes))

    def cell(self, value: Fraction | str) -> str:
        """A value of an input cell."""
        return rational(self.numbers[value] if isinstance(value, str) else value)

    def vector(self, places: Sequence[int]) -> str:
        """An input."""
        domains = self.certificate.sets.inputs
        return listed(self.cell(domain[i]) for domain, i in zip(domains, places, strict=True)) + "%Q"

    def adjacency(self) -> str:
        """The relation of adjacent inputs."""
        adjacency = self.certificate.adjacency
        distance = rational(adjacency.distance)
        match adjacency.kind:
            case "linf":
                return f"Each {distance}"
            case "l1":
                return f"Total {distance}"
            case "hamming":
                return f"Cells {int(adjacency.distance)}"
            case "all":
                return "Everything"
        sets = self.certificate.sets
        pairs = ([self.vector(sets.digits(i)) for i in pair] for pair in adjacency.pairs or ())
        return f"Listed {listed(f'({u}, {v})' for u, v in pairs)}"

    def ratio(self, above: Function, below: int) -> str:
        """A function over a denominator; the scale of the functions is a factor of all denominators."""
        unit, scale = self.integers.unit, self.integers.scale
        return f"Ratio {function(above, unit, scale)} {below + 1}"

    @property
    def more(self) -> tuple[str, ...]:
        """The modules that are needed besides."""
        return () if self.certificate.violated else ("Pieces",)

    def functions(self) -> Iterator[str]:
        """The functions of eps of the model."""
        table, integers = self.certificate.table, self.integers
        below = (function(f, integers.unit, integers.scale) for f in table.denominators)
        yield f"  unit := {integers.unit};"
        yield f"  denominators := table_of {numbered(below)};"
        yield f"  functions := table_of {numbered(self.ratio(*each) for each in table.functions)};"

    def model(self) -> Iterator[str]:
        """The definition of the model."""
        domains = (listed(map(self.cell, domain)) for domain in self.certificate.sets.inputs)
        laws = (f"({self.vector(u)}, {listed(i + 1 for i in law)}%positive)" for u, law in self.inputs)
        yield "Definition listed : model := {|"
        yield from self.functions()
        yield f"  domains := {listed(domains)}%Q;"
        yield f"  laws := {listed(laws, LINES)};"
        yield f"  how := {self.adjacency()} |}}."

    def claim(self) -> tuple[str, str, str]:
        """Epsilon over eps, delta as a function of eps, and the interval of eps."""
        claim, claimed = self.certificate.claim, self.certificate.listed.claim
        assert isinstance(claimed, Claimed)  # others are refused
        return rational(claimed.t), f"(delta_of listed {self.number()})", interval(claim.on)

    def number(self) -> str:
        """Delta in a proof: a ratio, or none if it is 0."""
        return f"(Some ({self.ratio(*self.delta)}))" if self.delta.numerator else "None"

    def statement(self, word: str) -> Iterator[str]:
        """The theorem, up to the proof."""
        t, delta, on = self.claim()
        yield f"Theorem claim : {word} listed {t} {delta} {on}."
        yield "Proof."

    def applied(self, word: str, rest: str) -> Iterator[str]:
        """The proof by the theorem about the check."""
        applied = f"{word}_check_sound listed _ {self.number()} _ {rest}"
        yield from first_that(applied) if self.certificate.violated else computed(applied)

    # --- proofs ---

    def proof(self) -> Iterator[str]:
        """The model, the theorem, and its proof."""
        yield from self.model()
        listed = self.certificate.listed
        yield from self.violation(listed.violation) if isinstance(listed, Violated) else self.privacy()

    def violation(self, broken: Violation) -> Iterator[str]:
        """The claim is broken at one eps."""
        yield from self.statement("violated")
        yield from self.applied("violated", f"n {rational(broken.eps)} {self.chosen(broken.outcomes)}")

    def laws_sound(self) -> Iterator[str]:
        """A second theorem about the same model: its laws are distributions, see Distributions.v."""
        claim = self.certificate.claim
        on = interval(claim.on) if claim.eps is None else f"(only {rational(claim.eps)})"
        yield f"Theorem laws_sound : distributions listed {on}."
        yield "Proof."
        if claim.eps is None:
            yield from computed(f"distributions_check_sound listed _ {SEARCH}")
        else:
            yield from first_that("distributions_at_sound listed n _")

    def privacy(self) -> Iterator[str]:
        """The claim holds on the interval."""
        entries = listed((f"({i + 1}, {j + 1}, {sign})" for (i, j), sign in self.signs.items()), LINES)
        size = len(self.certificate.table.functions) + 1
        yield f"Definition entries : list (positive * positive * sign) := {entries}%positive."
        yield from self.statement("private")
        yield from self.applied("private", f"{SEARCH} {size} {self.checked}")

    @property
    def signs(self) -> dict[Pair, str]:
        """Of the pairs P, Q of adjacent inputs: ``Minus``: P <= exp(t*eps) Q, ``Plus``: >=, or ``Open``."""
        certificate, found = self.certificate, set[Pair]()
        if self.has_delta and isinstance(certificate.listed, Private):
            return signs_in(certificate.listed.cases)
        for u, p in self.inputs:
            for v, q in self.inputs:
                if certificate.adjacency.holds(certificate.sets, u, v):
                    found.update(zip(p, q, strict=True))
        return dict.fromkeys(sorted(found), "Minus")

    checked: ClassVar[str] = "entries"
    """What a proof of privacy checks."""

    def chosen(self, outcomes: Sequence[int]) -> str:
        """The outcomes of a violation."""
        return f"{listed(outcomes)}%nat"


def numbered(items: Iterable[str]) -> str:
    """The entries of a table whose keys count from 1."""
    return listed((f"({i}%positive, {item})" for i, item in enumerate(items, start=1)), LINES)


def signs_in(cases: Sequence[Case]) -> dict[Pair, str]:
    """The signs that the cases of a certificate list, of each pair on the whole interval.

    >>> signs_in([Case([0, 1, 1, 0], [Fraction(0), Fraction(1), None], ["-+", "?+"])])
    {(0, 1): 'Open', (1, 0): 'Plus'}
    """
    seen: dict[Pair, set[str]] = {}
    for case in cases:
        pairs = list(zip(case.functions[::2], case.functions[1::2], strict=True))
        columns = [set(column) for column in zip(*case.signs, strict=True)]
        if sum(column not in ({"+"}, {"-"}) for column in columns) > MOST_OPEN:
            raise Unsupported(f"the signs of more than {MOST_OPEN} outcomes change with eps")
        for pair, column in zip(pairs, columns, strict=True):
            seen.setdefault(pair, set()).update(column)
    return {pair: {"-": "Minus", "+": "Plus"}.get("".join(seen[pair]), "Open") for pair in sorted(seen)}
