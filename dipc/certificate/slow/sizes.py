"""The automaton of a certificate about every size, derived anew from the program text.

Each path of the program is followed from the start (:mod:`~.sizes_paths`), and looked up among the listed
edges: an edge with the same samples, guards, draws and labels, which gives every live variable of its target
the same form.  The target says what is kept of the variables; it may forget values, and what has been
forgotten is not read again.  Facts that it lists must follow from the conditions of the path.  So the listed
automaton *simulates* the program: by induction, every pair of runs of the program is a run of the automaton.
Then its proof is one of the program.  How places are numbered does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dipc.certificate.slow.draws import check_draws
from dipc.certificate.slow.functions import NotCovered, same
from dipc.certificate.slow.paths import following
from dipc.certificate.slow.programs import Known, named_adjacency, statements
from dipc.certificate.slow.sizes_expressions import (
    LOST,
    UNKNOWN,
    Broken,
    Chosen,
    Dropped,
    Kept,
    Mechanism,
    Moment,
    Moves,
    Random,
    Shared,
)
from dipc.certificate.slow.sizes_neighbours import domain, neighbours
from dipc.certificate.slow.sizes_paths import Path
from dipc.certificate.slow.sizes_text import Cut, Item, Round, Text, listed, names_of
from dipc.certificate.slow.sizes_values import Both, Form, Number, Row, Value, follows, number, plus
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse, parse_expression
from dipc.errors import Source
from dipc.kernel.automata import read_fact
from dipc.kernel.facts import ZERO
from dipc.kernel.reading import Refused
from dipc.kernel.sizes import Certificate

Samples = tuple[tuple[str, Fraction, Form], ...]
Shape = tuple[Samples, frozenset[tuple[Form, bool]], tuple[str, ...]]
"""Samples, guards and labels."""


# --- what is listed -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A listed place."""

    cut: str
    values: Mapping[str, str]
    differences: Mapping[str, str]
    live: Sequence[str]
    facts: Sequence[Row]


@dataclass(frozen=True)
class Edge:
    """A listed edge; ``shape`` is what it has in common with a path."""

    number: int
    source: int
    target: int
    shape: Shape
    draws: Sequence[Chosen | Mechanism]
    sets: Mapping[str, Form]


def form_of(listed: Mapping[str, str]) -> Form:
    return frozenset((name, Fraction(c)) for name, c in listed.items())


def scaled(form: Form, equal: bool) -> tuple[Form, bool]:
    """A guard, up to positive factors, and the sign of an equation."""
    _, first = min(form, default=("", Fraction(1)))
    factor = first if equal else abs(first)
    return frozenset((name, c / factor) for name, c in form), equal


def fact(text: str, live: Sequence[str]) -> Row:
    """A fact as a condition on live variables."""
    form, sign = read_fact(text, live, "deep: facts")
    return number(form.pop(""), {("live", name): c for name, c in form.items()}), sign


@dataclass
class Listed:
    """The automaton of a certificate."""

    places: list[Place]
    edges: list[Edge]
    by_shape: dict[tuple[int, Shape], list[Edge]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for edge in self.edges:
            self.by_shape.setdefault((edge.source, edge.shape), []).append(edge)


def read_listed(certificate: Certificate) -> Listed:
    """The automaton; the kernel has checked that everything is of its kind."""
    data = certificate.data
    places = [
        Place(p["cut"], p["values"], p["differences"], p["live"], [fact(f, p["live"]) for f in p["facts"]])
        for p in data["places"]
    ]
    choices = [read_choice(certificate, choice) for choice in data["choices"]]
    edges = []
    for n, e in enumerate(data["edges"]):
        samples = tuple((s["kind"], Fraction(s["rate"]), form_of(s["mean"])) for s in e["samples"])
        guards = frozenset(scaled(form_of(g["form"]), g["equal"]) for g in e["guards"])
        steps = (data["steps"][i] for i in e["path"])
        labels = tuple(value for kind, _, value in steps if kind == "label" and value)
        draws = [choices[i] for i in e["choices"]]
        sets = {name: form_of(form) for name, form in e["sets"].items()}
        edges.append(Edge(n, e["from"], e["to"], (samples, guards, labels), draws, sets))
    return Listed(places, edges)


def read_choice(certificate: Certificate, choice: Mapping[str, Any]) -> Chosen | Mechanism:
    if choice["mechanism"] == "Exp":
        return Mechanism(Fraction(choice["rate"]), Fraction(choice["sensitivity"]))
    table = certificate.table
    ratios = (table.functions[choice[side]] for side in ("left", "right"))
    return Chosen(*((ratio.numerator, table.denominators[ratio.denominator]) for ratio in ratios))


def same_draws(derived: Sequence[Chosen | Mechanism], listed: Sequence[Chosen | Mechanism]) -> bool:
    """Are they the same finite draws, in the same order?"""
    return len(derived) == len(listed) and all(
        same(a.left, b.left) and same(a.right, b.right)
        if isinstance(a, Chosen) and isinstance(b, Chosen)
        else a == b
        for a, b in zip(derived, listed, strict=True)
    )


# --- simulation -----------------------------------------------------------------------------------------


def cut_text(todo: Sequence[Item]) -> str:
    """Such a place, for messages."""
    match todo[:1]:
        case ():
            return "end"
        case (Round(variable),):
            return f": for {variable}"
        case (Cut(text),):
            return text
    return ": while"


def kept_at(path: Path, place: Place, sets: Mapping[str, Form]) -> frozenset[tuple[str, Kept]] | None:
    """What is known of the variables at the place; None if the path does not lead there."""
    live: dict[Value | str, str] = {}
    for name in place.live:
        value = path.values.get(name)
        if not isinstance(value, Number) or path.form(value) != sets[name]:
            return None
        live.setdefault(value, name)
    kept: dict[str, Kept] = {}
    for name, value in path.values.items():
        found = kept_value(path, name, value, place, live)
        if found is None:
            return None
        kept[name] = found
    if not {*place.values, *place.differences} <= kept.keys():
        return None
    return frozenset(kept.items()) if facts_hold(path, place) else None


def kept_value(
    path: Path, name: str, value: Value | str, place: Place, live: Mapping[Value | str, str]
) -> Kept | None:
    """What the place keeps of a variable; None if it says something else."""
    if name in place.values:
        return value if not isinstance(value, str) and shown(value) == place.values[name] else None
    if name in place.differences:
        return change_of(path, value, place.differences[name])
    if value in live:
        return Random(live[value])
    return UNKNOWN if path.is_public(value) else LOST


def shown(value: Value) -> str | None:
    """A public value as it is listed."""
    if isinstance(value, Number):
        return str(value.constant) if value.known else None
    return str(value.left) if value.left == value.right else None


def change_of(path: Path, value: Value | str, listed: str) -> Kept | None:
    """A private variable with the listed change."""
    if isinstance(value, Both):
        return value if f"{value.left} / {value.right}" == listed else None
    if isinstance(value, str) or value.random:
        return None
    change = dict(path.form(value)).get("", ZERO)
    return Moves(change) if str(change) == listed else None


def facts_hold(path: Path, place: Place) -> bool:
    """Does the path imply the listed facts?"""
    for value, op in place.facts:
        here = number(value.constant)
        for (_, name), factor in value.terms:
            stored = path.values.get(str(name))
            if name not in place.live or not isinstance(stored, Number):
                return False
            here = plus(here, stored, factor)
        if not follows((here, op), path.rows):
            return False
    return True


Pair = tuple[Moment, int]
Step = list[tuple[int, Pair]]
"""The listed edges that a path may be, by number, and where they lead."""


@dataclass
class Simulation:
    """Moments of the program, each with a listed place."""

    shared: Shared
    listed: Listed
    steps: dict[Pair, list[Step]] = field(default_factory=dict)
    wrong: dict[Pair, str] = field(default_factory=dict)
    uncovered: list[NotCovered] = field(default_factory=list)

    def explore(self, start: Pair) -> None:
        """All pairs that paths and edges lead to."""
        todo = [start]
        while todo:
            pair = todo.pop()
            if pair not in self.steps:
                self.steps[pair] = steps = list(self.paths(pair))
                paths = Counter(tuple(n for n, _ in step) for step in steps if step)
                # something is wrong if there are fewer edges than paths that may be each of them
                if any(count > len(set(edges)) for edges, count in paths.items()):
                    steps.append(self.no_edge(pair, "two paths of the program are one listed edge"))
                todo += [target for step in steps for _, target in step]

    def paths(self, pair: Pair) -> Iterator[Step]:
        """For each path the edges that it may be; none if something is wrong."""
        moment, at = pair
        place = self.listed.places[at]
        script: list[int] | None = None if place.cut == "end" else []
        while script is not None:
            path = Path(self.shared, moment, list(place.facts), script, place.cut == "start")
            try:
                path.run()
                yield self.matches(path, pair)
            except Dropped:
                pass
            except Broken:
                yield self.no_edge(pair, "two adjacent inputs decide, or publish, differently")
            except NotCovered as limit:
                self.uncovered.append(limit)
                yield []
            script = following(path.taken)

    def no_edge(self, pair: Pair, why: str) -> Step:
        self.wrong.setdefault(pair, f"from place {pair[1]}: {why}")
        return []

    def matches(self, path: Path, pair: Pair) -> Step:
        """The edges that list the path."""
        guards = frozenset(scaled(*guard) for guard in path.guards)
        shape = tuple(path.samples), guards, tuple(path.labels)
        found: Step = []
        for edge in self.listed.by_shape.get((pair[1], shape), []):
            place = self.listed.places[edge.target]
            if (place.cut == "end") != bool(path.todo) and same_draws(path.draws, edge.draws):
                kept = kept_at(path, place, edge.sets) if path.todo else frozenset()
                if kept is not None:
                    moment = Moment(path.todo, kept, frozenset(path.phases.items()), path.sign)
                    found.append((edge.number, (moment, edge.target)))
        return found or self.no_edge(pair, f"an edge of the program is not listed: {described(path)}")

    def good(self) -> set[Pair]:
        """The greatest set of pairs in which every path has an edge to a pair of the set."""
        good, before = set(self.steps), 0
        while len(good) != before:
            before = len(good)
            good = {p for p in good if all(any(q in good for _, q in step) for step in self.steps[p])}
        return good

    def reason(self, pair: Pair, good: set[Pair]) -> str:
        """What is wrong on some way from a pair that is not good."""
        seen = {pair}
        while pair not in self.wrong:
            ways = [step for step in self.steps[pair] if not any(q in good for _, q in step)]
            new = [q for step in ways for _, q in step if q not in seen]
            if not new:
                return "some path of the program is not listed"
            pair = new[-1]
            seen.add(pair)
        return self.wrong[pair]

    def used(self, start: Pair) -> set[int]:
        """The edges that runs follow."""
        good, seen, todo, edges = self.good(), {start}, [start], set[int]()
        if start not in good:
            if self.uncovered:
                raise self.uncovered[0]
            raise Refused("deep: automaton", self.reason(start, good))
        while todo:
            found = [(n, target) for step in self.steps[todo.pop()] for n, target in step if target in good]
            edges |= {n for n, _ in found}
            new = {target for _, target in found} - seen
            seen |= new
            todo += new
        return edges


def described(path: Path) -> str:
    """A path for messages."""
    labels = ", ".join(path.labels) or "none"
    return (
        f"{len(path.samples)} samples, {len(path.guards)} guards, labels {labels}, to '{cut_text(path.todo)}'"
    )


# --- the whole ------------------------------------------------------------------------------------------


def check_automaton(program: ast.Program, certificate: Certificate, sizes: frozenset[str]) -> int:
    """Refuse unless the listed automaton is that of the program; the number of its edges.

    ``sizes`` are the listed sizes and the parameters computed from them.  Raises :class:`NotCovered`,
    :class:`~dipc.kernel.reading.Refused`, and :class:`InputError` for a name or an adjacency that is no text.
    """
    known: Known = dict(certificate.program.parameters)
    text = Text(program, known, sizes - known.keys(), all_sizes(program))
    # With integer noise the least cost is not convex between integers: inputs are integers.
    assigned = (s.value for s in statements(program.body) if isinstance(s, ast.Assign))
    integers = any(isinstance(value, ast.Noise) and value.kind == "DLap" for value in assigned)
    text.domains = {d.name: domain(d, known, text.symbolic, integers) for d in program.inputs}
    listed_names = {
        name
        for place in certificate.data["places"]
        for name in (*place["values"], *place["differences"], *place["live"])
    }
    text.sums = {parse_expression(name): name for name in listed_names if name.startswith("sum(")}
    check_question(text, certificate)
    listed_automaton = read_listed(certificate)
    shared = Shared(text, neighbours(program, known, text.domains))
    simulation = Simulation(shared, listed_automaton)
    start = Moment(listed(*program.body, constants=())), certificate.data["start"]
    simulation.explore(start)
    used = simulation.used(start)
    check_draws(shared.draws.values(), certificate.claim.on)
    for edge in listed_automaton.edges:
        if edge.number not in used:
            raise Refused("deep: automaton", f"edge {edge.number} is not one of the program")
    return len(used)


def all_sizes(program: ast.Program) -> frozenset[str]:
    """The parameters that are sizes of inputs, or are computed from them."""
    found = {d.size.name for d in program.inputs if isinstance(d.size, ast.Name)}
    for param in program.params:
        found |= {param.name} if names_of(param.value) & found else set()
    return frozenset(found)


def check_question(text: Text, certificate: Certificate) -> None:
    """Refuse other inputs or another adjacency than those of the program."""
    data, words = certificate.data, []
    for name, values in text.domains.items():
        atoms = "{" + ", ".join(map(str, values.atoms)) + "}"
        words.append(f"{name}: {atoms if values.atoms else 'integers' if values.integers else 'reals'}")
    integers = any(values.integers for values in text.domains.values())
    if data["inputs"] != {"text": ", ".join(words), "integers": integers}:
        raise Refused("deep: inputs", "they are not those of the program")
    adjacency, program = data["adjacency"], text.program
    named = named_adjacency(program, text.known)
    kind, distance = ("formula", None) if named is None else (named[0], str(named[1]))
    given = adjacency["kind"], None if kind == "all" else adjacency["distance"]
    if given != (kind, None if kind == "all" else distance):
        raise Refused("deep: adjacency", "it is not that of the program")
    comment = "#" in adjacency["text"]  # which the statement would show
    alone = ast.Program((), (), (), program.adjacency, None, (ast.Exit(),))
    if comment or parse(Source("", f"adjacent {adjacency['text']}\nexit")) != alone:
        raise Refused("deep: adjacency", "its text is not that of the program")
