"""Claims as tests: :func:`assert_private`, and the claim of a whole .dip file for the pytest plugin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dipc.claims.verdict import Undecided, Verdict
from dipc.dipwhile.convert import PythonValue
from dipc.errors import InputError, Source, Span
from dipc.mechanisms import Mechanism
from dipc.report.words import aligned, program_line, verdict_lines

EXPECT = re.compile(r"^#[ \t]*expect[ \t]*:(.*)$", re.MULTILINE)
STATUSES = ("private", "violated", "undecided")


def assert_private(
    mechanism: Mechanism | str | Path,
    claim: str | None = None,
    *,
    parameters: Mapping[str, PythonValue] | None = None,
    **options: Any,
) -> Verdict:
    """Fail unless a mechanism, or the program in a file, is proved private; the verdict if it is.

    ``claim`` is by default the program's own, ``parameters`` are those of a program in a file, and
    ``options`` those of :meth:`Mechanism.check`: ``at``, ``pair``, ``time_limit`` ... Undecided is a
    failure: nothing was proved.

    >>> coin = '''
    ...     input q in {true, false}; output out in {true, false}
    ...     adjacent all; private eps
    ...     out <- choose {q: exp(eps)/(1 + exp(eps)), (not q): 1/(1 + exp(eps))}
    ... '''
    >>> assert_private(coin).status
    'private'
    >>> assert_private(coin, "eps/2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: this mechanism is not private
    program     <text>
    claim       (1/2*ε)-private for every ε in (0, inf)
    ...
    input       u  : q = true
    neighbour   u' : q = false
    output      out = true
    budget      ε = 1
    ...
    """
    __tracebackhide__ = True
    if not isinstance(mechanism, Mechanism):
        mechanism = Mechanism.load(mechanism, **(parameters or {}))
    elif parameters is not None:
        raise InputError(
            "`parameters` are for a program in a file",
            hint="set those of a mechanism where it is made: "
            f"dipc.assert_private({mechanism.how_to_set(parameters)})",
        )
    verdict = mechanism.check(claim, **options)
    if verdict.status == "private":
        return verdict
    raise AssertionError(f"{WHAT[verdict.status]}\n{described(mechanism, verdict)}")


WHAT = {
    "violated": "this mechanism is not private",
    "undecided": "it is undecided whether this mechanism is private: nothing was proved and nothing refuted",
}


def described(mechanism: Mechanism, verdict: Verdict) -> str:
    """A verdict as ``dipc check`` shows it."""
    first = program_line(mechanism.program.source.name, mechanism.parameters)
    return "\n".join(aligned([first, *verdict_lines(verdict)]))


def expected_status(source: Source) -> str:
    """What a program says about its own claim in a line ``# expect: violated``; private without one.

    >>> expected_status(Source("a.dip", "# expect: violated from N = 2 on"))
    'violated'
    >>> expected_status(Source("a.dip", "# expect: broken"))
    Traceback (most recent call last):
    dipc.errors.InputError: a.dip:1:10: error: no verdict is called `broken`
        # expect: broken
                 ^^^^^^^
        help: write `# expect: private`, `# expect: violated` or `# expect: undecided`
    """
    found = list(EXPECT.finditer(source.text))
    statuses = {match[1].split()[0] if match[1].split() else "" for match in found}
    for match in found:
        word = (match[1].split() or [""])[0]
        if word not in STATUSES:
            span = Span(source, match.start(1), match.end(1))
            hint = (
                ", ".join(f"`# expect: {status}`" for status in STATUSES[:2])
                + f" or `# expect: {STATUSES[2]}`"
            )
            raise InputError(f"no verdict is called `{word}`", span, f"write {hint}")
        if len(statuses) > 1:
            raise InputError(
                "two different verdicts are expected", Span(source, *found[1].span()), "keep one line"
            )
    return min(statuses, default="private")


class UnexpectedVerdict(AssertionError):
    """A program's claim did not end as the program says; the message is the whole report."""


def check_file(path: Path, time_limit: float | None = None) -> Verdict:
    """Decide the claim that a .dip file makes, and compare with what the file expects."""
    mechanism = Mechanism.load_file(path, {})
    expected = expected_status(mechanism.program.source)
    verdict = mechanism.check(time_limit=time_limit)
    if verdict.status != expected:
        how = f"expected `{expected}`, the verdict is `{verdict.status}`"
        if isinstance(verdict, Undecided) and time_limit is not None:
            how += f" (time limit: {time_limit:g} s)"
        raise UnexpectedVerdict(f"{how}\n{described(mechanism, verdict)}")
    return verdict
