"""Whether an automaton accepts the paths that satisfy a formula: dipc believes nobody who made it.

The formula and its negation are read as in :mod:`dipc.dpctl.progression`, but every clause of what is left is
a choice: a tableau (Gerth, Peled, Vardi, Wolper, *Simple on-the-fly automatic verification of linear temporal
logic*, 1995).  A path satisfies the formula if and only if some choices do not put off a U for ever.  The
automaton is right if no path satisfies the formula and is rejected, and none satisfies the negation and is
accepted.  Paths are sequences of letters; states with the same letter are one, and after a letter comes that
of a successor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dipc.clock import Tick
from dipc.dpctl.automata import Automaton
from dipc.dpctl.formula import Formula
from dipc.dpctl.progression import Clause, Condition, Literal, States, all_of, unfolded
from dipc.errors import LimitReached
from dipc.models.graph import components

MOST_NODES = 100_000
Known = Mapping[Formula, States]
Following = Mapping[int, Collection[int]]
Node = tuple[int, tuple[int, States], Clause]
"""A state for its letter, with the memory of the automaton and the choice made when it was read."""


def accepts_the_same(
    automaton: Automaton, path: Formula, known: Known, successors: Sequence[Collection[int]], tick: Tick
) -> bool:
    """Whether the automaton accepts the paths that satisfy the formula.  Raises :class:`LimitReached`."""
    sets, first = (*known.values(), *automaton.letters), dict[tuple[bool, ...], int]()
    letter = [first.setdefault(tuple(s in each for each in sets), s) for s in range(len(successors))]
    following: dict[int, set[int]] = {s: set() for s in letter}
    for s, targets in enumerate(successors):
        following[letter[s]].update(letter[t] for t in targets)
    return not any(
        _Choices(automaton, known, following, (path, positive), tick).meets(condition)
        for positive, condition in ((True, automaton.rejected), (False, automaton.accepted))
    )


class _Choices:
    """The graph of all choices for a formula, or its negation, on all paths."""

    def __init__(
        self, automaton: Automaton, known: Known, following: Following, goal: Literal, tick: Tick
    ) -> None:
        self.automaton, self.known = automaton, known
        self.number: dict[Node, int] = {}
        self.nodes: list[Node] = []
        self.rows: list[list[tuple[int, None]]] = []
        for s in following:
            self._read(None, s, frozenset([goal]))
        for state, memory, clause in self.nodes:  # grows while it is read
            tick()
            self.rows.append([n for t in following[state] for n in self._read(memory, t, clause)])
            if len(self.nodes) > MOST_NODES:
                raise LimitReached(f"checking the automaton of a path formula: more than {MOST_NODES} cases")

    def _read(self, memory: tuple[int, States] | None, state: int, clause: Clause) -> list[tuple[int, None]]:
        """The choices when one more state is read."""
        after, found = self.automaton.read(memory, state), []
        rests = (unfolded(f, truth, state, self.known, True) for f, truth in clause if truth is not None)
        for choice in all_of(rests):
            node = state, after, choice
            if node not in self.number:
                self.number[node] = len(self.nodes)
                self.nodes.append(node)
            found.append((self.number[node], None))
        return found

    def meets(self, condition: Condition) -> bool:
        """Whether choices on some path put off no U for ever, and the automaton meets the condition."""
        marks = [self.automaton.marks(memory) for _, memory, _ in self.nodes]
        put_off = [{f for f, truth in clause if truth is None} for _, _, clause in self.nodes]
        for fin, inf in condition:
            for cycle in components(self.rows, {n for n, seen in enumerate(marks) if not seen & fin}):
                if len(cycle) == 1 and (cycle[0], None) not in self.rows[cycle[0]]:
                    continue
                for_ever = set.intersection(*(put_off[n] for n in cycle))
                if inf <= frozenset().union(*(marks[n] for n in cycle)) and not for_ever:
                    return True
        return False
