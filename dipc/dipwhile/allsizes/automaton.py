"""The automaton of a program: all its paths, for every size and all adjacent inputs, as one finite graph.

A run of the automaton is a *pair* of runs of the program, on adjacent inputs u and u', that take the same
decisions and publish the same values.  A :class:`Form` is the difference of a quantity between the two runs;
constants and public values have none.  ``eps`` does not occur: rates and costs are in units of eps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq

from dipc.errors import Span
from dipc.models.values import Value
from dipc.numbers.quotient import Quotient

ZERO = fmpq(0)
Symbol = int | str
"""A sample of the edge, by number, or a live random variable of its source, by name."""


@dataclass(frozen=True, slots=True)
class Form:
    """``constant + sum of coefficient * symbol``: how much a quantity moves from the run on u to that on u'.

    ``terms`` have no zero coefficients; samples come first, by number, then variables, by name.
    """

    terms: tuple[tuple[Symbol, fmpq], ...] = ()
    constant: fmpq = ZERO

    def __hash__(self) -> int:  # the hash of a fraction itself takes nine times as long
        return hash((self.constant.p, self.constant.q, *((s, c.p, c.q) for s, c in self.terms)))


@dataclass(frozen=True, slots=True)
class Sample:
    """A draw ``kind(rate*eps, mean)``.

    ``mean`` is the change of the mean, over earlier samples and live variables.
    """

    kind: str  # a name of dipc.dipwhile.syntax.distributions.NOISE
    rate: fmpq
    mean: Form


@dataclass(frozen=True, slots=True)
class Guard:
    """The shift must leave ``form >= 0``, or ``= 0`` if ``equal``: then the run on u' decides alike."""

    form: Form
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A finite draw of a value with probability ``left`` on u, ``right`` on u'.

    ``left <= exp(cost*eps) right`` for every eps of the claim.
    """

    left: Quotient
    right: Quotient
    cost: fmpq


@dataclass(frozen=True, slots=True)
class Exponential:
    """A draw of the exponential mechanism of this rate: it needs no proof of an inequality.

    ``sensitivity`` is how far two scores can move apart: 2D if each of them changes by at most D, D if only
    one changes, or all of them in one direction.
    """

    rate: fmpq
    sensitivity: fmpq

    @property
    def cost(self) -> fmpq:
        """The scores change the ratio of a weight to the sum of all by at most exp(cost*eps)."""
        return self.rate * self.sensitivity


Draw = Choice | Exponential
"""A finite draw of an edge, with what it costs."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happens on an edge, for a reader: ``q[i]`` by 1, ``r >= rT``, ``out[i] = top``.

    ``kind`` is ``label`` (``text`` is the private cell, ``value`` its change), ``sample`` (``text`` names the
    variable drawn; these are in the order of the edge's samples), ``test``, ``choice`` or ``output``
    (``published`` is its variable and what it gets, ``None`` if that is unknown or random).
    """

    kind: str
    text: str
    span: Span = field(compare=False, repr=False)
    value: str = ""
    published: tuple[str, str | None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """One loop-free path from a place to a place, for one choice of the differences of the inputs it reads.

    ``sets`` gives the difference of every live random variable of the target.  The costs of the ``choices``
    add up to ``cost``.
    ``decisions`` is the same for the edges that differ in the labels only.
    """

    source: int
    target: int
    samples: tuple[Sample, ...]
    guards: tuple[Guard, ...]
    sets: tuple[tuple[str, Form], ...]
    cost: fmpq
    choices: tuple[Draw, ...] = ()
    decisions: tuple[str, ...] = ()
    path: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A point where paths are cut.

    ``cut`` says where, for a reader: ``start``, ``line 11: for i``, ``end``.  ``values`` are the public
    variables that are known, ``live`` the random variables that the rest of the program may read.
    """

    cut: str
    values: tuple[tuple[str, Value], ...] = ()
    live: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Automaton:
    """Places by number; a run begins in ``start``.

    ``sizes`` are the names of the parameters that stand for every integer >= 1; ``integers``: the inputs are
    all integers, not all reals; ``inputs`` says so for a reader (``q: reals``).
    """

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]
    start: int
    sizes: tuple[str, ...]
    inputs: str
    integers: bool = False
