"""The (eps, delta) statement: what a certificate says, and what must be proved for it.

**A claim** (epsilon, delta) holds at eps if delta is at least the sum of the positive ones among
g_o = P(u)(o) - exp(epsilon) P(u')(o), over the outcomes o, for all adjacent inputs u and u'.  Here epsilon is
t*eps, or the logarithm of a listed factor, which is positive; each pair of inputs may have its own factor.

Each pair of probabilities that adjacent inputs have, see :mod:`~.laws`, needs a proved inequality.

Each phase is a function that returns a value or raises :class:`~.reading.Refused`; :func:`checked` is the
list of phases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as chained
from itertools import combinations, pairwise
from typing import Any, Literal, NamedTuple

from . import facts, laws
from .facts import Facts, Function, Interval, Proof, Scaled
from .laws import (
    Adjacency,
    Denominator,
    Diagram,
    Integers,
    Needed,
    Pairs,
    Quotient,
    Ratio,
    Related,
    Sets,
    Table,
    Variable,
)
from .reading import Refused, integer, require
from .schema import name_of

MAX_UNSURE = 12  # outcomes of unknown sign on one piece
MAX_NAME = 60  # characters of a program's name that are shown

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """The program that a certificate is about."""

    name: str
    text: str
    sha256: str


@dataclass(frozen=True)
class Claimed:
    """(t*eps, delta)-privacy on an interval."""

    t: Fraction
    delta: Quotient
    interval: Interval

    @property
    def of(self) -> None:
        """All pairs have the same factor."""

    @property
    def factors(self) -> list[Quotient]:
        """exp(t*eps)."""
        return [laws.rated(self.t)]


@dataclass(frozen=True)
class ByFactor:
    """(ln(factor), delta)-privacy on an interval; ``of`` has the numbers of the factors of listed pairs."""

    factors: list[Quotient]
    of: list[int] | None
    delta: Quotient
    interval: Interval


@dataclass(frozen=True)
class AboutProgram:
    """What certificates of programs begin with."""

    format: str
    version: int
    statement: str
    program: Program
    parameters: dict[str, Fraction]
    claim: Any
    denominators: list[Denominator]
    functions: list[Quotient]


@dataclass(frozen=True)
class Listed(AboutProgram):
    """A certificate of one of two kinds."""

    statement: Literal["privacy"]
    claim: Claimed | ByFactor
    inputs: list[Variable]
    outputs: list[Variable]
    adjacency: Related
    outcomes: list[list[str]]


@dataclass(frozen=True)
class Inequality:
    """Functions that are >= 0 by one proof: slacks of lists of pairs, or signs of pairs."""

    what: Literal["slack", "+", "-"]
    of: list[list[int]]
    on: tuple[Fraction, Fraction | None] | None
    proof: Proof


@dataclass(frozen=True)
class Case:
    """A pair of laws: points of eps, and the signs of all outcomes on each piece between them."""

    functions: list[int]
    points: list[Fraction | None]
    signs: list[str]


@dataclass(frozen=True)
class Private(Listed):
    """A proof of privacy: nodes of diagrams (a cell, and a branch for each of its values), and roots."""

    nodes: list[list[int]]
    roots: list[int]
    inequalities: list[Inequality]
    cases: list[Case]


@dataclass(frozen=True)
class Violation:
    """A counterexample."""

    input: list[str]
    neighbour: list[str]
    outcomes: list[int]
    eps: Fraction


@dataclass(frozen=True)
class Violated(Listed):
    """A violation, with the laws of its two inputs."""

    laws: list[list[int]]
    violation: Violation


# --- program and claim --------------------------------------------------------------------------------


def check_program(listed: AboutProgram, file: bytes | None) -> None:
    """The program is that of the file, if one is given."""
    step, program = "program", listed.program
    right = program.sha256 == hashlib.sha256(program.text.encode("utf-8")).hexdigest()
    require(right, step, "the hash is not that of the text")
    if file is not None and as_read(file) != program.text.replace("\r\n", "\n"):
        name = program.name[:MAX_NAME]
        raise Refused(step, f"the given program is not the one in the certificate, {name!r}")
    for name in listed.parameters:
        name_of(name, "parameters")


def as_read(file: bytes) -> str:
    """The text of a program file as dipc reads it.

    Only these ends of lines are alike.  To ``str.splitlines`` a form feed or U+2028 ends a line too, while
    for dipc a comment goes on there: the two texts may be two programs.
    """
    return file.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class Claim(NamedTuple):
    """The interval of a claim; ``eps`` is where it is violated."""

    on: Interval
    eps: Fraction | None

    @property
    def proved_on(self) -> Interval:
        """The interval of the proofs: for a violation its point."""
        return self.on if self.eps is None else Interval(self.eps, self.eps, True, True)

    @property
    def sample(self) -> Fraction:
        """A point inside."""
        low, high = self.proved_on.low, self.proved_on.high
        return low + 1 if high is None else (low + high) / 2


def read_claim(on: Interval, eps: Fraction | None = None) -> Claim:
    """The claim but for epsilon and delta, which need the denominators."""
    step = "claim"
    positive = on.low > 0 or (on.low == 0 and not on.low_closed)
    positive = positive and not (on.high is None and on.high_closed)
    require(positive, step, "the interval holds more than positive numbers")
    closed = on.low_closed and on.high_closed
    some = on.high is None or on.low < on.high or (on.low == on.high and closed)
    require(some, step, "the interval is empty")
    require(eps is None or on.has(eps), "violation", "the claim is not about this eps")
    return Claim(on, eps)


# --- coverage -----------------------------------------------------------------------------------------


Rows = list[list[int]]  # the laws of two inputs, as numbers of functions


class Proofs(NamedTuple):
    """The proved inequalities, and the names of the slacks that are proved on the whole interval ``on``."""

    integers: Integers
    on: Interval
    facts: Facts
    named: dict[Pairs, int]
    items: list[str]


def read_inequalities(listed: Sequence[Inequality], integers: Integers, on: Interval) -> Proofs:
    """Each inequality is recomputed from the functions that it names, and proved."""
    proofs = Proofs(integers, on, Facts(integers.unit), {}, [])
    for i, item in enumerate(listed):
        step, what, here = f"inequality {i}", item.what, on
        require(item.of, step, "it is of no functions")
        known = what == "slack" or integers.has_delta
        require(known, step, "no sign is needed if delta is 0")
        if item.on is not None:
            here = Interval(*item.on, False, False)
            some = here.low >= 0 and (here.high is None or here.low < here.high)
            require(some, step, "its interval is empty, or not positive")
        for j, name in enumerate(item.of):
            inner = f"{step}, {j}"
            pairs = read_pairs(name, integers, inner)
            single = what == "slack" or len(pairs) == 1
            require(single, inner, "a sign is that of one pair of functions")
            f = function_of(integers, what, pairs)
            number = proofs.facts.prove(f, here, item.proof, inner)
            proofs.items.append(inner)
            if item.on is None and what == "slack":
                proofs.named[pairs] = number
    return proofs


def function_of(integers: Integers, what: str, pairs: Pairs) -> Scaled:
    """The function of that name."""
    return integers.slack(pairs) if what == "slack" else integers.signed(pairs[0], what)


def read_pairs(listed: Sequence[int], integers: Integers, step: str) -> Pairs:
    """A flat list i, j, i', j', ... of numbers of functions and bounds: pairs in ascending order."""
    pairs = tuple(zip(listed[::2], listed[1::2], strict=False))
    for i, j in pairs:
        integer(i, step, 0, len(integers.functions) - 1)
        integer(j, step, 0, len(integers.bounds) - 1)
    ordered = len(listed) % 2 == 0 and all(a <= b for a, b in pairwise(pairs))
    require(ordered, step, "the pairs of functions are not in order")
    return pairs


def check_coverage(cases: Sequence[Case], needed: Needed, proofs: Proofs) -> None:
    """Every pair of adjacent inputs and every outcome is covered, and nothing is superfluous."""
    check_cases(cases, needed.laws, proofs)
    for pair in needed.functions:
        number = proofs.named.get((pair,))
        if number is not None:
            proofs.facts.used.add(number)
        else:
            step = "functions {} and {}".format(*pair)
            proofs.facts.require(proofs.integers.slack([pair]), proofs.on.low, proofs.on.high, step)
    for number, step in enumerate(proofs.items):
        require(number in proofs.facts.used, step, "it is not needed, or listed twice")


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


def check_cases(cases: Sequence[Case], needed: set[Pairs], proofs: Proofs) -> None:
    """Every pair of laws has a case, whose pieces go from end to end of the interval.

    None is needed if delta is 0.
    """
    seen = set()
    on = proofs.on
    for number, case in enumerate(cases):
        step = f"case {number}"
        pairs = read_pairs(case.functions, proofs.integers, step)
        new = pairs in needed and pairs not in seen
        require(new, step, "no adjacent inputs have these functions, or it is listed twice")
        seen.add(pairs)
        single = on.low == on.high and case.points == [on.low]
        pieces = [(on.low, on.high)] if single else facts.cut(case.points, on, step)
        require(len(pieces) == len(case.signs), step, "there are not signs for every piece")
        for (low, high), signs in zip(pieces, case.signs, strict=True):
            check_piece(proofs, pairs, signs, low, high, step)
    require(seen == needed, "cases", "some adjacent inputs are not covered")


# --- a violation --------------------------------------------------------------------------------------


def check_rows(rows: Rows, sets: Sets, integers: Integers) -> None:
    """The laws of the input and of its neighbour, as numbers of functions."""
    last = len(integers.functions) - 1
    fits = len(rows) == 2 and all(len(law) == sets.outcomes for law in rows)
    require(fits, "laws", "two laws with one probability for every outcome are expected")
    for law in rows:
        laws.check_total([integers.functions[integer(i, "laws", 0, last)] for i in law], integers)
    used = {i for law in rows for i in law} == set(range(last + 1))
    require(used, "functions", "a function is not used")


def check_violation(
    violation: Violation, claim: Claim, sets: Sets, integers: Integers, rows: Rows, adjacency: Adjacency
) -> None:
    """The listed outcomes break the claim at eps."""
    step, chosen = "violation", violation.outcomes
    u = laws.places(violation.input, sets.inputs, step)
    v = laws.places(violation.neighbour, sets.inputs, step)
    require(adjacency.holds(sets, u, v), step, "the two inputs are not adjacent")
    require(u != v or rows[0] == rows[1], step, "one input has two distributions")
    inside = chosen and all(0 <= o < sets.outcomes for o in chosen)
    ordered = inside and all(a < b for a, b in pairwise(chosen))
    require(ordered, step, "there are no outcomes, or they are not in order")
    first = 0 if adjacency.pairs is None else adjacency.pairs[sets.position(u), sets.position(v)][0]
    more = [(1, *integers.functions[rows[0][o]]) for o in chosen]
    less = [(-1, *integers.bounds[first * len(integers.functions) + rows[1][o]]) for o in chosen]
    excess = facts.unscaled(integers.total([*more, *less], -1), integers.unit)
    require(facts.sign_at(excess, claim.sample) > 0, step, "the claim is not broken")


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProgramCertificate:
    """A certificate about a program that was checked."""

    listed: AboutProgram
    claim: Claim
    table: Table

    @property
    def program(self) -> Program:
        """The program."""
        return self.listed.program

    @property
    def delta(self) -> str:
        """The delta of the claim, in words."""
        return ratio_shown(self.table.delta, self.table.denominators)

    @property
    def epsilon(self) -> str:
        """The epsilon of the claim, in words."""
        claimed, table = self.listed.claim, self.table
        if isinstance(claimed, Claimed):
            return f"{claimed.t}*eps"
        several = " or ".join(logarithm_shown(each, table.denominators) for each in table.factors)
        return several if claimed.of is None else f"{several} by pair of inputs"

    def claim_shown(self) -> str:
        """The claim, for example "(1*eps, 0) for every eps in (0, inf)"."""
        return f"({self.epsilon}, {self.delta}) for every eps in {self.claim.on}"

    def about(self) -> str:
        """The program and its parameters, in words."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.listed.parameters.items())
        name = self.program.name[:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        return f"program '{name}'" + (f" with {settings}" if settings else "")


@dataclass(frozen=True)
class Certificate(ProgramCertificate):
    """It has either a diagram and a number of pairs, or two laws and a violation."""

    listed: Any  # Private or Violated
    sets: Sets
    adjacency: Adjacency
    diagram: Diagram | None
    pairs: int

    @property
    def violated(self) -> bool:
        """Whether it is the certificate of a violation."""
        return self.diagram is None

    @property
    def status(self) -> str:
        """What the certificate shows of its claim: "private" or "violated"."""
        return "violated" if self.violated else "private"

    def statement(self) -> str:
        """What was proved, in words, about the listed distributions."""
        claim = f"({self.epsilon}, {self.delta})-private"
        if isinstance(self.listed, Violated):
            return shown(f"{self.about()} is not {claim}: violated at eps = {self.claim.eps}")
        count = sum(len(item.of) for item in self.listed.inequalities)
        numbers = f"{self.pairs} ordered pairs of neighbours, {self.sets.outcomes} outcomes"
        where = f"for every eps in {self.claim.on}"
        return shown(f"{self.about()} is {claim} {where}: {numbers}, {count} inequalities")

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not know what programs mean."""
        return f"IF the listed {self.laws} are those of the program THEN {self.statement()}"

    @property
    def laws(self) -> str:
        """What is listed of the program but for its sets."""
        return "distributions"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        rest = "everything else was recomputed"
        if self.adjacency.pairs is not None:
            rest = "the listed pairs of neighbours were not recomputed; " + rest
        return [
            f"accepted: {self.conditional()}",
            f"trusted: that the listed claim, parameters, inputs, outputs, neighbours and {self.laws} are "
            f"those of the program text (SHA-256 {self.program.sha256}); {rest}",
        ]


def shown(text: str) -> str:
    r"""A text as one line of printable ASCII: whatever a file says, it cannot steer a terminal.

    >>> print(shown("N\naccepted: \x1b[2K\u202e"))
    N\naccepted: \x1b[2K\u202e
    """
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in text)


def checked(listed: Private | Violated, file: bytes | None = None) -> Certificate:
    """All phases but the digest."""
    check_program(listed, file)
    claim = read_claim(listed.claim.interval, listed.violation.eps if isinstance(listed, Violated) else None)
    sets = laws.read_sets(listed.inputs, listed.outputs, listed.outcomes)
    claimed = listed.claim
    functions = listed.denominators, listed.functions, claimed.delta, claimed.factors
    table = laws.read_table(*functions, claim.proved_on, claim.sample)
    integers = laws.in_integers(table)
    adjacency = laws.read_adjacency(listed.adjacency, claimed.of, len(table.factors), sets)
    if isinstance(listed, Violated):
        check_rows(listed.laws, sets, integers)
        check_violation(listed.violation, claim, sets, integers, listed.laws, adjacency)
        return Certificate(listed, claim, table, sets, adjacency, None, 1)
    diagram = laws.read_diagram(listed.nodes, listed.roots, sets, len(table.functions))
    laws.check_sums(diagram, integers)
    needed = laws.needed_pairs(diagram, adjacency, sets, integers.has_delta)
    proofs = read_inequalities(listed.inequalities, integers, claim.on)
    check_coverage(listed.cases, needed, proofs)
    return Certificate(listed, claim, table, sets, adjacency, diagram, needed.pairs)


def logarithm_shown(factor: Ratio, denominators: Sequence[Function]) -> str:
    """The epsilon of a factor, for example "2*eps + 1/10" or "ln(3)"."""
    (key, c), *others = factor.numerator.items()
    if c == 1 and not key[0] and not others and not factor.denominator:
        return facts.exponent_shown(key[1:]) or "0"
    return f"ln({ratio_shown(factor, denominators)})"


def ratio_shown(ratio: Ratio, denominators: Sequence[Function]) -> str:
    """For example "exp(-2)" or "(1 + eps) / (1 + exp(eps))"."""
    above = facts.function_shown(ratio.numerator)
    below = facts.function_shown(denominators[ratio.denominator])
    return f"({above}) / ({below})" if ratio.denominator else above
