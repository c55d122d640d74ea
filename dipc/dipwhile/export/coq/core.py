"""A certificate as a theorem about a program: its core is written in Coq, which computes the laws itself.

The laws that the certificate lists are a part of the proof; the statement does not mention them.  Who trusts
Coq has to read ``Core.v``, the program as it is written here, and the theorem, see
docs/certificates.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from math import lcm

from dipc.dipwhile.export.coq.core_program import Translation
from dipc.dipwhile.export.coq.core_syntax import Block, Term, lines, number
from dipc.dipwhile.export.coq.core_units import Denominators
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import InputError
from dipc.export.coq.library import MODULES, imported
from dipc.export.coq.listing import COQ, Listing, refuse_other_terms
from dipc.export.coq.terms import PRINT, comment, computed, first_that, listed
from dipc.export.coq.terms import number as written
from dipc.kernel.facts import Function
from dipc.kernel.laws import Integers, in_integers, places
from dipc.kernel.privacy import Certificate

CORE = ("Core", "Samples", "Laws")


def core_theorem(program: CoreProgram, certificate: Certificate, library: bool = True) -> str:
    """The text of a Coq file; without the library it needs that to be compiled as ``Dipc``.

    Raises :class:`Unsupported` for what is outside the fragment, and :class:`InputError` if the certificate
    is one of another program.
    """
    require_same(program, certificate)
    core = CoreListing(certificate, translation=Translation(program))
    refuse_other_terms(certificate)
    definition = list(core.definition())
    parts = (
        *core.heading(),
        COQ,
        *imported((*MODULES, *core.more, *CORE), library),
        "Import ListNotations.",
        *definition,
        *core.proof(),
        PRINT,
    )
    return "\n".join((*parts, ""))


def require_same(program: CoreProgram, certificate: Certificate) -> None:
    """Refuse a certificate of another text, or of other values of its parameters."""
    digest = hashlib.sha256(program.source.text.encode("utf-8")).hexdigest()
    values = {name: Fraction(int(value.p), int(value.q)) for name, value in program.parameters}
    if (digest, values) != (certificate.program.sha256, certificate.listed.parameters):
        raise InputError(f"the certificate is not one of {program.source.name} with these parameters")


@dataclass(frozen=True)
class CoreListing(Listing):
    """What a certificate lists, with the program that it is about."""

    translation: Translation = field(kw_only=True)

    @cached_property
    def numbers(self) -> dict[str, Fraction]:
        """The atoms in input sets, as the program has them."""
        values = (v for domain in self.certificate.sets.inputs for v in domain)
        return {name: self.translation.atoms[name] for name in values if isinstance(name, str)}

    @cached_property
    def block(self) -> Block:
        """The program."""
        return self.translation.block()

    @cached_property
    def integers(self) -> Integers:
        """As listed, with a unit that suits the rates in the program too.  Raises :class:`Unsupported`."""
        known = in_integers(self.certificate.table)
        cells, domains = self.translation.cells.values(), self.certificate.sets.inputs
        inputs = [lcm(*(v.denominator for v in domain if isinstance(v, Fraction))) for domain in domains]
        found = Denominators({**dict.fromkeys(cells, 1), **dict(zip(cells, inputs, strict=False))})
        found.run(self.block)
        found.weight(self.delta_term())
        return known._replace(unit=lcm(known.unit, found.unit))

    def heading(self) -> Iterator[str]:
        """A comment with the statement in words."""
        certificate = self.certificate
        yield f"(* {comment(certificate.statement())}"
        yield f"   program text: SHA-256 {certificate.program.sha256}"
        yield "   The theorem is about the program as it is written below: Coq computes its distributions."
        yield "   not proved here: that this is the program of that text *)"

    def definition(self) -> Iterator[str]:
        """The program."""
        translation, block = self.translation, self.block
        inputs = sum(len(variable.cells) for variable in translation.program.inputs)
        for i, (cell, name) in enumerate(translation.cells.items()):
            yield f"Definition {name} : nat := {i}.  (* {spelled_cell(cell)} *)"
        for atom, value in translation.atoms.items():
            yield f"(* {comment(atom)} is {value} *)"
        sets = (listed(map(self.cell, domain)) for domain in self.certificate.sets.inputs)
        yield "Open Scope Q_scope."
        yield "Definition program : mechanism := {|"
        yield f"  input_sets := {listed(sets)};"
        yield f"  neighbours := {self.adjacency()};"
        yield f"  more_cells := {len(translation.cells) - inputs};"
        yield "  code := ("
        yield from lines(block, "    ")
        yield "  )%core;"
        yield f"  outputs := {listed(translation.outputs)} |}}."
        yield f"Definition delta : weight := {self.delta_term()}."

    def cell(self, value: Fraction | str) -> str:
        """A value of an input cell, in lowest terms."""
        return written(self.numbers[value] if isinstance(value, str) else value)

    def delta_term(self) -> Term:
        """The delta of the claim."""
        above, below = self.delta
        denominator = self.certificate.table.denominators[below]
        return Term("Quotient", (weight_of(above), weight_of(denominator))) if above else weight_of(above)

    @cached_property
    def outcomes(self) -> list[str]:
        """The outcomes, as lists of numbers."""
        domains = self.certificate.sets.outputs
        rows = (places(o, domains, "outcomes") for o in self.certificate.listed.outcomes)
        values = ([domain[i] for domain, i in zip(domains, row, strict=True)] for row in rows)
        atoms = self.translation.atoms
        return [
            listed(written(atoms[v]) if isinstance(v, str) else written(v) for v in row) for row in values
        ]

    def statement(self, word: str) -> Iterator[str]:
        """The theorem, up to the proof."""
        t, _, on = self.claim()
        yield f"Definition outcomes : list (list Q) := {listed(self.outcomes)}%Q."
        yield f"Theorem claim : {word}_program program {t} delta {on}."
        yield "Proof."

    def applied(self, word: str, rest: str) -> Iterator[str]:
        """The proof by the theorem about the check."""
        program = "(code program) (more_cells program) (outputs program)"
        applied = f"{word}_program_sound listed {program} _ delta {self.number()} _ {rest}"
        yield from first_that(applied) if self.certificate.violated else computed(applied)

    checked = "entries outcomes"

    def chosen(self, outcomes: Sequence[int]) -> str:
        """The outcomes of a violation, after all of them."""
        return f"outcomes {listed(self.outcomes[o] for o in outcomes)}%Q"


def weight_of(f: Function) -> Term:
    """A function without 1/eps as a term.

    >>> print(weight_of({(1, Fraction(-2), Fraction(0), Fraction(0)): Fraction(3)}))
    3 * Eps * Exp ((-2) * Eps)
    """
    if not f:
        return Term("Const", (number(0),))
    eps = Term("Eps")

    def times(*factors: Term) -> Term:
        return reduce(lambda a, b: Term("Product", (a, b)), factors)

    def term(power: int, rate: Fraction, c: Fraction) -> Term:
        grown = (Term("Exp", (times(Term("Const", (number(rate),)), eps),)),) if rate else ()
        return times(Term("Const", (number(c),)), *[eps] * power, *grown)

    return reduce(lambda a, b: Term("Sum", (a, b)), [term(n, a, c) for (n, a, _, _), c in sorted(f.items())])
