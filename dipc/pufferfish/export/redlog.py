"""A question as one universally quantified formula: a script for REDUCE with its package Redlog.

For all points of the class, all pairs and all sequences: ``c * above >= below``, without fractions, as
:mod:`dipc.pufferfish.clearing` has it.  The variables are the coordinates of the class, from 0 to 1.  A
quantifier elimination answers true (private) or false.  The syntax is that of *Boolean operators and
first-order quantifiers* (redlog.eu).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from textwrap import fill
from typing import Any

from flint import fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.export.operators import ARITHMETIC, Apply, Dialect, Symbol, Tree, logic, ratio, write
from dipc.pufferfish.clearing import Cleared
from dipc.pufferfish.export.queries import claim_of, polynomial
from dipc.pufferfish.functions import with_root
from dipc.pufferfish.question import Question

MOST = 20_000
WIDTH = 100
REDLOG = Dialect(ARITHMETIC | logic(" and ", " or ", "not {0}", {}))


def redlog(question: Question, clock: Clock) -> str:
    """The script.  Raises :class:`InputError`, :class:`LimitReached`."""
    claim, horizon = claim_of(question, "formula")
    parameters = question.parameters
    if not parameters.rational:
        what = "a formula for eps outside of exp, constants such as exp(1/2), and ranges of eps"
        raise Unsupported(what, hint="--to smtlib")
    if claim.constant:
        hint = "claim a number such as ln(4)"
        raise InputError(f"c = exp({claim.text}) is not rational: no formula has it", hint=hint)
    if not parameters.names:
        hint = "`dipc pufferfish check` decides it"
        raise InputError("the question has no parameters: there is nothing to quantify", hint=hint)
    if claim.rate and parameters.eps_name is None:
        raise InputError("the claim depends on eps and no number of the model does", hint="--at 1/2")
    problem, power = Cleared(question, clock), claim.rate * parameters.eps_unit
    variables = [Symbol(f"u{i}") for i in range(1, len(parameters.names) + 1)]
    conditions: list[Tree] = []
    for x, (low_open, high_open) in zip(variables, problem.family.open_ends, strict=False):
        conditions.append(Apply(">" if low_open else ">=", (x, fmpq(0))))
        conditions.append(Apply("<" if high_open else "<=", (x, fmpq(1))))
    conditions += (_atom(f, variables) for f in problem.family.conditions)
    levels = chain.from_iterable(islice(problem.levels(), horizon))
    both = (with_root(question, f, power) if power else (f.above, f.below) for f in levels)
    conclusions = [_atom(claim.factor * above - below, variables) for above, below in islice(both, MOST + 1)]
    if len(conclusions) > MOST:
        raise LimitReached(f"a formula of more than {MOST} inequalities")
    return "\n".join(
        [
            f"% {question.name}: is P(w | s) <= c P(w | s') for all sequences w of {horizon}?",
            f"% epsilon = {claim.text}",
            *_meanings(problem, variables, int(power.q)),
            "% true if private, false if violated",
            "load_package redlog$",
            "rlset reals$",
            f"phi := all({{{', '.join(x.name for x in variables)}}},",
            f"  (\n{_all(conditions)}\n  ) impl (\n{_all(conclusions or conditions)}\n  ))$",
            "rlqe phi;",
            "",
        ]
    )


def _meanings(problem: Cleared, variables: list[Symbol], root: int) -> Iterator[str]:
    """The parameters at a point of the class; instead of exp(-eps/unit) a root of it is one."""
    parameters = problem.question.parameters
    for name, image in zip(parameters.names, problem.family.images, strict=False):
        f = image**root if name == parameters.eps_name else image
        value = ratio(polynomial(f.numerator, variables), polynomial(f.denominator, variables))
        unit = f"/{parameters.eps_unit}" if parameters.eps_unit > 1 else ""
        shown = f"exp(-eps{unit})" if name == parameters.eps_name else name
        yield f"% {shown} = {write(value, REDLOG)}"


def _atom(f: fmpq_mpoly, variables: list[Symbol]) -> Tree:
    return Apply(">=", (polynomial(f, variables), fmpq(0)))


def _all(atoms: list[Tree]) -> str:
    """Their conjunction, with a line or more for each."""
    layout: Any = {"initial_indent": 4 * " ", "subsequent_indent": 8 * " ", "break_on_hyphens": False}
    return " and\n".join(fill(write(atom, REDLOG), WIDTH, **layout) for atom in atoms)
