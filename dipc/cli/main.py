"""The command line; its sub-commands are in the other files here.

Exit status: 0 private, 1 violated, 2 broken input, 3 undecided, over a limit, or a defect of dipc, 130
interrupted.  A crash must never look like a verdict, so nothing but a violation (or a number that differs,
of ``dipc papers``) ends with 1; an answer that could not be written is none, and ends with 2.  Where nobody
reads the output, or there is none, the status is that of the verdict.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class, shell_complete

from dipc.cli.failures import BROKEN_INPUT, error_record, explain_failure
from dipc.cli.group import ENTRIES, Commands
from dipc.cli.terminal import make_robust, say
from dipc.lazily import lazily
from dipc.version import __version__

if TYPE_CHECKING:
    import dipc.report.answer as answers
else:
    answers = lazily("dipc.report.answer")

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DIPC_COMPLETE"


@click.group(
    cls=Commands,
    homes={name: entry.home for name, entry in ENTRIES.items()},
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
    # For guesses: on a busy machine the threads of products of vectors wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(status(sys.argv[1:], os.environ.get(VARIABLE)))


def status(arguments: list[str], instruction: str | None = None) -> int:
    """Run the command line and return its exit status; every failure is a message, never a traceback.

    With an ``instruction`` complete what was typed, for a shell (see ``dipc completion``).

    >>> status(["check", "none.dip", "--json"])  # doctest: +ELLIPSIS
    {"format": "dipc answer", "version": 1, "kind": "error", ...none.dip: no such file or program...
    2
    """
    try:
        code = answered(arguments) if instruction is None else completed(instruction)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except NO_ARGUMENTS as error:
        error.show()
        return BROKEN_INPUT
    except (Exception, KeyboardInterrupt) as error:  # a crash must not be mistaken for a verdict
        return failed(error, "--json" in arguments)


def answered(arguments: list[str]) -> int:
    """Run the command line; failures are exceptions."""
    try:
        with cli.make_context("dipc", list(arguments)) as context:  # cli.main would end a closed pipe with 1
            result = cli.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0


def completed(instruction: str) -> int:
    """Answer a shell that asks how to complete what was typed."""
    return shell_complete(cli, {}, "dipc", VARIABLE, instruction)


def failed(error: BaseException, as_json: bool) -> int:
    """Say what went wrong, and find the exit status."""
    code = explain_failure(error)
    try:
        if as_json:
            click.echo(json.dumps(answers.envelope("error", {"error": error_record(error)})))
    except OSError as unwritten:
        return explain_failure(unwritten)
    return code


NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What newer versions of click raise to show the help page of a group without a command."""
