"""The statement about a hidden Markov model: pairs of distributions are ln(c)-Pufferfish private, or not.

A certificate has the model (states, observations, rows of fractions), the distributions, the ordered pairs of
them, the horizon (None: every one) and the rational c.  *Private* means P(w | left) <= c P(w | right) for
every pair and every sequence w of at most ``horizon`` observations (Liu, Wang, Zhang, *Verifying Pufferfish
Privacy in Hidden Markov Models*, Definition 2; the first observation is made in the first state).  A state
without successors is followed by one that shows silence, the observation ``-``, for ever.

**A violation** is a sequence; its two probabilities are computed here.

**A pump** shows besides that no c is enough for every horizon: :mod:`~.pumps`.

**A proof of privacy.**  Let g_w(s) = P(w | the next state is s) >= 0; it is 1 for the empty w.  A
*difference* is a vector x over states: of a pair, left - c right; and after the observation o of x,
(x o)(t) = sum over s of x(s) e(s, o) p(s, t), so that x . g_(ow) = (x o) . g_w.  The pair is private if
x . g_w <= 0 for all w.  Differences are enumerated by levels: at level 0 those of the pairs, at level d + 1
all x o for the x *kept* at level d.  For each one it is checked that the sum of its entries is <= 0, and,
unless d is the horizon, that one of these is true:

* *settled*: all its entries are <= 0;
* *dominated*: x <= sum of l_i x_i in every entry, for listed l_i >= 0 and x_i kept at level d or before;
* it is kept itself.

*This is a proof*: x . g_w <= 0 for every x of level d and every w with d + |w| <= horizon.  By induction on
|w|.  If w is empty, x . g_w is the sum of the entries.  Else d is not the horizon.  If x is settled, use
g_w >= 0.  If x is kept and w = o v, x . g_w = (x o) . g_v, where x o is of level d + 1 and v is shorter.  If
x is dominated, x . g_w <= sum of l_i x_i . g_w, where each x_i is kept, of a level <= d, so x_i . g_w <= 0 as
just seen.  Without a horizon the same induction covers all w, once a level keeps nothing.

**A cone** may settle more.  Let f_w(s) = P(w | the state before is s), so f_(ow) = M_o f_w with
M_o(s, t) = p(s, t) e(t, o).  For listed bounds (u, v, d) let C be all f >= 0 with h . f <= 0 for
h = e_u - d e_v.  Checked: d >= 1, so the vector of ones, f of the empty word, is in C; and for each bound and
observation o the row M_o(u, .) - d M_o(v, .) is at most a combination of the h with listed multipliers >= 0.
That gives (M_o f)(u) <= d (M_o f)(v) for f in C: by induction all f_w are in C.  A difference x is *settled
over the cone* if for every o the vector s -> x(s) e(s, o) is at most such a combination: its product with
f_w is x . g_(ow), which is then <= 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .chains import read_row
from .facts import ZERO
from .models import SILENCE, Certified, Model, Vector, check_form, read_model, told, total
from .privacy import MAX_NAME
from .pumps import read_pump
from .reading import Refused, array, integer, pair_of, rational, record, text

MODEL = "states observations emissions transitions sides pairs horizon c"
FIELDS = f"format version statement model {MODEL} verdict proof digest"
LONGEST = 10**6  # a horizon, and a sequence

Side = tuple[str, Vector]  # the name in statements, and the first states


def read_side(value: Any, last: int, step: str) -> Side:
    """A distribution of first states, whose weights sum to 1."""
    side = record(value, step, "name", "prior", "start")
    return side_name(side, step), dict(read_row(side["start"], last, step))


def side_name(side: dict[str, Any], step: str) -> str:
    """The name of a side in statements."""
    names = [side["name"], *([] if side["prior"] is None else [side["prior"]])]
    return " under ".join(json.dumps(text(name, step)[:MAX_NAME]) for name in names)


def read_pairs(value: Any, sides: int) -> list[tuple[int, int]]:
    """Ordered pairs of numbers of sides; every side is in one."""
    pairs = [pair_of(pair, "pairs") for pair in array(value, "pairs")]
    ends = [integer(i, "pairs", 0, sides - 1) for pair in pairs for i in pair]
    if not pairs or set(ends) != set(range(sides)):
        raise Refused("pairs", "there are none, or one of the sides is in none")
    return list(zip(ends[::2], ends[1::2], strict=True))


def read_sequence(value: Any, silence: int, horizon: int | None) -> list[int]:
    """Observations, no more than the horizon."""
    sequence = [integer(o, "proof", 0, silence) for o in array(value, "proof")]
    if not 0 < len(sequence) <= (horizon or LONGEST):
        raise Refused("proof", "the sequence is empty, or longer than the horizon")
    return sequence


class Question(NamedTuple):
    """What is asked."""

    model: Model
    sides: list[Side]
    pairs: list[tuple[int, int]]
    horizon: int | None
    c: Fraction

    def what(self) -> str:
        """What a certificate shows or refutes."""
        where = "for every horizon" if self.horizon is None else f"up to horizon {self.horizon}"
        return f"ln({self.c})-Pufferfish private {where}"

    def differences(self) -> Iterator[Vector]:
        """Of every pair: left - c right."""
        for left, right in self.pairs:
            x = dict(self.sides[left][1])
            for s, p in self.sides[right][1].items():
                x[s] = x.get(s, ZERO) - self.c * p
            yield x


def read_question(data: dict[str, Any]) -> Question:
    """The question of a certificate."""
    model = read_model(data)
    last = len(model.states) - 1
    sides = [read_side(side, last, f"side {i}") for i, side in enumerate(array(data["sides"], "sides"))]
    pairs = read_pairs(data["pairs"], len(sides))
    horizon = None if data["horizon"] is None else integer(data["horizon"], "horizon", 1, LONGEST)
    c = rational(data["c"], "c")
    if c < 1:
        raise Refused("c", "it is less than 1")
    return Question(model, sides, pairs, horizon, c)


def is_settled(x: Vector) -> bool:
    """Whether no entry is positive: nothing that follows can break the claim."""
    return all(value <= 0 for value in x.values())


def check_dominated(x: Vector, multipliers: Any, kept: Sequence[Vector], step: str) -> None:
    """x is at most the listed combination of kept differences."""
    rest = dict(x)
    for term in array(multipliers, step):
        place, written = pair_of(term, step)
        factor = rational(written, step)
        if factor < 0:
            raise Refused(step, "a multiplier is negative")
        for s, value in kept[integer(place, step, 0, len(kept) - 1)].items():
            rest[s] = rest.get(s, ZERO) - factor * value
    if not is_settled(rest):
        raise Refused(step, "the difference is greater than the listed combination")


def read_cone(model: Model, listed: dict[str, Any]) -> list[Vector]:
    """The vectors h of a cone, if it contains the ones and every M_o maps it into itself."""
    last, bounds = len(model.states), list[tuple[int, int, Fraction]]()
    for bound in array(listed["cone"], "cone"):
        if len(array(bound, "cone")) != 3:
            raise Refused("cone", "a list of three is expected")
        u, v = (integer(s, "cone", 0, last) for s in bound[:2])
        bounds.append((u, v, rational(bound[2], "cone")))
    if any(u == v or d < 1 for u, v, d in bounds):
        raise Refused("cone", "a bound is less than 1, or of a state with itself")
    generators: list[Vector] = [{u: Fraction(1), v: -d} for u, v, d in bounds]
    proofs = array(listed["closed"], "closed")
    if len(proofs) != len(bounds):
        raise Refused("closed", "there is not one proof for every bound")
    for number, (generator, of) in enumerate(zip(generators, proofs, strict=True)):
        rows = model.seen(model.moved(generator))
        check_over_cone(rows, of, generators, f"closed {number}")
    return generators


def check_over_cone(rows: dict[int, Vector], proofs: Any, generators: Sequence[Vector], step: str) -> None:
    """For each observation: its vector is at most the listed combination."""
    if len(array(proofs, step)) != len(rows):
        raise Refused(step, "there is not one combination for every observation")
    for row, multipliers in zip(rows.values(), proofs, strict=True):
        check_dominated(row, multipliers, generators, step)


def check_private(question: Question, proof: Any) -> None:
    """The levels of differences, perhaps over a cone."""
    if not isinstance(proof, dict):
        return check_levels(question, proof, None)
    parts = record(proof, "proof", "cone", "closed", "items")
    return check_levels(question, parts["items"], read_cone(question.model, parts))


def check_levels(question: Question, proof: Any, generators: Sequence[Vector] | None) -> None:
    """The proof has an item for each difference that is not settled: None if it is kept, its multipliers if
    it is dominated, or an object with those for every observation over the cone."""
    level, items, kept, used = list(question.differences()), array(proof, "proof"), list[Vector](), 0
    depth = 0
    while level:
        if any(total(x) > 0 for x in level):
            raise Refused(f"level {depth}", "a sequence of so many observations breaks the claim")
        if depth == question.horizon:
            break
        unsettled = [x for x in level if not is_settled(x)]
        listed = items[used : used + len(unsettled)]
        used += len(unsettled)
        if len(listed) < len(unsettled):
            raise Refused("proof", f"it ends at level {depth}")
        fresh = [x for x, item in zip(unsettled, listed, strict=True) if item is None]
        kept += fresh
        for x, item in zip(unsettled, listed, strict=True):
            if item is not None:
                check_item(question.model, x, item, kept, generators, f"level {depth}")
        level = [x for parent in fresh for _, x in sorted(question.model.after(parent).items())]
        depth += 1
    if used < len(items):
        raise Refused("proof", "there is more than is needed")


def check_item(
    model: Model,
    x: Vector,
    item: Any,
    kept: Sequence[Vector],
    generators: Sequence[Vector] | None,
    step: str,
) -> None:
    """A difference is dominated, or settled over the cone."""
    if not isinstance(item, dict):
        return check_dominated(x, item, kept, step)
    if generators is None:
        raise Refused(step, "there is no cone")
    return check_over_cone(model.seen(x), record(item, step, "cone")["cone"], generators, step)


def check_violation(question: Question, proof: Any) -> str:
    """The listed sequence is short enough, and breaks the claim: how, in words; so does the pump, if any."""
    pumped = isinstance(proof, dict) and "pump" in proof
    listed = record(proof, "proof", "pair", "sequence", *(["pump"] if pumped else []))
    pair = question.pairs[integer(listed["pair"], "proof", 0, len(question.pairs) - 1)]
    names = [*question.model.observations, SILENCE]
    sequence = read_sequence(listed["sequence"], len(names) - 1, question.horizon)
    (secret, first), (against, other) = (question.sides[side] for side in pair)
    left, right = (question.model.probability(start, sequence) for start in (first, other))
    if left <= question.c * right:
        raise Refused("proof", "the sequence does not break the claim")
    shows = told((secret, against), (left, right), names, sequence)
    if not pumped:
        return shows
    if question.horizon is not None:
        raise Refused("pump", "it says nothing about a horizon")
    pump = read_pump(question.model, listed["pump"])
    pump.check(first, other)
    return f"{shows}; {pump.text()}"


class Certificate(Certified[Question]):
    """A certificate about a hidden Markov model of fractions that was checked."""

    fields = MODEL
    listed = "model and pairs"
    meant = "states, observations, probabilities, distributions, pairs, horizon and c"


def checked(data: Any, file: bytes | None = None) -> Certificate:
    """All phases but the digest."""
    check_form(data, FIELDS, "hidden", file)
    question = read_question(data)
    if data["verdict"] == "violated":
        return Certificate(data, question, check_violation(question, data["proof"]))
    check_private(question, data["proof"])
    return Certificate(data, question, "")
