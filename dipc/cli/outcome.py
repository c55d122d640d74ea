"""The result of checking one program: a verdict, or the reason why there is none; and JUnit reports of such.

Continuous integration systems show JUnit reports as test results.  Each program is a test case.  A refuted
claim, or a verdict other than the expected one, is a failure; a program that cannot be read, or a claim that
stays undecided, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dipc.claims.verdict import Proved, Refuted, Verdict
from dipc.claims.wording import pretty
from dipc.cli.failures import explained, kind_of
from dipc.cli.work import Interrupted
from dipc.report.document import Node, Row, aligned, data, lines
from dipc.report.words import program_rows, short_witness, verdict_rows

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain."""

WORST = (130, 2, 1, 3, 0)
"""Exit statuses, worst first: interrupted, broken input, refuted, undecided, as it should be.

Broken input outranks a refuted claim, since a suite that cannot be read proves nothing; a refuted claim
outranks an undecided one, since it is certain.
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A program with its verdict or error; ``expected`` is the verdict that it announces, if that counts."""

    file: str
    seconds: float
    verdict: Verdict | None = None
    error: BaseException | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    expected: str | None = None
    reading: float = 0.0  # seconds

    @property
    def word(self) -> str:
        """The verdict in the words of its claim, such as ``private``; or ``error``."""
        return self.verdict.status if self.verdict is not None else "error"

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the check."""
        return isinstance(self.error, Interrupted)

    @property
    def as_expected(self) -> bool | None:
        """Whether the verdict is the announced one; None if none is announced."""
        return None if self.expected is None else self.word == self.expected

    @property
    def status(self) -> int:
        """The exit status of this program on its own."""
        if self.verdict is None or self.interrupted:
            return kind_of(self.error)[1] if self.error is not None else 3
        if self.as_expected:
            return 0
        return exit_status(self.verdict) or (1 if self.as_expected is False else 0)

    @property
    def answer(self) -> str:
        """The verdict, compared with the expected one."""
        if self.expected is None:
            return self.word
        return f"{self.word} ({'as expected' if self.as_expected else f'expected: {self.expected}'})"

    @property
    def claim(self) -> str:
        """The claim in short."""
        return pretty(self.verdict.claim.brief()) if self.verdict is not None else ""

    @property
    def remark(self) -> str:
        """The counterexample, the reason or the error, in one line."""
        if self.verdict is not None:
            notes = [f"note: {note}" for note in self.verdict.notes]
            return "; ".join(filter(None, (short_witness(self.verdict), *notes)))
        if self.error is None:
            return ""
        said = explained(self.error)
        place = f"line {said.span.line}: " if said.span else ""
        return f"{place}{said.message}".removeprefix(f"{self.file}: ")

    @property
    def text(self) -> str:
        """Everything known about the program, line by line."""
        if self.verdict is None:
            return str(explained(self.error)) if self.error is not None else ""
        return "\n".join(aligned([*lines(self.rows), *(("note", note) for note in self.verdict.notes)]))

    @property
    def rows(self) -> Iterator[Node]:
        """The verdict as a document."""
        assert self.verdict is not None
        yield from program_rows(self.file, self.parameters)
        yield from verdict_rows(self.verdict)
        seconds = {**self.verdict.seconds, "reading": self.reading, "total": self.seconds}
        yield data("seconds", {stage: round(time, 6) for stage, time in seconds.items()})
        if self.expected is not None:
            text = self.expected + ("" if self.as_expected else ", but it is not so")
            yield Row("expected", text, "expected", self.expected)
            yield data("as_expected", self.as_expected)
        yield Row("time", f"{self.seconds:.2f} s")


def exit_status(verdict: Verdict) -> int:
    """0 if the claim was proved, 1 if it was refuted, 3 if it is undecided."""
    return 0 if isinstance(verdict, Proved) else 1 if isinstance(verdict, Refuted) else 3


def worst(statuses: Iterable[int]) -> int:
    """The exit status of several programs.

    >>> worst([0, 3, 1, 0]), worst([0, 2, 1]), worst([3, 0]), worst([0, 0])
    (1, 2, 3, 0)
    """
    return min(statuses, key=WORST.index, default=0)


# --- JUnit -----------------------------------------------------------------------------------


def write_report(outcomes: Sequence[Outcome], path: str) -> None:
    """Write the report to a file."""
    from xml.etree import ElementTree  # rarely needed

    tree = ElementTree.ElementTree(report(outcomes))
    ElementTree.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def report(outcomes: Sequence[Outcome]) -> Element:
    """The report as an element tree."""
    from xml.etree.ElementTree import Element, SubElement

    tags = [{0: "system-out", 1: "failure"}.get(outcome.status, "error") for outcome in outcomes]
    counts = {"tests": len(tags), "failures": tags.count("failure"), "errors": tags.count("error")}
    numbers = {name: str(count) for name, count in counts.items()}
    numbers["time"] = f"{sum(outcome.seconds for outcome in outcomes):.3f}"
    root = Element("testsuites", numbers)
    suite = SubElement(root, "testsuite", {"name": "dipc check", **numbers, "skipped": "0"})
    for outcome, tag in zip(outcomes, tags, strict=True):
        path = Path(outcome.file)
        folder = ".".join(part for part in path.parent.parts if part not in (path.anchor, ".", ".."))
        names = {"classname": clean(folder or "dipc"), "name": clean(path.name)}
        case = SubElement(suite, "testcase", {**names, "time": f"{outcome.seconds:.3f}"})
        failure = {"type": outcome.word, "message": clean(outcome.remark or outcome.word)}
        SubElement(case, tag, failure if outcome.status else {}).text = clean(outcome.text)
    return root


def clean(text: str) -> str:
    """The text with every character that XML cannot contain replaced by `?`."""
    return FORBIDDEN.sub("?", text)
