"""The statement about a hidden Markov model: pairs of distributions are ln(c)-Pufferfish private, or not.

What is asked, and *the class* of parameters, are those of :mod:`~.hidden`.  *Private* means P(w | left) <=
c P(w | right) for every pair, every sequence w of at most ``horizon`` observations, and every point of the
class at which all numbers are defined and both sides are possible (Liu, Wang, Zhang, *Verifying Pufferfish
Privacy in Hidden Markov Models*, Definition 2).

**A violation** is a point of the class and a sequence; its two probabilities are computed here.  A *pump*
shows besides that no c is enough for every horizon.

**A proof of privacy** lists a point of the class at which every number is defined and no side is impossible:
the claim is about something.  All signs are those of polynomials in u (:mod:`~.polynomials`).  Checked:
every row of the model sums to 1 identically; every divisor is >= 0, so positive where it is not 0; every
numerator is >= 0.  All emissions times the product of their divisors are polynomials, as are all transitions
and the weights of a side; Z and Z' are the sums of a left and a right side.  Let g_w(s) = P(w | the next
state is s) >= 0, and x = u^a Z' left - c Z right for a pair; it is private if x . g_w <= 0 for all w.  For
an observation o let (x o)(t) be the sum over s of x(s) e(s, o) p(s, t), so that x . g_(ow) = (x o) . g_w, up
to a positive factor.  Vectors are enumerated by levels: at level 0 those of the pairs, at level d + 1 all x
o for the x *kept* at level d.  Each one is

* *settled*: all its entries are <= 0;
* *dominated*: x <= sum of l_i x_i in every entry, for listed l_i >= 0 and x_i kept at level d or before;
* *settled over the cone*, see below;
* or *kept*: the sum of its entries is <= 0.

*This is a proof*: x . g_w <= 0 for every x of level d and every w with d + |w| <= horizon, by induction on
|w| at each point.  If x is settled, use g_w >= 0.  If x is kept and w is empty, it is the sum of the
entries; if w = o v, it is (x o) . g_v, where x o is of level d + 1 and v is shorter.  If x is dominated, it
is at most the sum of l_i x_i . g_w, where each x_i is kept, of a level <= d.  Without a horizon this covers
all w, once a level keeps nothing.

**A cone.**  Let f_w(s) = P(w | the state before is s), so f_(ow) = M_o f_w with M_o(s, t) = p(s, t) e(t, o).
For listed (u, v, d), d >= 1, let C be all f >= 0 with h . f <= 0 for h = e_u - d e_v.  The ones, f of the
empty word, are in C.  For each bound and o the row M_o(u, .) - d M_o(v, .) is at most a combination of the h
with listed multipliers >= 0; so (M_o f)(u) <= d (M_o f)(v) for f in C, and all f_w are in C.  x is settled
over the cone if for every o the vector s -> x(s) e(s, o) is at most such a combination: its product with f_w
is x . g_(ow), which is then <= 0; so is the sum of the entries of x, which is the sum of x . g_o over all o.

**A pump**: a prefix v, a word w, vectors x, y > 0 on some states each, and numbers a > b >= 0.  With A the
product of the M_o along w, alpha and beta the vectors of both sides after v (by the state that showed its
last observation): x A >= a x; the states of x are reached from those of alpha by repeating w; the states of
y contain those of beta and no step of A leaves them; A y <= b y on them.  Then, with n states, d x <= the
sum of alpha A^j over j < n for some d > 0, so that for each k one P(v w^(k+j) | left), j < n, is at least
a^k times a constant > 0; and P(v w^(k+j) | right) = beta A^(k+j) 1 is at most b^(k+j) times one.  So some
quotient is at least a constant times (a/b)^k; if b = 0 the right side is 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import islice
from typing import Literal, Protocol, TypeVar

from .facts import negative
from .hidden import (
    LONGEST,
    ONE,
    SILENCE,
    Functions,
    Model,
    Question,
    Quotient,
    Side,
    Statement,
    Vector,
    class_shown,
    clear,
    present,
    total,
)
from .polynomials import (
    Cube,
    Polynomial,
    Sign,
    Terms,
    added,
    bernstein,
    composed,
    constant,
    number,
    plus,
    polynomial,
    times,
    variable,
)
from .privacy import MAX_NAME, shown
from .reading import digest, require
from .schema import write

MAX_SHOWN = 40  # observations in a statement

T = TypeVar("T")

# --- the format ---------------------------------------------------------------------------------------

Multiples = list[tuple[int, Fraction | Terms, Sign]]  # the number of a vector, its multiplier, which is >= 0
Entries = list[tuple[int, Fraction]]


@dataclass(frozen=True)
class Settled:
    """No entry is positive; there is a sign for each that is not a number."""

    settled: list[Sign]


@dataclass(frozen=True)
class Kept:
    """The sum of the entries is not positive."""

    kept: Sign


@dataclass(frozen=True)
class Dominated:
    """A vector is at most a combination; what is left is settled."""

    by: Multiples
    rest: list[Sign]


@dataclass(frozen=True)
class OverCone:
    """A combination of the bounds of the cone, for each observation."""

    cone: list[Dominated]


Item = Settled | Kept | Dominated | OverCone


@dataclass(frozen=True)
class Private:
    """A proof of privacy."""

    point: list[Fraction]
    signs: list[Sign]
    cone: list[tuple[int, int, Fraction]]
    closed: list[OverCone]
    items: list[Item]


@dataclass(frozen=True)
class Pump:
    """A word that, repeated after a prefix, makes a quotient grow beyond all bounds."""

    prefix: list[int]
    word: list[int]
    left: Entries
    right: Entries
    growth: Fraction
    other_growth: Fraction


@dataclass(frozen=True)
class Violated:
    """A violation: a pair, a point of the class (for exp(-eps/unit) its u), and a sequence."""

    pair: int
    point: list[Fraction]
    sequence: list[int]
    pump: Pump | None


@dataclass(frozen=True)
class Listed(Statement):
    """A certificate."""

    verdict: Literal["private", "violated"]
    proof: Private | Violated


QUESTION = [field.name for field in fields(Statement)][4:]

# --- privacy ------------------------------------------------------------------------------------------


class Prover(Protocol):
    """Who knows the proof: the file if a certificate is checked, a search if one is written."""

    def sign(self, f: Polynomial) -> Sign:
        """The proof that f >= 0 on the class."""

    def closed(self, rows: Sequence[Vector]) -> OverCone:
        """The combinations of bounds of a cone that these vectors are at most."""

    def items(self, level: Sequence[Vector], kept: Sequence[Vector]) -> Sequence[Item]:
        """What each vector of a level is; the kept ones are those of levels before."""


class Reading:
    """The proof as it is listed."""

    def __init__(self, proof: Private) -> None:
        self.signs, self.proofs, self.rest = iter(proof.signs), iter(proof.closed), iter(proof.items)

    def sign(self, f: Polynomial) -> Sign:
        """The next sign."""
        return next_of(self.signs, 1, "proof, signs")[0]

    def closed(self, rows: Sequence[Vector]) -> OverCone:
        """The next proof of a bound."""
        return next_of(self.proofs, 1, "proof, closed")[0]

    def items(self, level: Sequence[Vector], kept: Sequence[Vector]) -> Sequence[Item]:
        """The next items."""
        return next_of(self.rest, len(level), "proof, items")


def next_of(rest: Iterator[T], count: int, part: str) -> list[T]:
    """So many more."""
    found = list(islice(rest, count))
    require(len(found) == count, part, "it ends too early")
    return found


class Levels:
    """A question in the coordinates of the cube, and the walk over its levels of vectors.

    ``signs``, ``closed`` and ``items`` are what was needed so far.
    """

    def __init__(self, question: Question, prover: Prover) -> None:
        self.question, self.prover, self.size = question, prover, question.size
        self.images = question.images()
        self.cube = Cube(
            self.size, [bernstein(self.pulled(g), self.size, "conditions") for g in question.conditions]
        )
        self.divisors = [self.pulled(d) for d in question.divisors]
        self.model = Model(self.cleared(question.emissions), self.cleared(question.transitions))
        self.bounds: list[Vector] = []
        self.signs: list[Sign] = []
        self.closed: list[OverCone] = []
        self.items: list[Item] = []

    def pulled(self, f: Polynomial) -> Polynomial:
        """In the coordinates u."""
        return composed(f, self.images, self.size) if self.size else f

    def cleared(self, rows: Sequence[Functions]) -> list[Vector]:
        """Entries without divisors: all are multiplied by the same ones."""
        pulled = [{s: Quotient(self.pulled(f.above), f.divisor) for s, f in row.items()} for row in rows]
        return clear(pulled, self.divisors, self.size)[0]

    def differences(self) -> list[Vector]:
        """Of every pair: u^a Z' left - c Z right."""
        asked, found = self.question.asked, list[Vector]()
        scale = constant(ONE, self.size)
        if asked.eps is not None:
            scale = variable(asked.eps.parameter, self.size, self.question.powers.numerator)
        starts = [self.cleared([side])[0] for side in self.question.sides]
        for left, right in asked.pairs:
            above = times(scale, added(starts[right].values()))
            x = {s: times(above, f) for s, f in starts[left].items()}
            for s, f in starts[right].items():
                x[s] = plus(x.get(s, {}), times(added(starts[left].values()), f), -asked.c)
            found.append(present(x))
        return found

    def check(self, cone: Sequence[tuple[int, int, Fraction]]) -> None:
        """All of a proof but its point."""
        for i, f in enumerate([*self.divisors, *map(self.pulled, self.question.numerators())]):
            self.signs.append(self.prover.sign(f))
            self.cube.check_sign(f, self.signs[-1], f"sign {i}")
        self.check_cone(cone)
        level, kept, depth = [x for x in self.differences() if x], list[Vector](), 0
        while level:
            step, horizon = f"level {depth}", self.question.asked.horizon
            open_ones = [x for x in level if not is_plain(x, depth == horizon, step)]
            given = self.prover.items(open_ones, kept)
            self.items += given
            fresh = [x for x, item in zip(open_ones, given, strict=True) if isinstance(item, Kept)]
            kept += fresh
            for x, item in zip(open_ones, given, strict=True):
                self.check_item(x, item, kept, step)
            if depth == horizon:
                break
            level, depth = [y for x in fresh for y in self.model.after(x)], depth + 1

    def check_item(self, x: Vector, item: Item, kept: Sequence[Vector], step: str) -> None:
        """A vector is what its item says."""
        match item:
            case Kept(sign):
                self.cube.check_sign(negative(added(x.values())), sign, step)
            case Settled(signs):
                self.check_settled(x, signs, step)
            case Dominated():
                self.check_dominated(x, item, kept, step)
            case OverCone():
                self.check_over_cone(self.model.seen(x), item, step)

    def check_settled(self, x: Vector, signs: Sequence[Sign], step: str) -> None:
        """No entry is positive: numbers are seen not to be, the others have a sign each."""
        others = []
        for f in x.values():
            value = number(f)
            require(value is None or value <= 0, step, "an entry is positive")
            others += [f] if value is None else []
        require(len(signs) == len(others), step, "there is not one sign for every entry")
        for f, sign in zip(others, signs, strict=True):
            self.cube.check_sign(negative(f), sign, step)

    def check_dominated(self, x: Vector, item: Dominated, others: Sequence[Vector], step: str) -> None:
        """x is at most the listed combination of others."""
        rest = dict(x)
        for place, listed, sign in item.by:
            require(0 <= place < len(others), step, "there is no such vector")
            factor = self.multiplier(listed, step)
            self.cube.check_sign(factor, sign, step)
            for s, f in others[place].items():
                rest[s] = plus(rest.get(s, {}), times(factor, f), -1)
        self.check_settled(present(rest), item.rest, step)

    def multiplier(self, listed: Fraction | Terms, step: str) -> Polynomial:
        """A number, or a polynomial in u."""
        if isinstance(listed, Fraction):
            return constant(listed, self.size)
        return polynomial(listed, self.size, step)

    def check_cone(self, cone: Sequence[tuple[int, int, Fraction]]) -> None:
        """The cone contains the ones, and every M_o maps it into itself."""
        one, states = constant(ONE, self.size), range(len(self.model.emissions))
        for u, v, d in cone:
            require(u in states and v in states, "cone", "there is no such state")
            require(u != v and d >= 1, "cone", "a bound is less than 1, or of a state with itself")
            self.bounds.append({u: one, v: constant(-d, self.size)})
        for i, bound in enumerate(self.bounds):
            rows = self.model.seen(self.model.moved(bound))
            self.closed.append(self.prover.closed(list(rows.values())))
            self.check_over_cone(rows, self.closed[-1], f"closed {i}")

    def check_over_cone(self, rows: dict[int, Vector], proof: OverCone, step: str) -> None:
        """For each observation: its vector is at most the listed combination."""
        fits = len(proof.cone) == len(rows)
        require(fits, step, "there is not one combination for every observation")
        for row, item in zip(rows.values(), proof.cone, strict=True):
            self.check_dominated(row, item, self.bounds, step)


def is_plain(x: Vector, is_last: bool, step: str) -> bool:
    """Whether a vector of numbers needs no item: all are <= 0, or at the horizon their sum is.

    It is never positive.
    """
    values = [value for f in x.values() if (value := number(f)) is not None]
    if len(values) < len(x):
        return False
    require(sum(values) <= 0, step, "a sequence of so many observations breaks the claim")
    return is_last or max(values) <= 0


def check_private(question: Question, proof: Private) -> None:
    """A listed proof of privacy."""
    question.model_at(question.point(proof.point)[0])
    levels = Levels(question, Reading(proof))
    levels.check(proof.cone)
    needed = {"signs": levels.signs, "closed": levels.closed, "items": levels.items}
    for part, used in needed.items():
        require(used == getattr(proof, part), f"proof, {part}", "there is more than is needed")


# --- violations ---------------------------------------------------------------------------------------


def check_violation(question: Question, proof: Violated) -> str:
    """The listed sequence breaks the claim at the listed point: how, in words; so does the pump, if any."""
    asked, names = question.asked, [*question.asked.observations, SILENCE]
    require(0 <= proof.pair < len(asked.pairs), "proof", "there is no such pair")
    pumped = [] if proof.pump is None else [*proof.pump.prefix, *proof.pump.word]
    known = all(0 <= o < len(names) for o in (*proof.sequence, *pumped))
    require(known, "proof", "there is no such observation")
    short = 0 < len(proof.sequence) <= (asked.horizon or LONGEST)
    require(short, "proof", "the sequence is empty, or longer than the horizon")
    point, scale = question.point(proof.point)
    model, sides = question.model_at(point)
    pair = asked.pairs[proof.pair]
    left, right = (model.probability(sides[i], proof.sequence) for i in pair)
    require(left * scale > asked.c * right, "proof", "the sequence does not break the claim")
    values = [f"{r.name[:MAX_NAME]} = {brief(x)}" for r, x in zip(asked.parameters, point, strict=True)]
    where = f"at {', '.join(values)} " if values else ""
    more = f" ... ({len(proof.sequence)} observations)" if len(proof.sequence) > MAX_SHOWN else ""
    secret, against = (side_shown(asked.sides[i]) for i in pair)
    shows = f"shows {words(names, proof.sequence)}{more} with {brief(left)}, {against} with {brief(right)}"
    told = f"{where}{secret} {shows}"
    if proof.pump is None:
        return told
    require(asked.horizon is None, "pump", "it says nothing about a horizon")
    check_pump(model, proof.pump, *(sides[i] for i in pair))
    return f"{told}; {pump_shown(proof.pump, names)}"


def check_pump(model: Model, pump: Pump, left: Vector, right: Vector) -> None:
    """All that the proof needs."""
    x, y = ({s: constant(value, 0) for s, value in part} for part in (pump.left, pump.right))
    require(len(x) == len(pump.left) and len(y) == len(pump.right), "pump", "a state is listed twice")
    states = range(len(model.emissions))
    positive = all(s in states and value > 0 for s, value in (*pump.left, *pump.right))
    require(positive, "pump", "an entry is not positive, or there is no such state")
    grows = pump.prefix and pump.word and x and pump.growth > pump.other_growth >= 0
    require(grows, "pump", "something is empty, or the growth is not greater than the other one")
    found = reached = shown_by(model, set(left), pump.prefix)
    while found:
        found = following(model, found, pump.word) - reached
        reached = reached | found
    require(reached.issuperset(x), "pump", "a state of the left vector is not reached")
    later = shown_by(model, set(right), pump.prefix) | following(model, set(y), pump.word)
    require(later <= set(y), "pump", "a state that the right side reaches is not in its vector")
    after, image = times_word(model, x, pump.word), word_times(model, pump.word, y)
    fast = all(total({s: after.get(s, {})}) >= pump.growth * value for s, value in pump.left)
    require(fast, "pump", "the left vector does not grow so fast")
    slow = all(total({s: image[s]}) <= pump.other_growth * value for s, value in pump.right)
    require(slow, "pump", "the right vector grows faster")


def following(model: Model, states: set[int], word: Sequence[int]) -> set[int]:
    """The states that may show the last observation of a word, after these."""
    for o in word:
        states = {t for s in states for t in model.transitions[s] if o in model.emissions[t]}
    return states


def shown_by(model: Model, start: set[int], prefix: Sequence[int]) -> set[int]:
    """The states that may show the last observation of a prefix, from these on."""
    return following(model, {s for s in start if prefix[0] in model.emissions[s]}, prefix[1:])


def times_word(model: Model, x: Vector, word: Sequence[int]) -> Vector:
    """x A."""
    for o in word:
        x = model.seen(model.moved(x)).get(o, {})
    return x


def word_times(model: Model, word: Sequence[int], y: Vector) -> Vector:
    """A y."""
    for o in reversed(word):
        seen = {t: times(f, model.emissions[t][o]) for t, f in y.items() if o in model.emissions[t]}
        rows = ([times(p, seen[t]) for t, p in row.items() if t in seen] for row in model.transitions)
        y = {s: added(row) for s, row in enumerate(rows)}
    return y


# --- in words -----------------------------------------------------------------------------------------


def words(names: Sequence[str], sequence: Sequence[int]) -> str:
    """The beginning of a sequence."""
    return json.dumps(" ".join(names[o][:MAX_NAME] for o in sequence[:MAX_SHOWN]))


def brief(p: Fraction) -> str:
    """A number, exactly if it is short."""
    bits = max(p.numerator.bit_length(), p.denominator.bit_length())
    return str(p) if bits <= 256 else f"a number of {bits} bits"


def side_shown(side: Side) -> str:
    """The name of a side."""
    names = [side.name, *([] if side.prior is None else [side.prior])]
    return " under ".join(json.dumps(name[:MAX_NAME]) for name in names)


def pump_shown(pump: Pump, names: Sequence[str]) -> str:
    """What a pump shows."""
    rate = "beyond every bound"
    if pump.other_growth:
        rate = f"by {brief(pump.growth / pump.other_growth)} or more"
    said = f"every {words(names, pump.word)} after {words(names, pump.prefix)}"
    return f"no c is enough, as {said} multiplies the quotient {rate} in the long run"


def claim_shown(question: Question) -> str:
    """What a certificate shows or refutes."""
    asked = question.asked
    claim, eps, horizon = f"ln({asked.c})", asked.eps, f"horizon {asked.horizon}"
    if eps is not None and eps.rate:
        claim = f"{eps.rate}*eps" if asked.c == 1 else f"({claim} + {eps.rate}*eps)"
    if asked.parameters:
        of = f"for {class_shown(question)} and "
    else:
        of = "for " if asked.horizon is None else "up to "
    return f"{claim}-Pufferfish private {of}{'every horizon' if asked.horizon is None else horizon}"


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """A certificate that was checked; ``violation`` describes the violation, "" if the claim is private."""

    listed: Listed
    question: Question
    violation: str

    @property
    def status(self) -> str:
        """ "private" or "violated"."""
        return self.listed.verdict

    @property
    def sha256(self) -> str:
        """The hash of the listed question."""
        return digest({name: write(getattr(self.listed, name)) for name in QUESTION})

    def statement(self) -> str:
        """What was proved, in words, about the listed model."""
        listed, what = self.listed, claim_shown(self.question)
        name = listed.model[:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        sizes = f"{len(listed.states)} states, {len(listed.observations)} observations"
        verdict = f"not {what}: {self.violation}" if self.violation else what
        return shown(f"model '{name}' ({sizes}, {len(listed.pairs)} ordered pairs) is {verdict}")

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not read models."""
        parts = "model, class and pairs" if self.listed.parameters else "model and pairs"
        return f"IF the listed {parts} are those that were meant THEN {self.statement()}"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        parts = "states, observations, parameters, probabilities, distributions, pairs, horizon and claim"
        trusted = f"trusted: that the listed {parts} are those that were meant"
        return [f"accepted: {self.conditional()}", f"{trusted}; everything else was recomputed"]


def checked(listed: Listed) -> Certificate:
    """All phases but the digest."""
    question, proof = Question(listed), listed.proof
    right = listed.verdict == ("violated" if isinstance(proof, Violated) else "private")
    require(right, "verdict", "the proof is that of another verdict")
    if isinstance(proof, Violated):
        return Certificate(listed, question, check_violation(question, proof))
    check_private(question, proof)
    return Certificate(listed, question, "")
