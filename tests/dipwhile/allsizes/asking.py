"""Questions of `dipc prove` about texts and shipped programs."""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.build import Prepared, prepared
from dipc.dipwhile.allsizes.pipeline import prove
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict
from dipc.errors import Source
from dipc.shipped import paths


def source(program: str) -> Source:
    """A shipped program, by name, or a text."""
    if "\n" in program:
        return Source("text.dip", program)
    return Source(program, paths()[program].read_text(encoding="utf-8"))


def asked(program: str, **values: int) -> Prepared:
    """The question, without a claim."""
    return prepared(question(source(program), overrides(values), needs_claim=False))


def proved(program: str, claim: str | None = None, **values: int) -> AllSizesVerdict:
    """The verdict for every size."""
    return prove(question(source(program), overrides(values), claim), Clock())


def overrides(values: Mapping[str, int]) -> dict[str, fmpq]:
    return {name: fmpq(value) for name, value in values.items()}


GAP, SMART_SUM, RANGE = (source(name).text for name in ("gap", "smart_sum", "range"))
"""The programs of ``programs/every_size``, to be altered."""
