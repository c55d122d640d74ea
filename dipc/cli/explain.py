"""``dipc explain``: where the privacy loss comes from, in words and formulas."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from time import monotonic

import click

from dipc.claims.wording import Line
from dipc.cli.document import program_rows, show
from dipc.cli.options import SECONDS, load, program_options
from dipc.cli.work import work
from dipc.dipwhile.convert import Inputs
from dipc.dipwhile.explain.explanation import MOST_PATHS, Explanation, Reason
from dipc.dipwhile.syntax.parser import parse_valuation
from dipc.report.document import Row, Section, data
from dipc.report.explanation import explanation_document
from dipc.report.tightness import epsilon_text


@click.command(
    short_help="Tell where the privacy loss comes from.",
    epilog="""\b
Examples:
  dipc explain svt4 -D N=2                    the counterexample, path by path
  dipc explain svt1 --at 1/2                  what needs the budget of a private program
  dipc explain svt1 --claim "eps/2"
  dipc explain svt1 --input "q=[0,1,1]" --neighbour "q=[1,1,1]" --output "out=[bot,top,bot]"
  dipc explain nmax3 --json
""",
)
@program_options
@click.option("--claim", metavar="TEXT", help="Instead of the program's claim, for example 'eps/2, exp(-2)'.")
@click.option("--input", "left", metavar="U", help="An input, for example 'q=[0,1]'.")
@click.option("--neighbour", "right", metavar="V", help="Its neighbour, for example 'q=[1,1]'.")
@click.option("--pair", nargs=2, metavar="U V", help="Both at once: --pair 'q=[0,1]' 'q=[1,1]'.")
@click.option("--output", metavar="O", help="An output, for example 'out=[bot,top]'.")
@click.option("--at", metavar="EPS0", help="Look at this eps, for example --at 1/2.")
@click.option(
    "--paths",
    "most",
    type=click.IntRange(min=1),
    default=MOST_PATHS,
    show_default=True,
    metavar="K",
    help="Show no more paths than this; the others are summed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record.")
@click.option("--time-limit", type=SECONDS, metavar="SECONDS", help="Give up after this time.")
def explain(
    file: str,
    definitions: tuple[str, ...],
    claim: str | None,
    left: str | None,
    right: str | None,
    pair: tuple[str, str] | None,
    output: str | None,
    at: str | None,
    most: int,
    as_json: bool,
    time_limit: float | None,
) -> int:
    """Tell where the privacy loss of FILE comes from: paths, samples, and the inequality that is tight.

    Of a violated claim the counterexample is explained, of a private one the inputs and the output that need
    the greatest budget; or those that are given.  The exit status is 0 whatever the verdict.
    """
    asked = _inputs(left, right, pair)
    if output is not None and asked is None:
        raise click.UsageError("--output is about two inputs: add --pair, or --input and --neighbour")
    start = monotonic()
    mechanism = load(file, definitions)
    with work(f"reading {file}", time_limit) as running:
        found = mechanism.explain(
            claim,
            pair=asked,
            output=None if output is None else parse_valuation(output, "--output"),
            at=at,
            paths=most,
            time_limit=time_limit,
            progress=running.progress,
        )
    seconds = data("seconds", round(monotonic() - start, 6))
    following = commands(found, file, definitions, claim, whole=asked is None and at is None)
    first, *others = explanation_document(found)
    head = Section("", (*program_rows(file, mechanism.parameters), *first.rows))
    ways = data("next", [command for command, _ in following])
    last = Section("Next", (*(Row(*line) for line in following), ways, seconds))
    show((head, *others, last), as_json)
    return 0


def _inputs(left: str | None, right: str | None, pair: tuple[str, str] | None) -> Sequence[Inputs] | None:
    """The two inputs of ``--pair``, or of ``--input`` and ``--neighbour``; None if none were given."""
    if pair and (left is not None or right is not None):
        raise click.UsageError("the inputs are given twice: leave out --pair, or --input and --neighbour")
    names = ("--pair (first)", "--pair (second)") if pair else ("--input", "--neighbour")
    left, right = pair or (left, right)
    if (left is None) != (right is None):
        raise click.UsageError("two inputs are compared: give both --input and --neighbour")
    if left is None or right is None:
        return None
    return parse_valuation(left, names[0]), parse_valuation(right, names[1])


def commands(
    found: Explanation, file: str, definitions: Iterable[str], claim: str | None, whole: bool
) -> list[Line]:
    """What to type next, and what for.  ``whole``: it was about all inputs and all budgets of the claim."""
    program = " ".join([shlex.quote(file), *(f"-D {shlex.quote(definition)}" for definition in definitions)])
    given = "" if claim is None else f" --claim {shlex.quote(claim)}"
    has_delta = found.claimed is not None and bool(found.claimed.goal.delta)
    if found.reason is Reason.ASKED:
        return [(f"dipc explain {program}{given}", "the inputs and the output that matter most")]
    if found.reason is Reason.TIGHTEST and not has_delta and whole:
        return _after_a_proof(found, program)
    if has_delta:
        assert found.claimed is not None
        epsilon = f" --epsilon {shlex.quote(found.claimed.goal.epsilon)}" if claim is not None else ""
        first = (f"dipc profile {program}{epsilon}", "the least delta that is enough for all inputs")
    else:
        first = (f"dipc budget {program}", "the least t that is enough for all inputs and every eps")
    if found.reason is Reason.VIOLATED:
        return [first, (f"dipc regions {program}{given}", "every eps at which the claim breaks")]
    return [first]


def _after_a_proof(found: Explanation, program: str) -> list[Line]:
    lines = [(f"dipc budget {program} --epsilon-curve", "the exact loss as a function of eps")]
    exact = None if found.tightness is None else found.tightness.least.exact
    if exact is None or (found.claimed is not None and found.claimed.goal.t == exact):
        return lines  # the claim itself is the strongest
    budgets = str(found.budgets)
    strongest = epsilon_text(exact) + (f" for eps in {budgets}" if budgets != "(0, inf)" else "")
    return [
        (f"dipc check {program} --claim {shlex.quote(strongest)}", "the strongest claim that holds"),
        *lines,
    ]
