"""Hidden Markov models and questions about them: ``dipc.HiddenMarkovModel``, and ``dipc.load`` for all files.

A model of Python values is written as the text of an .hmm file and read like one, so that both have the same
checks, names and expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dipc.pufferfish.pipeline as pipeline
import dipc.views as views
from dipc.child import held
from dipc.clock import Clock
from dipc.errors import COMPARISON_NAME, InputError, Source, check_type
from dipc.lazily import lazily
from dipc.models.rounding import Rounding
from dipc.numbers.exact import Number, rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.laws import Function, Law, Laws, as_function
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Replaced, read_question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.shipped import located_hidden, source_of
from dipc.suggest import methods_with_options_only

if TYPE_CHECKING:
    import networkx
    from matplotlib.figure import Figure

    import dipc.pufferfish.export.hmm as formats
else:
    formats = lazily("dipc.pufferfish.export.hmm")

SUFFIX = ".hmm"
Probability = Number | Quotient | ExpPoly
Weights = Mapping[str, Probability]
Matrix = Sequence[Sequence[Probability]]
WORD = re.compile(r"[\w.+*/^-]+(?:\([\w ,.+*/^-]*\))?")
NOTHING = Replaced()
OUTSIDE = re.compile(r"[^\s()]+(?:\([^()]*\))?")


@methods_with_options_only
class AnyQuestion:
    """What can be asked about a model, or about a program with secrets."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def source(self) -> Source:
            """The text of the model or the program."""

    def asking(self, claim: str | None, at: Number | None, clock: Clock) -> Question:
        """The question with this claim, or its own if there is one; ``at`` is the only eps."""
        raise NotImplementedError

    def laws(self, given: str | None, at: Number | None, clock: Clock) -> tuple[Question, Laws]:
        """The distributions of the sequences for a secret, a distribution or a first state, by prior."""
        raise NotImplementedError

    def check(self, claim: str | None = None, *, at: Number | None = None) -> PufferfishVerdict:
        """Decide a claim such as ``"ln(2)"`` or ``"eps, 1/100"``, by default its own.

        ``at`` is the only eps of a program, or that of a claim about a model without eps.  Returns Private,
        Violated or Undecided, for example if a limit (:func:`dipc.limits`) runs out.  Raises
        :class:`InputError` (and while the claim or the program is read, :class:`LimitReached`).
        """
        clock = Clock()
        return pipeline.check(self.asking(claim, at, clock), clock)

    def budget(self, *, at: Number | None = None) -> Budget:
        """The least c for which the question is private, with a sequence that reaches it.

        Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
        """
        clock = Clock()
        return pipeline.budget(self.asking(None, at, clock), clock)

    def export(self, to: str, *, claim: str | None = None, at: Number | None = None) -> str:
        """The question for another tool: ``smtlib``, ``redlog``; or the model as a chain: ``drn``,
        ``prism``, ``dot``, ``svg``.

        Raises :class:`InputError` for what the format cannot say, and :class:`LimitReached`.

        >>> HiddenMarkovModel.load("ex3").question().export("redlog").splitlines()[-1]
        'rlqe phi;'
        """
        clock = Clock()
        return held(clock, lambda: formats.export(self.asking(claim, at, clock), to, clock))

    def plot(self, **options: Any) -> Figure:
        """What ``dipc pufferfish plot`` draws: ``question.plot().savefig("loss.png")``.

        Options are ``what`` ("loss", "delta"), ``claim``, ``at`` and ``points``.
        Needs matplotlib (extra ``report``).
        """
        return views.plot(self, **options)

    def report(self, file: str | Path | None = None, **options: Any) -> Path:
        """Write what ``dipc report`` writes, a page of HTML, and return its path.

        ``file`` is by default named after the model or the program, in the current folder; options are
        ``claim``, ``at`` and ``title``.  Needs matplotlib (extra ``report``).
        """
        return views.page(self, file, **options)


@methods_with_options_only
@dataclass(frozen=True, slots=True)
class HiddenMarkovModel(AnyQuestion):
    """A hidden Markov model, perhaps with parameters; ``notes`` tell what was rounded.

    >>> rows = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    >>> model = HiddenMarkovModel.of(transitions=None, emissions=rows)
    >>> model.compare("0", "1", horizon=1).budget().c, model.compare("0", "2").budget().c
    (Fraction(2, 1), Fraction(4, 1))
    """

    source: Source
    parameters: Mapping[str, Number] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_type(self.source, Source, "a hidden Markov model is made of a source", "see dipc.load")

    @staticmethod
    def load(file: str | Path, **parameters: Any) -> HiddenMarkovModel:
        """The model in an .hmm file, or a shipped one by its name; ``parameters`` are given numbers.

        The text is read by :meth:`question`.
        """
        return HiddenMarkovModel(source_of(file, located_hidden), parameters)

    @staticmethod
    def of(
        transitions: Matrix | None,
        emissions: Matrix,
        states: Sequence[str] | None = None,
        observations: Sequence[str] | None = None,
    ) -> HiddenMarkovModel:
        """The model with these matrices of exact numbers, or of texts with parameters such as ``"1 - p"``.

        The rows are those of the states; without ``transitions``, or for a row of zeros, the state stops.
        States and observations are called "0", "1", ... unless they have names.
        """
        names = _names(states, len(emissions), "states")
        seen = _names(observations, max(map(len, emissions), default=0), "observations")
        following = [[]] * len(names) if transitions is None else transitions
        if len(following) != len(names):
            raise InputError(
                f"{len(names)} states need {len(names)} rows of transitions, not {len(following)}"
            )
        rows = zip(names, emissions, following, strict=True)
        lines = [f"state {s} emits {_row(shown, seen, s)} next {_row(to, names, s)}" for s, shown, to in rows]
        text = "\n".join([f"observe {', '.join(seen)}", *lines])
        return HiddenMarkovModel(Source("<model>", text))

    @staticmethod
    def from_arrays(
        transitions: Any, emissions: Any, *, round: int | None = None, **names: Any
    ) -> HiddenMarkovModel:
        """The model with matrices of floats, as numpy and hmmlearn have them.

        A float is the decimal number that prints it, such as 1/10 for 0.1.  If a row does not sum to 1,
        ``round=1000`` takes multiples of 1/1000 that do; ``notes`` say by how much numbers have changed.
        ``names`` are ``states`` and ``observations``.
        """
        rounding = Rounding(round)
        first, second = (
            [rounding.row(row, f"row {i} of the {what}") for i, row in enumerate(matrix)]
            for matrix, what in ((transitions, "transitions"), (emissions, "emissions"))
        )
        return replace(HiddenMarkovModel.of(first, second, **names), notes=rounding.notes)

    @staticmethod
    def from_networkx(graph: networkx.DiGraph) -> HiddenMarkovModel:
        """The model of a graph: nodes have ``emits={observation: p}``, edges a ``probability``."""
        if missing := [node for node, given in graph.nodes(data=True) if "emits" not in given]:
            raise InputError(f"the node `{missing[0]}` has no `emits`", hint='emits={"a": "1/2", "b": "1/2"}')
        seen = dict.fromkeys(str(o) for _, given in graph.nodes(data="emits") for o in given)
        lines = [f"observe {', '.join(map(_word, seen))}"]
        for node, emits in graph.nodes(data="emits"):
            to = {str(t): given.get("probability", 1) for _, t, given in graph.out_edges(node, data=True)}
            following = _weights(to) if to else "stop"
            lines.append(f"state {_word(str(node))} emits {_weights(emits)} next {following}")
        return HiddenMarkovModel(Source("<model>", "\n".join(lines)))

    def asking(self, claim: str | None, at: Number | None, clock: Clock) -> Question:
        """The question of the file, see :meth:`question`, with this claim or its own."""
        return self.question().asking(claim, at, clock)

    def question(
        self,
        *,
        prior: Weights | None = None,
        secrets: Mapping[str, Iterable[str]] | None = None,
        pairs: Iterable[tuple[str, str]] = (),
        params: Mapping[str, str] | None = None,
        horizon: int | str | None = None,
    ) -> PufferfishQuestion:
        """The question of the file, with what is added to it.

        ``prior`` are the probabilities of the first states, ``secrets`` sets of these by name; ``pairs`` are
        compared in both directions, instead of those of the file.  ``params`` are ranges of parameters such
        as ``{"p": "(0, 1)"}``, ``horizon`` is a number of observations or ``"any"``.  A limit that runs out
        while all that is read raises :class:`LimitReached`.
        """
        clock = Clock()
        lines = [f"param {_word(name)} in {interval}" for name, interval in (params or {}).items()]
        lines += [f"prior given {_weights(prior)}"] if prior is not None else []
        for name, states in (secrets or {}).items():
            lines.append(f"secret {_word(name)} {{{', '.join(map(_word, states))}}}")
        compared = tuple(f"{_word(left)}, {_word(right)}" for left, right in pairs)
        return self._asking(lines, Replaced(compare=compared), horizon, clock)

    def compare(
        self,
        first: str | Weights,
        second: str | Weights,
        *,
        params: Mapping[str, str] | None = None,
        horizon: int | str | None = None,
    ) -> PufferfishQuestion:
        """Compare two distributions of the first state (or two states, secrets or distributions by name).

        The other arguments are those of :meth:`question`.
        """
        clock = Clock()
        lines = [f"param {_word(name)} in {interval}" for name, interval in (params or {}).items()]
        names = []
        for default, weights in (("first", first), ("second", second)):
            if isinstance(weights, str):
                names.append(_word(weights))
            elif len(weights) == 1:
                ((state, p),) = weights.items()
                names.append(_word(state))
                if _text(p) != "1":
                    raise InputError(f"the probability of the only state {state} is {p}, not 1")
            else:
                names.append(default)
                lines.append(f"start {default} {_weights(weights)}")
        return self._asking(lines, Replaced(compare=[", ".join(names)]), horizon, clock)

    def _asking(
        self, lines: Sequence[str], asked: Replaced, horizon: int | str | None, clock: Clock
    ) -> PufferfishQuestion:
        source = Source(self.source.name, "\n".join([self.source.text, *lines]))
        asked = asked._replace(horizon=None if horizon is None else str(horizon))
        return PufferfishQuestion(replace(self, source=source), asked, clock)

    def __repr__(self) -> str:
        return f"<HiddenMarkovModel {self.source.name}>"


@methods_with_options_only
class PufferfishQuestion(AnyQuestion):
    """What is compared in a model, how long, and for what claim.

    Raises :class:`InputError` when it is made if the file or what was added to it is broken.

    >>> question = HiddenMarkovModel.load("ex2").question()
    >>> question.check().status, question.budget().c, question.probability("2", given="n(0)")
    ('private', Fraction(2, 1), 1/6)
    """

    def __init__(
        self, model: HiddenMarkovModel, asked: Replaced = NOTHING, clock: Clock | None = None
    ) -> None:
        check_type(model, HiddenMarkovModel, "a question is about a hidden Markov model", "see dipc.load")
        self.model, self.asked = model, asked
        self.question = self._read(asked, clock or Clock())

    @property
    def source(self) -> Source:
        return self.model.source

    def _read(self, asked: Replaced, clock: Clock) -> Question:
        if asked.given is not None:
            _word(asked.given)
        try:
            source, given = self.model.source, self.model.parameters
            found = held(clock, lambda: read_question(source, given, asked, clock), (source,))
        except InputError as error:
            if asked.given is None or error.span is None or error.span.source.name != COMPARISON_NAME:
                raise
            raise InputError(error.message, hint=error.hint) from None  # nobody wrote `given -> given`
        notes = (*self.model.notes, *found.notes)
        claim = found.claim
        if asked.at is not None and claim is not None:
            claim = replace(claim, text=f"{claim.text} at eps = {asked.at}")
        return replace(found, claim=claim, notes=notes)

    def to_arrays(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """The matrices of transitions and emissions: fractions, or functions of parameters.

        The states and observations are in the order of the model; a state that stops has a row of zeros.
        """
        model = self.question.model

        def matrix(rows: Sequence[Sequence[tuple[int, Parametric]]], size: int) -> list[list[Any]]:
            found = [{place: p if (x := p.as_rational()) is None else x for place, p in row} for row in rows]
            return [[row.get(place, Fraction(0)) for place in range(size)] for row in found]

        return matrix(model.transitions, len(model.states)), matrix(model.emissions, len(model.observations))

    def curve(self) -> Iterator[Budget]:
        """The least c for the horizons 1, 2, ..., up to that of the question."""
        if self.question.horizon is None:
            raise InputError("a curve needs a number of observations", hint="set a horizon: a number")
        clock = Clock()
        for horizon in range(1, self.question.horizon + 1):  # a child for each, and one clock
            yield pipeline.budget(replace(self.question, horizon=horizon), clock)

    def asking(self, claim: str | None, at: Number | None, clock: Clock) -> Question:
        if claim is None and at is None:
            return self.question
        point = None if at is None else rational(at, "eps")
        return self._read(self.asked._replace(claim=claim or self.asked.claim, at=point), clock)

    def laws(self, given: str | None, at: Number | None, clock: Clock) -> tuple[Question, Laws]:
        if given is None:
            hint = "--given NAME, a secret, a distribution or a first state"
            raise InputError("whose distribution?", hint=hint)
        if at is not None:
            hint = "for a model: dipc pufferfish check --at"
            raise InputError("--at is about the eps of a program", hint=hint)
        found = self._read(self.asked._replace(given=given), clock)
        pipeline.validate(found, clock)
        return found, {(given, pair.left.prior): Law(found, pair.left) for pair in found.pairs}

    def probability(self, sequence: str | Sequence[str], given: str, prior: str | None = None) -> Function:
        """P(sequence | given), a function of the parameters; ``prior`` is needed if there are several.

        A number or a function of eps is a :class:`Quotient`, other functions of parameters are rational ones.
        Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
        """
        clock = Clock()

        def found() -> Function:
            _, named = self.laws(given, None, clock)
            laws = {under: law for (_, under), law in named.items()}
            under = next(iter(laws)) if prior is None and len(laws) == 1 else prior
            if under not in laws:
                hint = f"prior={', '.join(map(str, laws))}" if laws else "it has probability 0"
                raise InputError(f"under which prior is `{given}` given?", hint=hint)
            return as_function(laws[under].probability(spoken(sequence)), self.question.parameters)

        return held(clock, found)

    @cached_property
    def horizon(self) -> int | None:
        """The number of observations, None for every one."""
        return self.question.horizon

    def __repr__(self) -> str:
        return f"<PufferfishQuestion {self.question.name}: {len(self.question.pairs)} ordered pairs>"


def spoken(sequence: str | Sequence[str]) -> list[str]:
    """The observations in a text.

    >>> spoken("blank ask(1, 2) bot")
    ['blank', 'ask(1, 2)', 'bot']
    """
    return OUTSIDE.findall(sequence) if isinstance(sequence, str) else list(sequence)


# --- Python values as text ---------------------------------------------------------------------------


def _word(name: str) -> str:
    if not isinstance(name, str) or not WORD.fullmatch(name):
        hint = "names are words or numbers, or like query(1, 0)"
        raise InputError(f"`{name}` is not a name of something in a model", hint=hint)
    return name


def _names(given: Sequence[str] | None, size: int, what: str) -> list[str]:
    if given is not None and len(given) != size:
        raise InputError(f"{size} {what} need {size} names, not {len(given)}")
    return list(map(str, range(size))) if given is None else [_word(name) for name in given]


def _text(p: Probability) -> str:
    """A probability, as an expression of .hmm files; a float is refused."""
    if isinstance(p, str | Quotient | ExpPoly):
        return str(p)
    return str(rational(p, "a probability"))


def _weights(weights: Weights) -> str:
    return f"{{{', '.join(f'{_word(str(name))}: {_text(p)}' for name, p in weights.items())}}}"


def _row(row: Sequence[Probability], names: Sequence[str], state: str) -> str:
    """A row of a matrix; ``stop`` if all its numbers are zero."""
    if len(row) > len(names):
        raise InputError(f"a row of state {state} has {len(row)} numbers, not {len(names)}")
    found = {name: p for name, p in zip(names, row, strict=False) if p != 0}
    return _weights(found) if found else "stop"
