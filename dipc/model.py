"""Markov models as Python objects: ``dipc.MarkovChain``, ``dipc.MDP`` and ``dipc.load_model``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dipc.dpctl.pipeline as pipeline
from dipc.clock import Clock, Progress, silent
from dipc.dipwhile.star import Star, star_of
from dipc.dipwhile.syntax.compile import read
from dipc.dpctl.formula import Property
from dipc.dpctl.pipeline import ModelValue
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, Source, Span, WrongType
from dipc.models.arithmetic import Amount
from dipc.models.chain import DEAD, Mdp, Model
from dipc.models.draft import Draft, Named
from dipc.models.drn import read_drn
from dipc.models.reading import PropertyLine, number_from_text, read_model
from dipc.numbers.exact import Number, rational
from dipc.numbers.quotient import Quotient
from dipc.shipped import STDIN, located, source_of
from dipc.signs.eps_range import EpsRange

if TYPE_CHECKING:
    import networkx

Probability = Number | Quotient
Row = Mapping[str, Probability] | str
NOWHERE = (0, 0)


class MarkovModel:
    """A Markov model with its questions; see :class:`MarkovChain` and :class:`MDP`."""

    def __init__(
        self,
        model: Model,
        name: str = "<model>",
        properties: Sequence[PropertyLine] = (),
        numbers: Mapping[str, Amount] | None = None,
    ) -> None:
        self.model, self.name = model, name
        self.properties, self.numbers = tuple(properties), dict(numbers or {})
        self.notes: tuple[str, ...] = ()

    def check(
        self,
        formula: str | Property,
        *,
        at: Number | None = None,
        start: Iterable[str] | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        progress: Progress = silent,
    ) -> ModelVerdict:
        """Decide a state formula of dpCTL* at the start states, for every eps of its range.

        ``at`` is the only eps asked about, ``start`` replaces the start states; the limits are in seconds and
        megabytes.  Raises :class:`InputError`; a limit that runs out is an undecided verdict.
        """
        clock = Clock(time_limit, memory_limit, progress)
        found = pipeline.check(self.model, self.property(formula, at, start), clock)
        return replace(found, notes=(*self.notes, *found.notes))

    def value(
        self,
        query: str | Property,
        *,
        at: Number | None = None,
        start: Iterable[str] | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        progress: Progress = silent,
    ) -> ModelValue:
        """Answer ``P=? (f)``, ``Pmax=?``, ``Pmin=?``, ``D[?, d](f)`` or ``D[e, ?](f)``.

        Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
        """
        clock = Clock(time_limit, memory_limit, progress)
        return pipeline.value(self.model, self.property(query, at, start), clock)

    def property(
        self, text: str | Property, at: Number | None = None, start: Iterable[str] | None = None
    ) -> Property:
        """The property in a text, for this model; ``at`` and ``start`` as in :meth:`check`."""
        found = text if isinstance(text, Property) else self._parsed(text)
        if at is not None:
            eps = rational(at, "eps")
            if eps <= 0:
                raise InputError(f"the privacy parameter must be positive, not eps = {eps}")
            found = replace(found, eps_range=EpsRange.point(eps))
        if start is not None:
            found = replace(found, states=tuple(start))
        for state in found.states or ():
            if state not in self.model.names:
                raise InputError(f"there is no state `{state}`")
        return found

    def _parsed(self, text: str) -> Property:
        if not isinstance(text, str):
            raise WrongType(f"a formula is a text, not the {type(text).__name__} {text}")
        return parse_property(Source("<formula>", text), self.model, self.numbers, self.defined)

    def defined(self, name: str, span: Span) -> bool:
        """Whether a proposition that the model does not have is defined elsewhere; then it is added."""
        return False

    def to_networkx(self) -> networkx.DiGraph:
        """The chain as a graph: nodes with their ``labels``, edges with their ``probability``."""
        import networkx

        if isinstance(self.model, Mdp):
            raise InputError("a decision process is not a graph: several actions lead from a state")
        graph: networkx.DiGraph = networkx.DiGraph()
        for s, name in enumerate(self.model.names):
            graph.add_node(name, labels=[label for label, states in self.model.labels.items() if s in states])
        for s, row in enumerate(self.model.rows):
            for t, p in row:
                graph.add_edge(self.model.names[s], self.model.names[t], probability=p)
        return graph

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {describe(self.model)}>"


def describe(model: Model) -> str:
    """For example ``Markov chain, 5 states, 1 pair of neighbours``."""
    parts = ["Markov decision process" if isinstance(model, Mdp) else "Markov chain"]
    parts.append(_counted(len(model.names), "state"))
    if isinstance(model, Mdp):
        parts.append(_counted(len(model.actions), "action"))
    parts.append(_counted(len(model.neighbours), "pair") + " of neighbours")
    return ", ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


class MarkovChain(MarkovModel):
    """A Markov chain.

    ``rows`` map each state to its successors with their probabilities, or to one state.  A state that is only
    a successor is final: after it comes the implicit state ``†``.  Numbers are integers, fractions, exact
    functions of eps or texts such as ``"exp(eps)/(1 + exp(eps))"``; a float is refused.

    >>> rows = {"plus": {"yes": "3/4", "no": "1/4"}, "minus": {"yes": "1/4", "no": "3/4"}}
    >>> survey = MarkovChain(rows, labels={"out_1": ["yes"]}, neighbours=[("plus", "minus")])
    >>> survey.check("D[ln 3, 0](X out_1)").status, survey.value("P=? (X out_1)")["plus"]
    ('holds', 3/4)
    """

    def __init__(
        self,
        rows: Mapping[str, Row],
        *,
        labels: Mapping[str, Iterable[str]] | None = None,
        neighbours: Iterable[Sequence[str]] = (),
        start: Iterable[str] = (),
    ) -> None:
        cells = {(state, None): row for state, row in rows.items()}
        super().__init__(_model("chain", cells, labels or {}, neighbours, start))

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Probability]], **options: Any) -> MarkovChain:
        """A chain with the states "0", "1", ... from its matrix of probabilities."""
        rows = {str(s): {str(t): p for t, p in enumerate(row) if p != 0} for s, row in enumerate(matrix)}
        return cls(rows, **options)

    @classmethod
    def from_networkx(
        cls, graph: networkx.DiGraph, probability: str = "probability", **options: Any
    ) -> MarkovChain:
        """A chain from a directed graph whose edges have a probability."""
        rows = {
            str(s): {str(t): data[probability] for _, t, data in graph.out_edges(s, data=True)}
            for s in graph.nodes
            if graph.out_degree(s)
        }
        return cls(rows, **options)


class MDP(MarkovModel):
    """A Markov decision process: ``rows`` map (state, action) to successors; see :class:`MarkovChain`.

    >>> rows = {("s", "L"): {"yes": "3/4", "no": "1/4"}, ("s", "H"): {"yes": "4/5", "no": "1/5"}}
    >>> MDP(rows, labels={"out": ["yes"]})
    <MDP <model>: Markov decision process, 4 states, 2 actions, 0 pairs of neighbours>
    """

    def __init__(
        self,
        rows: Mapping[tuple[str, str], Row],
        *,
        labels: Mapping[str, Iterable[str]] | None = None,
        neighbours: Iterable[Sequence[str]] = (),
        start: Iterable[str] = (),
    ) -> None:
        super().__init__(_model("mdp", rows, labels or {}, neighbours, start))


def _model(
    kind: str,
    rows: Mapping[Any, Row],
    labels: Mapping[str, Iterable[str]],
    neighbours: Iterable[Sequence[str]],
    start: Iterable[str],
) -> Model:
    """The model of Python values, checked like a file."""
    draft = Draft(Source("<model>", ""), (kind, NOWHERE))
    for (state, action), row in rows.items():
        targets = {row: 1} if isinstance(row, str) else row
        draft.add_row(state, action, [(t, probability_of(p), NOWHERE) for t, p in targets.items()], NOWHERE)
    with_rows = {state for state, _ in rows}
    reached = dict.fromkeys(t for targets in draft.rows.values() for t, _, _ in targets)
    draft.final += _named(t for t in reached if t not in with_rows and t != DEAD)
    for label, states in labels.items():
        draft.labels[label], draft.label_places[label] = _named(states), NOWHERE
    for s, t in neighbours:
        draft.pairs.append(((s, NOWHERE), (t, NOWHERE)))
    draft.start += _named(start)
    return draft.model()


def _named(names: Iterable[str]) -> list[Named]:
    return [(str(name), NOWHERE) for name in names]


def probability_of(value: Probability) -> Quotient:
    """An exact number of Python or a text as a function of eps; a float is refused."""
    if isinstance(value, Quotient):
        return value
    if isinstance(value, str):
        return number_from_text(value)
    return Quotient.of(rational(value, "a probability"))


class ProgramModel(MarkovModel):
    """The star of a program: inputs, outputs, and the probabilities between them.

    Propositions are quoted Boolean expressions over the outputs; those asked about become labels.

    >>> svt = load_model("svt4", {"N": "2"})
    >>> svt.check('D[eps, 0](F "out = [bot, top]")').status
    'fails'
    """

    def __init__(self, star: Star, name: str) -> None:
        numbers = {name: Amount(Quotient.of(value)) for name, value in star.program.parameters}
        self.labels = dict(star.model.labels)
        super().__init__(replace(star.model, labels=self.labels), name, (), numbers)
        self.star, self.notes = star, star.notes

    def defined(self, name: str, span: Span) -> bool:
        """Read the name as an expression over the outputs.  Raises :class:`InputError` if it is not one."""
        self.labels[name] = self.star.states_where(name, span)
        return True

    def property(
        self, text: str | Property, at: Number | None = None, start: Iterable[str] | None = None
    ) -> Property:
        """As for any model; the program must make sense on the range of eps."""
        found = super().property(text, at, start)
        self.star.check_range(found.eps_range)
        return found


def load_model(
    file: str | Path, D: Mapping[str, str] | None = None, clock: Clock | None = None
) -> MarkovModel:
    """The model in a file (``.dpm``, ``.drn``, ``.dip``), or a shipped model or program by its name.

    ``D`` sets numbers of ``let`` lines, and parameters.  Raises :class:`InputError`, :class:`LimitReached`,
    or :class:`OSError` if the file cannot be read.
    """
    source, definitions = source_of(file), D or {}
    match kind_of(file, source):
        case ".dip":
            overrides = {
                name: rational(text, f"the parameter `{name}`") for name, text in definitions.items()
            }
            return ProgramModel(star_of(read(source, overrides), clock or Clock()), source.name)
        case ".drn":
            drn = read_drn(source, amounts(definitions))
            return wrapped(drn.model, source.name, (), drn.numbers, drn.notes)
        case _:
            found = read_model(source, amounts(definitions))
            return wrapped(found.model, source.name, found.properties, found.numbers)


def kind_of(file: str | Path, source: Source) -> str:
    """The format of a model, as the ending of a file: by its name, on the standard input by its text."""
    if file != STDIN:
        return located(file).suffix
    if re.search(r"^@type\b", source.text, re.MULTILINE):
        return ".drn"
    return ".dpm" if re.match(r"(\s|#.*)*(chain|mdp)\b", source.text) else ".dip"


def amounts(definitions: Mapping[str, str]) -> dict[str, Amount]:
    """The numbers that ``-D`` sets."""
    return {name: Amount(number_from_text(text)) for name, text in definitions.items()}


def wrapped(
    model: Model,
    name: str,
    properties: Sequence[PropertyLine] = (),
    numbers: Mapping[str, Amount] | None = None,
    notes: Sequence[str] = (),
) -> MarkovModel:
    """A model with its questions."""
    kind = MDP if isinstance(model, Mdp) else MarkovChain
    made = kind.__new__(kind)
    MarkovModel.__init__(made, model, name, properties, numbers)
    made.notes = tuple(notes)
    return made
