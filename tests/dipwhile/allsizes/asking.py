"""Questions of `dipc prove` about texts and shipped programs."""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq
from patience import PATIENCE

from dipc.claims.tightness.least import Least
from dipc.claims.tightness.least_epsilon import budget
from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.pipeline import prove
from dipc.dipwhile.allsizes.question import Question, question
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import losses_of
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, LimitReached, Source
from dipc.shipped import paths
from dipc.signs.eps_range import EpsRange


def source(program: str) -> Source:
    """A shipped program, by name, or a text."""
    if "\n" in program:
        return Source("text.dip", program)
    return Source(program, paths()[program].read_text(encoding="utf-8"))


def asked(program: str, **values: int) -> Question:
    """The question, without a claim."""
    return question(source(program), overrides(values), needs_claim=False).checked()


def proved(program: str, claim: str | None = None, **values: int) -> AllSizesVerdict:
    """The verdict for every size."""
    return prove(question(source(program), overrides(values), claim), Clock())


def proved_t(text: str, seconds: float = PATIENCE) -> fmpq | None:
    """The t that is proved for every N without looking at the claim; None if there is none in this time."""
    source = Source("text.dip", text)
    try:
        asked = Question(parse(source), source, {}).checked()
        found = asked.automaton(Clock(Limits(seconds)))
        solved = strategies(found, None, Clock(Limits(seconds)))
    except (InputError, LimitReached):
        return None
    return solved.t if isinstance(solved, Solved) else None


def needed(text: str, size: int, seconds: float = PATIENCE) -> Least:
    """What the exact engine needs at one size, on the declared inputs."""
    core = read(Source("text.dip", text), {"N": fmpq(size)})
    return budget(losses_of(Explored(core), EpsRange.positive(), Clock(Limits(seconds)))).least


def overrides(values: Mapping[str, int]) -> dict[str, fmpq]:
    return {name: fmpq(value) for name, value in values.items()}


GAP, SMART_SUM, RANGE = (source(name).text for name in ("gap", "smart_sum", "range"))
"""The programs of ``programs/every_size``, to be altered."""
