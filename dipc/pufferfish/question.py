"""What is asked about a hidden Markov model: which distributions are compared, how long, for what claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import fmpq, fmpq_mpoly

from dipc.errors import InputError
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Ends, Pair
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

ZERO, ONE = fmpq(0), fmpq(1)
EVERY_EPS = EpsRange.positive()
NOTHING = "nothing was compared"


Range = Ends
"""The values of a parameter; the ends may depend on the parameters before it."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """A class of parameters: a range for each, and further conditions ``f >= 0``.

    One of the parameters may stand for ``exp(-eps/unit)``: then its name is ``eps_name``.  The last
    generators of the ring may be other ``functions`` of eps, such as eps itself or exp(1/2); ``budgets`` are
    the values of eps.
    """

    ring: Ring = field(compare=False)
    ranges: tuple[Range, ...] = ()
    conditions: tuple[Parametric, ...] = ()
    eps_name: str | None = None
    eps_unit: int = 1
    functions: tuple[Term, ...] = ()
    budgets: EpsRange = EVERY_EPS

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in their order."""
        return self.ring.names[: len(self.ring.names) - len(self.functions)]

    @property
    def rational(self) -> bool:
        """Whether all numbers are rational functions of the parameters, for all eps > 0."""
        return not self.functions and self.budgets == EVERY_EPS

    @property
    def symbols(self) -> dict[int, Term]:
        """The places of the generators that are functions of eps."""
        first = len(self.names)
        found = dict(enumerate(self.functions, first))
        if self.eps_name is not None:
            found[self.names.index(self.eps_name)] = Term(ONE, 0, fmpq(-1, self.eps_unit), ZERO)
        return found

    @property
    def free_axes(self) -> list[int]:
        """The places of the parameters, without those that are functions of eps."""
        return [axis for axis in range(len(self.names)) if axis not in self.symbols]

    def split(self, f: fmpq_mpoly) -> dict[tuple[int, ...], ExpPoly]:
        """A polynomial in the other generators, by exponents: its coefficients are functions of eps."""
        symbols, found = self.symbols, dict[tuple[int, ...], list[Term]]()
        for powers, c in f.to_dict().items():
            key = tuple(0 if place in symbols else int(n) for place, n in enumerate(powers))
            parts = [(s, int(powers[place])) for place, s in symbols.items()]
            rate, fixed, inverse = (sum((fmpq(s[i]) * n for s, n in parts), ZERO) for i in (2, 3, 4))
            term = Term(c, sum(s.power * n for s, n in parts), rate, fixed, inverse)
            found.setdefault(key, []).append(term)
        return {key: ExpPoly.from_terms(terms) for key, terms in found.items()}

    def of_function(self, f: Quotient) -> Parametric:
        """A function of eps, as one of the generators; the inverse of :meth:`function_of_eps`."""

        def of_term(term: Term) -> Parametric:
            found = self.ring.of(term.coefficient)
            for place, symbol in self.symbols.items():
                i = next(i for i in range(1, 5) if symbol[i])
                found = found * self.ring.gens[place] ** int((fmpq(term[i]) / symbol[i]).p)
            return found

        parts = f.numerator, f.denominator
        above, below = (sum(map(of_term, part.terms()), self.ring.of(0)) for part in parts)
        return above / below

    def function_of_eps(self, f: Parametric) -> Quotient:
        """A function of no other parameter, as a function of eps."""
        above, below = (next(iter(self.split(g).values()), ExpPoly()) for g in (f.numerator, f.denominator))
        return Quotient(above, below)


def claimed(claim: Claim | None) -> Claim:
    """The claim, without which there is nothing to decide.  Raises :class:`InputError`."""
    if claim is None:
        raise InputError("nothing is claimed", hint="write a line `private ln(2)`, or use `--claim`")
    return claim


@dataclass(frozen=True, slots=True)
class Question:
    """A model with what is compared.  ``horizon`` is the number of observations, None: every one ("any").

    That of a program shows one output in each state, which is a law of the program.  ``places`` are those of
    names in the text, for messages.
    """

    model: HiddenMarkovModel[Parametric]
    parameters: Parameters
    pairs: tuple[Pair, ...]
    horizon: int | None
    claim: Claim | None
    name: str = "<model>"
    notes: tuple[str, ...] = ()
    of_program: bool = False
    places: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def place(self, name: str) -> str:
        """Where a name is declared, as the beginning of a message."""
        return f"{self.places[name]}: " if name in self.places else ""
