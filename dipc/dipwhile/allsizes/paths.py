"""One path of a program between two cuts, executed for a pair of runs: the edges of the automaton.

A path is deterministic but for its choices (outcomes of comparisons, labels of cells, values of finite
draws), which are read off a script; a choice beyond the script takes the first possibility and notes the
others, so that the builder enumerates all paths by replaying scripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import assert_never

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.dipwhile.allsizes.automaton import Choice, Edge, Exponential, Sample, Step
from dipc.dipwhile.allsizes.expressions import IMPOSSIBLE, Evaluating
from dipc.dipwhile.allsizes.feasible import Condition, consequences
from dipc.dipwhile.allsizes.flatten import Alike, Assume, Cut, Either, Enter, Filled, Fresh, Operation, Round
from dipc.dipwhile.allsizes.system import END, START, Alias, Kept, Moves, Point, System
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    datum,
    form,
    renamed,
    shown,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Halt, Jump, Put, Test
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import InputError, LimitReached, Span, Unsupported
from dipc.models.values import FALSE, TRUE, show
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

SIMPLE = [fmpq(p, q) for q in (1, 2, 3, 4) for p in range(1, 4 * q + 1)]
"""Costs that are tried besides those that the exponents suggest."""


# --- draws -------------------------------------------------------------------------------------


def cost_of(left: Quotient, right: Quotient, budgets: EpsRange) -> fmpq | None:
    """What a finite draw costs: a w with ``left <= exp(w*eps) right`` for every eps.

    The least that is found and proved, None if there is none: only then is the claim in doubt.

    >>> flip = Quotient(ExpPoly.exp(1)) / (1 + Quotient(ExpPoly.exp(1)))
    >>> cost_of(flip, 1 - flip, EpsRange.positive())
    1
    """
    exponents = {t.rate for f in (left, right) for p in (f.numerator, f.denominator) for t in p.terms()}
    steps = {abs(a - b) for a in exponents for b in exponents}
    judge = SignOracle(budgets)
    for cost in sorted({fmpq(0), *steps, *SIMPLE}):
        if isinstance(judge.nonnegative(Quotient(ExpPoly.exp(cost)) * right - left), Holds):
            return cost
    return None


class Drawing(Evaluating):
    """A path that draws."""

    def draw(self, distribution: ast.Distribution, target: str, span: Span) -> Datum:
        """A value drawn at random."""
        match distribution:
            case ast.Noise(kind, rate, mean):
                return self.noise(kind, rate, self.number(mean), target, span)
            case ast.Flip(p):
                complement = ast.Binary(ast.Op.SUB, ast.Number(ONE), p, span=p.span)
                return self.finite([(datum(TRUE), p), (datum(FALSE), complement)], target, span)
            case ast.Choose(options):
                return self.finite([(self.evaluate(value), p) for value, p in options], target, span)
            case ast.Uniform(support):
                members = self.members(support, span)
                share = ast.Number(1 / fmpq(len(members)), span=span)
                return self.finite([(self.evaluate(value), share) for value in members], target, span)
            case ast.ExpMechanism():
                return self.exponential(distribution, target, span)
            case _:
                assert_never(distribution)

    def noise(self, kind: str, rate: ast.Expr, mean: Linear, target: str, span: Span) -> Datum:
        """A sample."""
        factor = self.rate(rate)
        integer = NOISE[kind].integer
        if integer and not self.integral(mean):
            raise Unsupported("the mean of integer noise is not an integer for all inputs", span)
        symbol = Symbol("sample", "", len(self.samples))
        self.samples.append(Sample(kind, factor, form(mean, self.moves)))
        self.kinds.append(integer)
        self.steps.append(Step("sample", target, span))
        if -1 not in NOISE[kind].shifts:
            self.require(unknown(symbol).plus(mean, -ONE), public=True)
        return unknown(symbol)

    def rate(self, expr: ast.Expr) -> fmpq:
        """The a of a rate ``a*eps``."""
        rate = self.chance(expr)
        term = rate.numerator.as_term()
        if term is None or term.coefficient <= 0 or rate != Quotient(ExpPoly.of(term.coefficient, 1)):
            hint = "`dipc check` takes other rates, for the sizes and inputs that are declared"
            raise Unsupported(f"the rate `{show_expr(expr)}` is not a number times eps", expr.span, hint)
        return term.coefficient

    def integral(self, value: Linear) -> bool:
        """Whether a value is an integer on both runs: whole multiples of integers."""
        return (
            value.constant.q == 1
            and all(c.q == 1 for _, c in value.terms)
            and form(value, self.moves).constant.q == 1
        )

    def finite(self, options: Sequence[tuple[Datum, ast.Expr]], target: str, span: Span) -> Datum:
        """A draw from a finite set: one path for each value."""
        for _, p in options:
            for node in nodes(p):
                private = isinstance(node, ast.Name | ast.Index) and not self.is_public(self.evaluate(node))
                if private or isinstance(node, ast.Fold):
                    text = f"the probability `{show_expr(p)}` depends on `{show_expr(node)}`"
                    raise Unsupported(text, p.span, FINITE_HINT)
        self.vague = self.vague or not all(self.possible(p) for _, p in options)
        if all(self.is_public(value) for value, _ in options):
            values = list(dict.fromkeys(value for value, _ in options))
            value = values[self.choose(len(values))]
            self.decide("choice", f"{target} = {shown(value)}", span)
            return value
        left, right = dict[object, Quotient](), dict[object, Quotient]()
        for value, p in options:
            if not isinstance(value, Pair):
                raise Unsupported("a value to choose depends on a private number", span, FINITE_HINT)
            chance = self.chance(p)
            left[value.left] = left.get(value.left, Quotient.of(0)) + chance
            right[value.right] = right.get(value.right, Quotient.of(0)) + chance
        drawn = [value for value, chance in left.items() if chance]
        picked = drawn[self.choose(len(drawn))]
        self.decide("choice", f"{target} = {show(picked)}", span)  # type: ignore[arg-type]
        self.pay(left[picked], right.get(picked, Quotient.of(0)), span)
        return datum(picked)  # type: ignore[arg-type]

    def chance(self, p: ast.Expr) -> Quotient:
        """A probability or a rate."""
        try:
            return function_of_eps(substitute(p, {**self.system.constants, **self.known()}), NOTHING, never)
        except InputError as error:
            text = f"`{show_expr(p)}` is not a function of eps alone: {error.message}"
            raise Unsupported(text, p.span) from error

    def possible(self, p: ast.Expr) -> bool:
        """Whether a probability is surely not 0."""
        with suppress(Unsupported, LimitReached):
            return bool(self.chance(p))
        return False

    def pay(self, left: Quotient, right: Quotient, span: Span) -> None:
        """The cost of a finite draw."""
        if left == right:
            return
        if not right:
            self.guards[IMPOSSIBLE] = None
            return
        cost = cost_of(left, right, self.system.budgets)
        if cost is None:
            text = "no multiple of eps bounds the ratio of the probabilities of this draw, for every eps"
            raise Unsupported(text, span)
        self.choices.append(Choice(left, right, cost))
        self.cost += cost

    def members(self, support: ast.FiniteSet, span: Span) -> list[ast.Expr]:
        """The members of a set as expressions."""
        match support:
            case ast.SetOf(members):
                return list(members)
            case ast.Range(low, high):
                ends = [self.number(end).number for end in (low, high)]
                if ends[0] is None or ends[1] is None:
                    raise Unsupported("a draw from a set of any size", span)
                if ends[0] > ends[1]:
                    raise Unsupported(f"the set {ends[0]}..{ends[1]} is empty", span)
                return [
                    ast.Number(fmpq(k), span=span)
                    for k in range(int(ends[0].ceil()), int(ends[1].floor()) + 1)
                ]
            case _:
                assert_never(support)

    def exponential(self, draw: ast.ExpMechanism, target: str, span: Span) -> Datum:
        """The exponential mechanism: McSherry and Talwar (FOCS 2007), Theorem 6."""
        rate = self.rate(draw.rate)
        if isinstance(draw.support, ast.Range) and self.number(draw.support.high).number is None:
            if not all(self.is_public(self.number(end)) for end in (draw.support.low, draw.support.high)):
                raise Unsupported("a draw from a set that depends on private values", span)
            sensitivity = self.sensitivity(draw)
            value: Datum = self.unknown(target)
            self.decide("choice", f"{target} is drawn", span)
        else:
            members = self.members(draw.support, span)
            scores = [self.score(draw, member) for member in members]
            chosen = self.choose(len(members))
            value = self.evaluate(members[chosen])
            self.decide("choice", f"{target} = {shown(value)}", span)
            sensitivity = max(scores) - scores[chosen]
        if sensitivity:
            self.choices.append(Exponential(rate, sensitivity))
            self.cost += rate * sensitivity
        return value

    def score(self, draw: ast.ExpMechanism, member: ast.Expr) -> fmpq:
        """How much the score of a member changes."""
        outer = self.values.get(draw.variable)
        self.values[draw.variable] = self.evaluate(member)
        score = self.number(draw.score)
        self.values.pop(draw.variable)
        if outer is not None:
            self.values[draw.variable] = outer
        if score.random:
            raise Unsupported("the score of the exponential mechanism is random", draw.score.span)
        return form(score, self.moves).constant

    def sensitivity(self, draw: ast.ExpMechanism) -> fmpq:
        """The greatest difference of two changes of the score, one cell ``q[v]`` of each input, over 1..N."""
        cells = {node for node in nodes(draw.score) if isinstance(node, ast.Index)}
        # As random cells, they are in no function but a linear one.
        arrays = {c.array: Symbol("live", c.array) for c in cells if c.array in self.system.scope.inputs}
        index = unknown(Symbol("public", draw.variable))
        probe = self.probe(self.system, ())
        probe.values[draw.variable] = index
        probe.cells = {(None, array, index): unknown(symbol) for array, symbol in arrays.items()}
        score = dict(probe.number(draw.score).terms)
        decided = bool(probe.taken)  # by a comparison, or by the label of another cell
        others = score.keys() - arrays.values()
        if decided or len(cells) > len(arrays) or any(s.random or probe.moves.get(s) for s in others):
            hint = "a score is a sum of multiples of `q[v]`, `v` being the variable of the mechanism"
            raise Unsupported("a score that is not one cell of each input", draw.score.span, hint)
        adjacency, domains, span = self.system.adjacency, self.system.domains, draw.score.span
        return sum(
            (
                abs(score.get(symbol, ZERO)) * adjacency.spread(array, domains[array], span)
                for array, symbol in arrays.items()
            ),
            ZERO,
        )

    def probe(self, system: System, script: Sequence[int]) -> Drawing:
        """A path that knows what this one does, to try something."""
        probe = Drawing(system, Point(END), script)
        probe.values, probe.moves = dict(self.values), dict(self.moves)
        return probe


FINITE_HINT = (
    "inputs with names, such as `{yes, no}` or `{true, false}`, may select a probability;"
    " numbers and their sums may not"
)


MOST_FACTS = 8
MOST_ORDERED = 6
"""Of how many live variables the order is followed."""


# --- the way through the code ------------------------------------------------------------------


class Path(Drawing):
    """The execution of one path."""

    def run(self) -> tuple[Edge, Point]:
        """The edge (its places are not numbered yet) and where it ends."""
        pc = self.source.pc
        if len(self.system.adjacency.directions) > 1 and pc == START:
            self.direction = self.system.adjacency.directions[self.choose(2)]
            self.steps.append(Step("label", f"all cells go {self.direction}", self.system.adjacency.span))
        pc = 0 if pc == START else self.step(pc)
        while pc != END and not self.system.is_cut(pc):
            pc = self.step(pc)
        return self.arrive(pc)

    def step(self, pc: int) -> int:
        """Execute one operation; the next one."""
        operation: Operation = self.system.code[pc]
        match operation:
            case Put(target, value):
                self.assign(target, self.evaluate(value))
            case Draw(target, distribution, span):
                self.assign(target, self.draw(distribution, show_expr(target), span))
            case Test(condition, otherwise):
                return pc + 1 if self.condition(condition) else otherwise
            case Jump(to):
                return to
            case Halt():
                return END
            case Fresh(variable, site):
                self.fresh(variable, site)
            case Round(variable, site, _, _, otherwise, span):
                another = self.choose(2) == 0
                self.decide("test", "another round" if another else f"`for {variable}` ends", span)
                if not another:
                    return otherwise
                self.fresh(variable, site)
            case Either(otherwise, text, other, span):
                first = self.choose(2) == 0
                self.decide("test", text if first else other, span)
                return pc + 1 if first else otherwise
            case Assume(condition):
                margin = self.difference(condition.left, condition.right, condition.span)
                self.require(margin if condition.op is ast.Op.GE else margin.times(-ONE))
                self.steps.append(Step("test", show_expr(condition), condition.span))
            case Enter(site):  # the loop reads its cells again: another phase
                for streams in self.system.streams.values():
                    for stream, group in streams.items():
                        if isinstance(stream, tuple) and stream[0] == site:
                            self.phases.pop(group, None)
            case Cut() | Alike() | Filled():
                pass
            case _:
                assert_never(operation)
        return pc + 1

    def fresh(self, variable: str, site: int) -> None:
        """A new round: its cells have not been read."""
        self.cells = {key: cell for key, cell in self.cells.items() if key[0] != site}  # type: ignore[index]
        self.values[variable] = unknown(Symbol("public", variable, site))

    def assign(self, target: ast.Name | ast.Index, value: Datum) -> None:
        """Give a variable or a cell its value; what an output gets is published when the path ends."""
        text = show_expr(target)
        if isinstance(target, ast.Name):
            self.values[target.name] = value
            if target.name in self.system.scalars:
                self.outputs[target.name] = (text, value, target.span)
            return
        index = self.index(target)
        if target.array in self.system.scope.outputs:
            self.outputs[target.array, index] = (text, value, target.span)
        if index.number is not None:
            self.values[f"{target.array}[{index.number}]"] = value
            return
        if target.array not in self.system.scope.outputs and not self.is_public(value):
            hint = "only `max`, `min`, `argmax` and `argmin` of such an array are known"
            raise Unsupported(f"private or random values are kept in `{target.array}`", target.span, hint)
        self.forget(target)
        self.public.add(target.array)

    def forget(self, target: ast.Index) -> None:
        """A cell of an unknown index is overwritten: each of those that are known may be it."""
        array, output = target.array, target.array in self.system.scope.outputs
        if output:
            self.show(array)
        for name, value in self.values.items():
            if name.startswith(f"{array}["):
                if not output and not self.is_public(value):
                    raise Unsupported(f"`{show_expr(target)}` may be `{name}`, which is private", target.span)
                self.values[name] = self.unknown(name)

    # --- the end of the path -------------------------------------------------------------------

    def arrive(self, pc: int) -> tuple[Edge, Point]:
        """Publish the outputs; the edge, and the point where the path ends."""
        self.publish(pc)
        live = self.system.live[pc] if pc != END else frozenset()
        kept = {name: value for name, value in self.values.items() if self.lasts(name, value, live, pc)}
        names: dict[Linear, str] = {}
        for name, value in sorted(kept.items()):
            if isinstance(value, Linear) and value.random:
                names.setdefault(value, name)
        more = bool({name.partition("[")[0] for name in live} & self.system.scope.inputs)
        point = Point(
            pc,
            tuple((name, self._kept(name, value, names)) for name, value in sorted(kept.items())),
            tuple(sorted(self.phases.items())) if more else (),
            self.direction if more else "",
            self.facts(names),
        )
        sets = tuple(sorted((name, form(value, self.moves)) for value, name in names.items()))
        guards = (IMPOSSIBLE,) if IMPOSSIBLE in self.guards else tuple(self.guards)
        edge = Edge(
            0,
            0,
            tuple(self.samples),
            guards,
            sets,
            self.cost,
            tuple(self.choices),
            tuple(self.decisions),
            tuple(self.steps),
        )
        return edge, point

    def lasts(self, name: str, value: Datum, live: frozenset[str], pc: int) -> bool:
        """Whether a variable is needed after the cut: it is read, or an output that is not public yet."""
        if name in live or name.partition("[")[0] in live:
            return True
        return pc != END and name in self.system.scalars and not self.is_public(value)

    def _kept(self, name: str, value: Datum, names: Mapping[Linear, str]) -> Kept:
        match value:
            case Pair():
                return value
            case Unknown():
                return Unknown(name)
            case Linear():
                if value.random:
                    return Alias(names[value])
                return value if value.number is not None else Moves(form(value, self.moves).constant)
            case _:
                assert_never(value)

    def publish(self, pc: int) -> None:
        """What the outputs show must be the same in both runs."""
        if pc == END:
            for name in sorted(self.system.scalars & self.values.keys()):
                self.outputs.setdefault(name, (name, self.values[name], self.system.adjacency.span))
        for key, (text, value, span) in self.outputs.items():
            self.steps.append(Step("output", f"{text} = {shown(value)}", span))
            if not isinstance(key, str) or pc == END:
                self.same(value)

    def facts(self, names: Mapping[Linear, str]) -> tuple[Condition, ...]:
        """What the path says about the order of the live variables."""
        if not 0 < len(names) <= MOST_ORDERED or not self.conditions:
            return ()
        targets = {name: Symbol("target", name) for name in names.values()}
        defined = [
            Condition(value.plus(unknown(targets[name]), -ONE), equal=True) for value, name in names.items()
        ]
        found = consequences([*self.conditions, *defined], set(targets.values()), MOST_FACTS)
        back = {symbol: Symbol("live", name) for name, symbol in targets.items()}
        return tuple(Condition(renamed(fact.value, back), fact.strict, fact.equal) for fact in found)
