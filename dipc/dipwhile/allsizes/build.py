"""From the syntax tree to the automaton: all paths from all places, until no new place appears."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton, Edge, Place
from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.execute import run
from dipc.dipwhile.allsizes.expressions import evaluate
from dipc.dipwhile.allsizes.integers import assigned_values, integer_names, is_integer
from dipc.dipwhile.allsizes.labels import Domain, adjacency_of, domain_of
from dipc.dipwhile.allsizes.outputs import belongs
from dipc.dipwhile.allsizes.paths import Dropped, Path
from dipc.dipwhile.allsizes.rewrite import Scope, assigned_in, rewritten
from dipc.dipwhile.allsizes.system import END, START, Point, System
from dipc.dipwhile.allsizes.values import Datum, Linear, Pair
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.liveness import NO_CELLS, live
from dipc.dipwhile.syntax import ast, core
from dipc.dipwhile.syntax.arrays import assignments
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.unroll import Constants, compiled, substitute
from dipc.dipwhile.syntax.walk import statements
from dipc.errors import Source, Span, Unsupported
from dipc.models.values import show
from dipc.signs.eps_range import EpsRange

Walk = tuple[Path, Edge, Point]
"""A path, with its edge and where it ends."""

MOST_PLACES = 3_000
MOST_EDGES = 4_000
MOST_OF_ONE = 2_900
"""How many edges may leave one place."""
TOO_MANY = "the program has too many different situations"
MOST_FACTS = 40
"""How many sets of facts a place may have; beyond, none are kept."""


def automaton_of(system: System, program: ast.Program, clock: Clock) -> Automaton:
    """The automaton of a program with its system."""
    sizes = system.scope.sizes
    free = (p.name for p in program.params if p.name in sizes and not sizes & names_in(p.value))
    symbolic = tuple(name for name in free if name not in system.constants)
    while True:
        known = system.stream_count
        automaton = Builder(system, clock).automaton(symbolic)
        if known == system.stream_count or not any(isinstance(o, core.Enter) for o in system.code):
            return automaton
        system.walked.clear()  # paths that entered a loop before its streams were known


def system_of(
    program: ast.Program, source: Source, constants: Constants, sizes: frozenset[str], budgets: EpsRange
) -> System:
    """What all paths have in common.

    ``constants`` are the parameters that are numbers, ``sizes`` the names of the sizes and of the parameters
    computed from them: those that have no number are symbolic.  ``budgets`` is the range of eps of the claim.
    Raises :class:`Unsupported`, at the place in the text, for what the method does not cover.
    """
    inputs = {declared.name: declared for declared in program.inputs}
    outputs = {declared.name: declared for declared in program.outputs}
    bounds = {d.name: d.size for d in (*program.inputs, *program.outputs) if d.size is not None}
    names = frozenset(p.name for p in program.params)
    end = Span(source, len(source.text), len(source.text))
    if program.adjacency is None:
        raise Unsupported("the program does not say which inputs are neighbours", end)
    declared = Declared(constants, names)
    domains = dict(domains_of(program, declared))
    known = _known_integers(program, constants, domains)
    starts = [(d.name, d.start) for d in program.outputs if d.start is not None]
    integers = integer_names([*starts, *assigned_values(program.body)], known, constants)
    scope = Scope(sizes, frozenset(inputs), frozenset(outputs), bounds, names, integers)
    code = compiled(rewritten(program.body, constants, scope), constants, end, sizes)
    values = [(target_name(o.target), core.value_of(o)) for o in assignments(code)]
    loops = [(o.variable, ast.Number(fmpq(1))) for o in code if isinstance(o, core.Round | core.Pick)]
    numbers = {name: substitute(bound, constants) for name, bound in bounds.items()}
    numeric = [domain for domain in domains.values() if not domain.atoms]
    system = System(
        code,
        tuple(frozenset(map(spelled_cell, cells)) for cells in live(code, {}, NO_CELLS)),
        scope,
        constants,
        frozenset({*assigned_in(program.body), *(name for name, _ in (*values, *loops)), *inputs, *outputs}),
        domains,
        _filled(code)
        | {n: int(b.value.p) if isinstance(b, ast.Number) else None for n, b in numbers.items()},
        outputs,
        integer_names([*starts, *values, *loops], known, constants),
        adjacency_of(program.adjacency, inputs, declared, len({d.integers for d in numeric}) > 1),
        budgets,
        {},
    )
    return replace(system, starts=dict(_starts(program, system)))


def _known_integers(program: ast.Program, constants: Constants, domains: Mapping[str, Domain]) -> set[str]:
    """The inputs and parameters that are integers; a size without a number is one."""
    known = {name for name, domain in domains.items() if domain.integers}
    for param in program.params:
        value = ast.Number(constants[param.name]) if param.name in constants else param.value
        if is_integer(value, known, constants) or isinstance(param.value, ast.Number):
            known.add(param.name)
    return known


def _starts(program: ast.Program, system: System) -> Iterator[tuple[str, Datum]]:
    """The start values of outputs, in terms of the sizes."""
    for declared in program.outputs:
        if declared.start is not None:
            path = Path(system, Point(START), ())
            value = evaluate(path, substitute(declared.start, system.constants))
            yield declared.name, value
            if path.taken:
                raise Unsupported(f"a size decides the start value of `{declared.name}`", declared.start.span)
            checked = not isinstance(
                declared.domain, ast.Between | ast.Integers
            )  # by `dipc check`, at a size
            if not checked and not belongs(path, declared, value):
                text = f"the start value of `{declared.name}` may be outside its set"
                raise Unsupported(text, declared.start.span)


def domains_of(program: ast.Program, declared: Declared) -> Iterator[tuple[str, Domain]]:
    """What the cells of each input range over; :class:`Unsupported` for reals beside integer noise."""
    values = (s.value for s, _ in statements(program.body) if isinstance(s, ast.Assign))
    integers = any(isinstance(value, ast.Noise) and NOISE[value.kind].integer for value in values)
    for each in program.inputs:
        yield each.name, domain_of(each, declared, integers)


def _filled(code: core.Code) -> dict[str, int | None]:
    """The greatest index that each array is assigned at; None if one of them is not a number."""
    found: dict[str, int | None] = {}
    for target in (operation.target for operation in assignments(code)):
        match target:
            case ast.Index(array, ast.Number(index)) if (most := found.get(array, 0)) is not None:
                found[array] = max(most, int(index.p))
            case ast.Index(array):
                found[array] = None
    return found


# --- the search --------------------------------------------------------------------------------


def walked(system: System, source: Point, clock: Clock) -> Sequence[Walk]:
    """All paths from a place to the next cuts; each place is left once."""
    if source not in system.walked:
        found: list[Walk] = []
        scripts: list[tuple[int, ...]] = [()]
        while scripts:
            clock.tick("paths", len(found))
            path = Path(system, source, scripts.pop())
            with suppress(Dropped):
                found.append((path, *run(path)))
            scripts += reversed(path.pending)
            if len(found) % 1_000 == 999 and len({walk[1:] for walk in found}) > MOST_OF_ONE:
                raise Unsupported(TOO_MANY)
        system.walked[source] = found
    return system.walked[source]


@dataclass
class Builder:
    """The places and edges found so far."""

    system: System
    clock: Clock
    numbers: dict[Point, int] = field(default_factory=dict)
    facts: dict[Point, set[object]] = field(default_factory=dict)

    def automaton(self, symbolic: tuple[str, ...]) -> Automaton:
        """Explore everything."""
        edges = self.system.edges
        edges.clear()
        todo = [Point(START)]
        self.numbers[todo[0]] = 0
        while todo:
            source = todo.pop(0)
            for walk in walked(self.system, source, self.clock):
                target = self.widened(walk[2])
                if target not in self.numbers:
                    self.numbers[target] = len(self.numbers)
                    if target.pc != END:
                        todo.append(target)
                edge = replace(walk[1], source=self.numbers[source], target=self.numbers[target])
                edges.setdefault(edge, walk)
                self.check_size()
        domains = self.system.domains.values()
        integers = any(domain.integers for domain in domains)
        return Automaton(
            tuple(place_of(self.system, point) for point in self.numbers),
            tuple(edges),
            0,
            symbolic,
            inputs_text(self.system),
            integers,
        )

    def widened(self, point: Point) -> Point:
        """The point without its facts, if there are too many variants of them."""
        base = replace(point, facts=())
        variants = self.facts.setdefault(base, set())
        variants.add(point.facts)
        return point if len(variants) <= MOST_FACTS else base

    def check_size(self) -> None:
        """Refuse an automaton without bound."""
        if len(self.numbers) > MOST_PLACES or len(self.system.edges) > MOST_EDGES:
            name = self.growing()
            text = f"`{name}` changes without bound" if name else TOO_MANY
            raise Unsupported(text, self.span_of(name))

    def growing(self) -> str | None:
        """The variable with the most values."""
        values: dict[str, set[object]] = {}
        for point in self.numbers:
            for name, known in (*point.kept, *point.moves):
                values.setdefault(name, set()).add(known)
        most = max(values, key=lambda name: len(values[name]), default=None)
        return most if most is not None and len(values[most]) > 10 else None

    def span_of(self, name: str | None) -> Span | None:
        """Where a variable gets its value last."""
        spans = [o.span for o in assignments(self.system.code) if target_name(o.target) == name]
        return spans[-1] if spans else None


# --- for a reader ------------------------------------------------------------------------------


def inputs_text(system: System) -> str:
    """What the inputs range over: ``q: reals``."""
    words = {
        name: "{" + ", ".join(map(show, d.atoms)) + "}" if d.atoms else "integers" if d.integers else "reals"
        for name, d in system.domains.items()
    }
    return ", ".join(f"{name}: {word}" for name, word in words.items())


def place_of(system: System, point: Point) -> Place:
    """A point for a reader."""
    return Place(
        _cut_text(system, point),
        tuple(
            (n, k.constant if isinstance(k, Linear) else k.left)
            for n, k in point.kept
            if (isinstance(k, Linear) and not k.terms) or (isinstance(k, Pair) and k.public)
        ),
        point.live,
    )


def _cut_text(system: System, point: Point) -> str:
    if point.pc in (START, END):
        return "start" if point.pc == START else "end"
    operation = system.code[point.pc]
    match operation:
        case core.Round(variable, span=span):
            return f"line {span.line}: for {variable}"
        case core.Cut(text, span):
            return f"line {span.line}: {text}"
    return f"line {operation.span.line}: while"  # type: ignore[union-attr]
