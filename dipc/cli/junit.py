"""Verdicts as a JUnit report, which continuous integration systems show as test results.

Each program is a test case.  A refuted claim, or a verdict other than the expected one, is a failure; a
program that cannot be read, or a claim that stays undecided, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dipc.cli.outcome import Outcome

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain."""


def write_report(outcomes: Sequence[Outcome], path: str) -> None:
    """Write the report to a file."""
    from xml.etree import ElementTree  # rarely needed

    tree = ElementTree.ElementTree(report(outcomes))
    ElementTree.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def report(outcomes: Sequence[Outcome]) -> Element:
    """The report as an element tree."""
    from xml.etree import ElementTree

    cases = [case(outcome) for outcome in outcomes]
    numbers = {
        "tests": str(len(cases)),
        "failures": str(sum(each.find("failure") is not None for each in cases)),
        "errors": str(sum(each.find("error") is not None for each in cases)),
        "time": _seconds(sum(outcome.seconds for outcome in outcomes)),
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "dipc check", **numbers, "skipped": "0"})
    suite.extend(cases)
    return root


def case(outcome: Outcome) -> Element:
    """The test case of one program."""
    from xml.etree import ElementTree

    path = Path(outcome.file)
    folder = ".".join(part for part in path.parent.parts if part not in (path.anchor, ".", ".."))
    element = ElementTree.Element(
        "testcase",
        {"classname": clean(folder or "dipc"), "name": clean(path.name), "time": _seconds(outcome.seconds)},
    )
    if outcome.status != 0:
        tag = "failure" if outcome.status == 1 else "error"
        attributes = {"type": outcome.word, "message": clean(outcome.remark or outcome.word)}
        ElementTree.SubElement(element, tag, attributes).text = clean(outcome.text)
    else:
        ElementTree.SubElement(element, "system-out").text = clean(outcome.text)
    return element


def clean(text: str) -> str:
    """The text with every character that XML cannot contain replaced by `?`.

    >>> clean("a\\x00b\\x1b[31m")
    'a?b?[31m'
    """
    return FORBIDDEN.sub("?", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
