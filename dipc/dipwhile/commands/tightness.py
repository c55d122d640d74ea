"""How tight a bound is, where a claim breaks, and why: budgets, profiles, regions and explanations."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

import click

import dipc.dipwhile.allsizes.answer as sizes
from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.rows import Row, data
from dipc.claims.wording import Line
from dipc.cli import options
from dipc.cli.asking import show_document, show_rows
from dipc.cli.work import work
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.explain.explanation import Explanation, Reason
from dipc.dipwhile.mechanisms import MOST_PATHS, Mechanism
from dipc.dipwhile.records.every_size import head_rows, least_rows
from dipc.dipwhile.records.explanation import explanation_document
from dipc.report.document import Section, time_row
from dipc.report.tightness import Tight, rows_of
from dipc.report.words import program_rows

T = TypeVar("T")


def tightness_options(command: Callable[..., int]) -> Callable[..., int]:
    """FILE, -D, and what ``budget``, ``profile`` and ``regions`` have in common."""
    return program_options.program(
        program_options.pair()(options.limits(options.verbose()(options.json()(command))))
    )


def computed(asked: program_options.Given, question: Callable[..., T]) -> tuple[Mechanism, T]:
    """The mechanism and what it answers, with a progress bar and a limit."""
    with work(f"reading {asked.name}", *asked.limits):
        mechanism = asked.load()
        return mechanism, question(mechanism, **asked.restrictions)


width_option = click.option(
    "--width",
    default="1e-10",
    show_default=True,
    metavar="W",
    help="How narrow to enclose a number that is not found exactly.",
)


@click.command(
    epilog="""\b
Examples:
  dipc budget svt1
  dipc budget svt1 -D N=4 --for "(0, 1]"
  dipc budget svt1 --at 1/2
  dipc budget svt1 --epsilon-curve --json
  dipc budget nmax1 --range                   bounded range
  dipc budget svt1 --renyi 2                  the Renyi divergence of order 2
  dipc budget svt1 --all-sizes                for every N and all real inputs
""",
)
@tightness_options
@program_options.interval()
@options.at()
@width_option
@click.option("--epsilon-curve", is_flag=True, help="Also the exact privacy loss as a function of eps.")
@click.option("--all-sizes", is_flag=True, help="For every size and all inputs, as in 'dipc prove'.")
@click.option("--range", "bounded_range", is_flag=True, help="The least t of bounded range instead.")
@click.option(
    "--renyi",
    type=options.Count(least=2),
    metavar="A",
    help="The least t of the Renyi divergence of order A instead, an integer of at least 2.",
)
def budget(
    asked: program_options.Given,
    width: str,
    epsilon_curve: bool,
    all_sizes: bool,
    bounded_range: bool,
    renyi: int | None,
) -> int:
    """Find the least t such that FILE is (t*eps)-private for every eps.

    A rational t is exact, any other enclosed.  The report says where t is attained or approached, and which
    inputs and output need it.  With --all-sizes, exit status 3 says that the least t is not known.
    """
    if all_sizes:
        if bounded_range or renyi is not None:
            raise click.UsageError("--all-sizes is about the privacy loss: leave out --range and --renyi")
        if asked.restrictions or epsilon_curve:
            what = "--all-sizes is about every input and every eps"
            raise click.UsageError(f"{what}: leave out --pair, --at, --for and --epsilon-curve")
        return _for_all_sizes(asked)

    def answer(mechanism: Mechanism, **given: Any) -> list[Tight]:
        given = {**given, "range": bounded_range, "renyi": renyi}
        found: list[Tight] = [mechanism.budget(width=width, **given)]
        if epsilon_curve:
            found.append(mechanism.loss_curve(**given))
        return found

    return _answered("budget", answer, asked)


@click.command(
    epilog="""\b
Examples:
  dipc profile sparse --epsilon "eps/2"
  dipc profile svt1 --epsilon "eps/4" --for "[1, 2]"
  dipc profile svt1 --epsilon "eps/4" --at 3/2 --json
""",
)
@tightness_options
@program_options.interval()
@options.at()
@width_option
@click.option(
    "--epsilon", metavar="TEXT", help="For example 'eps/2'; by default that of the program's claim."
)
def profile(asked: program_options.Given, width: str, epsilon: str | None) -> int:
    """Find the least delta such that FILE is (t*eps, delta)-private, for each eps and for every eps."""
    return _answered("profile", lambda m, **given: [m.profile(epsilon, width=width, **given)], asked)


@click.command(
    epilog="""\b
Examples:
  dipc regions hist2
  dipc regions sparse --claim "eps/2, exp(-3)"
  dipc regions svt4 -D N=2 --json
""",
)
@tightness_options
@options.claim()
def regions(asked: program_options.Given) -> int:
    """Find all eps at which FILE violates its claim, over all adjacent inputs and all outputs."""
    return _answered("regions", lambda m, **given: [m.violating_budgets(asked.claim, **given)], asked)


def _for_all_sizes(asked: program_options.Given) -> int:
    """Print the line ``least t`` of ``dipc prove``; the status is 3 if the least t is not known."""
    start = monotonic()
    with work(f"reading {asked.name}", *asked.limits) as running:
        found = sizes.answered(asked.question(needs_claim=False), running.clock)
    if running.error is not None:
        raise running.error
    seconds = data("seconds", round(monotonic() - start, 6))
    known = head_rows(found, asked.name) if asked.as_json else ()
    last = data("reason", found.reason or None), seconds
    show_rows("budget", [*known, *least_rows(found, alone=True), *last], asked.as_json)
    return 0 if found.least_t is not None or (found.least is not None and found.least.unbounded) else 3


def _answered(kind: str, answer: Callable[..., list[Tight]], asked: program_options.Given) -> int:
    """Compute and print."""
    start = monotonic()
    mechanism, found = computed(asked, answer)
    rows = [row for one in found for row in rows_of(one)]
    time = time_row(monotonic() - start)
    show_rows(kind, [*program_rows(asked.name, mechanism.parameters, asked.pair), *rows, time], asked.as_json)
    return 0


# --- explain ---------------------------------------------------------------------------------


@click.command(
    epilog="""\b
Examples:
  dipc explain svt4 -D N=2         the counterexample, path by path
  dipc explain svt1 --at 1/2       what needs the budget of a private program
  dipc explain svt1 --claim "eps/2"
  dipc explain svt1 -D N=2 --pair "q=[0,1]" "q=[1,1]"
  dipc explain nmax3 --json
""",
)
@program_options.program
@options.claim()
@program_options.pair()
@program_options.values("--output", metavar="O", help="An output, for example 'out=[bot,top]'.")
@options.at(help="Look at this eps, for example --at 1/2.")
@click.option(
    "--paths",
    "most",
    type=options.Count(least=1),
    default=MOST_PATHS,
    show_default=True,
    metavar="K",
    help="Show no more paths than this; the others are summed.",
)
@options.json()
@options.limits
def explain(asked: program_options.Given, output: program_options.Values | None, most: int) -> int:
    """Explain where the privacy loss of FILE comes from: paths, samples, and the inequality that is tight.

    For a violated claim this is the counterexample, for a private one the inputs and the output that need
    the greatest budget; or those that you give.  The exit status is 0 whatever the verdict.
    """
    if output is not None and asked.pair is None:
        raise click.UsageError("--output is about two inputs: add --pair")
    start = monotonic()
    mechanism, found = computed(
        asked, lambda m, **given: m.explain(asked.claim, output=output, paths=most, **given)
    )
    seconds = data("seconds", round(monotonic() - start, 6))
    following = commands(found, asked)
    first, *others = explanation_document(found)
    head = Section("", (*program_rows(asked.name, mechanism.parameters, asked.pair), *first.rows))
    ways = data("next", [command for command, _ in following])
    last = Section("Next", (*(Row(*line) for line in following), ways, seconds))
    show_document("explain", (head, *others, last), asked.as_json)
    return 0


def commands(found: Explanation, asked: program_options.Given) -> list[Line]:
    """What to type next, and what for."""
    program = " ".join([shlex.quote(asked.file), *(f"-D {shlex.quote(each)}" for each in asked.definitions)])
    given = "" if asked.claim is None else f" --claim {shlex.quote(asked.claim)}"
    whole = asked.pair is None and asked.at is None
    has_delta = found.claimed is not None and bool(found.claimed.goal.delta)
    if found.reason is Reason.ASKED:
        return [(f"dipc explain {program}{given}", "the inputs and the output that matter most")]
    if found.reason is Reason.TIGHTEST and not has_delta and whole:
        return _after_a_proof(found, program)
    if has_delta:
        assert found.claimed is not None
        epsilon = f" --epsilon {shlex.quote(found.claimed.goal.epsilon)}" if asked.claim is not None else ""
        first = (f"dipc profile {program}{epsilon}", "the least delta that is enough for all inputs")
    else:
        first = (f"dipc budget {program}", "the least t that is enough for all inputs and every eps")
    if found.reason is Reason.VIOLATED:
        return [first, (f"dipc regions {program}{given}", "every eps at which the claim breaks")]
    return [first]


def _after_a_proof(found: Explanation, program: str) -> list[Line]:
    curve = (f"dipc budget {program} --epsilon-curve", "the exact loss as a function of eps")
    exact = None if found.tightness is None else found.tightness.least.exact
    if exact is None or (found.claimed is not None and found.claimed.goal.t == exact):
        return [curve]  # the claim itself is the strongest
    budgets = str(found.budgets)
    strongest = exponent_text(Exponent(exact)) + (f" for eps in {budgets}" if budgets != "(0, inf)" else "")
    check = f"dipc check {program} --claim {shlex.quote(strongest)}"
    return [(check, "the strongest claim that holds"), curve]
