"""The result of checking one program or formula: a verdict, or why there is none; and JUnit reports of such.

Continuous integration systems show JUnit reports as test results.  Each program is a test case.  A refuted
claim, or a verdict other than the expected one, is a failure; a program that cannot be read, or a claim that
stays undecided, is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from dipc.claims.rows import Node, Row, data, lines, record
from dipc.claims.verdict import Proved, Refuted, Verdict
from dipc.claims.wording import Record, pretty
from dipc.cli.failures import Interrupted, error_record, explained, kind_of
from dipc.files import write_file
from dipc.report.answer import envelope
from dipc.report.document import aligned
from dipc.report.words import Pair, program_rows, short_witness, verdict_rows

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Answered(Protocol):
    """The answer of any system."""

    @property
    def status(self) -> str:
        """The verdict in the words of its claim, such as ``private``."""

    @property
    def notes(self) -> Sequence[str]:
        """What else was found."""


FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain."""

PLURALS = {"error": "errors", "holds": "hold", "fails": "fail"}

WORST = (130, 2, 1, 3, 0)
"""Exit statuses, worst first: interrupted, broken input, refuted, undecided, as it should be.

Broken input outranks a refuted claim, since a suite that cannot be read proves nothing; a refuted claim
outranks an undecided one, since it is certain.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """A question with its verdict or error; ``expected`` is the verdict that is announced, if that counts."""

    kind: ClassVar[str]
    """Of its JSON, see :mod:`dipc.report.answer`."""

    file: str
    seconds: float
    verdict: Answered | None = None
    error: BaseException | None = None
    expected: str | None = None

    @property
    def label(self) -> str:
        """What is named before the answer, if several are asked."""
        return self.file

    @property
    def claim(self) -> str:
        """The claim in short."""
        return ""

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
    def remark(self) -> str:
        """The counterexample, the reason or the error, in one line."""
        if self.verdict is not None:
            notes = [f"note: {note}" for note in self.verdict.notes]
            return "; ".join(filter(None, (self.short_witness, *notes)))
        if self.error is None:
            return ""
        said = explained(self.error)
        place = f"line {said.span.line}: " if said.span else ""
        help_ = f"; help: {said.hint.splitlines()[0]}" if said.hint else ""
        return f"{place}{said.message}{help_}".removeprefix(f"{self.file}: ")

    @property
    def text(self) -> str:
        """Everything known about the question, line by line."""
        if self.verdict is None:
            return str(explained(self.error)) if self.error is not None else ""
        return "\n".join(aligned([*lines(self.rows), *(("note", note) for note in self.verdict.notes)]))

    @property
    def expectation(self) -> Iterator[Node]:
        """The announced verdict and the time: what a document ends with."""
        if self.expected is not None:
            text = self.expected + ("" if self.as_expected else ", but it is not so")
            yield Row("expected", text, "expected", self.expected)
            yield data("as_expected", self.as_expected)

    @property
    def rows(self) -> Iterator[Node]:
        """The verdict as a document."""
        raise NotImplementedError

    @property
    def short_witness(self) -> str:
        """What speaks against the claim, in one line."""
        raise NotImplementedError

    @property
    def test_case(self) -> tuple[str, str]:
        """The class and the name of its test case in a report."""
        path = Path(self.file)
        folder = ".".join(part for part in path.parent.parts if part not in (path.anchor, ".", ".."))
        return folder or "dipc", path.name

    @property
    def record(self) -> Record:
        """The outcome for machines."""
        if self.verdict is not None:
            return envelope(self.kind, record(self.rows))
        assert self.error is not None
        return envelope("error", {**self.asked, "error": error_record(self.error)})

    @property
    def asked(self) -> Record:
        """What was asked, for machines that read about an error."""
        return {"program": self.file}


@dataclass(frozen=True, slots=True)
class Outcome(Result):
    """The check of a program."""

    kind = "check"
    verdict: Verdict | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    reading: float = 0.0  # seconds
    pair: Pair | None = None

    @property
    def claim(self) -> str:
        """The claim in short."""
        return pretty(self.verdict.claim.brief()) if self.verdict is not None else ""

    @property
    def short_witness(self) -> str:
        return short_witness(self.verdict) if self.verdict is not None else ""

    @property
    def rows(self) -> Iterator[Node]:
        assert self.verdict is not None
        yield from program_rows(self.file, self.parameters, self.pair)
        yield from verdict_rows(self.verdict)
        seconds = {**self.verdict.seconds, "reading": self.reading, "total": self.seconds}
        yield data("seconds", {stage: round(time, 6) for stage, time in seconds.items()})
        yield from self.expectation
        yield Row("time", f"{self.seconds:.2f} s")


def exit_status(verdict: Answered) -> int:
    """0 if the claim was proved, 1 if it was refuted, 3 if it is undecided."""
    if isinstance(verdict, Proved) or verdict.status in ("private", "holds"):
        return 0
    return 1 if isinstance(verdict, Refuted) or verdict.status in ("violated", "fails") else 3


def summary(outcomes: Sequence[Result], wanted: int, noun: str = "program") -> str:
    """For example ``3 programs: 2 private, 1 violated``."""
    settled = [outcome for outcome in outcomes if not outcome.interrupted]
    ranks = sorted(settled, key=lambda o: 4 if o.verdict is None else exit_status(o.verdict))  # errors last
    counts = Counter(outcome.word for outcome in ranks)
    done = len(settled)
    head = f"{done} {noun}{'s' * (done != 1)}"
    if done < wanted:
        head = f"interrupted: {done} of {wanted} {noun}s were checked"
    parts = [f"{count} {PLURALS.get(word, word) if count != 1 else word}" for word, count in counts.items()]
    surprises = sum(o.as_expected is False for o in outcomes)
    if any(o.expected is not None for o in outcomes):
        parts.append("all as expected" if not surprises else f"{surprises} not as expected")
    return f"{head}: {', '.join(parts)}" if parts else head


def worst(statuses: Iterable[int]) -> int:
    """The exit status of several programs.

    >>> worst([0, 3, 1, 0]), worst([0, 2, 1]), worst([3, 0]), worst([0, 0])
    (1, 2, 3, 0)
    """
    return min(statuses, key=WORST.index, default=0)


# --- JUnit -----------------------------------------------------------------------------------


def write_report(outcomes: Sequence[Result], path: str, command: str = "dipc check") -> None:
    """Write the report to a file."""
    from xml.etree import ElementTree  # rarely needed

    tree = ElementTree.ElementTree(report(outcomes, command))
    ElementTree.indent(tree)
    text = BytesIO()
    tree.write(text, encoding="utf-8", xml_declaration=True)
    write_file(path, text.getvalue())


def report(outcomes: Sequence[Result], command: str = "dipc check") -> Element:
    """The report as an element tree."""
    from xml.etree.ElementTree import Element, SubElement

    tags = [{0: "system-out", 1: "failure"}.get(outcome.status, "error") for outcome in outcomes]
    counts = {"tests": len(tags), "failures": tags.count("failure"), "errors": tags.count("error")}
    numbers = {name: str(count) for name, count in counts.items()}
    numbers["time"] = f"{sum(outcome.seconds for outcome in outcomes):.3f}"
    root = Element("testsuites", numbers)
    suite = SubElement(root, "testsuite", {"name": command, **numbers, "skipped": "0"})
    for outcome, tag in zip(outcomes, tags, strict=True):
        classname, name = map(clean, outcome.test_case)
        names = {"classname": classname, "name": name}
        case = SubElement(suite, "testcase", {**names, "time": f"{outcome.seconds:.3f}"})
        failure = {"type": outcome.word, "message": clean(outcome.remark or outcome.word)}
        SubElement(case, tag, failure if outcome.status else {}).text = clean(outcome.text)
    return root


def clean(text: str) -> str:
    """The text with every character that XML cannot contain replaced by `?`."""
    return FORBIDDEN.sub("?", text)
