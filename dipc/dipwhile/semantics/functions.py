"""The probability of every output as a function of the input: from configurations to decision diagrams.

The configurations of a program form an automaton that reads input cells; the probability of an output o is
the sum of what is emitted for o on the way.  So with p the sum so far, the function that remains is

    F(configuration, p) = p                                            if o is not emitted any more,
                          choice(cell, F(next(v), p + emitted(v, o)) for every value v of the cell),

and every pair (configuration, p) is visited once, however many inputs lead to it.

**The probabilities of all outputs sum to 1 for every input.**  Let T(c) be the total that is emitted after
configuration c.  For every value v of the cell asked, emitted(v) + T(next(v)) is computed, and must be the
same function of eps; that is T(c).  By induction from the end of the program all ways from c emit T(c), so
all inputs together are checked by emitted(start) + T(start) = 1: it fails if one single input has a total
other than 1.
"""

from __future__ import annotations

from collections.abc import Callable

from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams, solved
from dipc.dipwhile.semantics.explore import Arrival, Configuration, Explorer, Law, check_total
from dipc.dipwhile.semantics.step import Outcome
from dipc.errors import InternalError
from dipc.frozen import frozen
from dipc.numbers.quotient import Quotient

_ZERO = Quotient.of(0)


@frozen
class Future:
    """What is emitted after a configuration: which outcomes for some input, and how much for each."""

    outcomes: frozenset[Outcome]
    total: Quotient


class OutputFunctions:
    """Everything a program can do, explored.  ``tick`` is called with the number of configurations known.

    Raises what :meth:`Explorer.law` raises.
    """

    def __init__(self, explorer: Explorer, space: InputSpace, tick: Callable[[int], None]) -> None:
        self._explorer = explorer
        self._space = space
        self._tick = tick
        self._futures: dict[Configuration, Future] = {}
        start = explorer.start
        future = solved(start.configuration, self._followers, self._future, self._futures)
        check_total(_total(start.emitted) + future.total)
        self.outcomes = frozenset(start.emitted) | future.outcomes

    def function(self, outcome: Outcome, diagrams: Diagrams) -> int:
        """The probability of an outcome as a node of ``diagrams``."""
        known: dict[tuple[Configuration, Quotient], int] = {}

        def needs(at: tuple[Configuration, Quotient]) -> list[tuple[Configuration, Quotient]]:
            configuration, p = at
            if outcome not in self._futures[configuration].outcomes:
                return []
            arrivals = self._arrivals(configuration)
            return [(c, p + emitted[outcome] if outcome in emitted else p) for emitted, c in arrivals]

        def combine(at: tuple[Configuration, Quotient]) -> int:
            configuration, p = at
            below = needs(at)
            if not below:
                return diagrams.leaf(p)
            assert configuration.asks is not None
            place = self._space.place[configuration.asks]
            return diagrams.choice(place, [known[following] for following in below])

        start = self._explorer.start
        return solved((start.configuration, start.emitted.get(outcome, _ZERO)), needs, combine, known)

    def _arrivals(self, configuration: Configuration) -> list[Arrival]:
        if configuration.asks is None:
            return []
        domain = self._space.domains[self._space.place[configuration.asks]]
        return [self._explorer.after(configuration, value) for value in domain]

    def _followers(self, configuration: Configuration) -> list[Configuration]:
        self._tick(len(self._futures))
        return [arrival.configuration for arrival in self._arrivals(configuration)]

    def _future(self, configuration: Configuration) -> Future:
        outcomes: frozenset[Outcome] = frozenset()
        totals = set()
        for emitted, following in self._arrivals(configuration):
            future = self._futures[following]
            outcomes = outcomes.union(emitted, future.outcomes)
            totals.add(_total(emitted) + future.total)
        if len(totals) > 1:
            raise InternalError(f"the probabilities of all outputs depend on the input: {totals}")
        return Future(outcomes, totals.pop() if totals else _ZERO)


def _total(law: Law) -> Quotient:
    return sum(law.values(), _ZERO)
