"""Every failure as a message, a kind and an exit status."""

from __future__ import annotations

import re
from typing import Any

import click

from dipc.errors import (
    CLAIM_NAME,
    COMPARISON_NAME,
    EPSILON_NAME,
    HORIZON_NAME,
    FragmentError,
    InputError,
    InternalError,
    LimitReached,
    Source,
    Span,
    Unsupported,
)

INTERRUPTED = 130  # of a process that Ctrl-C ended, by convention
BROKEN_INPUT = 2
UNSETTLED = 3


class Interrupted(LimitReached):
    """The user does not want to wait any longer."""


KINDS: tuple[tuple[type[BaseException], str, int], ...] = (
    (Interrupted, "interrupted", INTERRUPTED),
    (KeyboardInterrupt, "interrupted", INTERRUPTED),
    (click.Abort, "interrupted", INTERRUPTED),
    (click.ClickException, "usage", BROKEN_INPUT),
    (InternalError, "internal", UNSETTLED),
    (FragmentError, "fragment", BROKEN_INPUT),
    (Unsupported, "unsupported", BROKEN_INPUT),
    (OSError, "file", BROKEN_INPUT),
    (InputError, "input", BROKEN_INPUT),
    (LimitReached, "limit", UNSETTLED),
    (BaseException, "internal", UNSETTLED),
)
"""The kind of each error and its exit status; the first class that fits counts."""


OPTIONS = {
    CLAIM_NAME: "--claim",
    EPSILON_NAME: "--epsilon",
    COMPARISON_NAME: "--compare",
    HORIZON_NAME: "--horizon",
}
"""The options whose texts have these names in messages."""


def kind_of(error: BaseException) -> tuple[str, int]:
    """The kind of an error and its exit status."""
    return next((kind, code) for base, kind, code in KINDS if isinstance(error, base))


def explain_failure(error: BaseException) -> int:
    """Print the message of an error on stderr; return its exit status."""
    click.echo(str(explained(error)), err=True)
    return kind_of(error)[1]


def error_record(error: BaseException) -> dict[str, Any]:
    """An error for machines."""
    said, kind = explained(error), kind_of(error)[0]
    place = said.span.place if said.span else None
    return {"kind": kind, "message": said.message, "place": place, "help": said.hint or None}


def explained(error: BaseException) -> InputError:
    """Every failure in the form of our own errors."""
    match error:
        case InputError(span=Span(Source(name)) as span) if name in OPTIONS:
            error.span = Span(Source(OPTIONS[name], span.source.text), span.start, span.end)
            return error
        case InputError():
            return error
        case click.Abort() | KeyboardInterrupt() | Interrupted(args=("interrupted",)):
            return InputError("interrupted: nothing was decided")
        case click.ClickException():
            context = getattr(error, "ctx", None)
            option = getattr(error, "option_name", "")
            command = context.command_path.partition(" ")[2] if context else ""
            if advice := ELSEWHERE.get((command, option)):
                return InputError(f"no such option `{option}`", hint=advice)
            hint = f"the options are shown by `{context.command_path if context else 'dipc'} --help`"
            return InputError(plain(error.format_message()), hint=hint)
        case LimitReached():
            return InputError(str(error))
        case OSError():
            name = f"{error.filename}: " if error.filename else ""
            return InputError(f"{name}{error.strerror or error}")
        case MemoryError():
            return InputError("the memory ran out: nothing was decided")
    hint = "this is a defect of dipc; please report it with the program"
    return InputError(f"internal error, nothing was decided: {type(error).__name__}: {error}", hint=hint)


IN_CLAIM = "the interval is part of the claim: --claim 'eps for eps in (0, 1]'"
IN_FORMULA = "the range follows the formula: 'D[eps, 0](F out) for eps in (0, 1]'"
ELSEWHERE = {
    **{(command, "--for"): IN_CLAIM for command in ("check", "regions", "report", "explain")},
    **{(f"model {name}", "--for"): IN_FORMULA for name in ("check", "value", "regions")},
    ("model check", "--claim"): "give a formula: 'D[eps, 0](F out)'",
    ("check", "--epsilon"): "give a claim: --claim 'eps/2'",
    ("check", "--delta"): "delta is part of the claim: --claim 'eps/2, exp(-2)'",
    ("check", "--input"): "two inputs are compared: --pair 'q=[0,1]' 'q=[1,1]'",
    ("budget", "--claim"): "this finds the least t: give a range of eps, --for '(0, 1]'",
    ("budget", "--epsilon"): "this finds the least t; for the least delta at an epsilon: dipc profile",
    ("profile", "--claim"): "this finds the least delta: give an epsilon, --epsilon 'eps/2'",
}
"""What to write instead of an option that only other commands have."""


def plain(message: str) -> str:
    """A message of click in our style.

    >>> plain("Invalid value for '-D': 'N' is not of the form NAME=VALUE.")
    'invalid value for `-D`: `N` is not of the form NAME=VALUE'
    """
    quoted = re.sub(r"'([^']*)'", r"`\1`", message).removesuffix(".")
    return quoted[:1].lower() + quoted[1:]
