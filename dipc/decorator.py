"""``@dipc.mechanism``: a Python function, read and not run, as a mechanism.

The steps: the text of the function (:mod:`~dipc.dipwhile.python.source`), the declarations
(:mod:`~dipc.dipwhile.python.declarations`), the statements (:mod:`~dipc.dipwhile.python.statements`). They
give the same syntax tree that the parser gives for a .dip file, so that every later stage is the same; only
the places in error messages refer to the Python file.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from flint import fmpq

from dipc.dipwhile.convert import PythonValue, to_rational
from dipc.dipwhile.python.declarations import EXAMPLES, Declarations, Declared, Told, declared
from dipc.dipwhile.python.errors import in_python, speaking_python
from dipc.dipwhile.python.mentions import names_in
from dipc.dipwhile.python.scope import Scope, exact_number, number
from dipc.dipwhile.python.source import FunctionText, described, text_of
from dipc.dipwhile.python.statements import Statements
from dipc.dipwhile.syntax.ast import Node, Param, Program, Range
from dipc.dipwhile.syntax.compile import compile_program
from dipc.dipwhile.syntax.parser import check_depth, parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.dipwhile.syntax.walk import expressions
from dipc.errors import InputError, InternalError, Source, Span
from dipc.mechanisms import Mechanism, settings


class PythonMechanism(Mechanism):
    """A mechanism written in Python.

    ``source_text`` is the same program as a .dip file; reports and certificates show it.
    """

    def __init__(
        self, text: FunctionText, told: Told, given: Mapping[str, fmpq], changed: Mapping[str, fmpq]
    ):
        try:
            syntax = read_program(text, told, given, changed)
            core = compile_program(syntax, text.until_end)
        except RecursionError:
            raise InputError(
                "this function is nested too deep", text.place, "split its expressions"
            ) from None
        except InputError as error:
            raise in_python(error, text) from None
        written = show_program(syntax)
        source = Source(f"{text.source.name}:{text.node.name}", written)
        if parse(source) != syntax:
            raise InternalError(
                f"the program of `{text.node.name}` is not the one that its text describes:\n{written}"
            )
        super().__init__(replace(core, source=source))
        self.text = text
        self._told = told
        self._given = given
        self._changed = changed
        functools.update_wrapper(self, text.function)

    @property
    def source_text(self) -> str:
        """The program as the text of a .dip file."""
        return self.program.source.text

    def with_parameters(self, **parameters: PythonValue) -> PythonMechanism:
        """The same mechanism with other values of its parameters and of constants from outside."""
        changed = {name: to_rational(value, f"the parameter `{name}`") for name, value in parameters.items()}
        return PythonMechanism(self.text, self._told, self._given, {**self._changed, **changed})

    def how_to_set(self, parameters: Mapping[str, object]) -> str:
        """How to set parameters, as a piece of Python."""
        return f"{self.text.node.name}.with_parameters({', '.join(settings(parameters))})"

    def __call__(self, *_: object, **__: object) -> Any:
        raise InputError(
            f"`{self.text.node.name}` is a mechanism: it is read and decided, not run",
            hint="use its methods: `.check()`, `.distribution(...)`",
        )


for _method in (
    *("check", "distribution", "chain", "export", "sentence", "budget", "profile", "loss_curve"),
    *("violating_budgets", "explain", "certificate", "plot", "report"),
):
    setattr(PythonMechanism, _method, speaking_python(getattr(Mechanism, _method)))


def mechanism(
    function: object = None,
    /,
    *,
    inputs: Declarations | None = None,
    outputs: Declarations | None = None,
    adjacent: str | None = None,
    private: str | None = None,
    **parameters: PythonValue,
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
        raise InputError(
            "`@dipc.mechanism` needs arguments",
            hint=f"for example `@dipc.mechanism({', '.join(EXAMPLES.values())}, N=3)`",
        )
    told = Told(inputs, outputs, adjacent, private)

    def read(function: Callable[..., Any]) -> PythonMechanism:
        text = text_of(function)
        given = {name: parameter(text, name, value) for name, value in parameters.items()}
        return PythonMechanism(text, told, given, {})

    return read


def parameter(text: FunctionText, name: str, value: PythonValue) -> fmpq:
    """A constant that the decorator is given; what is none may be a declaration with a wrong name."""
    try:
        return to_rational(value, f"the parameter `{name}`")
    except InputError:
        near = get_close_matches(name, EXAMPLES, n=1)
        if not near:
            raise
        raise InputError(
            f"the decorator has no argument `{name}`, and {described(value)} is not a value of a parameter",
            keyword_place(text, name),
            f"did you mean `{near[0]}=`?",
        ) from None


def keyword_place(text: FunctionText, name: str) -> Span:
    """The place of this argument of the decorator, else the name of the function."""
    for decorator in text.node.decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == name:
                    return text.span(keyword)
    return text.place


def read_program(
    text: FunctionText, told: Told, given: Mapping[str, fmpq], changed: Mapping[str, fmpq]
) -> Program:
    """The syntax tree of a function."""
    check_decorators(text)
    parts = declared(told, text)
    defaults = check_signature(text, parts)
    for name in given.keys() & defaults.keys():
        raise InputError(
            f"the parameter `{name}` is given twice", text.place, "remove its default, or the other one"
        )
    constants = {**defaults, **given}
    scope = Scope(
        text,
        frozenset(declaration.name for declaration in parts.inputs),
        frozenset(declaration.name for declaration in parts.outputs),
        {name: changed.get(name, value) for name, value in constants.items()},
        changed,
    )
    for name in declared_names(parts):
        scope.adopt(name)
    sizes = {d.name: d.size for d in (*parts.inputs, *parts.outputs) if d.size is not None}
    body = Statements(scope, parts.outputs, sizes).body()
    for name in changed.keys() - scope.constants.keys():
        known = did_you_mean(name, scope.constants)
        raise InputError(
            f"the mechanism has no parameter `{name}`", hint=known or "it has no parameters at all"
        )
    params = tuple(
        Param(name, number(value, text.place), span=text.place) for name, value in scope.constants.items()
    )
    program = Program(
        params, parts.inputs, parts.outputs, parts.adjacency, parts.claim, body, span=text.place
    )
    check_depth(program)
    return program


def check_decorators(text: FunctionText) -> None:
    """Another decorator makes another function, which cannot be read."""
    if len(text.node.decorator_list) > 1:
        other = text.node.decorator_list[1]
        raise text.mistake(
            other, "another decorator changes the function", "`@dipc.mechanism` must be the only one"
        )


def check_signature(text: FunctionText, parts: Declared) -> dict[str, fmpq]:
    """The arguments of the function are its inputs, and parameters with their values."""
    arguments = text.node.args
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            raise text.mistake(extra, "a mechanism has a fixed list of inputs", "name each input")
    inputs = {declaration.name for declaration in parts.inputs}
    positional = [*arguments.posonlyargs, *arguments.args]
    known = text.function.__defaults__ or ()
    values = dict(zip((a.arg for a in positional[len(positional) - len(known) :]), known, strict=True))
    values |= text.function.__kwdefaults__ or {}
    defaults: dict[str, fmpq] = {}
    for argument in (*positional, *arguments.kwonlyargs):
        if argument.arg in inputs:
            if argument.arg in values:
                raise text.mistake(
                    argument,
                    f"the input `{argument.arg}` has a default",
                    "an input takes every value of its set: remove it",
                )
        elif argument.arg in values:
            defaults[argument.arg] = default(text, argument, values[argument.arg])
        else:
            hint = f'declare it: inputs="{argument.arg} in {{0, 1}}", or give it a value: `{argument.arg}=1`'
            raise text.mistake(
                argument,
                f"the argument `{argument.arg}` is neither an input nor a parameter",
                did_you_mean(argument.arg, inputs, hint),
            )
    names = [argument.arg for argument in (*positional, *arguments.kwonlyargs)]
    for declaration in parts.inputs:
        if declaration.name not in names:
            raise InputError(
                f"the input `{declaration.name}` is not an argument of `{text.node.name}`",
                declaration.span,
                f"add it: `def {text.node.name}({', '.join([*names, declaration.name])}):`",
            )
    return defaults


def default(text: FunctionText, argument: ast.arg, value: object) -> fmpq:
    """The value of a parameter."""
    exact = exact_number(value)
    if exact is None:
        raise text.mistake(
            argument,
            f"the parameter `{argument.arg}` is {described(value)}",
            "use an integer or a `Fraction`",
        )
    return exact


def declared_names(parts: Declared) -> Iterator[str]:
    """The names in declarations that may be constants from outside; members of a set are atoms."""
    found: list[Node | None] = []
    for declaration in (*parts.inputs, *parts.outputs):
        found += [declaration.size, declaration.domain if isinstance(declaration.domain, Range) else None]
    found += [parts.adjacency, parts.claim]
    for node in found:
        if node is not None:
            for expr in expressions(node):
                yield from sorted(names_in(expr))
