"""Formulas on a Markov chain with several parameters, and eps beside them, on boxes of parameters.

Every inequality of a formula says that a polynomial in the parameters, whose coefficients are functions of
eps, is >= 0 or > 0.  The signs of its Bernstein coefficients for all eps settle that on a box, or refute it
there everywhere; else the box is bisected.  All parameters are strictly between the ends of their ranges.

**Why the functions are the probabilities.**  Every transition that is not 0 is proved positive on the class,
so the graph is the same everywhere.  The elimination that computes the functions divides by sums of such
only, so none of their denominators, in lowest terms, vanishes on the class: each has one sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import product
from typing import Any, cast

from flint import fmpq, fmpq_mpoly

import dipc.dpctl.pipeline as pipeline
from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dpctl.formula import Formula, Interval, Privacy, Probability, Property
from dipc.dpctl.paths import States, known_sets, probabilities
from dipc.dpctl.processes import Options
from dipc.dpctl.regions import Careful
from dipc.dpctl.verdict import Box, Witness
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.models.chain import Mdp, Model, transitions
from dipc.models.draft import fmpq_of
from dipc.models.linear import Rows
from dipc.models.parameters import Parameters, Piece, values_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.function_boxes import Tensor, bernstein
from dipc.signs.inequality import Holds, sign_if_constant, without_monomial
from dipc.signs.limits import Unsettled

MOST_BOXES = 400
MOST_INSTANCES = 60
STATUS = {True: "holds", False: "fails", None: "undecided"}
SMALLER = "choose a smaller range of the parameters, or set them by -D"

Path = tuple[int, ...]
"""A box: the halves that lead to it; the n-th bisection is across the axis n modulo the number of axes."""

Part = tuple[ExpPoly, fmpq_mpoly]
"""A polynomial, with a factor that depends on eps only."""


class _Mixed(Exception):
    """A state formula inside a path formula has no single truth value on the box."""


class Class:
    """A chain on the inside of the ranges of some of its parameters; the others do not occur in it."""

    def __init__(
        self, chain: Model, parameters: Parameters, free: Sequence[str], eps_range: EpsRange, clock: Clock
    ) -> None:
        """Raises :class:`InputError` and :class:`LimitReached` if a probability is not positive."""
        if isinstance(chain, Mdp):
            message = "decision processes with several parameters, or with parameters and eps"
            raise Unsupported(message, hint=f"set all but one by -D, for example -D {free[0]}=1/2")
        if any(parameters.ranges[name].high is None for name in free):
            raise Unsupported("an infinite range of one of several parameters", hint=SMALLER)
        self.chain, self.parameters, self.free, self.clock = chain, parameters, tuple(free), clock
        self.rows = cast("Rows[Parametric]", chain.rows)
        self.oracle = SignOracle(eps_range)
        self._vectors: dict[object, list[Parametric]] = {}
        self._tensors: dict[object, dict[Path, Tensor] | None] = {}
        self._positive: dict[Parametric, tuple[fmpq_mpoly, fmpq_mpoly]] = {}
        gens = parameters.ring.gens
        self._images: list[fmpq_mpoly] = [g.numerator for g in gens]
        for place, (name, wanted) in enumerate(parameters.ranges.items()):
            if name in free:
                width = cast(fmpq, wanted.high) - wanted.low
                self._images[place] = (gens[place] * width + wanted.low).numerator
        self._axes = [parameters.names.index(name) for name in free]
        self._check()

    # --- the class and its boxes ---------------------------------------------------------------------

    def sides(self, path: Path) -> list[tuple[fmpq, fmpq]]:
        """The box in the unit cube."""
        found = [(fmpq(0), fmpq(1))] * len(self.free)
        for step, end in enumerate(path):
            low, high = found[axis := step % len(found)]
            found[axis] = ((low + high) / 2, high) if end else (low, (low + high) / 2)
        return found

    def ranges(self, path: Path) -> dict[str, EpsRange]:
        """The values of the parameters on a box."""
        found = {}
        for name, (low, high) in zip(self.free, self.sides(path), strict=True):
            whole = self.parameters.ranges[name]
            width = cast(fmpq, whole.high) - whole.low
            ends = whole.low + width * low, whole.low + width * high
            found[name] = EpsRange(*ends, bool(low > 0), bool(high < 1))
        return found

    def centre(self, path: Path) -> dict[str, fmpq]:
        """The values in the middle of a box."""
        return {name: wanted.inside for name, wanted in self.ranges(path).items()}

    # --- signs ---------------------------------------------------------------------------------------

    def _split(self, f: fmpq_mpoly) -> dict[tuple[int, ...], ExpPoly]:
        """A polynomial in the coordinates of the free parameters."""
        image = f.compose(*self._images)
        return {tuple(key[a] for a in self._axes): c for key, c in self.parameters.split(image).items()}

    def _sign(self, f: fmpq_mpoly) -> int | None:
        """The sign of a polynomial that has one on the whole class; None if that is not found."""
        tensor = bernstein(self._split(f), len(self.free))
        for sign in (1, -1):
            if self._holds(tensor, sign, (), strict=True):
                return sign
        return None

    def _holds(self, tensor: Tensor, sign: int, path: Path, strict: bool) -> bool:
        """Whether a polynomial with these coefficients, times a sign, is >= 0, or > 0, on a box of the class.

        It is > 0 inside a face of which all coefficients are >= 0, one of them > 0; faces on the border of
        the cube do not belong to the class.
        """
        values = dict.fromkeys(tensor.coefficients)
        if not all(self._nonnegative(c, sign) for c in values):
            return False
        if not strict:
            return True
        positive = {c for c in values if c and self._has_one_sign(c)}
        inner: list[list[int | None]] = [
            [end for end, x in zip((0, -1), side, strict=True) if 0 < x < 1] or [None]
            for side in self.sides(path)
        ]
        return all(any(c in positive for c in tensor.face(ends)) for ends in product(*inner))

    def _nonnegative(self, c: ExpPoly, sign: int) -> bool:
        number = c.as_rational()
        if number is not None:
            return number * sign >= 0
        return isinstance(self.oracle.decide(without_monomial(c * sign)), Holds)

    def _has_one_sign(self, c: ExpPoly) -> bool:
        try:
            return sign_if_constant(without_monomial(c), self.budgets) is not None
        except Unsettled:
            return False

    @property
    def budgets(self) -> EpsRange:
        return self.oracle.budgets

    def _tensor(self, known: dict[Path, Tensor], path: Path) -> Tensor:
        """The coefficients on a box, from those on larger ones."""
        if path not in known:
            parent = self._tensor(known, path[:-1])
            self.clock.tick("boxes", len(known))
            for end, half in enumerate(parent.halves((len(path) - 1) % len(self.free))):
                known[*path[:-1], end] = half
        return known[path]

    def _whole(self, parts: Sequence[Part]) -> dict[Path, Tensor] | None:
        """The coefficients of a sum on the cube, without a common factor of one sign; None if it is 0.

        The sum keeps its sign: it is multiplied by that of the factors.
        """
        if all(c.as_rational() is not None for c, _ in parts):
            rational = [f * fmpq_of(Quotient(c)) for c, f in parts]
            parts = [(ExpPoly.of(1), sum(rational[1:], rational[0]))]
        parts = [(c, f) for c, f in parts if c and f]
        if not parts:
            return None
        common, sign = reduce(lambda f, g: f.gcd(g), [f for _, f in parts]), 1
        for factor, power in common.factor()[1]:
            if (known := self._sign(factor)) is not None:
                parts = [(c, f / factor**power) for c, f in parts]
                sign *= known**power
        total: dict[tuple[int, ...], ExpPoly] = {}
        for c, f in parts:
            for powers, value in self._split(f).items():
                total[powers] = total.get(powers, ExpPoly()) + c * value * sign
        return {(): bernstein(total, len(self.free))}

    def compared(
        self, key: object, parts: Callable[[], Sequence[Part]], path: Path, strict: bool
    ) -> bool | None:
        """Whether a sum is >= 0, or > 0, everywhere on a box; False if nowhere; None if neither is found."""
        if key not in self._tensors:
            self._tensors[key] = self._whole(parts())
        if (known := self._tensors[key]) is None:
            return not strict
        tensor = self._tensor(known, path)
        if self._holds(tensor, 1, path, strict):
            return True
        return False if self._holds(tensor, -1, path, not strict) else None

    # --- the chain -----------------------------------------------------------------------------------

    def vector(self, path: Formula, known: dict[Formula, States]) -> list[Parametric]:
        """The probabilities of a path formula."""
        key = path, tuple(known.items())
        if key not in self._vectors:
            self.clock.tick("probabilities", len(self._vectors))
            numbers: Any = self.rows
            one: Any = self.parameters.ring.of(1)
            tick = partial(self.clock.tick, "states")
            self._vectors[key] = probabilities(numbers, one, path, known, tick)
        return self._vectors[key]

    def positive(self, f: Parametric) -> tuple[fmpq_mpoly, fmpq_mpoly]:
        """Numerator and denominator such that the denominator, which has one sign, is positive."""
        if f not in self._positive:
            below = Parametric(f.ring, f.denominator, f.ring.of(1).numerator).at(self.centre(()))
            sign = self.parameters.function_of_eps(below).sign_at(self.budgets.inside)
            self._positive[f] = f.numerator * sign, f.denominator * sign
        return self._positive[f]

    def _check(self) -> None:
        """Every transition is positive on the class."""
        where = {p: place for place, p in transitions(self.chain)}
        for p, (s, _, t) in cast("dict[Any, Any]", where).items():
            self.clock.tick("probabilities")
            what = f"the probability of `{self.chain.names[s]} -> {self.chain.names[t]}`, {p},"
            factors = [g for part in (p.numerator, p.denominator) for g, _ in part.factor()[1]]
            for values in (self.centre(()), *self._corners()):
                with suppress(ZeroDivisionError):
                    if self.parameters.function_of_eps(p.at(values)).sign_at(self.budgets.inside) < 0:
                        raise InputError(f"{what} is negative near {values_text(values)}", hint=SMALLER)
            if any(self._sign(g) is None for g in factors):
                raise LimitReached(f"{what} was not proved to be positive: {SMALLER}")

    def _corners(self) -> Iterator[dict[str, fmpq]]:
        wanted = [self.parameters.ranges[name] for name in self.free]
        for corner in product(*((each.low, cast(fmpq, each.high)) for each in wanted)):
            yield dict(zip(self.free, corner, strict=True))


class OnBox(Careful):
    """The evaluation on one box: a P or D holds everywhere, nowhere, or that is not known."""

    def __init__(self, family: Class, path: Path) -> None:
        super().__init__()
        self.family, self.path = family, path
        self.chain, self.clock = family.chain, family.clock
        self._sets: dict[Formula, States | None] = {}

    def _set(self, part: Formula) -> States:
        if part not in self._sets:
            every = frozenset(range(len(self.chain.names)))
            surely, maybe = (self.satisfying(part, every, sure) for sure in (True, False))
            self._sets[part] = surely if surely == maybe else None
        if (found := self._sets[part]) is None:
            raise _Mixed
        return found

    def found_to_hold(self, formula: Probability | Privacy, state: int) -> bool | None:
        try:
            values = self.family.vector(formula.path, known_sets(formula.path, self._set))
        except _Mixed:
            return None
        answers: list[bool | None]
        if isinstance(formula, Probability):
            answers = list(self._within(formula.interval, values[state]))
        else:
            answers = [self._close(formula, values[s], values[t]) for s, t in self.pairs(state)]
        return False if False in answers else None if None in answers else True

    def _within(self, interval: Interval, p: Parametric) -> Iterator[bool | None]:
        ends = (interval.low, interval.low_closed, 1), (interval.high, interval.high_closed, -1)
        for bound, closed, sign in ends:
            parts = partial(self._beyond, bound, sign, p)
            yield self.family.compared((bound, sign, p), parts, self.path, not closed)

    def _beyond(self, bound: Quotient, sign: int, p: Parametric) -> list[Part]:
        """p - bound, times a sign."""
        (above, below), (number, unit) = self.family.positive(p), self._scaled(bound)
        return [(unit * sign, above), (number * -sign, below)]

    def _close(self, formula: Privacy, p: Parametric, q: Parametric) -> bool | None:
        """Whether e^epsilon q + delta - p >= 0."""
        key, parts = (formula.epsilon, formula.delta, p, q), partial(self._gap, formula, p, q)
        return self.family.compared(key, parts, self.path, False)

    def _gap(self, formula: Privacy, p: Parametric, q: Parametric) -> list[Part]:
        (p_above, p_below), (q_above, q_below) = map(self.family.positive, (p, q))
        number, unit = self._scaled(formula.delta)
        factor, whole = self._scaled(formula.epsilon.factor)
        return [
            (factor * unit, q_above * p_below),
            (number * whole, q_below * p_below),
            (unit * whole * -1, p_above * q_below),
        ]

    def _scaled(self, value: Quotient) -> tuple[ExpPoly, ExpPoly]:
        """A number of the formula: numerator and denominator, which is positive."""
        return self.family.oracle.numerator(value), self.family.oracle.positive(value)


@dataclass
class Search:
    """A formula on all parts of a class: ``everything`` if all boxes are wanted, not only the verdict."""

    model: Model
    parameters: Parameters
    asked: Property
    states: Sequence[int]
    clock: Clock
    options: Options
    everything: bool
    failed: set[int] = field(default_factory=set)
    witness: Witness | None = None
    boxes: dict[int, list[Box]] = field(default_factory=dict)

    def on(self, piece: Piece) -> None:
        """Bisect a part until everything is settled, or there are too many boxes; a point is settled."""
        fixed = {name: EpsRange.point(value) for name, value in piece.fixed.items()}
        if not piece.free:
            for s, status in self._at(piece.fixed).items():
                self._add(s, fixed, status)
            return
        part = self.parameters.partly(self.model, piece.fixed)
        family = Class(part, self.parameters, piece.free, self.asked.eps_range, self.clock)
        queue: list[Path] = [()]
        instances = 0
        for done, path in enumerate(queue):
            self.clock.tick("boxes", done, len(queue))
            judge, formula = OnBox(family, path), cast(Formula, self.asked.formula)
            wanted = [s for s in self.states if self.everything or s not in self.failed]
            truths = {s: judge.truth(formula, s) for s in wanted}
            surely = {s for s, truth in truths.items() if truth is False}
            open_ones = [s for s, truth in truths.items() if truth is None]
            if surely - self.failed or (instances < MOST_INSTANCES and {*open_ones} - self.failed):
                instances += 1
                self._at(piece.fixed | family.centre(path))
            if surely - self.failed:
                raise InternalError("a formula that fails on a box holds in its middle")
            split = any(self.everything or s not in self.failed for s in open_ones)
            if split and len(queue) + 2 <= MOST_BOXES:
                queue += [(*path, 0), (*path, 1)]
            else:
                for s, truth in truths.items():
                    self._add(s, fixed | family.ranges(path), STATUS[truth])

    def _add(self, state: int, ranges: dict[str, EpsRange], status: str) -> None:
        self.boxes.setdefault(state, []).append(Box(ranges, status))

    def _at(self, values: Mapping[str, fmpq]) -> dict[int, str]:
        """Decide the formula at a point of the class."""
        model = self.parameters.at(self.model, values)
        found = pipeline.check(model, self.asked, self.clock, self.options)
        at = {s: found.at[model.names[s]] for s in self.states}
        self.failed |= {s for s, status in at.items() if status == "fails"}
        if found.witness is not None and self.witness is None:
            place = {name: values[name] for name in self.parameters.names}
            self.witness = replace(found.witness, parameters=place)
        return at
