"""Claims as tests: :func:`assert_private`, and the claim of a whole .dip file for the pytest plugin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from dipc.child import held
from dipc.claims.verdict import Verdict
from dipc.clock import Clock, as_one
from dipc.dipwhile.allsizes.answer import AllSizesAnswer
from dipc.dipwhile.convert import PythonValue
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.syntax.compile import asks
from dipc.dpctl.model import Formula, MarkovModel, load_model
from dipc.dpctl.records import rows_of as formula_rows
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError, LimitReached, Source, check_type
from dipc.pufferfish.hmm import HiddenMarkovModel, PufferfishQuestion
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.records import verdict_rows as hidden_rows
from dipc.pufferfish.verdict import PufferfishVerdict
from dipc.report.document import plain_document, text
from dipc.report.words import program_rows, verdict_rows
from dipc.shipped import EXPECT, EXPECT_ALL, expected_verdict, is_python, load, source_of

T = TypeVar("T")


@overload
def assert_private(
    mechanism: Mechanism | str | Path,
    claim: str | None = None,
    *,
    parameters: Mapping[str, PythonValue] | None = None,
    all_sizes: Literal[False] = False,
    **options: Any,
) -> Verdict: ...


@overload
def assert_private(
    mechanism: Mechanism | str | Path,
    claim: str | None = None,
    *,
    parameters: Mapping[str, PythonValue] | None = None,
    all_sizes: Literal[True],
    **options: Any,
) -> AllSizesAnswer: ...


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
        if not isinstance(mechanism, Mechanism):
            mechanism = _read(partial(Mechanism.load, mechanism, **(parameters or {})))
        elif parameters is not None:
            how = f"dipc.assert_private({mechanism.how_to_set(parameters)})"
            hint = f"set those of a mechanism where it is made: {how}"
            raise InputError("`parameters` are for a program in a file", hint=hint)
        ask = mechanism.prove if all_sizes else mechanism.check
        verdict: Verdict | AllSizesAnswer = ask(claim, **options)
    if verdict.status == "private":
        return verdict
    if verdict.status not in WHAT:
        hint = "`dipc.assert_accurate(mechanism, good, beta)` is about accuracy"
        raise InputError(f"`{claim}` is not a claim of privacy", hint=hint)
    told = verdict if isinstance(verdict, AllSizesAnswer) else described(mechanism, verdict)
    raise AssertionError(f"{WHAT[verdict.status]}\n{told}")


WHAT = {
    "violated": "this mechanism is not private",
    "undecided": "it is undecided whether this mechanism is private: it was neither proved nor refuted",
}


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
        if not isinstance(mechanism, Mechanism):
            mechanism = _read(partial(Mechanism.load, mechanism, **(parameters or {})))
        verdict = mechanism.check(claim, **options)
    if verdict.status == "holds":
        return verdict
    raise AssertionError(f"{ACCURATE[verdict.status]}\n{described(mechanism, verdict)}")


ACCURATE = {
    "fails": "this mechanism is not accurate",
    "undecided": "it is undecided whether this mechanism is accurate: it was neither proved nor refuted",
}


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
    if verdict.status == "private":
        return verdict
    what = WHAT[verdict.status].replace("mechanism", "question")
    raise AssertionError(f"{what}\n{pufferfish_described(verdict)}")


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
    if verdict.status == "holds":
        return verdict
    raise AssertionError(f"{FORMULAS[verdict.status]}\n{formula_described(verdict)}")


FORMULAS = {
    "fails": "this formula does not hold",
    "undecided": "it is undecided whether this formula holds: it was neither proved nor refuted",
}


def formula_described(verdict: ModelVerdict) -> str:
    """A verdict as ``dipc model check`` shows it."""
    return text(plain_document(formula_rows(verdict)))


def _read(read: Callable[[], T]) -> T:
    """What is read; a limit that runs out raises :class:`Unread`."""
    try:
        return read()
    except LimitReached as limit:
        raise Unread(f"{WHAT['undecided']}\n{limit} (while it was read)") from None


def pufferfish_described(verdict: PufferfishVerdict) -> str:
    """A verdict as ``dipc pufferfish check`` shows it."""
    return text(plain_document(hidden_rows(verdict)))


def described(mechanism: Mechanism, verdict: Verdict) -> str:
    """A verdict as ``dipc check`` shows it."""
    first = program_rows(mechanism.program.source.name, mechanism.parameters)
    return text(plain_document([*first, *verdict_rows(verdict)]))


class Unread(AssertionError):
    """A limit ran out while a file was read: what it claims is undecided."""


class UnexpectedVerdict(AssertionError):
    """The verdict is not the one the program expects; the message is the whole report."""


FileVerdict = Verdict | PufferfishVerdict | AllSizesAnswer | tuple[ModelVerdict, ...]


def check_file(file: Path | str) -> FileVerdict:
    """Decide the claim of a file, or of a function such as ``mine.py:f``.

    It is compared with the comment ``# expect:`` (private, or holds, without one).  Of a Markov model these
    are its properties.  A claim of a number is about what the program reveals of its secrets.  A program that
    only ``dipc prove`` takes is decided for every size, and its comment is ``# expect for all sizes:``.
    """
    with as_one():
        if is_python(file):
            function = _read(partial(Mechanism.load_file, file, {}))
            return _as_expected(function, expected_verdict(function.commented) or "private")
        path = Path(file)
        match path.suffix:
            case ".hmm":
                return _hidden_checked(path)
            case ".dip":
                return _checked(path, source_of(path))
            case _:
                return _properties_checked(path)


def _hidden_checked(path: Path) -> PufferfishVerdict:
    model = HiddenMarkovModel.load(path)
    expected = expected_verdict(model.source) or "private"
    try:
        question = _read(model.question)
    except Unread as unread:
        raise _unexpected(expected, "undecided", str(unread)) from None
    verdict = question.check()
    if verdict.status != expected:
        raise _unexpected(expected, verdict.status, pufferfish_described(verdict))
    return verdict


def _properties_checked(path: Path) -> tuple[ModelVerdict, ...]:
    """The verdicts of all properties; the error is about those that are not as expected."""
    model = _read(partial(load_model, path))
    expected = [line.expected or "holds" for line in model.declared()]
    verdicts = tuple(model.check(line) for line in model.declared())
    wrong = [
        str(_unexpected(answer, verdict.status, formula_described(verdict)))
        for answer, verdict in zip(expected, verdicts, strict=True)
        if answer != verdict.status
    ]
    if wrong:
        raise UnexpectedVerdict("\n\n".join(wrong))
    return verdicts


def _checked(path: Path | str, source: Source) -> FileVerdict:
    def read() -> tuple[bool, Mechanism]:
        every_size = asks(source).every_size
        return every_size, Mechanism.load(path) if every_size else Mechanism.load_file(source, {})

    try:
        every_size, mechanism = _read(lambda: held(Clock(), read, (source,)))
    except Unread as unread:
        expected = expected_verdict(source, EXPECT) or expected_verdict(source, EXPECT_ALL) or "private"
        raise _unexpected(expected, "undecided", str(unread)) from None
    expected = expected_verdict(source, EXPECT_ALL if every_size else EXPECT) or "private"
    return _as_expected(mechanism, expected, every_size)


def _as_expected(mechanism: Mechanism, expected: str, every_size: bool = False) -> FileVerdict:
    verdict: FileVerdict
    if every_size:
        verdict = mechanism.prove()
        report = partial(str, verdict)
    elif (claim := mechanism.program.claim) is not None and claim.number:
        about_secrets: PufferfishVerdict = mechanism.pufferfish().check()
        verdict, report = about_secrets, partial(pufferfish_described, about_secrets)
    else:
        verdict = mechanism.check()
        report = partial(described, mechanism, verdict)
    if verdict.status != expected:
        raise _unexpected(expected, verdict.status, report())
    return verdict


def _unexpected(expected: str, status: str, told: str) -> UnexpectedVerdict:
    how = f"expected `{expected}`, the verdict is `{status}`"
    return UnexpectedVerdict(f"{how}\n{told}")
