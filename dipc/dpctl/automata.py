"""Deterministic omega-automata for path formulas, from Spot: the optional package ``spottl`` (extra ``ltl``).

Any acceptance condition of Fin and Inf is understood; every letter that a path has must have exactly one
edge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Until
from dipc.dpctl.progression import Condition, Marks, States
from dipc.errors import InternalError, Unsupported

ATOM = re.compile(r"(!p|Fin\(|p|Inf\()(\d+)")
NEGATIVE = ("!p", "Fin(")
MOST_STEPS = 100  # of a bounded U, which becomes as many X
Edge = tuple[Condition, tuple[int, Marks]]
"""For the letters (sets of propositions) that meet the condition, the next state with the marks seen."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic automaton; its memory is its state with the marks that were just seen.

    ``letters[i]`` are the states of the model in which the i-th proposition holds.
    """

    edges: Mapping[int, Sequence[Edge]]
    start: int
    letters: tuple[States, ...]
    accepted: Condition
    rejected: Condition
    _found: dict[tuple[int, Marks], tuple[int, Marks]] = field(default_factory=dict)

    def read(self, before: tuple[int, Marks] | None, state: int) -> tuple[int, Marks]:
        """The memory after one more state."""
        at = self.start if before is None else before[0]
        key = at, frozenset(i for i, states in enumerate(self.letters) if state in states)
        if key not in self._found:
            edges, here = self.edges.get(at, ()), key[1]
            found = [after for label, after in edges if any(i <= here and not f & here for f, i in label)]
            if len(found) != 1:
                raise InternalError(f"state {at} of an automaton has {len(found)} edges for a letter")
            self._found[key] = found[0]
        return self._found[key]

    def marks(self, memory: tuple[int, Marks]) -> Marks:
        """The marks that were seen when this memory was reached."""
        return memory[1]


def of_spot(made: Any, letters: Sequence[States]) -> Automaton:
    """The automaton that Spot made, with propositions p0, p1, ... that hold in these states."""
    from spot import bdd_format_formula

    edges = {
        state: [
            (
                _disjuncts(bdd_format_formula(made.get_dict(), edge.cond)),
                (edge.dst, frozenset(edge.acc.sets())),
            )
            for edge in made.out(state)
        ]
        for state in range(made.num_states())
    }
    condition = made.get_acceptance()
    accepted, rejected = (_disjuncts(str(part.to_dnf())) for part in (condition, condition.complement()))
    return Automaton(edges, made.get_init_state_number(), tuple(letters), accepted, rejected)


def _disjuncts(text: str) -> Condition:
    """The condition in a disjunction as Spot writes it: ``(!p0 & p1) | p2``, ``Fin(0) & Inf(1)``, ``t``."""
    if text in ("f", "0"):
        return ()
    found = [ATOM.findall(part) for part in text.split("|")]
    return tuple(
        (
            frozenset(int(n) for sign, n in atoms if sign in NEGATIVE),
            frozenset(int(n) for sign, n in atoms if sign not in NEGATIVE),
        )
        for atoms in found
    )


def automaton_of(path: Formula, known: Mapping[Formula, States]) -> Automaton:
    """The deterministic automaton of a path formula from Spot.  Raises :class:`Unsupported` without it.

    Spot 2.13 is wrong about some nested equivalences where it makes an automaton from those of the operands.
    """
    try:
        import spot
    except ImportError:
        raise Unsupported(
            "this path formula needs a deterministic automaton on a decision process",
            hint="install the extra `ltl`: pip install dipc[ltl]",
        ) from None
    text = _ltl(path, {part: f"p{i}" for i, part in enumerate(known)})
    made = spot.translate(text, "generic", "deterministic", "complete", xargs="ltl-split=0")
    return of_spot(made, list(known.values()))


def _ltl(path: Formula, names: Mapping[Formula, str]) -> str:
    """A path formula as Spot writes it."""
    if path in names:
        return names[path]
    match path:
        case Not(operand):
            return f"!({_ltl(operand, names)})"
        case And(operands) | Or(operands):
            sign = " & " if isinstance(path, And) else " | "
            return sign.join(f"({_ltl(operand, names)})" for operand in operands)
        case Next(operand, count):
            return f"{'X ' * count}({_ltl(operand, names)})"
        case Until(left, right, None):
            return f"({_ltl(left, names)}) U ({_ltl(right, names)})"
        case Until(left, right, int(bound)):
            if bound > MOST_STEPS:
                raise Unsupported(f"an automaton for a bounded operator of more than {MOST_STEPS} steps")
            a, b = _ltl(left, names), _ltl(right, names)
            text = f"({b})"
            for _ in range(bound):
                text = f"(({b}) | (({a}) & X {text}))"
            return text
    raise InternalError(f"the states of {path} are not known")
