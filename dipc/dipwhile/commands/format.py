"""``dipc format``: programs in canonical style."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from dipc.child import held
from dipc.cli import options
from dipc.cli.failures import explain_failure
from dipc.cli.outcome import worst
from dipc.cli.terminal import say
from dipc.cli.work import reading
from dipc.clock import Clock, limits
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.syntax.format import arranged
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, InternalError, Source
from dipc.files import write_file
from dipc.shipped import STDIN, is_python, source_of

UNFORMATTED = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A program text as it was and as it should be."""

    file: str
    before: str
    after: str


@click.command(
    "format",
    epilog="""\b
Examples:
  dipc format mine.dip                  print it in canonical style
  dipc format --write mine.dip folder/  rewrite files in place
  dipc format --check --diff .          what would change, for CI
  dipc format - < mine.dip              from an editor
""",
)
@program_options.files()
@click.option("--check", "only_check", is_flag=True, help="Change nothing; name the files that would change.")
@click.option("--diff", is_flag=True, help="Change nothing; show what would change.")
@click.option("-i", "-w", "--write", is_flag=True, help="Rewrite the files.")
@options.limits
def format_(
    files: tuple[str, ...],
    only_check: bool,
    diff: bool,
    write: bool,
    time_limit: float | None,
    memory_limit: float | None,
) -> int:
    """Print each FILE in canonical style: spaces, indentation, one spelling of each sign.

    Lines, parentheses and comments stay.  A FILE is a file, a folder (all *.dip in it) or - for the standard
    input.

    Exit status: 0 done, or nothing to do; 1 with --check or --diff: something would change; 2 a file is not
    a program (it is left as it is); 3 over a limit.
    """
    if write and (only_check or diff):
        raise click.UsageError("--write changes files, --check and --diff do not: choose one of them")
    comparison = partial(_compare, check=only_check, diff=diff)
    action = _write if write else comparison if only_check or diff else _print

    def attempt(file: str) -> int:
        try:
            with limits(seconds=time_limit, megabytes=memory_limit), reading(file):
                text = held(Clock(), lambda: _text(file))
            return action(text)
        except Exception as error:  # does not stop the others
            return explain_failure(error)

    return worst(map(attempt, options.expanded(files)))


def _text(file: str) -> Text:
    """A program before and after.  Raises :class:`InternalError` rather than change its meaning."""
    if is_python(file):
        raise InputError(f"{file} is Python: this command writes programs in dipc's language")
    source, path = source_of(file), Path(file)
    program, after = parse(source), arranged(source.text)
    if after != source.text and parse(Source(source.name, after)) != program:
        raise InternalError(f"{file}: formatting would change the program: it is left as it is")
    if file == STDIN or not path.is_file():
        return Text(source.name, source.text, after)
    return Text(source.name, path.read_bytes().decode("utf-8"), after)  # other line ends are a difference


def _print(text: Text) -> int:
    say(text.after, end="")
    return 0


def _write(text: Text) -> int:
    if text.file == "<stdin>":
        return _print(text)
    if not Path(text.file).is_file():
        raise click.UsageError(f"{text.file} is a program that comes with dipc: it is not rewritten")
    if text.before != text.after:
        write_file(text.file, text.after)
        say(f"formatted {text.file}")
    return 0


def _compare(text: Text, check: bool, diff: bool) -> int:
    """Report what would change."""
    if text.before == text.after:
        return 0
    if check:
        say(f"would format {text.file}")
    if diff:
        before, after = text.before.split("\n"), text.after.split("\n")
        for line in difflib.unified_diff(before, after, text.file, f"{text.file} (formatted)", lineterm=""):
            colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
            say(click.style(line.replace("\r", "\\r"), fg=colour))
    return UNFORMATTED
