"""Writes docs/gallery.md: every shipped program with its verdict, its tightest bound and its counterexample.

    python tests/gallery.py

computes everything anew (about a minute).  tests/test_gallery.py checks cheaply that the page is current.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path

import dipc
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.wording import pretty
from dipc.report.tightness import enclosure, where
from dipc.report.words import short_witness
from dipc.shipped import HEADER, Shipped, describe, paths

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "gallery.md"
TIME_LIMIT = 120

FAMILIES = {
    "randomized_response": "Randomized response",
    "histogram": "Histograms",
    "noisy_max": "Noisy maximum",
    "svt": "The sparse vector technique",
    "sums": "Partial and prefix sums",
    "exponential": "The exponential mechanism",
    "discrete": "Integer noise",
    "loops": "Loops",
    "real_bugs": "Defects that real libraries had",
}
"""What the folders of programs/ are called, in the order of the page; others follow."""

HEAD = """\
# Gallery

All programs that come with dipc, with what dipc says about them. Every name works on the command line:
`dipc check svt1`. Neighbours, sizes and inputs are those of the text of each
program; `-D N=4` tries another size. `dipc report svt1` writes [all about one](report.md) on a page, with its
distributions, plots, proof and certificate; the site shows these pages, too.

*Tightest* is the least multiple of ε for which the program is private for every ε of its claim: exact, by
[`dipc budget`](tightness.md). "→ ∞" or "→ 0": it is approached as ε goes there, and no smaller multiple is
enough. For a claim with δ it is the least δ that goes with the claimed ε, by `dipc profile`: one number, or a
function if the claimed δ is one.

"""

FOOT = """\
## Where to go from here

- [The language](language.md) in which these programs are written
- [Tutorial](tutorial.md): how such a program comes about
- [Real bugs caught](real-bugs.md): the defects of real libraries, one by one
- [Discrepancies with the paper](errata.md): where these verdicts differ from printed ones

This page is written by `python tests/gallery.py`.
"""


@dataclass(frozen=True)
class Entry:
    """A program with what dipc found out about it."""

    program: Shipped
    text: str
    claim: str
    status: str
    tightest: str
    counterexample: str


def entry(name: str) -> Entry:
    """Everything is computed here."""
    program = describe(name)
    mechanism = dipc.load(program.path)
    verdict = mechanism.check()
    return Entry(
        program,
        program.path.read_text(encoding="utf-8"),
        pretty(verdict.claim.brief()).replace("*", "·"),
        verdict.status,
        tightest(mechanism, str(verdict.goal.delta)).replace("*", "·"),
        short_witness(verdict),
    )


def tightest(mechanism: dipc.Mechanism, delta: str) -> str:
    """The least multiple of eps and where it is reached; or the least delta, if the claim has one."""
    try:
        if "eps" in delta:
            curve = mechanism.profile(time_limit=TIME_LIMIT).curve
            return pretty("δ(ε) = " + ", then ".join(str(segment.value) for segment in curve.segments))
        if delta != "0":
            profile = mechanism.profile(time_limit=TIME_LIMIT)
            return f"δ = {amount(profile.least)}{places([spot for spot, _ in profile.witnesses])}"
        budget = mechanism.budget(time_limit=TIME_LIMIT)
    except dipc.LimitReached:
        return "not found"
    if budget.least.infinite:
        return "infinite"
    t = amount(budget.least)
    return f"{'ε' if t == '1' else f'{t}·ε'}{places([spot for spot, _ in budget.witnesses])}"


def amount(least: Least) -> str:
    """The least number, exactly or by its name, or the digits that are certain.

    >>> from flint import fmpq
    >>> amount(Least(fmpq(3, 4), fmpq(3, 4), (), True))
    '3/4'
    >>> amount(Least(fmpq(333, 1000), fmpq(334, 1000), (), None))
    '0.33…'
    """
    if least.exact is not None or least.high is None:
        return enclosure(least)
    if least.name is not None:
        return str(least.name)
    low, high = enclosure(least).removeprefix("between ").split(" and ")
    common = takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    return "".join(digit for digit, _ in common) + "…"


def places(spots: list[Spot]) -> str:
    """Where it is reached, in parentheses."""
    found = sorted({short_place(where(spot)) for spot in spots if spot.kind is not Kind.NEAR})
    return f" ({', '.join(found)})" if found else ""


def short_place(text: str) -> str:
    """
    >>> short_place("approached as eps -> inf"), short_place("attained at every eps")
    ('ε → ∞', 'at every ε')
    """
    for long, short in (("approached as ", ""), ("attained ", ""), ("eps", "ε"), ("->", "→"), ("inf", "∞")):
        text = text.replace(long, short)
    return text


def page(entries: list[Entry]) -> str:
    """The whole page."""
    order = list(FAMILIES)

    def rank(e: Entry) -> tuple[int, str, str]:
        family = e.program.family
        return (order.index(family) if family in order else len(order), family, e.program.name)

    ordered = sorted(entries, key=rank)
    parts = [HEAD, "\n".join(overview(ordered)), "\n\n"]
    for family, members in groupby(ordered, key=lambda e: e.program.family):
        parts.append(f"## {FAMILIES.get(family, family.replace('_', ' ').capitalize())}\n\n")
        parts.extend("\n".join(section(member)) + "\n\n" for member in members)
    return "".join(parts) + FOOT


def overview(entries: list[Entry]) -> Iterator[str]:
    yield "| program | what it is | claim | verdict | tightest |"
    yield "|---|---|---|---|---|"
    for e in entries:
        cells = (
            f"[{e.program.name}](#{e.program.name})",
            linked(e.program.title.strip()),
            e.claim,
            e.status,
            e.tightest,
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def section(e: Entry) -> Iterator[str]:
    """One program."""
    yield f"### {e.program.name}"
    yield ""
    yield f"{linked(e.program.title.strip())}."
    if notes := " ".join(notes_of(e.text)):
        yield linked(notes)
    yield ""
    yield f"- source: {linked(e.program.source)}"
    yield f"- claim: {e.claim}"
    yield f"- verdict: **{e.status}**"
    yield f"- tightest: {e.tightest}"
    if e.counterexample:
        yield f"- counterexample: `{e.counterexample}`"
    yield ""
    relative = e.program.path.relative_to(ROOT)
    yield f'<details markdown="1"><summary>{relative}</summary>'
    yield ""
    yield f"```dip\n{e.text.rstrip()}\n```"
    yield ""
    yield f"[The file](../{relative})"
    yield ""
    yield "</details>"


def notes_of(text: str) -> Iterator[str]:
    """The comments at the top that are neither the title nor ``# source:`` and the like."""
    lines = text.splitlines()
    for line in lines[1:]:
        if not line.startswith("#"):
            return
        if not HEADER.match(line):
            yield line.lstrip("# ").rstrip()


def linked(text: str) -> str:
    """Addresses become links, and signs that mean something in Markdown are taken as they are.

    >>> linked("see https://example.org/a_b, 2*eps")
    'see <https://example.org/a_b>, 2\\\\*eps'
    """
    pieces = re.split(r"(https?://[^\s,;)]+)", text)
    return "".join(
        f"<{piece}>" if i % 2 else re.sub(r"([*_<>\[\]|])", r"\\\1", piece) for i, piece in enumerate(pieces)
    )


def main() -> None:
    PAGE.write_text(page([entry(name) for name in sorted(paths())]), encoding="utf-8")


if __name__ == "__main__":
    main()
