"""``@dipc.mechanism``: a Python function as a mechanism, which is read to decide about it.

The steps: the text of the function (:mod:`~dipc.dipwhile.python.source`), the declarations
(:mod:`~dipc.dipwhile.python.declarations`), the statements (:mod:`~dipc.dipwhile.python.unrolled`). They
give the same syntax tree that the parser gives for a .dip file, so that every later stage is the same; only
the places in error messages refer to the Python file.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NoReturn

from flint import fmpq

from dipc.child import held
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.convert import PythonValue, to_rational
from dipc.dipwhile.mechanisms import Mechanism, settings
from dipc.dipwhile.python.constants import Constants, constants_of
from dipc.dipwhile.python.declarations import EXAMPLES, Declarations, declared, keywords
from dipc.dipwhile.python.errors import in_python, speaking_python
from dipc.dipwhile.python.running import Runnable, run
from dipc.dipwhile.python.source import FunctionText, check_spellings, described, names_among, text_of
from dipc.dipwhile.python.unrolled import read_function
from dipc.dipwhile.semantics.advice import said
from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.compile import compile_program
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.notes import similar
from dipc.dipwhile.syntax.parser import check_depth, parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import InputError, InternalError, Source, Unsupported
from dipc.suggest import did_you_mean

Told = Mapping[str, object]
Numbers = Mapping[str, fmpq]


class PythonMechanism(Mechanism):
    """A mechanism written in Python.

    ``source_text`` is the same program as a .dip file; reports and certificates show it.
    """

    def __init__(self, text: FunctionText, told: Told, given: Numbers, changed: Numbers):
        read = held(Clock(), lambda: read_core(text, told, given, changed), (text.source,))
        core, sizes, self.notes, self._refusal = read
        super().__init__(core, {name: n for name, n in changed.items() if name in sizes})
        self.text = text
        self._told = told
        self._given = given
        self._changed = changed
        functools.update_wrapper(self, text.function)

    @property
    def source_text(self) -> str:
        """The program as the text of a .dip file."""
        return self.program.source.text

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about what is allowed but hardly ever meant."""
        return (*misspelt(self.text, self.program), *super().warnings)

    @property
    def commented(self) -> Source:
        """The function as it stands in its file."""
        return self.text.own

    def with_parameters(self, **parameters: Any) -> PythonMechanism:
        """The same mechanism with other values of its parameters and of constants from outside."""
        changed = {name: to_rational(value, f"the parameter `{name}`") for name, value in parameters.items()}
        return PythonMechanism(self.text, self._told, self._given, {**self._changed, **changed})

    def how_to_set(self, parameters: Mapping[str, object]) -> str:
        """How to set parameters, as a piece of Python."""
        return f"{self.text.node.name}.with_parameters({', '.join(settings(parameters))})"

    def check(self, *args: Any, **options: Any) -> Verdict:
        """Decide a claim; the notes about the reading of the function are among those of the verdict."""
        verdict = super().check(*args, **options)
        return replace(verdict, notes=(*self.notes, *verdict.notes))

    @speaking_python
    def prove(self, claim: str | None = None, *, find_least: bool = True) -> Any:
        """Decide a claim for every size and all inputs; the function must be read without their values."""
        if self._refusal is not None:
            why, hint = self._refusal.message, self._refusal.hint
            message = f"`prove` needs a function that is read for all inputs at once: {why}"
            raise Unsupported(message, self._refusal.span, hint)
        return super().prove(claim, find_least=find_least)

    @cached_property
    def _ready(self) -> Runnable:
        return Runnable(self.text)

    def __call__(self, *given: Any, rng: Any = None, **named: Any) -> Any:
        """What the function returns when Python runs it: ``f(q, eps=1)``.

        Integers and finite choices (DLap, flip, choose, uniform, Exp) are drawn exactly, from ``secrets`` or
        from the bits of ``rng``, a ``random.Random`` or a generator of numpy.  Continuous noise is made of
        floats: what is proved about real numbers does not hold for their last bits (Mironov 2012).
        The inputs are not compared with their declared sets.
        """
        return run(self._ready, self._given, self._changed, given, named, rng)


for _method in (
    *("distribution", "chain", "export", "sentence", "budget", "profile", "loss_curve"),
    *("violating_budgets", "explain", "certificate", "plot", "report"),
):
    setattr(PythonMechanism, _method, speaking_python(getattr(Mechanism, _method)))
PythonMechanism.check = speaking_python(PythonMechanism.check)  # type: ignore[method-assign]


IMPORTING: ContextVar[bool] = ContextVar("importing", default=False)
"""Is a file imported for one of its mechanisms? Then the others in it may be refused."""


@dataclass(frozen=True)
class Refused:
    """A function that is no mechanism, in a file with others; whoever uses it meets the error."""

    text: FunctionText
    error: InputError

    def __getattr__(self, name: str) -> NoReturn:
        raise self.error

    def __call__(self, *given: object, **named: object) -> NoReturn:
        raise self.error


def mechanism(
    function: object = None,
    /,
    *,
    inputs: Declarations | None = None,
    outputs: Declarations | None = None,
    adjacent: str | None = None,
    private: str | None = None,
    **parameters: Any,
) -> Callable[[Callable[..., Any]], PythonMechanism]:
    """Make the function below a mechanism.

    ``inputs``, ``outputs``, ``adjacent`` and ``private`` are what may follow ``input``, ``output``,
    ``adjacent`` and ``private`` in a .dip file; ``parameters`` are rational constants.

    >>> @mechanism(inputs="q in {True, False}", outputs="out in {True, False}", adjacent="all", private="eps")
    ... def survey(q):
    ...     if flip(exp(eps) / (1 + exp(eps))):
    ...         return q
    ...     return not q
    >>> print(survey.check())
    private: (eps)-private for every eps in (0, inf)
    >>> survey.check("eps/2").counterexample.epsilon
    1
    """
    if function is not None:
        hint = f"for example `@dipc.mechanism({', '.join(EXAMPLES.values())}, N=3)`"
        raise InputError("`@dipc.mechanism` needs arguments", hint=hint)
    told = {"inputs": inputs, "outputs": outputs, "adjacent": adjacent, "private": private}

    def read(function: Callable[..., Any]) -> PythonMechanism:
        text = text_of(function)
        try:
            given = {name: parameter(text, name, value) for name, value in parameters.items()}
            return PythonMechanism(text, told, given, {})
        except InputError as error:
            if IMPORTING.get():
                return Refused(text, error)  # type: ignore[return-value]
            raise

    return read


def parameter(text: FunctionText, name: str, value: PythonValue) -> fmpq:
    """A constant that the decorator is given; what is none may be a declaration with a wrong name."""
    try:
        return to_rational(value, f"the parameter `{name}`")
    except InputError:
        near = get_close_matches(name, EXAMPLES, n=1)
        if not near and not isinstance(value, str):
            raise
        raise InputError(
            f"the decorator has no argument `{name}`, and {described(value)} is not a value of a parameter",
            text.span(keywords(text)[name]) if name in keywords(text) else text.place,
            f"did you mean `{near[0]}=`?"
            if near
            else f"it takes, for example, {', '.join(EXAMPLES.values())}",
        ) from None


def read_core(
    text: FunctionText, told: Told, given: Numbers, changed: Numbers
) -> tuple[CoreProgram, frozenset[str], tuple[str, ...], InputError | None]:
    """The program of a function, whose source is the text of the equivalent .dip file, and its parameters.

    With notes; and if it is unrolled, why.
    """
    try:
        syntax, core, notes, refusal = read_either_way(text, told, given, changed)
    except RecursionError:
        hint = "split its expressions"
        raise InputError("this function is nested too deep", text.place, hint) from None
    except InputError as error:
        raise in_python(error, text) from None
    written = show_program(syntax)
    source = Source(f"{text.source.name}:{text.node.name}", written)
    if parse(source) != syntax:
        message = f"the program of `{text.node.name}` is not the one that its text describes"
        raise InternalError(f"{message}:\n{written}")
    return replace(core, source=source), frozenset(param.name for param in syntax.params), notes, refusal


def read_either_way(
    text: FunctionText, told: Told, given: Numbers, changed: Numbers
) -> tuple[Program, CoreProgram, tuple[str, ...], InputError | None]:
    """The program of a function, with notes: with its loops, for all sizes, or else unrolled, and why.

    If both ways are refused, the error of the second is shown.
    """
    parts = declared(told, text)
    check_inputs(text, parts)
    constants = constants_of(text, parts, given, changed)
    all_sizes = parts.claim is not None and bool(parts.claim.sizes)  # an unrolled program has one size
    try:
        return *read_one_way(text, parts, constants, changed, True), None
    except InputError as error:
        refusal = error
    if all_sizes:
        hint = f"{refusal.hint}\n          a claim for all sizes needs the loops of the function"
        raise type(refusal)(refusal.message, refusal.span, hint)
    try:
        return *read_one_way(text, parts, constants, changed, False), refusal
    except InputError as error:
        if error.span is not None:  # a name in its line that is not in ASCII may be the reason
            check_spellings(text, error.span.line)
        raise


def read_one_way(
    text: FunctionText, parts: Program, constants: Constants, changed: Numbers, keeps: bool
) -> tuple[Program, CoreProgram, tuple[str, ...]]:
    """The program of a function, with notes; ``keeps`` its loops."""
    own = replace(constants, numbers=dict(constants.numbers))
    program, notes = read_function(text, parts, own, changed, keeps)
    check_changed(changed, own.numbers)
    check_depth(program)
    core = compile_program(program, text.until_end)
    return program, replace(core, parameters=tuple(own.numbers.items())), notes


def check_changed(changed: Numbers, known: Numbers) -> None:
    """Refuse values of parameters that there are not."""
    for name in changed.keys() - known.keys():
        hint = did_you_mean(name, known) or "it has no parameters at all"
        raise InputError(f"the mechanism has no parameter `{name}`", hint=hint)


def misspelt(text: FunctionText, program: CoreProgram) -> Iterator[str]:
    """The warnings about variables that are never read and resemble another."""
    names = [part for part in ast.walk(text.node) if isinstance(part, ast.Name)]
    read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
    stored, read = names_among(names), read | {output.name for output in program.outputs}
    known = [*stored, *(argument.arg for argument in text.arguments)]
    for name in stored:
        if name not in read and (near := similar(name, known)):
            why = f"`{name}` is assigned, but never read"
            yield said("warning", text.span(stored[name]), why, f"did you mean `{near}`?")


def check_inputs(text: FunctionText, parts: Program) -> None:
    """Refuse other decorators, and a function whose arguments are not the inputs and parameters."""
    for other in text.node.decorator_list[1:]:
        hint = "`@dipc.mechanism` must be the only one"
        raise text.mistake(other, "another decorator changes the function", hint)
    arguments, name = text.node.args, text.node.name
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            raise text.mistake(extra, "a mechanism has a fixed list of inputs", "name each input")
    names = inspect.signature(text.function, follow_wrapped=False).parameters
    for declaration in parts.inputs:
        if declaration.name not in names:
            message = f"the input `{declaration.name}` is not an argument of `{name}`"
            hint = f"add it: `def {name}({', '.join([*names, declaration.name])}):`"
            raise InputError(message, declaration.span, hint)
    inputs = {declaration.name for declaration in parts.inputs}
    for argument in text.arguments:
        if argument.arg in inputs and names[argument.arg].default is not inspect.Parameter.empty:
            hint = "an input takes every value of its set: remove it"
            raise text.mistake(argument, f"the input `{argument.arg}` has a default", hint)
