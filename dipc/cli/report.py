"""``dipc report``: all about a program on one page."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from dipc.cli import options
from dipc.cli.interrupt import INTERRUPTED
from dipc.cli.terminal import say
from dipc.cli.work import say_left_out, work
from dipc.report.page import refuse_no_page, report_html
from dipc.report.study import PATIENCE, Attempts
from dipc.shipped import STDIN


@click.command(
    short_help="Write all about a program on one HTML page.",
    epilog="""\b
Examples:
  dipc report svt4 -o svt4.html
  dipc report svt1 -D N=4 --title "SVT, four queries"
  dipc report sparse --claim "eps/2, exp(-3)" --time-limit 60
""",
)
@options.program
@options.output(help="The page to write [NAME.html].")
@click.option("--title", metavar="TEXT", help="The heading; by default the name of the program.")
@options.claim()
@options.at(help="The eps at which distributions are shown, for example 1/2.")
@options.time_limit(
    default=PATIENCE, show_default=True, help="For each part; what takes longer is left out, with a note."
)
def report(asked: options.Asked, output: str | None, title: str | None) -> int:
    """Write a page about FILE: the verdict, the counterexample or a proof, plots, and files to check it.

    The page is one file that loads nothing and runs no script.  The exit status is 0 if the page was written,
    whatever the verdict (for that, use `dipc check`).  After Ctrl-C the page is written with what is known,
    and the exit status is 130.
    """
    target = Path(output or ("report.html" if asked.file == STDIN else f"{PurePath(asked.file).stem}.html"))
    refuse_no_page(target)
    options.refuse_overwriting(target, asked.file)
    mechanism = asked.load()
    with work(f"report of {asked.file}") as running:
        attempts = Attempts(asked.time_limit, running.within, running.progress)
        page = report_html(mechanism, asked.claim, title=title, at=asked.at, attempts=attempts)
    target.write_text(page, encoding="utf-8", errors="replace")
    say_left_out(attempts.notes)
    say(f"wrote {target}")
    return INTERRUPTED if running.stop.pressed else 0
