"""Scripts that check what dipc found: one driver for all systems, with the templates of each.

A script can check an inequality without deciding it: by its derivative chain, or by signs at some points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flint import fmpq

from dipc.dipwhile.export.questions import ClaimExport, Inequality, requirement_text
from dipc.export.operators import Dialect, Style, unit_of, write
from dipc.models.values import valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.derivatives import chain_exponents, chain_values, derivative_chain
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import PROBES
from dipc.signs.limits import Unsettled
from dipc.signs.tables import RootCluster, sign_table

TEMPLATES = Path(__file__).parent / "templates"
SAMPLES = 3

More = Callable[[int, Inequality, EpsRange], Iterator[str]]


@dataclass(frozen=True, slots=True)
class System:
    """What the scripts of a system are made of.

    ``prelude`` names a file; ``signs`` are those that the system can check, as it writes them.
    """

    dialect: Dialect
    comment: Callable[[str], str]
    prelude: str
    entry: str
    separator: str
    law: str
    sides: str
    equal: str
    factor: str
    chain: str
    sign: str
    signs: Mapping[int, str]
    more: More = lambda number, requirement, budgets: iter(())


def checks(question: ClaimExport, system: System) -> Iterator[str]:
    """The prelude, and the checks of the output laws and of every inequality."""
    functions = [p for law in question.laws for _, p in law.law]
    functions += [f for r in question.requirements for f in (r.probability, r.bound)]
    style = Style(unit_of(functions))
    yield (TEMPLATES / system.prelude).read_text(encoding="utf-8").replace("{unit}", str(style.unit))
    for n, named in enumerate(question.laws, start=1):
        yield system.comment(f"the output law on {valuation_text(named.input) or 'no input'}")
        entries = (
            system.entry.format(write(style.function(p), system.dialect), system.comment(valuation_text(o)))
            for o, p in named.law
        )
        yield system.law.format(n=n, entries=system.separator.join(entries))
    for n, requirement in enumerate(question.requirements, start=1):
        yield system.comment(f"{n}. {requirement_text(requirement)}")
        yield from _inequality(n, requirement, question.goal.budgets, style, system)


def _inequality(
    n: int, requirement: Inequality, budgets: EpsRange, style: Style, system: System
) -> Iterator[str]:
    def written(value: Quotient) -> str:
        return write(style.function(value), system.dialect)

    f = requirement.function
    polynomial = write(style.polynomial(f), system.dialect)
    left, right = written(requirement.probability), written(requirement.bound)
    yield system.sides.format(n=n, left=left, right=right, f=polynomial)
    if not f:
        yield system.equal.format(n=n)
        return
    yield system.factor.format(n=n, factor=written(requirement.margin / Quotient(f)))
    if (chain := numbers(requirement)) is not None:
        exponents, values = (", ".join(map(str, part)) for part in chain)
        yield system.chain.format(n=n, exponents=exponents, values=values)
    for point, sign in samples(f, budgets):
        if sign in system.signs:
            yield system.sign.format(n=n, point=point, sign=system.signs[sign])
    yield from system.more(n, requirement, budgets)
    yield ""


@dataclass(frozen=True, slots=True)
class Link:
    """A function f_{k-1} of a derivative chain, its value where the chain begins, and the exponent a_k."""

    function: ExpPoly
    value: ExpPoly
    exponent: fmpq


def links(f: ExpPoly, at: fmpq) -> list[Link]:
    """The derivative chain of f from a point on."""
    return [Link(g, g.at(at), a) for g, a in zip(derivative_chain(f), chain_exponents(f), strict=True)]


def numbers(inequality: Inequality) -> tuple[list[fmpq], list[fmpq]] | None:
    """The exponents and the rational values of the chain at 0, if it is the proof of an inequality."""
    if inequality.chain_start != 0 or inequality.function.has_constants:
        return None
    exponents, values = zip(*chain_values(inequality.function), strict=True)
    return list(exponents), list(values)


def samples(f: ExpPoly, budgets: EpsRange) -> list[tuple[fmpq, int]]:
    """Some eps with the exact signs of f there: one in each interval of constant sign, and a few probes."""
    try:
        points = [cell.sample for cell in sign_table([f], budgets)]
    except Unsettled:
        points = []
    points += [probe for probe in PROBES[:SAMPLES] if probe in budgets]
    if not points:
        points = [budgets.low if budgets.is_point else simplest_between(budgets.low, budgets.high)]
    return [(point, f.sign_at(point)) for point in dict.fromkeys(points)]


def roots(f: ExpPoly, budgets: EpsRange) -> Iterator[tuple[fmpq, fmpq]]:
    """Intervals with one root each, of width 1/1000 at most; equal ends for a rational root.

    Raises :class:`Unsettled`.
    """
    for cell in sign_table([f], budgets):
        if isinstance(cell.high, RootCluster):
            (root,) = cell.high.roots
            root.refine_to(fmpq(1, 1000))
            yield root.low, root.high
