"""A certificate of privacy, or of a violation, as a theorem about the laws that it lists.

The theorem is proved by computation (``vm_compute``) with a checker that ``Privacy.v`` proves right.  Who
trusts Coq has to read the definition of the model and the statement of the theorem only, see docs/coq.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import product
from typing import ClassVar

from dipc.errors import Unsupported
from dipc.export.coq.bounds import terms_needed
from dipc.export.coq.constants import Constant
from dipc.export.coq.distributions import laws_sound, proved
from dipc.export.coq.effort import Effort
from dipc.export.coq.terms import CLOSING, LINES, function, interval, listed, rational
from dipc.kernel import reading
from dipc.kernel.facts import Function, add, multiply, negative
from dipc.kernel.laws import Integers, Ratio, in_integers
from dipc.kernel.privacy import Certificate

MOST_INPUTS = 4096
MOST_OPEN = 12  # outcomes of one pair of laws whose signs change with eps
PLAIN = Fraction(0)
ONE: Function = {(0, PLAIN, PLAIN, PLAIN): Fraction(1)}
NOT_PROVED = "{} is not proved by a chain of derivatives or by pieces, and Coq cannot check more yet"

Pair = tuple[int, int]
Law = tuple[int, ...]


COQ = "From Coq Require Import Reals ZArith QArith List FMapPositive."


def refuse_other_terms(certificate: Certificate) -> None:
    """Of the functions that dipc knows the library has those without 1/eps and constants exp(k)."""
    table, delta = certificate.table, certificate.table.delta
    for f in (delta.numerator, *table.denominators, *(ratio.numerator for ratio in table.functions)):
        if any(n < 0 or b for n, _, _, b in f):
            raise Unsupported("powers and exponents of 1/eps are not written for Coq yet")
        if any(k for _, _, k, _ in f):
            raise Unsupported("constants such as exp(-2) are not written for Coq yet")


@dataclass(frozen=True)
class Listing:
    """What a certificate lists, as Coq text; numbers of functions and denominators begin at 1 there."""

    certificate: Certificate
    constant: Constant | None = None
    """What delta is, if the certificate has a rational number in its place."""

    @cached_property
    def integers(self) -> Integers:
        """The functions with one unit and one scale."""
        return in_integers(self.certificate.table, self.certificate.claim.t)

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
        if certificate.diagram is None:
            violation = certificate.data["violation"]
            sides, domains = ("input", "neighbour"), certificate.sets.inputs
            pair = [reading.places(violation[side], domains, side) for side in sides]
            return [(places, tuple(law)) for places, law in zip(pair, certificate.rows, strict=True)]
        places = product(*(range(len(domain)) for domain in certificate.sets.inputs))
        count = 1
        for domain in certificate.sets.inputs:
            count *= len(domain)
        if count > MOST_INPUTS:
            raise Unsupported(f"there are {count} inputs; at most {MOST_INPUTS} are written for Coq")
        return [(list(u), certificate.diagram.at(u)) for u in places]

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
        outcomes = self.certificate.data["outcomes"]
        yield "   outcomes, from 0: " + "; ".join(", ".join(map(str, values)) for values in outcomes)

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
        pieces = () if self.certificate.violated else self.signs.effort.modules
        return pieces if self.constant is None else (*pieces, "Constants")

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
        claim = self.certificate.claim
        return rational(claim.t), f"({self.delta_of_eps()})", interval(claim.on)

    def delta_of_eps(self) -> str:
        """Delta as a function of eps."""
        if self.constant is None:
            return f"delta_of listed {self.number()}"
        return f"fun _ => constant {self.constant.text}"

    def number(self) -> str:
        """Delta in a proof: a ratio, or none if it is 0."""
        return f"(Some ({self.ratio(*self.delta)}))" if self.delta.numerator else "None"

    def statement(self, word: str) -> Iterator[str]:
        """The theorem, up to the proof."""
        t, delta, on = self.claim()
        yield f"Theorem claim : {word} listed {t} {delta} {on}."
        yield "Proof."

    def applied(self, word: str, rest: str) -> Iterator[str]:
        """The theorem about the check, for a delta that is a ratio or a constant."""
        if self.constant is None:
            yield f"  apply ({word}_check_sound listed _ {self.number()} _ {rest})."
        else:
            ratio, bounds = f"({self.ratio(*self.delta)})", f"{self.constant.terms} {self.constant.text}"
            yield f"  apply ({word}_constant_sound listed _ {ratio} _ {rest} {bounds})."

    # --- proofs ---

    def proof(self) -> Iterator[str]:
        """The model, the theorem, and its proof."""
        yield from self.model()
        yield from self.violation() if self.certificate.violated else self.privacy()
        yield from CLOSING

    def violation(self) -> Iterator[str]:
        """The claim is broken at one eps."""
        eps = self.certificate.claim.eps
        assert eps is not None
        chosen = self.certificate.data["violation"]["outcomes"]
        (_, p), (_, q) = self.inputs
        terms = max(self.effort.terms, self.terms(eps, [(p[o], q[o]) for o in chosen]))
        yield from self.statement("violated")
        yield from self.applied("violated", f"{self.at_eps(terms)} {self.chosen(chosen)}")

    def at_eps(self, terms: int) -> str:
        """Where a violation is, with so many terms of exp."""
        eps = self.certificate.claim.eps
        assert eps is not None
        return f"{terms} {rational(eps)}"

    def laws_sound(self) -> Iterator[str]:
        """The theorem that the laws are distributions."""
        return laws_sound(self.certificate, partial(proved, pieces="Pieces" in self.more))

    def terms(self, eps: Fraction, pairs: Sequence[Pair]) -> int:
        """How many terms of exp show that the excess, and all denominators, are positive at eps."""
        total = self.over_common([*((-1, *pair) for pair in pairs)], delta=-1)
        return max(terms_needed(f, eps, strict=True) for f in (total, *self.certificate.table.denominators))

    def privacy(self) -> Iterator[str]:
        """The claim holds on the interval."""
        signs = self.signs
        entries = listed((f"({i + 1}, {j + 1}, {sign})" for (i, j), sign in signs.known.items()), LINES)
        size = len(self.certificate.table.functions) + 1
        yield f"Definition entries : list (positive * positive * sign) := {entries}%positive."
        yield from self.statement("private")
        yield from self.applied("private", f"{signs.effort} {size} {self.checked}")

    @cached_property
    def signs(self) -> Signs:
        """By chains of derivatives if they will do, and with pieces if not.  Raises :class:`Unsupported`."""
        try:
            return self.signs_with(pieces=False)
        except Unsupported:
            return self.signs_with(pieces=True)

    def signs_with(self, pieces: bool) -> Signs:
        """The signs, proved with pieces or without."""
        return Signs(self, pieces)

    checked: ClassVar[str] = "entries"
    """What a proof of privacy checks."""

    @cached_property
    def effort(self) -> Effort:
        """What the proof needs besides its signs."""
        return Effort(self.certificate.claim.on)

    def chosen(self, outcomes: Sequence[int]) -> str:
        """The outcomes of a violation."""
        return f"{listed(outcomes)}%nat"

    def over_common(self, pairs: Sequence[tuple[int, int, int]], delta: int) -> Function:
        """The sum of times * (exp(t*eps) Q - P), over (times, P, Q), and delta, times something positive.

        What Coq collects, but for the order of the factors.
        """
        table, claim = self.certificate.table, self.certificate.claim
        grown: Function = {(0, claim.t, PLAIN, PLAIN): Fraction(1)}
        parts: list[tuple[Function, int]] = []
        for times, i, j in pairs:
            (p, d), (q, e) = table.functions[i], table.functions[j]
            parts += [(scaled_by(times, multiply(grown, q)), e), (scaled_by(-times, p), d)]
        if delta and self.delta.numerator:
            parts.append((scaled_by(delta, self.delta.numerator), self.delta.denominator))
        used = sorted({d for _, d in parts})
        total: Function = {}
        for f, d in parts:
            total = add(total, multiply(f, self.product(other for other in used if other != d)))
        return total

    def denominators_of(self, pairs: Sequence[tuple[int, int, int]]) -> set[int]:
        """The numbers of the denominators of these functions."""
        functions = self.certificate.table.functions
        return {functions[i].denominator for _, *pair in pairs for i in pair}

    def product(self, numbers: Iterable[int]) -> Function:
        """The product of denominators."""
        denominators = self.certificate.table.denominators
        return reduce(multiply, (denominators[d] for d in numbers), ONE)


def numbered(items: Iterable[str]) -> str:
    """The entries of a table whose keys count from 1."""
    return listed((f"({i}%positive, {item})" for i, item in enumerate(items, start=1)), LINES)


def scaled_by(times: int, f: Function) -> Function:
    """times * f."""
    return {key: times * c for key, c in f.items()}


class Signs:
    """The signs of P - exp(t*eps) Q for all pairs that adjacent inputs have, proved to be enough.

    Raises :class:`Unsupported` where the proofs are not enough.
    """

    def __init__(self, listing: Listing, pieces: bool) -> None:
        self.listing = listing
        self.effort = Effort(listing.certificate.claim.on, pieces)
        self.known: dict[Pair, str] = {}
        self.has_delta = listing.has_delta
        for d in listing.certificate.table.denominators:
            self.require(d, "a denominator", strict=True)
        for pairs in sorted(self.pairs_of_laws()):
            self.cover(pairs)
        self.known = dict(sorted(self.known.items()))
        self.effort.include(listing.effort)

    def require(self, f: Function, what: str, strict: bool = False) -> None:
        """Refuse what is not proved."""
        if not self.effort.proves(f, strict):
            raise Unsupported(NOT_PROVED.format(what))

    def pairs_of_laws(self) -> set[tuple[Pair, ...]]:
        """The pairs of functions of every two adjacent inputs."""
        certificate = self.listing.certificate
        adjacency, sets = certificate.adjacency, certificate.sets
        found = set()
        for u, p in self.listing.inputs:
            for v, q in self.listing.inputs:
                if adjacency.holds(sets, u, v):
                    found.add(tuple(sorted(zip(p, q, strict=True))))
        return found

    def sign(self, pair: Pair) -> str:
        """``Minus`` if P <= exp(t*eps) Q everywhere, ``Plus`` if >=, else ``Open``."""
        if pair not in self.known:
            slack = self.listing.over_common([(1, *pair)], delta=0)
            minus = self.effort.proves(slack)
            if not minus and not self.has_delta:
                self.require(slack, "an inequality")
            plus = not minus and self.effort.proves(negative(slack))
            self.known[pair] = "Minus" if minus else "Plus" if plus else "Open"
        return self.known[pair]

    def cover(self, pairs: Sequence[Pair]) -> None:
        """Whatever the open signs are, delta is enough."""
        signs = [self.sign(pair) for pair in pairs]
        if not self.has_delta:
            return
        if signs.count("Open") > MOST_OPEN:
            raise Unsupported(f"the signs of more than {MOST_OPEN} outcomes change with eps")
        choices = ((0, 1) if sign == "Open" else (int(sign == "Plus"),) for sign in signs)
        for chosen in product(*choices):
            taken = [(1, *pair) for pair, take in zip(pairs, chosen, strict=True) if take]
            self.require_delta(taken)

    def require_delta(self, taken: Sequence[tuple[int, int, int]]) -> None:
        """Refuse unless delta is shown to be enough for these outcomes."""
        self.require(self.listing.over_common(taken, delta=1), "an inequality")
