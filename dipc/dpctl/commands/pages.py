"""``dipc plot`` and ``dipc report`` of a formula about a Markov model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dipc.cli import options
from dipc.cli.terminal import say
from dipc.cli.work import work
from dipc.dpctl.model import MarkovModel, load_model
from dipc.dpctl.page import report_model_html
from dipc.dpctl.panels import plot_model
from dipc.files import write_file
from dipc.report.attempts import PATIENCE
from dipc.report.page import refuse_no_page
from dipc.shipped import STDIN


@dataclass(frozen=True, kw_only=True)
class Given(options.About):
    """The model and the formula."""

    formula: str | None = None

    def written(self, target: Path, write: Callable[[MarkovModel], None]) -> int:
        """Write the file, within the limits."""
        options.refuse_overwriting(target, self.file)
        with work(f"writing {target}", *self.limits) as running:
            running.held(lambda: write(load_model(self.file, options.defined(self.definitions))))
        say(f"wrote {target}")
        return 0


def about_a_formula(command: Callable[..., int]) -> Callable[..., int]:
    """FILE, the formula and the options of both commands; they become the first argument."""
    found = options.gathered(Given, command)
    for option in (
        options.memory_limit(),
        options.time_limit(default=PATIENCE, show_default=True),
        options.at(),
        click.option("--formula", metavar="TEXT", help="The formula: see `dipc model --help`."),
        options.definitions(help="Set a number of the model, for example -D N=4."),
    ):
        found = option(found)
    return click.argument("file", metavar="MODEL", type=options.MODEL)(found)


@click.command(
    epilog="""\b
Examples:
  dipc plot survey.dpm --formula "D[eps, 0](X out_1)"
""",
)
@about_a_formula
@options.output(help="The file: .png, .svg or .pdf [NAME.png].")
@click.option("--from", "low", metavar="EPS", help="Where the axis of eps begins.")
@click.option("--to", "high", metavar="EPS", help="Where it ends.")
@click.option("--log/--linear", "log", default=None, help="Its scale; linear by default.")
def plot(asked: Given, output: str | None, **ends: Any) -> int:
    """Draw a formula about MODEL, or its only property: probabilities, margins and regions, for every eps."""
    stem = Path(asked.file).stem if asked.file != STDIN else "plot"
    target = options.picture(output or f"{stem}.png")

    def draw(model: MarkovModel) -> None:
        options.save(plot_model(model, model.property(asked.formula, asked.at), **ends), target)

    return asked.written(target, draw)


@click.command(
    epilog="""\b
Examples:
  dipc report survey.dpm --formula "D[eps, 0](X out_1)"
  dipc report survey                           all properties of the file
""",
)
@about_a_formula
@options.output(help="The page to write [NAME.html].")
@click.option("--title", metavar="TEXT", help="The heading; by default the name of the model.")
def report(asked: Given, output: str | None, title: str | None) -> int:
    """Write a page about a formula on MODEL, or all its properties: the verdict, the witness and plots.

    The exit status is 0 if the page was written, whatever the verdict.
    """
    target = Path(output or ("report.html" if asked.file == STDIN else f"{Path(asked.file).stem}.html"))
    refuse_no_page(target)

    def write(model: MarkovModel) -> None:
        given = asked.formula is not None or asked.at is not None
        formula = model.property(asked.formula, asked.at) if given else None
        page = report_model_html(model, formula, title=title)
        write_file(target, page)

    return asked.written(target, write)
