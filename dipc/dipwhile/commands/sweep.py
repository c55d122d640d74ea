"""``dipc sweep``: one question about a program, for every combination of values of its parameters."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from math import inf, prod
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from flint import fmpq

from dipc.claims.rows import data, record
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.wording import Record
from dipc.cli import options, tasks
from dipc.cli.failures import Interrupted, error_record, explained, kind_of
from dipc.cli.outcome import worst
from dipc.cli.terminal import answer, encodable, say, write
from dipc.cli.work import asking, reading
from dipc.clock import Progress
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.commands.check import decided
from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.mechanisms import Mechanism
from dipc.errors import InputError
from dipc.lazily import lazily
from dipc.report.answer import answer_text, envelope
from dipc.report.sampling import as_float
from dipc.report.tightness import enclosure, rows_of, where
from dipc.shipped import STDIN, is_python
from dipc.suggest import did_you_mean

if TYPE_CHECKING:
    import dipc.report.canvas as canvas
else:
    canvas = lazily("dipc.report.canvas")

WIDTH = 80  # of the table
MOST = 10_000  # questions

Point = Mapping[str, str]  # the parameters that vary, with their values


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer at one point: as JSON of a ``kind``, and in words; ``number`` is what a plot shows."""

    point: Point
    kind: str
    record: Record
    word: str
    remark: str
    seconds: float
    status: int
    number: fmpq | None = None

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.kind == "error" and self.status == 130


@dataclass(frozen=True, kw_only=True)
class Swept(program_options.Given):
    """What is asked at every point; the warnings about a program are those of ``dipc check``."""

    def load(self) -> Mechanism:
        with reading(self.name):
            return self._read()

    def at_point(self, point: Point) -> Swept:
        """The question at one point."""
        return replace(self, definitions=(*self.definitions, *(f"{k}={v}" for k, v in point.items())))


@click.command(
    epilog="""\b
Examples:
  dipc sweep svt1 --each N=1..5 --ask budget
  dipc sweep svt1 --each N=1..6
  dipc sweep svt1 --each N=1..4 --each c=1..3 --ask budget --csv svt1.csv
  dipc sweep svt1 --each N=1..6 --ask budget --plot svt1.png
  dipc sweep svt4 --each N=1,2,4 --each Delta=1/2,1 --time-limit 10 --jobs 4
  dipc sweep svt1 --each N=1..8 --cluster dask://localhost:8786
""",
)
@click.argument("file", type=options.FILE)
@click.option(
    "--each",
    multiple=True,
    required=True,
    metavar="NAME=VALUES",
    help="The values of a parameter, such as N=1..8 or N=1,2,4; the first --each varies slowest.",
)
@click.option(
    "--ask",
    type=click.Choice(["check", "budget"]),
    default="check",
    show_default=True,
    help="The verdict on the claim, or the least t as in 'dipc budget'.",
)
@options.definitions()
@options.claim()
@options.at()
@program_options.interval(help="For 'budget': the range of eps, for example '(0, 1]'.")
@options.time_limit(help="Give up each question after this many seconds.")
@options.memory_limit(help="Give up each question beyond this memory.")
@tasks.options
@options.json()
@click.option("--csv", "csv_file", type=options.TARGET, metavar="OUT", help="Write the table as CSV.")
@click.option("--plot", "plot_file", metavar="OUT", help="Draw the least t, or the seconds (png, svg, pdf).")
def sweep(
    each: tuple[str, ...],
    ask: str,
    workers: tasks.Workers,
    csv_file: str | None,
    plot_file: str | None,
    **given: Any,
) -> int:
    """Ask about FILE for every combination of values of its parameters.

    The rows come in the order of the values, each as soon as it is known, whatever --jobs and --cluster say.

    Exit status: that of the worst row, as in 'dipc check' for several programs.
    """
    wanted, ranges = Swept(**given), ranges_of(each)
    _refuse_contradictions(wanted, ask, ranges)
    target = None if plot_file is None else options.picture(plot_file)
    for file in (csv_file, target):
        options.refuse_overwriting(file, wanted.file)
    if not is_python(wanted.file):
        _refuse_unknown(wanted, ranges)
    points = [dict(zip(ranges, values, strict=True)) for values in itertools.product(*ranges.values())]
    start, table = monotonic(), Table(ask, ranges)
    answers: list[Answer] = []
    for found in tasks.in_turn("question", partial(answered, wanted, ask), failed, points, workers):
        answers.append(found)
        if not wanted.as_json:
            table.show(found)
    if wanted.as_json:
        say(_json(wanted, ask, ranges, answers, monotonic() - start))
    if csv_file is not None:
        write(_csv(table.heads, answers), csv_file)
    if target is not None:
        options.save(canvas.sheet([_panel(ask, ranges, answers)]), target)
    return worst(found.status for found in answers)


# --- what is asked -------------------------------------------------------------------------------


def ranges_of(each: Sequence[str]) -> dict[str, list[str]]:
    """The values of each parameter.

    >>> ranges_of(["N=1..3", "c=1,1/2"])
    {'N': ['1', '2', '3'], 'c': ['1', '1/2']}
    """
    ranges = {
        name: [value for part in values.split(",") for value in _values(part.strip())]
        for name, values in options.defined(tuple(each), "`--each`").items()
    }
    if len(ranges) < len(each):
        raise click.UsageError("--each names the same parameter twice")
    number = prod(map(len, ranges.values()))
    if number > MOST:
        raise InputError(f"a sweep of {number} questions", hint=f"give values for at most {MOST}")
    return ranges


INTERVAL = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})", re.ASCII)


def _values(part: str) -> list[str]:
    if match := INTERVAL.fullmatch(part):
        low, high = map(int, match.groups())
        if low > high:
            raise InputError(f"--each {part}: there is no value in this range")
        if high - low >= MOST:
            raise InputError(f"--each {part}: these are {high - low + 1} values", hint=f"at most {MOST}")
        return [str(value) for value in range(low, high + 1)]
    return [part]


def _refuse_contradictions(wanted: Swept, ask: str, ranges: Mapping[str, Sequence[str]]) -> None:
    if wanted.file == STDIN:
        raise click.UsageError("a sweep reads its program many times: give a file")
    if ask == "check" and wanted.budgets is not None:
        raise click.UsageError("--for is about the least t: write the range in --claim '... for eps in ...'")
    if ask == "budget" and wanted.claim is not None:
        raise click.UsageError("--claim is about a verdict: leave it out, or --ask budget")
    if twice := sorted(ranges.keys() & options.defined(wanted.definitions).keys()):
        raise click.UsageError(f"`{twice[0]}` is set by -D and by --each")


def _refuse_unknown(wanted: Swept, ranges: Mapping[str, Sequence[str]]) -> None:
    """Raise :class:`InputError` for what is wrong whatever the values: one error, not one in every row."""
    known = wanted.load().parameters
    for name in ranges:
        if name not in known:
            message = f"the program has no parameter `{name}`"
            raise InputError(message, hint=did_you_mean(name, known, f"its parameters: {', '.join(known)}"))


def answered(wanted: Swept, ask: str, point: Point, progress: Progress) -> Answer:
    """The answer at one point."""
    asked = wanted.at_point(point)
    if ask == "budget":
        return _budget(asked, point, progress)
    found, _ = decided(asked, progress)
    if found.interrupted:
        assert found.error is not None
        return failed(point, found.seconds, found.error)
    said = found.record["answer"]
    return Answer(point, "check", said, found.word, found.remark, found.seconds, found.status)


def _budget(asked: Swept, point: Point, progress: Progress) -> Answer:
    start = monotonic()
    with asking(*asked.limits, progress):
        found: LeastEpsilon = asked.load().budget(**asked.restrictions)
    seconds = monotonic() - start
    rows = [*rows_of(found), data("seconds", round(seconds, 6))]
    spots = "; ".join(dict.fromkeys(where(spot, found.least.attained) for spot, _ in found.witnesses))
    said, high = envelope("budget", record(rows))["answer"], found.least.high
    return Answer(point, "budget", said, enclosure(found.least), spots, seconds, 0, high)


def failed(point: Point, seconds: float, error: BaseException) -> Answer:
    """The row of a question that has no answer."""
    said, (_, status) = explained(error), kind_of(error)
    word = "interrupted" if isinstance(error, Interrupted) else "undecided" if status == 3 else "error"
    return Answer(point, "error", {"error": error_record(error)}, word, said.message, seconds, status)


# --- how it is shown -----------------------------------------------------------------------------


class Table:
    """Prints a row as soon as it is known, under the headings: 80 columns, cut at the remark."""

    def __init__(self, ask: str, ranges: Mapping[str, Sequence[str]]) -> None:
        self.heads = (*ranges, "verdict" if ask == "check" else "least t", "seconds", "remark")
        answer_width = 11 if ask == "check" else 12
        shown = [max(map(len, (name, *values))) for name, values in ranges.items()]
        self.widths = (*shown, answer_width, 8)
        self.begun = False

    def show(self, found: Answer) -> None:
        """Print the next row."""
        if not self.begun:
            say(self._line(self.heads))
        self.begun = True
        cells = cells_of(found)
        line, at = self._line(cells), sum(width + 2 for width in self.widths[: len(found.point)])
        say(line[:at] + answer(found.word) + line[at + len(found.word) :])

    def _line(self, cells: Sequence[str]) -> str:
        cells = [encodable(cell.replace("\n", " ")) for cell in cells]
        line = "  ".join([*map(str.ljust, cells, self.widths), cells[-1]]).rstrip()
        return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."


def cells_of(found: Answer) -> tuple[str, ...]:
    """The cells of a row, as texts."""
    return (*found.point.values(), found.word, f"{found.seconds:.2f}", found.remark)


def _csv(heads: Sequence[str], answers: Sequence[Answer]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *map(cells_of, answers)])
    return text.getvalue()


def _json(
    wanted: Swept, ask: str, ranges: Mapping[str, Sequence[str]], answers: Sequence[Answer], seconds: float
) -> str:
    rows = [{"parameters": dict(a.point), "kind": a.kind, "answer": a.record} for a in answers]
    found = {
        "program": wanted.name,
        "parameters": options.defined(wanted.definitions),
        "each": ranges,
        "ask": ask,
        "claim": wanted.claim,
        "for": wanted.budgets or wanted.at,
        "rows": rows,
        "seconds": round(seconds, 6),
    }
    return answer_text("sweep", [data(key, value) for key, value in found.items()])


def _panel(ask: str, ranges: Mapping[str, Sequence[str]], answers: Sequence[Answer]) -> canvas.Panel:
    """A curve over the values of the first parameter for each combination of the others."""
    across, *others = ranges
    curves: dict[str, list[tuple[float, float]]] = {}
    for found in answers:
        if found.kind != "error":
            name = ", ".join(f"{key} = {found.point[key]}" for key in others)
            y = inf if found.number is None else as_float(found.number)
            place = (
                as_float(to_rational(found.point[across], across)),
                y if ask == "budget" else found.seconds,
            )
            curves.setdefault(name, []).append(place)
    colours = itertools.cycle(canvas.COLOURS)
    marks = [
        canvas.Line([x for x, _ in points], [y for _, y in points], {"color": colour, "marker": "o"}, name)
        for (name, points), colour in zip(curves.items(), colours, strict=False)
    ]
    what = "least t" if ask == "budget" else "seconds"
    axes = canvas.Axis(across), canvas.Axis(what, low=0)
    return canvas.Panel("sweep", f"{what} over {across}", "", marks, *axes)
