"""The model of a program that dpCTL* speaks about: a star.

A start state for every input, a final state with a loop for every output, and the exact probability P(u)(o)
on the edge between them; adjacent inputs are neighbours.  ``X`` then means "after the program", and
propositions are Boolean expressions over the outputs.

The chain of :mod:`dipc.dipwhile.semantics.chain` would be wrong here.  It merges states by adding densities,
which keeps the probability of every state but not that of paths: after ``x <- Lap(eps, q)``, a branch on
``x > 0`` whose sides are merged, and a branch on ``x > 1``, the path through ``x <= 0`` and ``x > 1`` has
probability 0 in the program and a positive one there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.pipeline import check_for_all_budgets
from dipc.dipwhile.semantics.adjacency import InputSpace, Pair
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.pairs import listed_pairs, relation_of
from dipc.dipwhile.semantics.step import LeftOpen, Outcome
from dipc.dipwhile.semantics.valuations import grouped, holds, in_order, output_valuation
from dipc.dipwhile.syntax.compile import compile_condition, read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.parser import parse_expression
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.chain import Model
from dipc.models.draft import MOST_STATES, MOST_TRANSITIONS, Draft
from dipc.models.values import show_valuation
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

ARRAY = re.compile(r"\b([^\W\d]\w*+)\s*+(!?=)\s*\[([^\[\]]*)\]")
BOTH_WAYS = "the adjacency formula is not symmetric: it was read both ways round"
NO_ADJACENCY = "the program does not say which inputs are neighbours"
NO_INPUT = "start"  # the state of a program without inputs


@dataclass(frozen=True, slots=True)
class Star:
    """The model of a program; ``outputs`` are the outcomes of its last states, in their order."""

    program: CoreProgram
    model: Model
    outputs: tuple[Outcome, ...]
    left_open: LeftOpen
    notes: tuple[str, ...]

    @property
    def parameters(self) -> tuple[tuple[str, fmpq], ...]:
        """The parameters of the program with their numbers."""
        return self.program.parameters

    def check_range(self, eps_range: EpsRange) -> None:
        """Refuse a range of eps on which the program has negative probabilities or may not end."""
        check_for_all_budgets(self.left_open, SignOracle(eps_range))

    def states_where(self, text: str, span: Span) -> frozenset[int]:
        """The output states in which a Boolean expression holds.

        ``span`` is where it was written, with its quotes.  Arrays are compared by cells, ``out[1] = top``,
        or as a whole, ``out = [bot, top]``.  Raises :class:`InputError` that points there.
        """
        try:
            expr = compile_condition(parse_expression(self._by_cells(text)), self.program)
            finals = enumerate(self.outputs, len(self.model.names) - len(self.outputs))
            return frozenset(s for s, o in finals if holds(expr, self.program.outputs, o))
        except InputError as error:
            raise InputError(error.message, _within(error.span, text, span), error.hint) from None

    def _by_cells(self, text: str) -> str:
        """The text with comparisons of whole arrays written out."""
        sizes = {output.name: output.size for output in self.program.outputs}

        def written(match: re.Match[str]) -> str:
            name, sign, inside = match.groups()
            values = [value.strip() for value in inside.split(",")]
            if name not in sizes or (size := sizes[name]) is None:
                raise InputError(
                    f"`{name}` is not an array of the outputs", hint=f"the outputs are: {', '.join(sizes)}"
                )
            if len(values) != size:
                raise InputError(f"`{name}` has {size} cells, but it is compared with {len(values)} values")
            cells = " and ".join(f"{name}[{i}] = ({value})" for i, value in enumerate(values, 1))
            return f"({cells})" if sign == "=" else f"(not ({cells}))"

        return ARRAY.sub(written, text)


def _within(inner: Span | None, text: str, span: Span) -> Span:
    """Where a part of a quoted expression is; all of it, if the text that was parsed is another one."""
    start = span.start + 1
    if inner is None or inner.source.text != text or span.source.text[start : span.end - 1] != text:
        return span
    return Span(span.source, start + inner.start, start + inner.end)


def read_star(source: Source, overrides: Mapping[str, fmpq], clock: Clock) -> Star:
    """The model of the program in a text; ``overrides`` are numbers of its parameters."""
    return star_of(read(source, overrides), clock)


def star_of(program: CoreProgram, clock: Clock) -> Star:
    """The model of a program.

    Whether its probabilities make sense depends on eps: ask :meth:`Star.check_range`.  Raises
    :class:`InputError` for what is wrong in the program, :class:`LimitReached` for too many inputs, outputs
    or neighbours.
    """
    space, explorer = InputSpace(program), Explorer(program, clock.deadline)
    if space.size > MOST_STATES:
        raise LimitReached(f"{program.source.name}: {space.size} inputs, but at most {MOST_STATES} states")
    draft, laws = Draft(Source(program.source.name, ""), ("chain", (0, 1))), []
    for done, values in enumerate(space):
        clock.tick("output distributions", done, space.size)
        laws.append(explorer.law(values))
    outcomes = in_order(program, {outcome for law in laws for outcome in law})
    names = [show_valuation(grouped(program.inputs, values)) or NO_INPUT for values in space]
    finals = {o: show_valuation(output_valuation(program, o)) for o in outcomes}
    for place, (name, law) in enumerate(zip(names, laws, strict=True)):
        draft.add_row(name, None, [(finals[o], p, (0, 0)) for o, p in law.items()], (place, place))
    for place, name in enumerate(finals.values(), len(names)):
        draft.add_row(name, None, [(name, Quotient.one(), (0, 0))], (place, place))
    pairs, notes = adjacent_pairs(space, clock)
    draft.pairs += [((names[u], (0, 0)), (names[v], (0, 0))) for u, v in pairs]
    draft.start += [(name, (0, 0)) for name in names]
    return Star(program, draft.model(), tuple(outcomes), explorer.left_open, notes)


def adjacent_pairs(space: InputSpace, clock: Clock) -> tuple[list[Pair], tuple[str, ...]]:
    """The positions of different adjacent inputs, fewest changed cells first, and notes on the relation."""
    if space.program.adjacency is None:
        return [], (NO_ADJACENCY,)
    relation = relation_of(space, space.program.adjacency, clock)
    pairs = [(u, v) for u, v in listed_pairs(space, relation, 2 * MOST_TRANSITIONS) if u < v]
    return pairs, () if relation.symmetric else (BOTH_WAYS,)
