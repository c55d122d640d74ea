"""Mechanisms in Python files and modules: ``file.py``, ``file.py:name``, ``module:name``.

They are found by importing the file, as pytest imports a test: **its code is run**.  What it prints goes to
the standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import FunctionType, ModuleType

from dipc.dipwhile.decorator import IMPORTING, PythonMechanism, Refused, mechanism
from dipc.dipwhile.python.source import described, file_name, line_span
from dipc.errors import InputError, Source
from dipc.shipped import NoSuchProgram, reference
from dipc.suggest import did_you_mean

DECLARED = '--inputs "q in {0, 1}" --outputs "out in {0, 1}" --adjacent all --claim eps'
"""What the command line says about a function without a decorator, as an example."""


def mechanism_of(name: str, declarations: Mapping[str, str] | None = None) -> PythonMechanism:
    """The mechanism that a name of the command line means.

    ``declarations`` are the arguments of the decorator, for a function without it.
    """
    file, function = reference(name)
    module = imported(file)
    if not function:
        function = only(name, module)
    found = vars(module).get(function)
    if isinstance(found, Refused):
        raise found.error
    if isinstance(found, PythonMechanism):
        if declarations:
            hint = "leave out --inputs, --outputs and --adjacent, or remove the decorator"
            raise InputError(f"`{function}` in {file} declares its inputs and outputs itself", hint=hint)
        return found
    if found is None:
        known = [each for each, value in vars(module).items() if isinstance(value, PythonMechanism | Refused)]
        hint = did_you_mean(function, known)
        raise NoSuchProgram(f"{file}: there is no function `{function}`", hint=hint)
    if not isinstance(found, FunctionType):
        raise InputError(f"`{function}` in {file} is {described(found)}, not a mechanism")
    if not declarations:
        hint = f"decorate it with `@dipc.mechanism(...)`, or declare on the command line: {DECLARED}"
        raise InputError(f"`{function}` in {file} is not declared as a mechanism", hint=hint)
    return mechanism(**declarations)(found)


def only(name: str, module: ModuleType) -> str:
    """The only mechanism of a file."""
    own = [
        value.text.node.name
        for value in vars(module).values()
        if isinstance(value, PythonMechanism | Refused) and value.text.function.__module__ == module.__name__
    ]
    match list(dict.fromkeys(own)):
        case [one]:
            return one
        case []:
            hint = (
                f"decorate one with `@dipc.mechanism(...)`, or name one and declare it: {name}:f {DECLARED}"
            )
            raise InputError(f"{name}: there is no mechanism in this file", hint=hint)
        case several:
            names = ", ".join(f"{name}:{each}" for each in several)
            raise InputError(
                f"{name}: there are {len(several)} mechanisms in this file", hint=f"one of: {names}"
            )


def imported(name: str) -> ModuleType:
    """The module in a file, or of a name.  Raises :class:`InputError` for errors in its code."""
    if not name.endswith(".py"):
        with first_on_path(Path.cwd()), user_errors(name):
            return import_module(name)
    path = Path(name).resolve()
    if not path.is_file():
        raise NoSuchProgram(f"{name}: no such file or program")
    return in_file(path, path.stat().st_mtime_ns)


@cache
def in_file(path: Path, changed: int) -> ModuleType:
    """The module in a file, imported under its usual name; ``changed`` is when the file was written."""
    folder, name = path.parent, path.stem
    while (folder / "__init__.py").exists():
        folder, name = folder.parent, f"{folder.name}.{name}"
    other = sys.modules.get(name)
    if other is not None and getattr(other, "__file__", None) != str(path):
        name = str(path)  # leave that module alone
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        with first_on_path(folder), user_errors(file_name(str(path))):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def first_on_path(folder: Path) -> Iterator[None]:
    """Modules are looked for in a folder, too, from now on: functions may import what they need later."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    yield


@contextmanager
def user_errors(name: str) -> Iterator[None]:
    """What code raises while it is imported becomes an error at its last line outside of libraries."""
    importing = IMPORTING.set(True)
    try:
        with redirect_stdout(sys.stderr):
            yield
    except InputError:
        raise
    except SyntaxError as error:
        raise at(error.filename or name, error.lineno, f"{error.msg}", name) from None
    except (Exception, SystemExit) as error:
        frames = [frame for frame in extract_tb(error.__traceback__) if is_own(frame.filename)]
        place = (frames[-1].filename, frames[-1].lineno) if frames else (name, None)
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise at(*place, what, name) from None
    finally:
        IMPORTING.reset(importing)


def is_own(file: str) -> bool:
    """Whether a file is of the user: none of dipc, of Python or of an installed library."""
    parts = Path(file).parts
    return (
        file.endswith(".py")
        and "site-packages" not in parts
        and not any(
            Path(file).is_relative_to(folder)
            for folder in (Path(__file__).parents[1], Path(sys.base_prefix) / "lib")
        )
    )


def at(file: str, line: int | None, message: str, name: str) -> InputError:
    """The error at a line of a file, or about a module."""
    hint = "dipc imports the file, which runs its code"
    if line is None or not Path(file).is_file():
        return InputError(f"{name}: {message}", hint=hint)
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    return InputError(message, line_span(Source(file_name(file), text), line), hint)
