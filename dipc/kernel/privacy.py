"""The (eps, delta) statement: what a certificate says, and what must be proved for it.

**A claim** (t*eps, delta) holds at eps if delta is at least the sum of the positive ones among
g_o = P(u)(o) - exp(t*eps) P(u')(o), over the outcomes o, for all adjacent inputs u and u'.

Each pair of probabilities that adjacent inputs have, see :mod:`~.laws`, needs a proved inequality.

Each phase is a function that returns a value or raises :class:`~.reading.Refused`; :func:`check` is the list
of phases.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as chained
from itertools import combinations, pairwise
from typing import Any, NamedTuple, TypeVar

from . import facts, laws, reading
from .facts import MAX_POWER, ZERO, Facts, Function, Interval, Scaled
from .laws import Adjacency, Diagram, Integers, Needed, Pairs, Ratio, Sets, Table
from .reading import Refused, Unfinished, array, integer, name_of, pair_of, rational, record, text

T = TypeVar("T")

FORMAT = "dipc certificate"
VERSION = 2

MAX_UNSURE = 12  # outcomes of unknown sign on one piece
MAX_NAME = 60  # characters of a program's name that are shown


# --- program and claim --------------------------------------------------------------------------------


def check_fields(data: Any) -> bool:
    """That the format is the one known here; whether the certificate is of a violation."""
    if isinstance(data, dict) and data.get("format") == FORMAT and data.get("version") == 1:
        hint = "write a new one with dipc check FILE --certificate c.json"
        raise Refused("format", f"version 1 is no longer read: {hint}")
    violated = isinstance(data, dict) and "violation" in data
    fields = "format version program parameters claim inputs outputs adjacency outcomes denominators"
    parts = "laws violation" if violated else "nodes roots inequalities cases"
    record(data, "format", *fields.split(), "functions", *parts.split(), "digest")
    if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != VERSION:
        raise Refused("format", f"only '{FORMAT}' version {VERSION} is known")
    return violated


class ProgramText(NamedTuple):
    """The program that a certificate is about."""

    name: str
    sha256: str
    parameters: dict[str, Fraction]


def read_program(data: dict[str, Any], file: bytes | None) -> ProgramText:
    """The program, refused unless it is that of the file, if one is given."""
    step = "program"
    program = record(data[step], step, "name", "text", "sha256")
    name, source = text(program["name"], step), text(program["text"], step)
    if program["sha256"] != hashlib.sha256(source.encode("utf-8")).hexdigest():
        raise Refused(step, "the hash is not that of the text")
    if file is not None and as_read(file) != source.replace("\r\n", "\n"):
        raise Refused(step, f"the given program is not the one in the certificate, {name[:MAX_NAME]!r}")
    if not isinstance(data["parameters"], dict):
        raise Refused("parameters", "an object is expected")
    values = {name_of(k, "parameters"): rational(v, "parameters") for k, v in data["parameters"].items()}
    return ProgramText(name, program["sha256"], values)


def as_read(file: bytes) -> str:
    """The text of a program file as dipc reads it.

    Only these ends of lines are alike.  To ``str.splitlines`` a form feed or U+2028 ends a line too, while
    for dipc a comment goes on there: the two texts may be two programs.
    """
    return file.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class Claim(NamedTuple):
    """(t*eps, delta)-privacy on an interval; ``eps`` is where it is violated."""

    t: Fraction
    on: Interval
    eps: Fraction | None

    @property
    def proved_on(self) -> Interval:
        """The interval of the proofs: for a violation its point."""
        return self.on if self.eps is None else Interval(self.eps, self.eps, True, True)

    @property
    def sample(self) -> Fraction:
        """A point inside."""
        low, high, *_ = self.proved_on
        return low + 1 if high is None else (low + high) / 2


def read_claim(data: dict[str, Any]) -> Claim:
    """The claim but for delta, which needs the denominators."""
    step = "claim"
    claim = record(data[step], step, "t", "delta", "interval")
    ends = record(claim["interval"], step, "low", "high", "low_closed", "high_closed")
    low, high = rational(ends["low"], step), None if ends["high"] is None else rational(ends["high"], step)
    low_closed, high_closed = reading.flag(ends["low_closed"], step), reading.flag(ends["high_closed"], step)
    if low < 0 or (low == 0 and low_closed) or (high is None and high_closed):
        raise Refused(step, "the interval holds more than positive numbers")
    if high is not None and (high < low or (high == low and not (low_closed and high_closed))):
        raise Refused(step, "the interval is empty")
    on, eps = Interval(low, high, low_closed, high_closed), None
    if "violation" in data:
        fields = ("input", "neighbour", "outcomes", "eps", "numbers")
        eps = rational(record(data["violation"], "violation", *fields)["eps"], "violation")
        if not on.has(eps):
            raise Refused("violation", "the claim is not about this eps")
    return Claim(rational(claim["t"], step), on, eps)


# --- coverage -----------------------------------------------------------------------------------------


Rows = list[list[int]]  # the laws of two inputs, as numbers of functions
WHAT = ("slack", "+", "-")


class Proofs(NamedTuple):
    """The proved inequalities, and the names of those that are proved on the whole interval ``on``."""

    integers: Integers
    on: Interval
    facts: Facts
    named: dict[tuple[str, Pairs], int]
    items: list[str]


def read_inequalities(data: dict[str, Any], integers: Integers, on: Interval) -> Proofs:
    """Each inequality is recomputed from the functions that it names, and proved."""
    proofs = Proofs(integers, on, Facts(integers.unit), {}, [])
    kinds = WHAT if integers.has_delta else WHAT[:1]
    last = len(integers.functions) - 1
    for i, item in enumerate(array(data["inequalities"], "inequalities")):
        step = f"inequality {i}"
        inequality = record(item, step, "what", "of", "on", "proof")
        what, here = text(inequality["what"], step), on
        if what not in kinds or not array(inequality["of"], step):
            raise Refused(step, f"it is about one of {', '.join(kinds)}, of some functions")
        if inequality["on"] is not None:
            low, high = pair_of(inequality["on"], step)
            ends = rational(low, step), None if high is None else rational(high, step)
            here = Interval(*ends, False, False)
            if ends[0] < 0 or (ends[1] is not None and ends[1] <= ends[0]):
                raise Refused(step, "its interval is empty, or not positive")
        for j, name in enumerate(inequality["of"]):
            inner = f"{step}, {j}"
            pairs = read_pairs(name, last, inner)
            if what != "slack" and len(pairs) != 1:
                raise Refused(inner, "a sign is that of one pair of functions")
            f = integers.slack(pairs) if what == "slack" else integers.signed(pairs[0], what)
            number = proofs.facts.prove(f, here, inequality["proof"], inner)
            proofs.items.append(inner)
            if inequality["on"] is None:
                proofs.named[what, pairs] = number
    return proofs


def read_pairs(value: Any, last: int, step: str) -> Pairs:
    """A flat list i, j, i', j', ... of numbers of functions: pairs in ascending order."""
    numbers = [integer(i, step, 0, last) for i in array(value, step)]
    pairs = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    if len(numbers) % 2 or any(b < a for a, b in pairwise(pairs)):
        raise Refused(step, "the pairs of functions are not in order")
    return pairs


def check_coverage(data: dict[str, Any], needed: Needed, proofs: Proofs) -> None:
    """Every pair of adjacent inputs and every outcome is covered, and nothing is superfluous."""
    if needed.laws:
        check_cases(data, needed.laws, proofs)
    elif array(data["cases"], "cases"):
        raise Refused("cases", "there are none if delta is 0")
    for i, j in needed.functions:
        number = proofs.named.get(("slack", ((i, j),)))
        if number is not None:
            proofs.facts.used.add(number)
        else:
            step = f"functions {i} and {j}"
            proofs.facts.require(proofs.integers.slack([(i, j)]), proofs.on.low, proofs.on.high, step)
    for number, step in enumerate(proofs.items):
        if number not in proofs.facts.used:
            raise Refused(step, "it is not needed, or listed twice")


def check_piece(
    proofs: Proofs, pairs: Pairs, signs: str, low: Fraction, high: Fraction | None, step: str
) -> None:
    """Whichever outcomes the sum of the positive differences is over on this piece, delta is enough."""
    if len(signs) != len(pairs) or not set(signs) <= set("+-?") or signs.count("?") > MAX_UNSURE:
        raise Refused(step, "the signs are not a string of +, - and a few ?")
    for pair, sign in zip(pairs, signs, strict=True):
        if sign != "?":
            signed = proofs.integers.signed(pair, sign)
            if signed:
                proofs.facts.require(signed, low, high, step)
    sure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "+"]
    unsure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "?"]
    for more in chained.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1)):
        proofs.facts.require(proofs.integers.slack([*sure, *more]), low, high, step)


def check_cases(data: dict[str, Any], needed: set[Pairs], proofs: Proofs) -> None:
    """Every pair of laws has a case, whose pieces go from end to end of the interval."""
    seen = set()
    on, last = proofs.on, len(proofs.integers.functions) - 1
    for number, item in enumerate(array(data["cases"], "cases")):
        step = f"case {number}"
        case = record(item, step, "functions", "points", "signs")
        pairs = read_pairs(case["functions"], last, step)
        if pairs not in needed or pairs in seen:
            raise Refused(step, "no adjacent inputs have these functions, or it is listed twice")
        seen.add(pairs)
        single = on.low == on.high and case["points"] == [str(on.low)]
        pieces = [(on.low, on.high)] if single else facts.cut(case["points"], on, step)
        if len(pieces) != len(array(case["signs"], step)):
            raise Refused(step, "there are not signs for every piece")
        for (low, high), signs in zip(pieces, case["signs"], strict=True):
            check_piece(proofs, pairs, text(signs, step), low, high, step)
    if seen != needed:
        raise Refused("cases", "some adjacent inputs are not covered")


# --- a violation --------------------------------------------------------------------------------------


def read_rows(data: dict[str, Any], sets: Sets, integers: Integers) -> Rows:
    """The laws of the input and of its neighbour, as numbers of functions."""
    last = len(integers.functions) - 1
    rows = [[integer(i, "laws", 0, last) for i in array(law, "laws")] for law in array(data["laws"], "laws")]
    if len(rows) != 2 or any(len(law) != sets.outcomes for law in rows):
        raise Refused("laws", "two laws with one probability for every outcome are expected")
    for law in rows:
        laws.check_total((integers.functions[i] for i in law), integers)
    if {i for law in rows for i in law} != set(range(last + 1)):
        raise Refused("functions", "a function is not used")
    return rows


def check_violation(
    data: dict[str, Any], claim: Claim, sets: Sets, integers: Integers, rows: Rows, adjacency: Adjacency
) -> None:
    """The listed outcomes break the claim at eps, and the numbers shown are right."""
    step = "violation"
    violation = data[step]
    u = reading.places(violation["input"], sets.inputs, step)
    v = reading.places(violation["neighbour"], sets.inputs, step)
    if not adjacency.holds(sets, u, v):
        raise Refused(step, "the two inputs are not adjacent")
    if u == v and rows[0] != rows[1]:
        raise Refused(step, "one input has two distributions")
    chosen = [integer(o, step, 0, sets.outcomes - 1) for o in array(violation["outcomes"], step)]
    if not chosen or chosen != sorted(set(chosen)):
        raise Refused(step, "there are no outcomes, or they are not in order")
    p, q = ([(1, *integers.functions[law[o]]) for o in chosen] for law in rows)
    bound = [(1, integers.bounds[rows[1][o]], integers.functions[rows[1][o]][1]) for o in chosen]
    gain = [*p, *((-1, f, d) for _, f, d in bound)]

    def sign(parts: list[tuple[int, Scaled, int]], times: int, c: Fraction) -> int:
        """The sign of the sum of the parts, times * delta and c at the eps of the violation."""
        over, under = c.as_integer_ratio()
        number = (over, {(0, 0, 0, 0): integers.scale}, 0)
        f = integers.total([number, *((m * under, f, d) for m, f, d in parts)], times * under)
        return facts.sign_at(facts.unscaled(f, integers.unit), claim.sample)

    if sign(gain, -1, ZERO) <= 0:
        raise Refused(step, "the claim is not broken")
    sums = {"probability": (p, 0), "neighbour_probability": (q, 0), "bound": (bound, 1), "excess": (gain, -1)}
    numbers = record(violation["numbers"], step, *sums)
    for name, (parts, times) in sums.items():
        low, unit = read_number(name, numbers[name])
        if sign(parts, times, -low * unit) < 0 or sign(parts, times, -(low + 1) * unit) >= 0:
            raise Refused(step, f"the number '{name}' is not right")


def read_number(name: str, value: Any) -> tuple[Fraction, Fraction]:
    """m and 10^e of [m, e], for a number from m * 10^e up to (m+1) * 10^e."""
    step = "violation"
    digits, place = pair_of(value, step)
    low, unit = rational(digits, step), Fraction(10) ** integer(place, step, -MAX_POWER, MAX_POWER)
    if low.denominator != 1:
        raise Refused(step, f"the number '{name}' is not written as m * 10^e")
    return low, unit


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """A certificate that was checked: either a diagram, or two laws and a violation."""

    data: dict[str, Any]
    program: ProgramText
    claim: Claim
    sets: Sets
    table: Table
    adjacency: Adjacency
    diagram: Diagram | None
    rows: Rows
    pairs: int

    @property
    def violated(self) -> bool:
        """Whether it is the certificate of a violation."""
        return self.diagram is None

    @property
    def status(self) -> str:
        """What the certificate shows of its claim: "private" or "violated"."""
        return "violated" if self.violated else "private"

    def claim_shown(self) -> str:
        """The claim, for example "(1*eps, 0) for every eps in (0, inf)"."""
        delta = delta_shown(self.table.delta, self.table.denominators)
        return f"({self.claim.t}*eps, {delta}) for every eps in {self.claim.on}"

    def statement(self) -> str:
        """What was proved, in words, about the listed distributions."""
        program = self.program
        settings = ", ".join(f"{name} = {value}" for name, value in program.parameters.items())
        name = program.name[:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        about = f"program '{name}'" + (f" with {settings}" if settings else "")
        claim = f"({self.claim.t}*eps, {delta_shown(self.table.delta, self.table.denominators)})-private"
        if self.violated:
            return shown(f"{about} is not {claim}: violated at eps = {self.claim.eps}")
        count = sum(len(item["of"]) for item in self.data["inequalities"])
        numbers = f"{self.pairs} ordered pairs of neighbours, {self.sets.outcomes} outcomes"
        return shown(f"{about} is {claim} for every eps in {self.claim.on}: {numbers}, {count} inequalities")

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not know what programs mean."""
        return f"IF the listed distributions are those of the program THEN {self.statement()}"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        rest = "everything else was recomputed"
        if self.adjacency.pairs is not None:
            rest = "the adjacency formula was not recomputed; " + rest
        return [
            f"accepted: {self.conditional()}",
            "trusted: that the listed claim, parameters, inputs, outputs, neighbours and distributions are "
            f"those of the program text (SHA-256 {self.program.sha256}); {rest}",
        ]


def shown(text: str) -> str:
    r"""A text as one line of printable ASCII: whatever a file says, it cannot steer a terminal.

    >>> print(shown("N\naccepted: \x1b[2K\u202e"))
    N\naccepted: \x1b[2K\u202e
    """
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in text)


def check(data: bytes, program: bytes | None = None) -> Certificate:
    """Check the bytes of a certificate, and that it is about the program.  Raises :class:`Refused`."""
    return sealed(data, lambda read: checked(read, program))


def sealed(data: bytes, phases: Callable[[Any], T]) -> T:
    """What the phases find in a certificate, which is as it was written.  Raises :class:`Refused`."""
    try:
        read = reading.unpacked(data)
        certificate = phases(read)
        if read["digest"] != digest(read):
            raise Refused("digest", "the certificate is not as it was written")
        return certificate
    except Refused:
        raise
    except RecursionError:
        raise Refused("reading", "too deeply nested") from None
    except MemoryError:
        raise Unfinished("work", "out of memory") from None
    except Exception as error:  # a file that is broken in a way not thought of is refused as well
        raise Refused("reading", f"{type(error).__name__}: {str(error)[:200]}") from None


def checked(data: Any, file: bytes | None) -> Certificate:
    """All phases but the digest."""
    violated = check_fields(data)
    program = read_program(data, file)
    claim = read_claim(data)
    sets = laws.read_sets(data)
    table = laws.read_table(data, claim.proved_on, claim.sample)
    integers = laws.in_integers(table, claim.t)
    if violated:
        rows = read_rows(data, sets, integers)
        adjacency = laws.read_adjacency(data, sets)
        check_violation(data, claim, sets, integers, rows, adjacency)
        return Certificate(data, program, claim, sets, table, adjacency, None, rows, 1)
    diagram = laws.read_diagram(data, sets, len(table.functions))
    laws.check_sums(diagram, integers)
    adjacency = laws.read_adjacency(data, sets)
    needed = laws.needed_pairs(diagram, adjacency, sets, integers.has_delta)
    proofs = read_inequalities(data, integers, claim.on)
    check_coverage(data, needed, proofs)
    return Certificate(data, program, claim, sets, table, adjacency, diagram, [], needed.pairs)


def digest(data: dict[str, Any]) -> str:
    """The hash of everything else in a certificate, in a standard form: finds changes made by accident."""
    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def delta_shown(delta: Ratio, denominators: Sequence[Function]) -> str:
    """For example "exp(-2)" or "(1 + eps) / (1 + exp(eps))"."""
    above = facts.function_shown(delta.numerator)
    below = facts.function_shown(denominators[delta.denominator])
    return f"({above}) / ({below})" if delta.denominator else above
