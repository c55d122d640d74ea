"""Scripts that check themselves what dipc found: one driver for all systems, with the templates of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dipc.export.evidence import numbers, samples
from dipc.export.inequalities import Inequality
from dipc.export.operators import Dialect, Style, unit_of, write
from dipc.export.subject import ClaimExport, requirement_text
from dipc.models.values import valuation_text
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

More = Callable[[int, Inequality, EpsRange], Iterator[str]]


@dataclass(frozen=True, slots=True)
class System:
    """What the scripts of a system are made of; ``signs`` are those that it can check, as it writes them."""

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
    yield system.prelude.format(unit=style.unit)
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
