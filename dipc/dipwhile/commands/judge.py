"""What ``dipc verify`` compares of a certificate about a program: the deep check."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import partial
from io import StringIO

import dipc.dipwhile.certify.every_size as every_size
from dipc.cli.terminal import say
from dipc.cli.verify import ACCEPTED, CONDITIONAL, REFUSED, Expected, other_status
from dipc.clock import Clock
from dipc.dipwhile.certify.compared import Statement, compared, rederive
from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.rederive.functions import NotCovered
from dipc.dipwhile.rederive.values import fraction
from dipc.errors import InputError, LimitReached
from dipc.kernel import sizes
from dipc.kernel.privacy import Certificate, shown
from dipc.kernel.reading import Unfinished

LISTED = "inputs, outputs, adjacency, distributions"
NOTHING_DERIVED = f"claim, parameters, {LISTED}"
"""What only the deep check compares with the program text."""

NOTHING_COMPARED = "claim, parameters, inputs, adjacency, automaton"
"""The same for a statement about every size."""


def judge(certificate: Certificate | sizes.Certificate, wanted: Expected, clock: Clock) -> int:
    """Compare an accepted certificate about a program with what is wanted, and print it; the exit status.

    Raises :class:`Refused`.
    """
    _numbers(wanted)
    with redirect_stdout(StringIO()) as without:  # what stands if there is no time for the deep check
        status = _compared(certificate, replace(wanted, deep=False), clock)
    clock.found((status, without.getvalue()))
    return _compared(certificate, wanted, clock)


def _numbers(wanted: Expected) -> dict[str, Fraction]:
    """The numbers of parameters that are asked for.  Raises :class:`InputError`."""
    return {name: fraction(to_rational(value, name)) for name, value in wanted.definitions.items()}


def _compared(certificate: Certificate | sizes.Certificate, wanted: Expected, clock: Clock) -> int:
    """Compare, with or without the deep check."""
    if wanted.model is not None or wanted.formula is not None:
        raise InputError("--model and --formula are about Markov chains, the certificate is about a program")
    differences = other_status(certificate.status, wanted)
    statement, derived = Statement([], []), None
    unknown = NOTHING_COMPARED if isinstance(certificate, sizes.Certificate) else NOTHING_DERIVED
    limit: Exception | None = None
    try:
        if wanted.deep:
            statement, unknown, derive = _derivation(certificate, wanted, clock)
            differences += statement.differences
            derived = None if differences else derive()
    except (LimitReached, Unfinished) as reached:
        limit = reached
    if differences:
        say(f"accepted, but for another statement: {shown('; '.join(differences))}")
    complete = isinstance(derived, str) or (derived is not None and not derived.missing)
    say(f"accepted: {certificate.statement()}" if complete else certificate.conditional())
    if derived is None:
        say(f"not checked: whether these are those of the program text: {unknown}")
        if isinstance(certificate, sizes.Certificate) and not certificate.labels:
            say("not compared: the labels of the automaton with the adjacency")
        if isinstance(certificate, Certificate) and certificate.adjacency.pairs is not None:
            say("not recomputed: the listed pairs of adjacent inputs")
    elif isinstance(derived, str):
        say(f"derived: {derived}; nothing but the parser and the meaning of programs is trusted")
    where = "in the certificate (no --program given)" if wanted.program is None else wanted.program
    say(f"program text: {where}, SHA-256 {certificate.program.sha256}")
    if statement.overridden:
        say(f"overridden: {shown('; '.join(statement.overridden))}")
    if limit is not None:
        covers = "the deep check does not cover " if isinstance(limit, NotCovered) else ""
        say(f"not derived: {covers}{shown(str(limit))}")
    if isinstance(derived, every_size.Confirmation):
        for line in (*derived.missing, derived.done):
            say(shown(line))
    if differences:
        return REFUSED
    return ACCEPTED if complete else CONDITIONAL


def _derivation(
    certificate: Certificate | sizes.Certificate, wanted: Expected, clock: Clock
) -> tuple[Statement, str, Callable[[], str | every_size.Confirmation]]:
    """How the statement differs, what is left to derive from the program text, and the derivation."""
    if isinstance(certificate, sizes.Certificate):
        statement = every_size.compared(certificate, _numbers(wanted), wanted.claim)
        return statement, "automaton, inputs, adjacency", partial(every_size.confirmed, certificate, clock)
    statement = compared(certificate, _numbers(wanted), wanted.claim)
    return statement, LISTED, partial(rederive, certificate, statement.text)
