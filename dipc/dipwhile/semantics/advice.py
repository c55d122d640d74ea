"""Warnings: what is allowed in a program, but hardly ever intended; and notes on what may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import CoreProgram, Draw, Variable
from dipc.dipwhile.syntax.notes import impossible_equalities, unassigned_outputs, unread_variables
from dipc.dipwhile.syntax.printer import as_written, show_expr
from dipc.dipwhile.syntax.rates import degree
from dipc.errors import InputError, Span
from dipc.excerpts import clipped
from dipc.models.values import Valuation, show

CALL = re.compile(r"[\w.]+\(.*\)")  # the place of what is not written there, in a Python function
RANGES = "ranges count upwards: the smaller number comes first"


def warnings(program: CoreProgram) -> tuple[str, ...]:
    """One text for each place: noise that grows with eps, names never read, pointless comparisons.

    A range without numbers is a note: with other parameters it may have some.

    >>> from dipc.errors import Source
    >>> from dipc.dipwhile.syntax.compile import read
    >>> source = Source("a.dip", "output o in {true, false}\\nr <- Lap(2/eps, 0)\\no <- r < 1")
    >>> print(warnings(read(source, {}))[0])
    a.dip:2:10: warning: the noise grows with eps: its rate is 2/eps, its scale eps/2
        r <- Lap(2/eps, 0)
                 ^^^^^
        help: the first argument is the rate, 1/scale: for scale 2/eps write Lap(eps/2, 0),
              which is the same as Lap(scale = 2/eps, mean = 0)
    """
    found = {(one[0].start, one[0].end): said("warning", *one) for one in _advice(program)}
    notes = {(span.start, span.end): said("note", span, why, RANGES) for span, why in program.empty_ranges}
    return tuple(text for _, text in sorted((found | notes).items()))


def said(label: str, span: Span, text: str, hint: str) -> str:
    return f"{span.place}: {label}: {clipped(text)}\n{span.excerpt()}\n    help: {clipped(hint)}"


def _advice(program: CoreProgram) -> Iterator[tuple[Span, str, str]]:
    """Places, each with what is odd there and a hint."""
    for instruction in program.code:
        if isinstance(instruction, Draw):
            match instruction.distribution:
                case ast.Noise(kind, rate, mean) if degree(rate) == -1:
                    yield rate.span, *_growing(kind, rate, mean)
                case ast.ExpMechanism(rate) if degree(rate) == -1:
                    text = f"the rate {as_written(rate)} of the exponential mechanism falls with eps"
                    yield rate.span, text, "did you mean a*eps?"
    for name, span, other in unread_variables(program):
        yield span, f"`{name}` is assigned, but never read", f"did you mean `{other}`?"
    for name, span in unassigned_outputs(program):
        yield span, f"the output `{name}` is never assigned", "it always has its start value"
    for span, reason in impossible_equalities(program):
        yield span, reason, "compare with < or <=, or round with disc"


def _growing(kind: str, rate: ast.Expr, mean: ast.Expr) -> tuple[str, str]:
    a, called = _coefficient(rate), CALL.fullmatch(as_written(rate))  # a call has a scale, not this rate
    if a is None:
        message = "the noise grows with eps: its rate is of the form a/eps"
        return message, "noise that falls with eps has a scale such as 1/eps" if called else _RATE
    over = f"{a.p}/eps" if a.q == 1 else f"{a.p}/({a.q}*eps)"
    times = ("eps" if a.q == 1 else f"{a.q}*eps") + ("" if a.p == 1 else f"/{a.p}")
    message = f"the noise grows with eps: its rate is {over}, its scale {times}"
    if called:
        return message, f"noise that falls with eps has the scale {over}"
    m = show_expr(mean) if CALL.fullmatch(as_written(mean)) else as_written(mean)
    return (
        message,
        f"{_RATE}: for scale {over} write {kind}({times}, {m}),\n"
        f"          which is the same as {kind}(scale = {over}, mean = {m})",
    )


_RATE = "the first argument is the rate, 1/scale"


def _coefficient(rate: ast.Expr) -> fmpq | None:
    """a, for a rate a/eps that does not depend on variables."""
    try:
        value = function_of_eps(rate, NOTHING, never)
    except InputError:
        return None
    term = value.numerator.as_term()
    if term is not None and any(term[2:]):
        return None  # such as exp(1)/eps
    return term.coefficient if term is not None and term.coefficient > 0 else None


MOST_SILENT = 3
"""How many values that never occur are named."""


def silent_outputs(outputs: Sequence[Variable], outcomes: Sequence[Valuation]) -> Iterator[str]:
    """What the outputs never say, which may be a mistake: constant outputs, and values that never occur.

    ``outcomes`` are those with a positive probability on some input.  A start value may be for runs that the
    program does not have.
    """
    if len(outcomes) < 2:
        return  # which has a note of its own
    for output in outputs:
        given = (dict(outcome)[output.name] for outcome in outcomes)
        seen = {value for each in given for value in (each if isinstance(each, tuple) else (each,))}
        unseen = [value for value in output.domain if value not in seen and value != output.start]
        if len(seen) == 1 and len(output.domain) > 1:
            yield f"`{output.name}` is always {show(*seen)}"
        elif unseen:
            named = ", ".join(map(show, unseen[:MOST_SILENT]))
            more = f" and {len(unseen) - MOST_SILENT} others" if len(unseen) > MOST_SILENT else ""
            values = "value" if len(unseen) == 1 else "values"
            yield f"`{output.name}` never takes the {values} {named}{more} of its set"
