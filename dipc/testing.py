"""Claims as tests: :func:`assert_private` and its like for the other claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import dipc.dipwhile.panels.notebook  # how verdicts show themselves
import dipc.dpctl.views
import dipc.pufferfish.views  # noqa: F401
from dipc.claims.verdict import Verdict
from dipc.clock import as_one
from dipc.dipwhile.allsizes.answer import AllSizesAnswer
from dipc.dipwhile.convert import PythonValue
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dpctl.model import Formula, MarkovModel, load_model
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, LimitReached, check_type
from dipc.pufferfish.hmm import HiddenMarkovModel, PufferfishQuestion
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.verdict import PufferfishVerdict
from dipc.report.document import plain_document, text
from dipc.report.words import program_rows, verdict_rows
from dipc.shipped import load

T = TypeVar("T")
Answer = TypeVar("Answer", Verdict, PufferfishVerdict, AllSizesAnswer, ModelVerdict, Verdict | AllSizesAnswer)


def assert_private(
    mechanism: Mechanism | str | Path,
    claim: str | None = None,
    *,
    parameters: Mapping[str, PythonValue] | None = None,
    all_sizes: bool = False,
    **options: Any,
) -> Verdict | AllSizesAnswer:
    """Fail unless a mechanism, or the program in a file, is proved private; return the verdict.

    ``claim`` defaults to the program's own claim, ``parameters`` set those of a program in a file, and
    ``options`` are passed to :meth:`Mechanism.check`: ``at``, ``pair`` ... Undecided is a
    failure: nothing was proved.  With ``all_sizes`` it is proved for every size and all inputs, by
    :meth:`Mechanism.prove`, and the answer is returned.

    >>> coin = '''
    ...     input q in {true, false}; output out in {true, false}
    ...     adjacent all; private eps
    ...     out <- choose {q: exp(eps)/(1 + exp(eps)), (not q): 1/(1 + exp(eps))}
    ... '''
    >>> assert_private(coin).status
    'private'
    >>> assert_private(coin, "eps/2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: this mechanism is not private
    program     <text>
    claim       (1/2*ε)-private for every ε in (0, inf)
    ...
    input       u  : q = true
    neighbour   u' : q = false
    output      out = true
    budget      ε = 1
    ...
    """
    __tracebackhide__ = True
    with as_one():
        mechanism = _mechanism(mechanism, parameters)
        ask = mechanism.prove if all_sizes else mechanism.check
        verdict: Verdict | AllSizesAnswer = ask(claim, **options)
    if verdict.status in ("holds", "fails"):
        hint = "`dipc.assert_accurate(mechanism, good, beta)` is about accuracy"
        raise InputError(f"`{claim}` is not a claim of privacy", hint=hint)
    return _asserted(verdict, "this mechanism", "private", mechanism)


def _asserted(verdict: Answer, what: str, is_so: str, mechanism: Mechanism | None = None) -> Answer:
    """The verdict, if it is a proof; else the error says what ``what`` is not, or that this is undecided."""
    match verdict.status:
        case "private" | "holds":
            return verdict
        case "undecided":
            raise AssertionError(f"{_undecided(what, is_so)}\n{_told(verdict, mechanism)}")
    is_not = "does not hold" if is_so == "holds" else f"is not {is_so}"
    raise AssertionError(f"{what} {is_not}\n{_told(verdict, mechanism)}")


def _undecided(what: str, is_so: str) -> str:
    claimed = is_so if is_so == "holds" else f"is {is_so}"
    return f"it is undecided whether {what} {claimed}: it was neither proved nor refuted"


def _told(verdict: object, mechanism: Mechanism | None) -> str:
    """A verdict as the commands show it; of a program with its name and parameters."""
    if not isinstance(verdict, Verdict):
        return str(verdict)
    assert mechanism is not None
    first = program_rows(mechanism.program.source.name, mechanism.parameters)
    return text(plain_document([*first, *verdict_rows(verdict)]))


def assert_accurate(
    mechanism: Mechanism | str | Path,
    good: str,
    beta: PythonValue,
    *,
    when: str | None = None,
    parameters: Mapping[str, PythonValue] | None = None,
    **options: Any,
) -> Verdict:
    """Fail unless an output that is not ``good`` has at most probability ``beta``; return the verdict.

    ``beta`` is a number or a function of eps as a text, ``when`` restricts the inputs; ``options`` are passed
    to :meth:`Mechanism.check`.  Undecided is a failure: nothing was proved.

    >>> assert_accurate("truncated_geometric", "abs(out - q) <= 1", "1/20", at=2).status
    'holds'
    """
    __tracebackhide__ = True
    claim = f"accurate {good}, {beta}" + (f" when {when}" if when is not None else "")
    with as_one():
        mechanism = _mechanism(mechanism, parameters)
        verdict = mechanism.check(claim, **options)
    return _asserted(verdict, "this mechanism", "accurate", mechanism)


def assert_pufferfish_private(
    question: PufferfishQuestion | ProgramQuestion | HiddenMarkovModel | Mechanism | str | Path,
    claim: str | None = None,
    **options: Any,
) -> PufferfishVerdict:
    """Fail unless a question about a hidden Markov model or a program, or that of a file, is proved private.

    ``claim`` defaults to that of the file; ``options`` are passed to the method ``check`` of the question.
    Returns the verdict.  Undecided is a failure: nothing was proved.

    >>> assert_pufferfish_private("ex2").status, assert_pufferfish_private("ex5").status
    ('private', 'private')
    """
    __tracebackhide__ = True
    with as_one():
        asked: Any = _read(partial(load, question)) if isinstance(question, str | Path) else question
        if isinstance(asked, HiddenMarkovModel):
            asked = _read(asked.question)
        elif isinstance(asked, Mechanism):
            asked = asked.pufferfish()
        what = "a question is that of a model, a program or a file"
        check_type(asked, (PufferfishQuestion, ProgramQuestion), what, 'dipc.load("ex2").question()')
        verdict: PufferfishVerdict = asked.check(claim, **options)
    return _asserted(verdict, "this question", "private")


def assert_holds(
    model: MarkovModel | str | Path, formula: Formula | None = None, **options: Any
) -> ModelVerdict:
    """Fail unless a formula holds at the start states of a Markov model, or of the one in a file.

    ``formula`` is by default the only property of the model's file; ``options`` are passed to the method
    ``check`` of the model.  Returns the verdict.  Undecided is a failure: nothing was proved.

    >>> assert_holds("survey", "D[ln 3, 0](X out_1)").status
    'holds'
    """
    __tracebackhide__ = True
    with as_one():
        loaded = _read(partial(load_model, model)) if isinstance(model, str | Path) else model
        check_type(loaded, MarkovModel, "a formula is about a Markov model", 'dipc.load_model("survey")')
        verdict = loaded.check(formula, **options)
    return _asserted(verdict, "this formula", "holds")


def _mechanism(mechanism: Mechanism | str | Path, parameters: Mapping[str, PythonValue] | None) -> Mechanism:
    """The mechanism, or that of a file with these parameters."""
    if not isinstance(mechanism, Mechanism):
        return _read(partial(Mechanism.load, mechanism, **(parameters or {})))
    if parameters is not None:
        hint = f"set those of a mechanism where it is made: {mechanism.how_to_set(parameters)}"
        raise InputError("`parameters` are for a program in a file", hint=hint)
    return mechanism


def _read(read: Callable[[], T]) -> T:
    """What is read; or, after a limit, that what it claims is undecided."""
    try:
        return read()
    except LimitReached as limit:
        told = _undecided("this mechanism", "private")
        raise AssertionError(f"{told}\n{limit} (while it was read)") from None
