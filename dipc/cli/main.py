"""The command line: one file per sub-command.

Exit status: 0 private, 1 violated, 2 broken input, 3 undecided, over a limit, or a defect of dipc.  A
crash must never look like a verdict, so nothing but a violation ends with 1.
"""

from __future__ import annotations

import sys

import click

from dipc import __version__
from dipc.cli.check import check
from dipc.cli.distribution import distribution
from dipc.errors import DipcError, InputError, InternalError

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
    dipc distribution svt1.dip --input "q=[0,1,1]"
    """


cli.add_command(check)
cli.add_command(distribution)


def run() -> None:
    """Entry point of the console script."""
    sys.exit(status(sys.argv[1:]))


def status(arguments: list[str]) -> int:
    """Run the command line and give its exit status; every failure is a message, never a traceback."""
    try:
        result = cli.main(arguments, prog_name="dipc", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return BROKEN_INPUT
    except click.Abort:
        click.echo("interrupted: nothing was decided", err=True)
        return UNSETTLED
    except InternalError as error:
        return _defect(error)
    except InputError as error:
        click.echo(str(error), err=True)
        return BROKEN_INPUT
    except DipcError as error:
        click.echo(str(error), err=True)
        return UNSETTLED
    except OSError as error:
        click.echo(f"{error.filename or 'dipc'}: {error.strerror or error}", err=True)
        return BROKEN_INPUT
    except Exception as error:  # a crash must not be mistaken for a verdict
        return _defect(error)


def _defect(error: Exception) -> int:
    click.echo(f"dipc: internal error, nothing was decided: {type(error).__name__}: {error}", err=True)
    click.echo("This is a defect of dipc; please report it with the program.", err=True)
    return UNSETTLED
