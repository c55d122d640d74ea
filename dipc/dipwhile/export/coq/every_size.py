"""A certificate about every size as a theorem: its automaton, and the strategies that prove the claim.

The theorem is proved by computation (``vm_compute``) with a checker that ``Sizes.v`` proves right, along runs
of every length.  Who trusts Coq has to read ``Runs.v``, the automaton that the file lists, and the statement
of the theorem only, see docs/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.verdict import ProvedForAll
from dipc.dipwhile.certify.every_size import sizes_certificate
from dipc.errors import InputError, Unsupported
from dipc.export.coq.library import imported
from dipc.export.coq.terms import LINES, PRINT, SEARCH, comment, computed, function, interval, listed, number
from dipc.kernel import laws
from dipc.kernel import sizes as kernel
from dipc.kernel.automata import Automaton, Choice, Edge, Exponential, Form
from dipc.kernel.facts import ZERO
from dipc.kernel.sizes import Certificate, Strategy

MODULES = ("Chain", "Bounds", "Runs", "Coupling", "Sizes")
"""In the order in which they need each other."""
REQUIRED = "From Coq Require Import ZArith QArith List."
OPENING = ("Import ListNotations.", "Open Scope Q_scope.")


def coq(asked: Question, proved: ProvedForAll) -> str:
    """A file that Coq checks by itself, with nothing of dipc: ``coqc NAME.v``.

    Raises :class:`InputError` if nothing is claimed, :class:`~dipc.errors.LimitReached` if the kernel would
    refuse the certificate, and :class:`Unsupported` for what the library does not have.
    """
    if asked.goal is None:
        raise InputError("there is no theorem, as the program claims nothing")
    return theorem(kernel.checked(sizes_certificate(asked, proved)))


def theorem(certificate: Certificate, library: bool = True) -> str:
    """The text of a Coq file; without the library it needs that to be compiled as ``Dipc``.

    Raises :class:`Unsupported` for what the library does not have.
    """
    listing = Listing(certificate)
    first = [
        *heading(certificate),
        REQUIRED,
        *imported((*MODULES, *listing.more), library),
        *OPENING,
    ]
    return "\n".join([*first, *listing.definitions(), *listing.claim(), ""])


def heading(certificate: Certificate) -> Iterator[str]:
    """A comment with the statement in words."""
    yield f"(* {comment(certificate.statement())}"
    yield f"   program text: SHA-256 {certificate.program.sha256}"
    yield "   not proved here: that the automaton listed is that of the program on adjacent inputs *)"


@dataclass(frozen=True)
class Listing:
    """What a certificate lists, as Coq text."""

    certificate: Certificate

    @property
    def automaton(self) -> Automaton:
        """The automaton."""
        return self.certificate.listed.automaton

    @property
    def strategies(self) -> list[Strategy]:
        """The strategies."""
        return self.certificate.listed.strategies

    @cached_property
    def live(self) -> list[list[str]]:
        """The live variables of every place."""
        return [place.live for place in self.automaton.places]

    def definitions(self) -> Iterator[str]:
        """The automaton, the strategies, and which of them are left at each place."""
        yield from self.automaton_text()
        strategies = map(self.strategy, self.strategies)
        yield f"Definition strategies : list strategy := {listed(strategies, LINES)}."
        reached = (f"({place}, {listed(left)})" for place, left in self.reached())
        yield f"Definition reached : list (nat * list nat) := {listed(reached)}%nat."

    def claim(self) -> Iterator[str]:
        """The theorem, with its proof."""
        t, on = self.certificate.listed.claim.t, self.certificate.claim.on
        yield f"Theorem claim : private program {number(t)} {interval(on)}."
        yield "Proof."
        prover = SEARCH if self.more else "Chains"
        yield from computed(f"sizes_check_sound _ {prover} program _ strategies reached")
        yield PRINT

    # --- the automaton ---

    def automaton_text(self) -> Iterator[str]:
        """Its definition."""
        yield "Definition program : automaton := {|"
        yield f"  start := {self.automaton.start};"
        yield "  edges := ["
        last, choices = len(self.automaton.edges) - 1, self.drawn
        for i, edge in enumerate(self.automaton.edges):
            yield f"    (* {i}: {comment(self.words(i))} *)"
            yield f"    {self.edge(edge, choices[i])}{';' if i < last else ''}"
        yield "  ] |}."

    def words(self, i: int) -> str:
        """What happens on an edge, for a reader."""
        steps = (self.automaton.steps[j][1] for j in self.automaton.edges[i].path)
        return ", ".join(steps) or "nothing happens"

    @property
    def more(self) -> tuple[str, ...]:
        """The modules that are needed besides, for the costs of finite draws."""
        return ("Pieces",) if self.certificate.listed.choices else ()

    @cached_property
    def drawn(self) -> list[list[str]]:
        """The finite draws of each edge."""
        texts = [choice(item, self.certificate) for item in self.certificate.listed.choices]
        return [[texts[number] for number in edge.choices] for edge in self.automaton.edges]

    def edge(self, edge: Edge, choices: Sequence[str]) -> str:
        """An edge: what is drawn, tested, and kept for the target."""
        here, drawn = self.live[edge.source], len(edge.samples)
        moves = [
            f"Draw {sample.kind} {number(sample.rate)} {form(sample.mean, j, here)}"
            for j, sample in enumerate(edge.samples)
        ]
        moves += [f"Guard {form(g.form, drawn, here)} {str(g.equal).lower()}" for g in edge.guards]
        moves += choices
        kept = (form(edge.sets[name], drawn, here) for name in self.live[edge.target])
        return f"Edge {edge.source} {edge.target} {listed([*moves, f'Keep {listed(kept)}'])}"

    # --- the strategies ---

    def strategy(self, strategy: Strategy) -> str:
        """Potentials and changes by place, and shifts by edge."""
        known = strategy.shifts()
        phi = numbers(strategy.phi.get(str(place), ZERO) for place in range(len(self.live)))
        delta = (values(strategy.delta.get(str(place), {}), names) for place, names in enumerate(self.live))
        edges = range(len(self.automaton.edges))
        shifts = (f"Some {numbers(known[i])}" if i in known else "None" for i in edges)
        return f"Strategy {phi} {listed(delta)} {listed(shifts)}"

    def reached(self) -> list[tuple[int, tuple[int, ...]]]:
        """All places, each with the strategies that contain every edge on a way there."""
        outgoing = self.automaton.outgoing()
        todo = [(self.automaton.start, tuple(range(len(self.strategies))))]
        seen = dict.fromkeys(todo)
        while todo:
            place, left = todo.pop()
            for i in outgoing[place]:
                after = (
                    self.automaton.edges[i].target,
                    tuple(n for n in left if i in self.strategies[n].edges),
                )
                if after not in seen:
                    seen[after] = None
                    todo.append(after)
        return sorted(seen)


def choice(item: Choice, certificate: Certificate) -> str:
    """A finite draw, or one of the exponential mechanism."""
    if isinstance(item, Exponential):
        return f"Score {number(item.rate)} {number(item.sensitivity)}"
    cost, table = item.cost, certificate.table
    integers = laws.in_integers(table.rated(cost))
    sides = (table.functions[side] for side in (item.left, item.right))
    left, right = ((above, table.denominators[below]) for above, below in sides)
    if any(n < 0 or k or b for side in (left, right) for f in side for n, _, k, b in f):
        raise Unsupported("powers of 1/eps and constants such as exp(-2) are not written for Coq")
    (p, q), (r, s) = ([function(f, integers.unit, integers.scale) for f in pair] for pair in (left, right))
    return f"Choose {number(cost)} {integers.unit} ({p}, {q}) ({r}, {s})"


def form(written: Form, drawn: int, live: Sequence[str]) -> str:
    """A form; the samples of the edge come before the live variables, the last one first.

    >>> form({"": Fraction(1), "0": Fraction(-1), "rT": Fraction(1)}, 2, ["lo", "rT"])
    '(Form 1 [(1%nat, (-1)); (3%nat, 1)])'
    """
    places = {str(j): drawn - 1 - j for j in range(drawn)}
    places |= {name: drawn + i for i, name in enumerate(live)}
    terms = sorted((places[symbol], factor) for symbol, factor in written.items() if symbol)
    factors = (f"({place}%nat, {number(factor)})" for place, factor in terms)
    return f"(Form {number(written.get('', ZERO))} {listed(factors)})"


def values(changes: Mapping[str, Fraction], names: Sequence[str]) -> str:
    """The changes of the live variables of a place, in their order; none if no edge leads there."""
    return numbers(changes[name] for name in names if name in changes)


def numbers(items: Iterable[Fraction]) -> str:
    """A list of rationals."""
    return listed(map(number, items))
