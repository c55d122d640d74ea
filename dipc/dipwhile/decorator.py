"""``@dipc.mechanism``: a Python function as a mechanism, which is read to decide about it.

The steps: the text of the function (:mod:`~dipc.dipwhile.python.source`), the declarations
(:mod:`~dipc.dipwhile.python.declarations`), the statements (:mod:`~dipc.dipwhile.python.statements`). They
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
from fractions import Fraction
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
from dipc.dipwhile.python.errors import ends, in_python, speaking_python
from dipc.dipwhile.python.running import Runnable, run
from dipc.dipwhile.python.scope import Scope, check_spellings, names_among, number, unread
from dipc.dipwhile.python.source import FunctionText, decimal_note, described, text_of
from dipc.dipwhile.python.statements import Statements
from dipc.dipwhile.python.unrolled import read_unrolled
from dipc.dipwhile.python.words import BUDGETS, RESERVED
from dipc.dipwhile.syntax.ast import Declaration, Name, Param, Program, SetOf
from dipc.dipwhile.syntax.compile import compile_program
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.parser import check_depth, parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import InputError, InternalError, Source
from dipc.suggest import did_you_mean

Told = Mapping[str, object]
Numbers = Mapping[str, fmpq]


class PythonMechanism(Mechanism):
    """A mechanism written in Python.

    ``source_text`` is the same program as a .dip file; reports and certificates show it.
    """

    def __init__(self, text: FunctionText, told: Told, given: Numbers, changed: Numbers):
        read = held(Clock(), lambda: read_core(text, told, given, changed), (text.source,))
        core, self.notes = read
        known = dict(core.parameters)
        super().__init__(core, {name: n for name, n in changed.items() if name in known})
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
    *("prove", "distribution", "chain", "export", "sentence", "budget", "profile", "loss_curve"),
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
) -> tuple[CoreProgram, tuple[str, ...]]:
    """The program of a function, with notes; its source is the text of the equivalent .dip file."""
    try:
        syntax, core, notes = read_either_way(text, told, given, changed)
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
    return replace(core, source=source), notes


def read_either_way(
    text: FunctionText, told: Told, given: Numbers, changed: Numbers
) -> tuple[Program, CoreProgram, tuple[str, ...]]:
    """The program of a function, with notes: with its loops, as the language has them, or else unrolled.

    If both ways are refused, the error of the second is shown.
    """
    parts = declared(told, text)
    check_inputs(text, parts)
    constants = constants_of(text, parts, given, changed)
    all_sizes = parts.claim is not None and bool(parts.claim.sizes)  # an unrolled program has one size
    found = refusal = None
    try:
        syntax = read_program(text, parts, constants, changed)
        notes = dict.fromkeys((*constants.notes, *decimals(text)))
        found = syntax, compile_program(syntax, text.until_end), tuple(notes)
    except InputError as error:
        refusal = error
    if found is not None and (all_sizes or not outputs_hold_others(text, parts)):
        return found
    if refusal is not None and all_sizes:
        raise refusal from None
    try:
        unrolled, unrolled_notes = read_unrolled(text, parts, constants, changed)
        check_changed(changed, constants.numbers)
        check_depth(unrolled)
        return unrolled, compile_program(unrolled, text.until_end), unrolled_notes
    except InputError as error:
        if found is not None:
            return found
        if error.span is not None:  # a name in its line that is not in ASCII may be the reason
            check_spellings(text, error.span.line)
        raise


def check_changed(changed: Numbers, known: Numbers) -> None:
    """Refuse values of parameters that there are not."""
    for name in changed.keys() - known.keys():
        hint = did_you_mean(name, known) or "it has no parameters at all"
        raise InputError(f"the mechanism has no parameter `{name}`", hint=hint)


def outputs_hold_others(text: FunctionText, parts: Program) -> bool:
    """May the variable with the name of an output have values that the output has not?

    So it is if every path returns values, and either another value is returned than that of the variable, or
    the variable is computed from itself, or the set mixes truth values with others.
    """
    names = [output.name for output in parts.outputs]
    nodes = [*ast.walk(text.node)]
    written = names_among(nodes).keys() & {*names}
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    if not written or None in returned or not ends(text.node.body):
        return False
    rows = [value.elts if isinstance(value, ast.Tuple) else [value] for value in returned]
    return (
        any(
            name in written and not (isinstance(value, ast.Name) and value.id == name)
            for row in rows
            for name, value in zip(names, row, strict=False)
        )
        or any(map(mixed, parts.outputs))
        or any(
            node.id in names_among(ast.walk(assignment)) and node.id in names
            for assignment in nodes
            if isinstance(assignment, ast.Assign)
            for node in ast.walk(assignment.value)
            if isinstance(node, ast.Name)
        )
    )


def mixed(output: Declaration) -> bool:
    """Does the set of an output hold truth values and others?"""
    members = {*output.domain.members} if isinstance(output.domain, SetOf) else set()
    truths = {Name("true"), Name("false")}
    return bool(members & truths) and not members <= truths


def decimals(text: FunctionText) -> Iterator[str]:
    """The notes about decimal numbers in a function."""
    found = [
        node for node in ast.walk(text.node) if isinstance(node, ast.Constant) and type(node.value) is float
    ]
    for written in dict.fromkeys(map(text.written, found)):
        note = decimal_note(written, Fraction(written.replace("_", "")))
        if note is not None:
            yield note


def read_program(text: FunctionText, parts: Program, constants: Constants, changed: Numbers) -> Program:
    """The syntax tree of a function."""
    for argument in text.arguments:
        if argument.arg in constants.others or (argument.arg in RESERVED and argument.arg not in BUDGETS):
            raise unread(text.span(argument), f"the argument `{argument.arg}`")
    scope = Scope(text, parts, dict(constants.numbers), changed)
    sizes = {d.name: d.size for d in (*parts.inputs, *parts.outputs) if d.size is not None}
    body = Statements(scope, parts.outputs, sizes).body()
    check_changed(changed, scope.constants)
    place = text.place
    params = tuple(Param(name, number(n, place), span=place) for name, n in scope.constants.items())
    program = replace(parts, params=params, body=body, span=place)
    check_depth(program)
    return program


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
