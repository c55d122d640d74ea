"""The command line: one file per sub-command.

Exit status: 0 private, 1 violated, 2 broken input, 3 undecided, over a limit, or a defect of dipc.  A
crash must never look like a verdict, so nothing but a violation ends with 1.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click

from dipc import __version__
from dipc.cli.budget import budget, profile, regions
from dipc.cli.check import check
from dipc.cli.decide import decide
from dipc.cli.distribution import distribution
from dipc.cli.export import export
from dipc.cli.options import TEXT
from dipc.cli.verify import verify
from dipc.errors import FragmentError, InputError, InternalError, LimitReached, Source, Span, Unsupported
from dipc.mechanism import CLAIM_NAME

BROKEN_INPUT = 2
UNSETTLED = 3


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dipc")
def cli() -> None:
    """Decide differential privacy: a proof for every privacy budget, or an exact counterexample.

    \b
    dipc check svt1.dip                        the claim that the program makes
    dipc check svt1.dip -D N=4                 with another parameter
    dipc check svt1.dip --claim "3/4*eps"      another claim
    dipc check svt1.dip --certificate svt1.json      and then:  dipc verify svt1.json --deep
    dipc distribution svt1.dip --input "q=[0,1,1]"
    dipc decide "forall eps > 0: exp(eps) >= 1 + eps"
    dipc export svt1.dip --to mathematica -o svt1.wl
    """


cli.add_command(budget)
cli.add_command(check)
cli.add_command(decide)
cli.add_command(distribution)
cli.add_command(export)
cli.add_command(profile)
cli.add_command(regions)
cli.add_command(verify)


for _command in cli.commands.values():
    for _parameter in _command.params:
        if _parameter.type is click.STRING:
            _parameter.type = TEXT


def run() -> None:
    """Entry point of the console script."""
    sys.exit(status(sys.argv[1:]))


def status(arguments: list[str]) -> int:
    """Run the command line and give its exit status; every failure is a message, never a traceback.

    >>> status(["check", "none.dip", "--json"])
    {"error": {"kind": "file", "message": "none.dip: No such file or directory", "place": null, "help": null}}
    2
    """
    try:
        result = cli.main(arguments, prog_name="dipc", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except NO_ARGUMENTS as error:
        error.show()
        return BROKEN_INPUT
    except Exception as error:  # a crash must not be mistaken for a verdict
        return failed(error, "--json" in arguments)


NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What newer versions of click raise to show the help page."""

KINDS: tuple[tuple[type[Exception], str, int], ...] = (
    (click.Abort, "interrupted", UNSETTLED),
    (click.ClickException, "usage", BROKEN_INPUT),
    (InternalError, "internal", UNSETTLED),
    (FragmentError, "fragment", BROKEN_INPUT),
    (Unsupported, "unsupported", BROKEN_INPUT),
    (InputError, "input", BROKEN_INPUT),
    (LimitReached, "limit", UNSETTLED),
    (OSError, "file", BROKEN_INPUT),
    (Exception, "internal", UNSETTLED),
)
"""What went wrong, and the exit status; the first class that fits is taken."""


def failed(error: Exception, as_json: bool) -> int:
    """A message on the standard error and, if asked for, a record on the standard output; the exit status."""
    kind, code = next((kind, code) for base, kind, code in KINDS if isinstance(error, base))
    said = explained(error)
    click.echo(str(said), err=True)
    if as_json and not isinstance(error, BrokenPipeError):
        record = {
            "kind": kind,
            "message": said.message,
            "place": said.span.place if said.span else None,
            "help": said.hint or None,
        }
        click.echo(json.dumps({"error": record}))
    return code


def explained(error: Exception) -> InputError:
    """Every failure in the form of our own errors."""
    match error:
        case InputError(span=Span(Source(name)) as span) if name == CLAIM_NAME:
            error.span = Span(Source("--claim", span.source.text), span.start, span.end)
            return error
        case InputError():
            return error
        case click.Abort():
            return InputError("interrupted: nothing was decided")
        case click.ClickException():
            return InputError(plain(error.format_message()), hint=usage_help(error))
        case LimitReached():
            return InputError(str(error))
        case OSError():
            name = f"{error.filename}: " if error.filename else ""
            return InputError(f"{name}{error.strerror or error}")
    return InputError(
        f"internal error, nothing was decided: {type(error).__name__}: {error}",
        hint="this is a defect of dipc; please report it with the program",
    )


def plain(message: str) -> str:
    """A message of click in our style.

    >>> plain("Invalid value for '-D': 'N' is not of the form NAME=VALUE.")
    'invalid value for `-D`: `N` is not of the form NAME=VALUE'
    """
    quoted = re.sub(r"'([^']*)'", r"`\1`", message).removesuffix(".")
    return quoted[:1].lower() + quoted[1:]


def usage_help(error: click.ClickException) -> str:
    """Which help page shows the options."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"the options are shown by `{context.command_path if context else 'dipc'} --help`"
