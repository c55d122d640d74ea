"""Programs with priors: from a program to the mixtures of its output laws that an attacker compares.

A prior is a program without loops; :func:`weights` runs it over all its branches and merges equal states, so
that the weight of an input is a polynomial in the parameters.  Without a prior, every pair of neighbouring
inputs is compared, each as the distribution of one input: that is differential privacy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from operator import itemgetter
from typing import Any

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import check_for_all_budgets, goal_of, neighbours_of
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.evaluate import NOTHING, Datum, Decide, Memory, evaluate, never, spelled_cell
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import OutputLaws
from dipc.dipwhile.semantics.noise import Field, Finite, Random
from dipc.dipwhile.semantics.run import Sweep
from dipc.dipwhile.semantics.step import Stepper
from dipc.dipwhile.semantics.valuations import grouped, holds
from dipc.dipwhile.syntax import ast, core
from dipc.dipwhile.syntax.compile import compile_claim
from dipc.dipwhile.syntax.parser import parse_claim
from dipc.dipwhile.syntax.printer import as_written, show_expr
from dipc.dipwhile.syntax.questions import not_drawn
from dipc.dipwhile.syntax.simplify import OPERATORS
from dipc.errors import CLAIM_NAME, InputError, InternalError, LimitReached, Source
from dipc.integration.linear import Linear
from dipc.models.hmm import added
from dipc.models.laws import Vector, cases_in_order
from dipc.models.mixtures import Claim, ClaimOn, Drawn, Ends, Mixtures, Pair, Side
from dipc.models.values import Valuation, Value, show, show_valuation
from dipc.numbers.parametric import Parametric, Ring
from dipc.signs.eps_range import EpsRange

MOST_STATES = 200_000

Weights = dict[tuple[Value, ...], Parametric]
"""The weights of inputs, given by the values of their cells in the order of declaration."""


def mixtures(explored: Explored, eps_range: EpsRange, clock: Clock) -> Mixtures:
    """The mixtures that a program asks to compare, for all its priors.

    Raises :class:`InputError` for what is wrong in the program or its priors, :class:`LimitReached`.
    """
    program = explored.program
    ring = Ring(tuple(unknown.name for unknown in program.question.unknowns))
    if not program.question.priors:
        return _of_neighbours(explored, ring, eps_range, clock)
    if not program.question.secrets:
        hint = "add a line such as: secret q[1] = 0 vs q[1] = 1"
        raise InputError(f"{program.source.name}: the program has a prior, but no secret", hint=hint)
    return _of_priors(explored, ring, eps_range, clock)


def asked(program: core.CoreProgram, text: str | None = None, at: fmpq | None = None) -> ClaimOn:
    """The claim in a text, by default that of the program; ``at`` replaces its range by one eps.

    Raises :class:`InputError` if there is none, and for what is wrong in it.
    """
    claim = program.claim
    if text is not None:
        claim = compile_claim(parse_claim(text, CLAIM_NAME), dict(program.parameters))
    if claim is None:
        hint = "add a line such as: private ln(2)    (or give a claim: `--claim 'ln(2)'`)"
        raise InputError(f"{program.source.name}: the program makes no claim", hint=hint)
    goal = goal_of(claim, at)
    epsilon, delta = goal.exponent, goal.delta.as_rational()
    if epsilon.functions:
        message = "with priors epsilon is a sum of numbers, their logarithms and multiples of eps"
        raise InputError(message, claim.epsilon.span, "for example `eps + ln(2)`")
    if delta is None:
        hint = "for example `ln(2), 1/100`"
        raise InputError("delta must be a rational number in questions with priors", claim.span, hint)
    factor = prod((base ** int(power.p) for base, power in epsilon.logarithms), start=fmpq(1))
    text, constant = as_written(claim.epsilon), epsilon.constant
    return ClaimOn(Claim(text, factor, constant, epsilon.rate, fmpq(delta.p, delta.q)), goal.budgets)


# --- the distribution of the inputs ----------------------------------------------------------


def weights(
    program: core.CoreProgram, prior: core.CorePrior, ring: Ring, clock: Clock, drawn: dict[Parametric, str]
) -> Weights:
    """The probability of every input that the prior may draw, a polynomial in the parameters.

    ``drawn`` collects the probabilities that must be nonnegative, with their places.  Raises
    :class:`InputError` if probabilities do not sum to 1, an input cell has no value, or one that is not in
    its set.
    """
    space = InputSpace(program)
    stepper = _Drawing(program, prior, ring, drawn)
    found: Weights = {}
    states = Counter[int]()
    for state, _ in Sweep(stepper, [stepper.start()], {}):
        clock.tick("inputs of the prior", len(found))
        states[state.pc] += 1
        if states[state.pc] > MOST_STATES:
            raise LimitReached(f"a prior with more than {MOST_STATES} states")
        if isinstance(prior.code[state.pc], core.Halt):
            weight: Any = state.joint.mass()
            found[_input_of(state.env, space, prior)] = weight
    if sum(found.values(), ring.of(0)) != 1:
        raise InternalError("the probabilities of all inputs do not sum to 1")
    return {key: weight for key, weight in found.items() if weight}


def _input_of(env: Mapping[core.Cell, Datum], space: InputSpace, prior: core.CorePrior) -> tuple[Value, ...]:
    values: list[Value] = []
    for cell, domain in zip(space.cells, space.domains, strict=True):
        if cell not in env:
            raise not_drawn(spelled_cell(cell), prior.span)
        value = env[cell]
        assert not isinstance(value, Linear)
        if value not in domain:
            message = f"this prior draws `{spelled_cell(cell)} = {show(value)}`, which is not in its set"
            hint = f"the set is {{{', '.join(map(show, domain))}}}"
            raise InputError(message, prior.span, hint)
        values.append(value)
    return tuple(values)


class _Drawing(Stepper):
    """The steps of a prior, as a program whose outputs are the inputs; the probabilities are collected."""

    def __init__(
        self, program: core.CoreProgram, prior: core.CorePrior, ring: Ring, drawn: dict[Parametric, str]
    ) -> None:
        draws = replace(program, inputs=(), outputs=program.inputs, code=prior.code)
        draws = replace(draws, variables=prior.variables, arrays=prior.arrays)
        super().__init__(draws, field=Field(ring.of, self._probability))
        self._outputs = {}  # only the last value of an input must be in its set
        self._ring, self._drawn = ring, drawn

    def _probability(self, expr: ast.Expr, memory: Memory, _: Decide) -> Parametric:
        p = polynomial(expr, self._ring, memory)
        self._drawn.setdefault(p, f"{expr.span.place}: the probability")
        return p

    def law(self, node: ast.Distribution, memory: Memory, decide: Decide) -> Finite | Random:
        """The distribution, the probability of tails collected too."""
        law = super().law(node, memory, decide)
        if isinstance(node, ast.Flip) and isinstance(law, Finite):
            _, (_, tails) = law.options
            self._drawn.setdefault(tails, f"{node.probability.span.place}: 1 minus the probability")
        return law


LARGEST_POWER = 100


def polynomial(expr: ast.Expr, ring: Ring, memory: Memory = NOTHING) -> Parametric:
    """An expression over the parameters of the ring, and over what is in memory."""
    match expr:
        case ast.Name(name) if name in ring.names:
            return ring.gens[ring.names.index(name)]
        case ast.Unary(ast.Op.NEG, operand):
            return -polynomial(operand, ring, memory)
        case ast.Binary(ast.Op.ADD | ast.Op.SUB | ast.Op.MUL | ast.Op.DIV):
            first, links = expr.spine(ast.SUMS | ast.PRODUCTS)
            result = polynomial(first, ring, memory)
            for node in links:
                right = polynomial(node.right, ring, memory)
                if node.op is ast.Op.DIV and (right.as_rational() is None or not right):
                    problem = f"division by `{show_expr(node.right)}`" if right else "division by zero"
                    hint = "probabilities of priors, and ends of ranges, are polynomials in the parameters"
                    raise InputError(problem, node.right.span, hint)
                result = OPERATORS[node.op](result, right)
            return result
        case ast.Binary(ast.Op.POW, base, ast.Number(power)) if power.q == 1 and 0 <= power <= LARGEST_POWER:
            return polynomial(base, ring, memory) ** int(power.p)
    value = evaluate(expr, memory, never)
    if not isinstance(value, fmpq):
        raise InputError(f"a number is needed here, not `{show_expr(expr)}`", expr.span)
    return ring.of(value)


def ranges(unknowns: Sequence[ast.Unknown], ring: Ring) -> tuple[Ends, ...]:
    """The ranges of the parameters."""
    found = []
    for interval in (unknown.interval for unknown in unknowns):
        assert interval.high is not None
        low, high = polynomial(interval.low, ring), polynomial(interval.high, ring)
        found.append(Ends(low, high, interval.low_closed, interval.high_closed))
    return tuple(found)


# --- what is compared ------------------------------------------------------------------------


def _of_priors(explored: Explored, ring: Ring, eps_range: EpsRange, clock: Clock) -> Mixtures:
    program, question = explored.program, explored.program.question
    explorer = Explorer(program, clock.deadline)
    tick = partial(clock.tick, "output distributions")
    laws = OutputLaws(OutputFunctions(explorer, explored.space, tick), explored.space)
    check_for_all_budgets(explorer.left_open, SignOracle(eps_range))
    drawn: dict[Parametric, str] = {}
    number: dict[int, int] = {}
    examples: list[str] = []
    pairs: list[Pair] = []
    several = len(question.priors) > 1
    for position, prior in enumerate(question.priors, start=1):
        name = prior.name or (str(position) if several else None)
        found = weights(program, prior, ring, clock, drawn)
        place: dict[tuple[Value, ...], int] = {}
        for key in found:
            if (leaf := laws.leaf(key)) not in number:
                number[leaf] = len(number)
                cells = dict(zip(explored.space.cells, key, strict=True))
                examples.append(show_valuation(grouped(program.inputs, cells)))
            place[key] = number[leaf]
        for secret in question.secrets:
            pairs += _compared(program, secret, name, found, place)
    for secret in question.secrets:
        _check_possible(secret, pairs)
    return Mixtures(
        program.source.name,
        ring,
        ranges(question.unknowns, ring),
        tuple(map(show_valuation, laws.outcomes)),
        tuple(laws.law(leaf) for leaf in number),
        tuple(examples),
        tuple(pairs),
        tuple(Drawn(p, place) for p, place in drawn.items()),
    )


def _compared(
    program: core.CoreProgram,
    secret: ast.Secret,
    prior: str | None,
    found: Weights,
    place: Mapping[tuple[Value, ...], int],
) -> list[Pair]:
    def side(event: ast.Expr) -> Side:
        drawn = ((place[key], w) for key, w in found.items() if holds(event, program.inputs, key))
        return Side(show_expr(event), prior, tuple(sorted(added(drawn).items(), key=itemgetter(0))))

    left, right = side(secret.left), side(secret.right)
    return [Pair(left, right)] if secret.one_way else [Pair(left, right), Pair(right, left)]


def _check_possible(secret: ast.Secret, pairs: Sequence[Pair]) -> None:
    for event in (secret.left, secret.right):
        name = show_expr(event)
        sides = (side for pair in pairs for side in pair if side.name == name)
        if not any(side.weights for side in sides):
            message = f"no prior draws an input with `{name}`"
            raise InputError(message, event.span, "change the secret, or the prior")


def _of_neighbours(explored: Explored, ring: Ring, eps_range: EpsRange, clock: Clock) -> Mixtures:
    neighbours = neighbours_of(explored, SignOracle(eps_range), None, clock)
    number: dict[Vector, int] = {}
    examples: list[str] = []
    pairs, one = [], ring.of(1)
    known: dict[tuple[int, int], tuple[Vector, Valuation, Side]] = {}  # by identity, which they keep alive
    for case in cases_in_order(neighbours, by_output=False):
        sides = []
        for law, valuation in zip((case.left, case.right), neighbours.pair(case.pairs.first), strict=True):
            if (key := (id(law), id(valuation))) not in known:
                name = show_valuation(valuation)
                if law not in number:
                    number[law] = len(number)
                    examples.append(name)
                known[key] = law, valuation, Side(name, None, ((number[law], one),))
            sides.append(known[key][-1])
        pairs.append(Pair(*sides))
    outputs = tuple(map(show_valuation, neighbours.outcomes))
    ends = ranges(explored.program.question.unknowns, ring)
    name = explored.program.source.name
    return Mixtures(name, ring, ends, outputs, tuple(number), tuple(examples), tuple(pairs))


# --- the system with secrets -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProgramSecrets:
    """The secrets of a program, for questions about them."""

    explored: Explored = field(repr=False)

    @property
    def source(self) -> Source:
        """The text of the program."""
        return self.explored.program.source

    @property
    def parameters(self) -> tuple[tuple[str, fmpq], ...]:
        """The parameters of the program with their numbers."""
        return self.explored.program.parameters

    @property
    def makes_claim(self) -> bool:
        """Whether the program makes a claim."""
        return self.explored.program.claim is not None

    @property
    def shared(self) -> tuple[object, ...]:
        """What results only refer to."""
        return self.explored, self.explored.program, self.explored.program.source

    def asked(self, claim: str | None = None, at: fmpq | None = None) -> ClaimOn:
        """The claim in a text, by default that of the program: see :func:`asked`."""
        return asked(self.explored.program, claim, at)

    def mixtures(self, eps_range: EpsRange, clock: Clock) -> Mixtures:
        """What is compared: see :func:`mixtures`."""
        return mixtures(self.explored, eps_range, clock)
