"""A question as one universally quantified formula in its parameters: for Redlog and for QEPCAD.

For all parameters of the class, all pairs and all sequences: f = c A' Z - A Z' >= 0, where A and A' are the
probabilities of the sequence with each side and Z, Z' those of the sides, without denominators.  A quantifier
elimination answers true (private) or false.  The syntax is that of the manuals: *Boolean operators and
first-order quantifiers* (redlog.eu) and C. W. Brown's *Entering formulas in QEPCAD*, where a product is a
blank and a formula is in prenex form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, lcm
from textwrap import fill
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.export.operators import ARITHMETIC, PRODUCT, Dialect, Infix, Symbol, logic, write
from dipc.export.queries import Queries, claim_of, polynomial
from dipc.models.hmm import added
from dipc.pufferfish.clearing import Polynomials
from dipc.pufferfish.question import Pair, Question

MOST = 20_000
WIDTH = 100
REDLOG = Dialect(ARITHMETIC | logic(" and ", " or ", "not {0}", {}))
QEPCAD = Dialect({**REDLOG.rules, "*": Infix(" ", PRODUCT, PRODUCT, PRODUCT)})

Atom = tuple[bool, fmpq_mpoly]
"""``f > 0`` (True), or ``f >= 0``."""


class Formula(NamedTuple):
    """For all values of the variables that meet the conditions: all conclusions."""

    heading: tuple[str, ...]
    variables: tuple[str, ...]
    conditions: tuple[Atom, ...]
    conclusions: tuple[Atom, ...]

    def lines(self, atoms: Sequence[Atom], dialect: Dialect, conjunction: str) -> str:
        """The conjunction of comparisons, with polynomials in several lines."""
        symbols = [Symbol(name) for name in self.variables]
        texts = (f"{write(polynomial(f, symbols), dialect)} {'>' if s else '>='} 0" for s, f in atoms)
        return f" {conjunction}\n".join(map(_indented, texts))


def _indented(text: str) -> str:
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return fill(text, WIDTH, initial_indent=4 * " ", subsequent_indent=8 * " ", **whole)


def redlog(question: Question, clock: Clock) -> str:
    """A script for REDUCE with its package Redlog.  Raises :class:`InputError`, :class:`LimitReached`."""
    formula = formula_of(question, clock)
    conditions, conclusions = (formula.lines(atoms, REDLOG, "and") for atoms in formula[2:])
    comments = (f"% {line}" for line in (*formula.heading, "true if private, false if violated"))
    return "\n".join(
        [
            *comments,
            "load_package redlog$",
            "rlset reals$",
            f"phi := all({{{', '.join(formula.variables)}}},",
            f"  (\n{conditions}\n  ) impl (\n{conclusions}\n  ))$",
            "rlqe phi;",
            "",
        ]
    )


def qepcad(question: Question, clock: Clock) -> str:
    """The input of QEPCAD B.  Raises :class:`InputError`, :class:`LimitReached`."""
    formula = formula_of(question, clock)
    conditions, conclusions = (formula.lines(atoms, QEPCAD, "/\\") for atoms in formula[2:])
    heading = "\n  ".join((*formula.heading, "TRUE if private, FALSE if violated"))
    return "\n".join(
        [
            f"[ {heading.translate(str.maketrans('[]', '()'))} ]",
            f"({','.join(formula.variables)})",
            "0",
            "".join(f"(A {name})" for name in formula.variables)
            + f"[ [\n{conditions}\n  ] ==> [\n{conclusions}\n  ] ].",
            "finish",
            "",
        ]
    )


def formula_of(question: Question, clock: Clock) -> Formula:
    """The formula; its variables are p1, p2, ..., because names may mean something in other systems."""
    claim, horizon = claim_of(question, "formula")
    if claim.constant:
        hint = "claim a number such as ln(4)"
        raise InputError(f"c = exp({claim.text}) is not rational: no formula has it", hint=hint)
    parameters = question.parameters
    if not parameters.names:
        hint = "`dipc pufferfish check` decides it"
        raise InputError("the question has no parameters: there is nothing to quantify", hint=hint)
    queries = Queries(question, claim, horizon, clock)
    found: dict[Any, fmpq_mpoly] = {}
    for pair in question.pairs:
        for f in _inequalities(queries, pair, clock):
            found.setdefault(frozenset(f.to_dict().items()), f)
            if len(found) > MOST:
                raise LimitReached(f"a formula of more than {MOST} inequalities")
    heading = f"{question.name}: is P(w | s) <= c P(w | s') for all sequences w of {horizon}?"
    return Formula(
        (heading, f"epsilon = {claim.text}", *_meanings(queries)),
        tuple(f"p{i}" for i in range(1, len(parameters.names) + 1)),
        conditions := tuple(_conditions(queries)),
        tuple((False, f) for f in found.values()) or conditions,  # always true
    )


class _Power(NamedTuple):
    """``c = factor * r^-power``, where ``r^root`` is the variable in this place; -1: c is a number."""

    place: int = -1
    power: int = 0
    root: int = 1

    @staticmethod
    def of(queries: Queries) -> _Power:
        parameters, rate = queries.question.parameters, queries.claim.rate
        if not rate:
            return _Power()
        if parameters.eps_name is None:
            raise InputError("the claim depends on eps and no number of the model does", hint="--at 1/2")
        exponent = rate * parameters.eps_unit
        return _Power(parameters.names.index(parameters.eps_name), int(exponent.p), int(exponent.q))

    def rooted(self, f: fmpq_mpoly) -> fmpq_mpoly:
        """With ``r^root`` for the variable."""
        if self.root == 1:
            return f
        terms = ((list(map(int, powers)), c) for powers, c in f.to_dict().items())
        raised = {
            tuple(n * (self.root if i == self.place else 1) for i, n in enumerate(powers)): c
            for powers, c in terms
        }
        return f.context().from_dict(raised)

    def times(self, f: fmpq_mpoly) -> fmpq_mpoly:
        """``r^power * f``."""
        return f * f.context().gens()[self.place] ** self.power if self.power else f


def _meanings(queries: Queries) -> Iterator[str]:
    """What the variables stand for."""
    parameters = queries.question.parameters
    unit = parameters.eps_unit * _Power.of(queries).root
    for i, name in enumerate(parameters.names, start=1):
        of_eps = f"exp(-eps/{unit})" if unit > 1 else "exp(-eps)"
        yield f"p{i}: {of_eps if name == parameters.eps_name else name}"


def _conditions(queries: Queries) -> Iterator[Atom]:
    """The class; a root is the positive one."""
    exponent = _Power.of(queries)
    for strict, f in queries.conditions():
        yield strict, _primitive(exponent.rooted(f))
    if exponent.root > 1:
        yield True, queries.one.context().gens()[exponent.place]


def _inequalities(queries: Queries, pair: Pair, clock: Clock) -> Iterator[fmpq_mpoly]:
    """``c A' Z - A Z'`` for every sequence, except where A is 0; with eps, times a power."""
    left, right = (queries.cleared([added(side.weights)])[0] for side in pair)
    above, below = _sum(queries, left) * queries.claim.factor, _sum(queries, right)
    exponent = _Power.of(queries)
    stack = [(left, right, 0)]
    while stack:
        clock.tick("sequences")
        a, b, depth = stack.pop()
        if depth < queries.horizon:
            moves = depth + 1 < queries.horizon
            steps = ((_step(queries, a, o, moves), _step(queries, b, o, moves)) for o in queries.places)
            stack += [(a, b, depth + 1) for a, b in steps if a]
        elif f := exponent.rooted(_sum(queries, b) * above) - exponent.times(
            exponent.rooted(_sum(queries, a) * below)
        ):
            yield _primitive(f)


def _sum(queries: Queries, vector: Polynomials) -> fmpq_mpoly:
    return sum(vector.values(), 0 * queries.one)


def _step(queries: Queries, vector: Polynomials, o: int, moves: bool) -> Polynomials:
    """What is left of a belief when o is observed, and where it goes."""
    seen = {s: f * queries.emissions[s][o] for s, f in vector.items() if o in queries.emissions[s]}
    if not moves:
        return seen
    found: Polynomials = {}
    for s, f in seen.items():
        for to, p in queries.moves[s].items():
            found[to] = found.get(to, 0 * queries.one) + f * p
    return found


def _primitive(f: fmpq_mpoly) -> fmpq_mpoly:
    """The multiple by a positive number that has integer coefficients without a common divisor."""
    numbers = f.coeffs()
    divisor = gcd(*(int(c.p) for c in numbers))
    return f * fmpq(lcm(*(int(c.q) for c in numbers)), divisor)
