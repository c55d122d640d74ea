"""The command line; its sub-commands are in the other files here.

Exit status: 0 private, 1 violated, 2 broken input, 3 undecided, over a limit, or a defect of dipc, 130
interrupted.  A crash must never look like a verdict, so nothing but a violation ends with 1.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click
from click.shell_completion import get_completion_class, shell_complete

from dipc.cli.failures import BROKEN_INPUT, error_record, explain_failure
from dipc.cli.group import Commands
from dipc.cli.terminal import make_robust, say
from dipc.version import __version__

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DIPC_COMPLETE"
CLOSED = 141  # what a shell reports for a process that wrote into a closed pipe


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
First steps:
  dipc programs                    the programs that come with dipc
  dipc check svt1                  a proof for every eps
  dipc check svt4 -D N=2           a counterexample
  dipc check svt1 --claim "3/4*eps for eps in (0, 1]"
  dipc new mine                    a program of your own, mine.dip, to edit
  dipc check mine.dip
  dipc check --help                everything about a command
""",
)
@click.version_option(__version__, prog_name="dipc")
def cli() -> None:
    """Decide differential privacy: a proof for every eps, or an exact counterexample.

    A FILE is a program in dipc's language, or the name of a program that comes with dipc.
    """


@click.command(
    short_help="Teach a shell to complete commands and names.",
    epilog="""\b
Examples:
  dipc completion bash >> ~/.bashrc
  dipc completion zsh >> ~/.zshrc
  dipc completion fish > ~/.config/fish/completions/dipc.fish
""",
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print a script that teaches a SHELL to complete commands, options, programs and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    # The script of bash is printed without asking the bash at hand for its version, which click would do.
    script = kind(cli, {}, "dipc", VARIABLE)
    say(script.source_template % script.source_vars())
    return 0


def run() -> None:
    """Entry point of the console script."""
    make_robust()
    if instruction := os.environ.get(VARIABLE):  # asked by a shell, see `dipc completion`
        sys.exit(shell_complete(cli, {}, "dipc", VARIABLE, instruction))
    code = status(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = CLOSED
    if code == CLOSED:  # nobody reads any more: Python must not try to flush when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def status(arguments: list[str]) -> int:
    """Run the command line and return its exit status; every failure is a message, never a traceback.

    >>> status(["check", "none.dip", "--json"])  # doctest: +ELLIPSIS
    {"error": {"kind": "file", "message": "none.dip: no such file or program", "place": null, "help": ...}}
    2
    """
    try:
        with cli.make_context("dipc", list(arguments)) as context:  # cli.main would end a closed pipe with 1
            result = cli.invoke(context)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except NO_ARGUMENTS as error:
        error.show()
        return BROKEN_INPUT
    except BrokenPipeError:
        return CLOSED
    except (Exception, KeyboardInterrupt) as error:  # a crash must not be mistaken for a verdict
        code = explain_failure(error)
        if "--json" in arguments:
            click.echo(json.dumps({"error": error_record(error)}))
        return code


NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What newer versions of click raise to show the help page of a group without a command."""
