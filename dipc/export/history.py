"""Where the random variables of a state come from: the laws of its samples, and the conditions on them.

A state of the chain knows the joint density of its samples only.  A drawing should say, as Figure 4 of the
DiPC paper does, with which parameters a sample was drawn and which comparisons hold on the way to the state.
So the chain is walked once more, and every state gets a history.  Conditions count as long as they say
something about a live sample.  Where several ways meet, what they have in common is kept; the state is then
marked as ``mixed``.  The walk decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from flint import fmpq

from dipc.dipwhile.semantics.chain import Node
from dipc.dipwhile.semantics.evaluate import Datum, Memory, evaluate, function_of_eps, never
from dipc.dipwhile.semantics.state import Key
from dipc.dipwhile.semantics.step import Move, Stepper
from dipc.dipwhile.syntax.ast import Noise
from dipc.dipwhile.syntax.core import Cell, Draw, Test
from dipc.errors import InputError
from dipc.export.operators import EXACT, PLAIN, Apply, Symbol, Tree, product, total, write
from dipc.export.subject import Picture
from dipc.integration.linear import Linear
from dipc.models.values import Value, show

PRETTY = PLAIN.with_symbols(eps="ε")


@dataclass(frozen=True, slots=True)
class Origin:
    """A sample: the variable and the place of its draw, and the laws that it may have there."""

    variable: str
    place: int
    laws: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """``sum of coefficient * sample + constant``, which is positive (not negative, if integer)."""

    terms: tuple[tuple[Origin, fmpq], ...]
    constant: fmpq
    integer: bool

    @property
    def samples(self) -> frozenset[Origin]:
        return frozenset(origin for origin, _ in self.terms)

    def renamed(self, names: Mapping[Origin, Origin]) -> Condition:
        terms = tuple((names.get(origin, origin), c) for origin, c in self.terms)
        return Condition(terms, self.constant, self.integer)


@dataclass(frozen=True, slots=True)
class History:
    """The origins of the live samples, in their order, and the conditions that bear on them."""

    samples: tuple[Origin, ...] = ()
    conditions: tuple[Condition, ...] = ()
    mixed: bool = False

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Those of the live samples, then those that conditions mention."""
        mentioned = (origin for condition in self.conditions for origin, _ in condition.terms)
        return tuple(dict.fromkeys((*self.samples, *mentioned)))


def histories(picture: Picture) -> list[History]:
    """The history of every state, in the order of the chain."""
    walk = _Walk(picture)
    for node in picture.chain:
        walk.visit(node)
    return [walk.found[id(node)] for node in picture.chain]


@dataclass
class _Walk:
    picture: Picture
    arrivals: dict[int, list[History]] = field(default_factory=dict)
    found: dict[int, History] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stepper = Stepper(self.picture.program)
        self.inputs = _cells(self.picture)

    def visit(self, node: Node) -> None:
        history = _met(self.arrivals.get(id(node), [History()]))
        self.found[id(node)] = history
        targets = {target.state.key: target for target, _ in node.edges}
        for key, after in self._after(node, history):
            if key in targets:
                self.arrivals.setdefault(id(targets[key]), []).append(after)

    def _after(self, node: Node, history: History) -> Iterator[tuple[Key, History]]:
        """The states after a node and the histories with which they are reached."""
        state = node.state
        instruction = self.stepper.program.code[state.pc]
        if isinstance(instruction, Test) and instruction.is_loop:
            # No sample is drawn in a loop; what it compares is not followed.
            for target, _ in node.edges:
                env = {c: state.env.get(c, v) for c, v in target.state.env.items()}
                yield target.state.key, _restricted(history, env, mixed=bool(history.samples))
            return
        for move in self.stepper.moves(state, self.inputs):
            conditions = (_condition(c, history.samples) for c in move.branch.conditions)
            samples = history.samples
            if move.noise is not None and isinstance(instruction, Draw):
                samples = (*samples, self._drawn(node, instruction, move))
            longer = History(samples, (*history.conditions, *conditions), history.mixed)
            env = {c: v for c, v in move.env.items() if c in self.stepper.live[move.pc]}
            yield _key(move.pc, env), _restricted(longer, env)

    def _drawn(self, node: Node, draw: Draw, move: Move) -> Origin:
        """The new sample.  Its variable is the one that did not have this value before."""
        (cell,) = (c for c, v in move.env.items() if _is_sample(v, move.branch.joint.live))
        noise = draw.distribution
        assert isinstance(noise, Noise)
        program = self.stepper.program
        names = frozenset(v.name for v in program.inputs)
        memory = Memory(node.state.env, self.inputs, names, program.variables, dict(program.arrays))
        try:
            rate = write(EXACT.function(function_of_eps(noise.rate, memory, never)), PRETTY)
            mean = evaluate(noise.mean, memory, never)
        except InputError:  # the parameters depend on comparisons of samples
            return Origin(cell_text(cell), node.state.pc, (noise.kind,))
        text = "..." if isinstance(mean, Linear) else show(mean)
        return Origin(cell_text(cell), node.state.pc, (f"{noise.kind}({rate}, {text})",))


def _cells(picture: Picture) -> dict[Cell, Value]:
    values = dict(picture.input)
    found: dict[Cell, Value] = {}
    for variable in picture.program.inputs:
        value = values[variable.name]
        found.update(zip(variable.cells, value if isinstance(value, tuple) else (value,), strict=True))
    return found


def _is_sample(value: Datum, number: int) -> bool:
    return isinstance(value, Linear) and value.samples == (number,)


def _order(env: Mapping[Cell, Datum]) -> dict[int, int]:
    """The new numbers of the samples, as in :func:`dipc.dipwhile.semantics.state.without_dead`."""
    order: dict[int, int] = {}
    for _, value in sorted(env.items(), key=lambda item: item[0]):
        if isinstance(value, Linear):
            for sample in value.samples:
                order.setdefault(sample, len(order))
    return order


def _key(pc: int, env: Mapping[Cell, Datum]) -> Key:
    order = _order(env)
    renamed = ((c, v.renamed(order) if isinstance(v, Linear) else v) for c, v in env.items())
    return pc, tuple(sorted(renamed, key=lambda item: item[0]))


def _restricted(history: History, env: Mapping[Cell, Datum], mixed: bool = False) -> History:
    """The history of the samples that are still live, and of what is compared with them."""
    samples = tuple(history.samples[old] for old in _order(env))
    known = set(samples)
    while more := {s for c in history.conditions if c.samples & known for s in c.samples if s not in known}:
        known |= more
    conditions = tuple(dict.fromkeys(c for c in history.conditions if c.samples & known))
    return History(samples, conditions, bool(samples) and (history.mixed or mixed))


def _condition(form: Linear, samples: tuple[Origin, ...]) -> Condition:
    return Condition(tuple((samples[i], c) for i, c in form.coefficients), form.constant, form.integer)


def _met(arrivals: list[History]) -> History:
    """What several histories have in common."""
    samples = tuple(_united(origins) for origins in zip(*(a.samples for a in arrivals), strict=True))
    conditions = []
    for arrival in arrivals:
        names = dict(zip(arrival.samples, samples, strict=True))
        conditions.append([c.renamed(names) for c in arrival.conditions])
    common = tuple(c for c in conditions[0] if all(c in other for other in conditions[1:]))
    differ = any(len(own) > len(common) for own in conditions)
    return History(samples, common, differ or any(a.mixed for a in arrivals))


def _united(origins: Iterable[Origin]) -> Origin:
    different = list(dict.fromkeys(origins))
    if len(different) == 1:
        return different[0]
    laws = dict.fromkeys(law for origin in different for law in origin.laws)
    return Origin(different[0].variable, max(o.place for o in different), tuple(laws))


# --- texts -----------------------------------------------------------------------------------


def cell_text(cell: Cell) -> str:
    name, index = cell
    return f"{name}[{index}]" if index else name


class Names:
    """Names for the samples of a picture: that of the variable, numbered if it is drawn more than once."""

    def __init__(self, found: Iterable[History]) -> None:
        self._by_variable: dict[str, list[Origin]] = {}
        for origin in dict.fromkeys(origin for history in found for origin in history.origins):
            self._by_variable.setdefault(origin.variable, []).append(origin)

    def __getitem__(self, origin: Origin) -> str:
        all_of_them = self._by_variable[origin.variable]
        if len(all_of_them) == 1:
            return origin.variable
        return origin.variable + str(all_of_them.index(origin) + 1).translate(SUBSCRIPTS)

    def law(self, origin: Origin) -> str:
        return f"{self[origin]} ~ {' or '.join(origin.laws)}"

    def value(self, value: Linear, samples: tuple[Origin, ...]) -> str:
        """A linear expression of samples."""
        return sum_text([(self[samples[i]], c) for i, c in value.coefficients], value.constant)

    def condition(self, condition: Condition) -> str:
        """What was drawn last stands on the left."""
        last = max(condition.terms, key=lambda term: term[0].place)
        turned = last[1] < 0
        sign = -1 if turned else 1
        own = [(self[o], c * sign) for o, c in condition.terms if c * sign > 0]
        others = [(self[o], -c * sign) for o, c in condition.terms if c * sign < 0]
        relation = RELATIONS[condition.integer][turned]
        return f"{sum_text(own, fmpq(0))} {relation} {sum_text(others, -condition.constant * sign)}"


SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
RELATIONS = {False: (">", "<"), True: ("≥", "≤")}
"""For real and for integer samples; the second one for a condition whose sides are exchanged."""


def sum_text(terms: list[tuple[str, fmpq]], constant: fmpq) -> str:
    """A linear expression.

    >>> sum_text([("r", fmpq(1)), ("s", fmpq(-2))], fmpq(1, 2))
    'r - 2*s + 1/2'
    """
    parts: list[Tree] = [_term(name, c) for name, c in terms]
    return write(total([*parts, *([constant] if constant else [])]), PRETTY)


def _term(name: str, coefficient: fmpq) -> Tree:
    if coefficient < 0:
        return Apply("neg", (_term(name, -coefficient),))
    return product([coefficient, Symbol(name)])
