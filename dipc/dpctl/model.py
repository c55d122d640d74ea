"""Markov models as Python objects: ``dipc.MarkovChain``, ``dipc.MDP`` and ``dipc.load_model``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from flint import fmpq

import dipc.dpctl.families as families
import dipc.views as views
from dipc.child import held
from dipc.clock import Clock
from dipc.dpctl.formula import Privacy, Property, Query
from dipc.dpctl.pipeline import ModelValue
from dipc.dpctl.processes import Options
from dipc.dpctl.syntax import parse_property, show
from dipc.dpctl.verdict import ModelVerdict, Region
from dipc.dpctl.words import DEPTH
from dipc.errors import InputError, Source, Span, Unsupported, WrongType, check_type, described
from dipc.excerpts import plural
from dipc.export.markov_picture import FORMATS
from dipc.models.arithmetic import Amount
from dipc.models.bayes import chain_parts, network_of
from dipc.models.chain import DEAD, Mdp, Model
from dipc.models.draft import Draft, Named, default_start
from dipc.models.drn import read_drn
from dipc.models.names import name_declared, unquoted
from dipc.models.networks import graph_of, parts_of
from dipc.models.reading import ModelFile, PropertyLine, number_from_text, read_model, read_neighbours
from dipc.models.rounding import Rounding
from dipc.models.star import Star
from dipc.models.storm import model_of, read_symbolic, to_storm
from dipc.models.tables import HEADER, read_table
from dipc.numbers.exact import Number, rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.shipped import STDIN, holds_program, is_python, located_model, source_of
from dipc.suggest import did_you_mean, methods_with_options_only, options_only
from dipc.systems import offered
from dipc.views import Shown

if TYPE_CHECKING:
    import networkx
    from matplotlib.figure import Figure

Probability = Number | Quotient | ExpPoly
Row = Mapping[str, Probability] | str
Formula = str | PropertyLine | Property
NOWHERE = (0, 0)
MOST_SUGGESTED = 1000  # states among which a similar name is looked for


@methods_with_options_only
class MarkovModel:
    """A Markov model with its questions; see :class:`MarkovChain` and :class:`MDP`.

    ``name`` is the file it comes from, ``properties`` are the lines of that file, which :meth:`check` takes
    like texts; ``notes`` are what was found when it was read.
    """

    def __init__(self, found: ModelFile, name: str = "<model>") -> None:
        self.family, self.properties, self.numbers, self.parameters, self.notes = found
        self.name = name

    @property
    def model(self) -> Model:
        """The model itself.  Raises :class:`Unsupported` if it has parameters."""
        if self.parameters.ranges:
            names = " ".join(f"-D {name}={one.inside}" for name, one in self.parameters.ranges.items())
            raise Unsupported("this, for a model with parameters", hint=f"set them, for example {names}")
        return self.family

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states, without the implicit one behind final states."""
        return tuple(name for name in self.family.names if name != DEAD)

    def check(
        self,
        formula: Formula | None = None,
        *,
        at: Number | None = None,
        start: Iterable[str] | None = None,
        depth: int = DEPTH,
        everything: bool = False,
        all_schedulers: bool = False,
        exact: bool = False,
    ) -> ModelVerdict:
        """Decide a state formula of dpCTL* at the start states, for every eps of its range.

        ``formula`` is by default the only property of the model's file.
        ``at`` is the only eps asked about, ``start`` replaces the start states.  On decision processes
        ``depth`` is the length up to which words are searched for D; ``all_schedulers`` compares instead
        the largest probability under schedulers that see the states with the least one.  In a
        large chain the numbers of a witness are enclosures, unless they are wanted ``exact``.  Of several
        parameters ``everything`` asks for all boxes, also where the formula has been seen to fail.  Raises
        :class:`InputError`; a limit (:func:`dipc.limits`) that runs out is an undecided verdict.
        """
        began, clock = monotonic(), Clock()
        asked, options = self.property(formula, at, start), _options(depth, all_schedulers, exact)
        found = families.check(self.family, self.parameters, asked, clock, options, everything)
        notes = (*self.notes, *self._ignored(options), *found.notes)
        return replace(found, seconds=monotonic() - began, notes=notes)

    def regions(self, formula: Formula | None = None, **options: Any) -> ModelRegions:
        """All eps at which a formula holds, for each start state; the options are those of :meth:`check`."""
        return ModelRegions(self.check(formula, **options, everything=True))

    def value(
        self,
        query: Formula,
        *,
        at: Number | None = None,
        start: Iterable[str] | None = None,
        depth: int = DEPTH,
        all_schedulers: bool = False,
    ) -> ModelValue:
        """Answer ``P=? (f)``, ``Pmax=?``, ``Pmin=?``, ``D[?, d](f)`` or ``D[e, ?](f)``; see :meth:`check`.

        Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
        """
        clock = Clock()
        asked, options = self.property(query, at, start), _options(depth, all_schedulers)
        found = families.value(self.family, self.parameters, asked, clock, options)
        return replace(found, notes=(*self.notes, *self._ignored(options), *found.notes))

    def budget(self, formula: Formula | None = None, **options: Any) -> ModelValue:
        """The least epsilon of ``D[epsilon, d](f)``, or the answer to ``D[?, d](f)``.

        The other arguments and what is raised are those of :meth:`value`.

        >>> load_model("survey").budget("D[eps, 0](X out_1)").property.text
        'D[?, 0](X out_1)'
        """
        asked = self.property(formula)
        match asked.formula:
            case Privacy(_, delta, path):
                query = Query("epsilon", path, None, delta)
                asked = replace(asked, formula=query, text=show(query), name=None)
            case Query("epsilon"):
                pass
            case _:
                hint = "for example D[eps, 0](F goal)"
                raise InputError(
                    f"`{asked.text}` has no least epsilon: it is no formula D[...](...)", hint=hint
                )
        return self.value(asked, **options)

    def declared(self) -> tuple[PropertyLine, ...]:
        """The properties of the model's file.  Raises :class:`InputError` if there is none."""
        if not self.properties:
            hint = "give a formula, or write `property NAME: FORMULA` into the file"
            raise InputError(f"{self.name}: there is no formula", hint=hint)
        return self.properties

    def _only(self) -> PropertyLine:
        line, *more = self.declared()
        if more:
            names = ", ".join(each.name for each in self.properties)
            hint = f"give one formula, for example `{self.property(line).text}`"
            raise InputError(f"{self.name} has {len(self.properties)} properties: {names}", hint=hint)
        return line

    def _ignored(self, options: Options) -> tuple[str, ...]:
        given = options != Options(exact=options.exact) and not isinstance(self.family, Mdp)
        text = "--all-schedulers is" if options.all_schedulers else "--depth is"
        return (f"{text} for decision processes",) if given else ()

    def property(
        self, formula: Formula | None = None, at: Number | None = None, start: Iterable[str] | None = None
    ) -> Property:
        """The property in a text, for this model; the arguments are those of :meth:`check`."""
        formula = self._only() if formula is None else formula
        point = None if at is None else rational(at, "eps")
        if isinstance(formula, Property):
            found = formula if point is None else replace(formula, eps_range=formula.eps_range.only(point))
        else:
            check_type(formula, (str, PropertyLine), "a formula is a text", '"P>=1/2 (F goal)"')
            line = (
                PropertyLine("", Source("<formula>", formula), None) if isinstance(formula, str) else formula
            )
            read = self.family, self.numbers, self.defined, line.name or None, point, self.parameters
            found = parse_property(line.source, *read)
        if start is not None:
            found = replace(found, states=_texts(start, "the start states", "a state"))
        for state in found.states or ():
            if state not in self.family.names:
                hint = did_you_mean(state, self.family.names[:MOST_SUGGESTED], "")
                raise InputError(f"there is no state `{state}`", hint=hint)
        return found

    def defined(self, name: str, span: Span) -> bool:
        """Whether a proposition that the model does not have is defined elsewhere; then it is added."""
        return False

    def with_neighbours(self, neighbours: str | Iterable[Sequence[str]]) -> MarkovModel:
        """The model with these neighbours instead of its own: a text such as "a ~ b, c ~ d", or pairs.

        The start states stay, unless these were all states of a model without neighbours.
        """
        old = self.family
        if isinstance(neighbours, str):
            new = read_neighbours(neighbours, old)
        else:
            new = _draft_with(neighbours).onto(old)
        if not old.neighbours and old.start == default_start(old.names, ()):
            new = replace(new, start=default_start(new.names, new.neighbours))
        changed = copy(self)
        changed.family = new
        return changed

    def to_storm(self) -> Any:
        """The model as an exact sparse model of stormpy (extra ``storm``), start states labelled ``init``."""
        return to_storm(self.model)

    def plot(
        self, formula: Formula | None = None, low: Any = None, high: Any = None, **options: Any
    ) -> Figure:
        """Probabilities, margins and regions of a formula over eps, as `dipc plot --formula` draws them.

        ``formula`` is by default the only property of the model's file.
        The options are ``log`` and ``title``.
        """
        return views.plot(self, low, high, formula=formula, **options)

    def report(self, formula: Formula | None = None, file: str | Path | None = None, **options: Any) -> Path:
        """Write a page of HTML about a formula, and return its path; ``title`` is the heading.

        Without a formula it is about all properties of the model's file.
        """
        return views.page(self, file, formula=formula, **options)

    def export(self, to: str) -> str:
        """The model as a text: ``dpm``, ``drn``, ``prism``, ``dot`` or ``svg``.

        Raises :class:`LimitReached` if a limit runs out.
        """
        if to not in FORMATS:
            raise InputError(f"there is no format `{to}`", hint=did_you_mean(to, FORMATS))
        return held(Clock(), lambda: FORMATS[to](self.model))

    def to_networkx(self) -> networkx.DiGraph:
        """The chain as a graph: nodes with their ``labels``, edges with their ``probability``.

        The ``neighbours`` and the ``start`` states are attributes of the graph.
        """
        return graph_of(self.model)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {describe(self.family)}>"


def _options(depth: int, all_schedulers: bool, exact: bool = False) -> Options:
    """What is said about the search on decision processes."""
    if type(depth) is not int or depth < 0:
        raise WrongType(f"a depth is a natural number, not {described(depth)}", hint="depth=12")
    return Options(depth, all_schedulers=all_schedulers, exact=exact)


def describe(model: Model) -> str:
    """For example ``Markov chain, 5 states, 1 pair of neighbours``."""
    parts = ["Markov decision process" if isinstance(model, Mdp) else "Markov chain"]
    parts.append(plural(len(model.names), "state"))
    if isinstance(model, Mdp):
        parts.append(plural(len(model.actions), "action"))
    parts.append(plural(len(model.neighbours), "pair") + " of neighbours")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True, repr=False)
class ModelRegions(Shown):
    """Where a formula holds; ``regions[state]`` are the maximal regions of eps, from left to right."""

    verdict: ModelVerdict

    def __getitem__(self, state: str) -> tuple[Region, ...]:
        return self.verdict.regions[state]


class MarkovChain(MarkovModel):
    """A Markov chain.

    ``rows`` map each state to its successors with their probabilities, or to one state.  A state without
    successors, or that is only a successor, is final: after it comes the implicit state ``†``.  Numbers are
    integers, fractions, exact functions of eps or texts such as ``"exp(eps)/(1 + exp(eps))"``; a float is
    refused.

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
        check_type(rows, Mapping, "the rows of a model are a mapping", '{"s": {"yes": "3/4", "no": "1/4"}}')
        cells = {(state, None): row for state, row in rows.items()}
        super().__init__(ModelFile(_model("chain", cells, labels or {}, neighbours, start)))

    @staticmethod
    def from_storm(
        model: Any, neighbours: str | Iterable[Sequence[str]] = (), D: Parameters | None = None
    ) -> MarkovModel:
        """A chain, or an :class:`MDP`, from an exact or parametric model of stormpy (extra ``storm``).

        The states are "0", "1", ...; ``D`` sets its parameters, for example ``{"z": "exp(eps)"}``.
        """
        return wrapped(model_of(model, amounts(D))).with_neighbours(neighbours)

    @classmethod
    def from_matrix(
        cls, matrix: Sequence[Sequence[Probability]], *, round: int | None = None, **options: Any
    ) -> MarkovChain:
        """A chain with the states "0", "1", ... from its matrix of probabilities.

        A float is refused, but with ``round=1000``: then it is the decimal number that prints it, and rows
        are taken to multiples of 1/1000 that sum to 1; ``notes`` say by how much numbers have changed.
        """
        rows = {str(s): {str(t): p for t, p in enumerate(row) if p != 0} for s, row in enumerate(matrix)}
        return cls._rounded(rows, round, options)

    @classmethod
    def _rounded(cls, rows: Mapping[str, Row], multiple: int | None, options: Any) -> MarkovChain:
        """The chain with these rows; ``multiple`` is that of ``round``."""
        if multiple is None:
            return cls(rows, **options)
        rounding = Rounding(multiple)
        found: dict[str, Row] = {}
        for state, row in rows.items():
            exact = () if isinstance(row, str) else rounding.row(row.values(), f"the row of `{state}`")
            found[state] = row if isinstance(row, str) else dict(zip(row, exact, strict=True))
        made = cls(found, **options)
        made.notes = rounding.notes
        return made

    def to_matrix(self) -> list[list[Any]]:
        """The probabilities between all states, ``†`` included if there is one, as exact numbers."""
        zero = Quotient.of(0)
        rows = ({t: as_fraction(p) for t, p in cast("Any", row)} for row in self.model.rows)
        return [[row.get(t, as_fraction(zero)) for t in range(len(self.model.names))] for row in rows]

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.DiGraph,
        probability: str = "probability",
        *,
        round: int | None = None,
        **options: Any,
    ) -> MarkovChain:
        """A chain from a directed graph whose edges have a probability; see :meth:`to_networkx`.

        Labels, neighbours and start states are those of the graph unless they are given.  A node without
        edges is a final state, and so is one whose only edge leads to the node ``†``.  ``round`` is that of
        :meth:`from_matrix`.
        """
        parts = parts_of(graph, probability) | options
        return cls._rounded(parts.pop("rows"), round, parts)

    @classmethod
    def from_pgmpy(cls, network: Any, *, round: int | None = None, **options: Any) -> MarkovChain:
        """A chain from a dynamic Bayesian network of pgmpy; its states are the joint values of a slice.

        The values of several variables are labels such as "X=0"; the start states are those of slice 0, whose
        probabilities are left out.  ``round`` is that of :meth:`from_matrix`, for each column of a table.
        """
        rounding = Rounding(round)
        parts = chain_parts(network, rounding) | options
        made = cls(parts.pop("rows"), **parts)
        made.notes = rounding.notes
        return made

    def to_pgmpy(self) -> Any:
        """A dynamic Bayesian network of pgmpy with the variable "state", in floats; see :meth:`from_pgmpy`.

        In slice 0 all start states have the same probability.  Neighbours and labels are not kept.
        """
        return network_of(cast("Any", self.model))


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
        check_type(rows, Mapping, "the rows of a model are a mapping", '{("s", "L"): {"yes": 1}}')
        super().__init__(ModelFile(_model("mdp", rows, labels or {}, neighbours, start)))


def _model(
    kind: str,
    rows: Mapping[Any, Row],
    labels: Mapping[str, Iterable[str]],
    neighbours: Iterable[Sequence[str]],
    start: Iterable[str],
) -> Model:
    """The model of Python values, checked like a file."""
    draft = _draft_with(neighbours)
    draft.kind = kind, NOWHERE
    for number, ((state, action), row) in enumerate(rows.items()):
        targets = {row: 1} if isinstance(row, str) else row
        if not isinstance(targets, Mapping):
            raise WrongType(f"the row of `{state}` is {described(row)}, not a mapping", hint=ROW_HINT)
        places = [(_name(t, "a state"), probability_of(p), NOWHERE) for t, p in targets.items()]
        place = number - len(rows), 0  # states come in this order, those that are only targets after them
        if places or action is not None:
            draft.add_row(_name(state, "a state"), action, places, place)
        else:
            draft.final.append((_name(state, "a state"), place))
    with_rows = {unquoted(state) for state, _ in rows}
    reached = dict.fromkeys(t for targets in draft.rows.values() for t, _, _ in targets)
    draft.final += _named(t for t in reached if t not in with_rows and t != DEAD)
    for label, states in labels.items():
        named = _named(_texts(states, f"the states of `{label}`", "a state"))
        draft.labels[_name(label, "a label")] = NOWHERE, named
    draft.start += _named(_texts(start, "the start states", "a state"))
    return draft.model()


def _draft_with(neighbours: Iterable[Sequence[str]]) -> Draft:
    """A draft with pairs of neighbours."""
    draft = Draft(Source("<model>", ""))
    for pair in neighbours:
        if isinstance(pair, str) or len(pair) != 2:
            raise WrongType(f"neighbours are pairs of states, not {described(pair)}", hint='[("a", "b")]')
        s, t = (_name(state, "a state") for state in pair)
        draft.pairs.append(((s, NOWHERE), (t, NOWHERE)))
    return draft


def _texts(values: Iterable[str], what: str, each: str) -> tuple[str, ...]:
    """Several names: a single text is not taken for its letters."""
    if isinstance(values, str):
        raise WrongType(f"{what} are a list of texts, not the text {values!r}", hint=f'["{values}"]')
    return tuple(_name(value, each) for value in values)


def _text(value: object, what: str) -> str:
    check_type(value, str, f"{what} is a text", f'"{value}"')
    return str(value)


def _name(value: object, what: str) -> str:
    """The name of a state or label, as in a file: what formulas read otherwise is in quotes."""
    return name_declared(_text(value, what))


def _named(names: Iterable[str]) -> list[Named]:
    return [(name, NOWHERE) for name in names]


def as_fraction(p: fmpq | Quotient) -> Any:
    """An exact number as Python has it: a Fraction, if it is rational."""
    found = p if isinstance(p, fmpq) else p.as_rational()
    return p if found is None else Fraction(int(found.numerator), int(found.denominator))


def probability_of(value: Probability) -> Quotient:
    """An exact number of Python or a text as a function of eps; a float is refused."""
    if isinstance(value, Quotient):
        return value
    if isinstance(value, ExpPoly):
        return Quotient(value)
    if isinstance(value, str):
        return number_from_text(value)
    return Quotient.of(rational(value, "a probability"))


# --- from files ----------------------------------------------------------------------------------

Parameters = Mapping[str, Probability]
ROW_HINT = 'for example {"yes": "3/4", "no": "1/4"}'


class ProgramModel(MarkovModel):
    """The star of a program: inputs, outputs, and the probabilities between them.

    Propositions are quoted Boolean expressions over the outputs; those asked about become labels.

    >>> svt = load_model("svt4", {"N": "2"})
    >>> svt.check('D[eps, 0](F "out = [bot, top]")').status
    'fails'
    """

    def __init__(self, star: Star, name: str) -> None:
        numbers = {name: Amount(Quotient.of(value)) for name, value in star.parameters}
        self.labels = dict(star.model.labels)
        model = replace(star.model, labels=self.labels)
        super().__init__(ModelFile(model, numbers=numbers, notes=star.notes), name)
        self.star = star

    def defined(self, name: str, span: Span) -> bool:
        """Read the name as an expression over the outputs.  Raises :class:`InputError` if it is not one."""
        self.labels[name] = self.star.states_where(name, span)
        return True

    def property(
        self, formula: Formula | None = None, at: Number | None = None, start: Iterable[str] | None = None
    ) -> Property:
        """As for any model; the program must make sense on the range of eps."""
        found = super().property(formula, at, start)
        self.star.check_range(found.eps_range)
        return found


@options_only
def load_model(file: str | Path, D: Parameters | None = None) -> MarkovModel:
    """The model in a file, or a shipped model or program by its name.

    The suffix says how it is read: ``.dpm``, or, with stormpy (extra ``storm``), ``.pm``, ``.prism``, ``.nm``
    and ``.jani``.  ``D`` sets numbers: ``let`` lines of a .dpm file, parameters of the others.

    Raises :class:`InputError`, :class:`LimitReached`, or :class:`OSError` if the file cannot be read.
    """
    check_type(file, (str, Path), "a model is the name of a file", '"survey.dpm"')
    source = source_of(file, located_model)
    if (kind := kind_of(file, source)) not in READERS:
        *most, last = READERS
        raise InputError(f"{file}: this is not a model", hint=f"its name ends in {', '.join(most)} or {last}")
    clock = Clock()
    return held(clock, lambda: READERS[kind](source, D or {}, clock), (source,))


def load(file: str | Path, **parameters: Probability) -> MarkovModel:
    """The model in a file, as :func:`dipc.load` reads it: see :func:`load_model`."""
    return load_model(file, parameters)


def kind_of(file: str | Path, source: Source) -> str:
    """The format of a model, as the ending of a file: by its name, on the standard input by its text."""
    if file != STDIN:
        return ".dip" if is_python(file) else located_model(file).suffix
    if re.search(r"^@type\b", source.text, re.MULTILINE):
        return ".drn"
    if HEADER.match(source.text):
        return ".csv"
    return ".dip" if holds_program(file, source) else ".dpm"


def _from_dpm(source: Source, D: Parameters, clock: Clock) -> MarkovModel:
    found = read_model(source, numbers := amounts(D))
    for name in numbers:
        if name not in found.numbers:
            hint = did_you_mean(name, found.numbers, f"declare it in the file: `let {name} = ...`")
            raise InputError(f"{source.name}: there is no number `{name}`", hint=hint)
    return wrapped(found, source.name)


def _from_drn(source: Source, D: Parameters, clock: Clock) -> MarkovModel:
    return wrapped(read_drn(source, amounts(D)), source.name)


def _from_table(source: Source, D: Parameters, clock: Clock) -> MarkovModel:
    if D:
        raise InputError(f"{source.name}: a table has no numbers to set")
    return wrapped(read_table(source), source.name)


def _from_program(source: Source, D: Parameters, clock: Clock) -> MarkovModel:
    overrides = {name: rational(cast(Number, value), f"the parameter `{name}`") for name, value in D.items()}
    (read_star,) = offered("star")
    return ProgramModel(read_star(source, overrides, clock), source.name)


def _from_storm(source: Source, D: Parameters, clock: Clock) -> MarkovModel:
    return wrapped(read_symbolic(str(located_model(source.name)), amounts(D)), source.name)


READERS: dict[str, Callable[[Source, Parameters, Clock], MarkovModel]] = {
    ".dpm": _from_dpm,
    ".drn": _from_drn,
    ".csv": _from_table,
    ".dip": _from_program,
    **dict.fromkeys((".pm", ".prism", ".nm", ".jani"), _from_storm),
}
"""How the files with each suffix are read."""


def amounts(D: Parameters | None) -> dict[str, Amount]:
    """The numbers that ``D`` sets."""
    return {_text(name, "a name"): Amount(probability_of(value)) for name, value in (D or {}).items()}


def wrapped(found: ModelFile | Model, name: str = "<model>") -> MarkovModel:
    """A model with its questions."""
    file = found if isinstance(found, ModelFile) else ModelFile(found)
    kind = MDP if isinstance(file.model, Mdp) else MarkovChain
    made = kind.__new__(kind)
    MarkovModel.__init__(made, file, name)
    return made
