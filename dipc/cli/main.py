"""The command line: one file per sub-command.

Exit status: 0 private, 1 violated, 2 broken input, 3 undecided, over a limit, or a defect of dipc, 130
interrupted.  A crash must never look like a verdict, so nothing but a violation ends with 1.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from dipc import __version__
from dipc.cli.check import check
from dipc.cli.decide import decide
from dipc.cli.distribution import distribution
from dipc.cli.export import export
from dipc.cli.failures import BROKEN_INPUT, error_record, explained, kind_of
from dipc.cli.format import format_
from dipc.cli.new import new
from dipc.cli.options import TEXT
from dipc.cli.programs import programs
from dipc.cli.terminal import colour_option, make_robust
from dipc.cli.verify import verify

CLOSED = 141  # what a shell reports for a process that wrote into a closed pipe


class PipeClosed(Exception):
    """Whoever read our output has gone.  Click would end with 1, which means a violation."""


@contextmanager
def reader_may_go() -> Iterator[None]:
    """A broken pipe becomes :class:`PipeClosed`, which click does not know."""
    try:
        yield
    except BrokenPipeError:
        raise PipeClosed from None


class Commands(click.Group):
    """The group of all sub-commands."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with reader_may_go():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with reader_may_go():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dipc")
def cli() -> None:
    """Decide differential privacy: a proof for every privacy budget, or an exact counterexample.

    \b
    dipc check svt1                        the claim that the program makes
    dipc check svt1 -D N=4                 with another parameter
    dipc check svt1 --claim "3/4*eps"      another claim
    dipc check svt1 --certificate svt1.json      and then:  dipc verify svt1.json --deep
    dipc distribution svt1 --input "q=[0,1,1]"
    dipc decide "forall eps > 0: exp(eps) >= 1 + eps"
    dipc export svt1 --to mathematica -o svt1.wl
    """


cli.add_command(check)
cli.add_command(decide)
cli.add_command(distribution)
cli.add_command(export)
cli.add_command(format_)
cli.add_command(new)
cli.add_command(programs)
cli.add_command(verify)


for _command in cli.commands.values():
    for _parameter in _command.params:
        if _parameter.type is click.STRING:
            _parameter.type = TEXT
    _command.params.append(colour_option())


def run() -> None:
    """Entry point of the console script."""
    make_robust()
    code = status(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = CLOSED
    if code == CLOSED:  # nobody reads any more: nothing is left to be said at the end either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def status(arguments: list[str]) -> int:
    """Run the command line and give its exit status; every failure is a message, never a traceback.

    >>> status(["check", "none.dip", "--json"])  # doctest: +ELLIPSIS
    {"error": {"kind": "file", "message": "none.dip: no such file or program", "place": null, "help": ...}}
    2
    """
    try:
        result = cli.main(arguments, prog_name="dipc", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except NO_ARGUMENTS as error:
        error.show()
        return BROKEN_INPUT
    except PipeClosed:
        return CLOSED
    except (Exception, KeyboardInterrupt) as error:  # a crash must not be mistaken for a verdict
        return failed(error, "--json" in arguments)


NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What newer versions of click raise to show the help page."""


def failed(error: BaseException, as_json: bool) -> int:
    """A message on the standard error and, if asked for, a record on the standard output; the exit status."""
    click.echo(str(explained(error)), err=True)
    if as_json:
        click.echo(json.dumps({"error": error_record(error)}))
    return kind_of(error)[1]
