"""The files that a page carries, and the commands that check its verdict again."""

from __future__ import annotations

import gzip
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.claims.privacy import Violated
from dipc.claims.verdict import Undecided
from dipc.export.formats import CHAINS, QUESTIONS
from dipc.export.subject import ClaimExport, Picture
from dipc.models.values import valuation_text
from dipc.report.study import Attempts, Study

LARGEST = 200_000  # bytes of a file that the page carries


def data_uri(data: bytes, kind: str) -> str:
    """A file as an address.

    >>> data_uri(b"1", "text/plain")
    'data:text/plain;base64,MQ=='
    """
    return f"data:{kind};base64,{b64encode(data).decode()}"


@dataclass(frozen=True, slots=True)
class Download:
    """A file in the page, or the command that writes it if ``href`` is None."""

    name: str
    about: str
    size: str
    href: str | None
    command: str


FILES = {
    "mathematica": (".wl", "Mathematica, checks itself and asks the question again"),
    "sage": (".sage", "Sage, checks itself"),
    "smtlib": (".smt2", "SMT-LIB, one query for each different inequality"),
    "latex": (".tex", "LaTeX: program, distributions, an inequality with its proof"),
    "dot": (".dot", "the chain for Graphviz"),
    "svg": (".svg", "the chain as a drawing"),
    "drn": (".drn", "the chain for Storm"),
    "prism": (".pm", "the chain for PRISM and Storm"),
}


def downloads(
    found: Study, asked: ClaimExport | None, drawn: Picture | None, attempts: Attempts
) -> Iterator[Download]:
    """The program, the certificate and the exports; only the command for a file that is too large."""
    stem, program = plain_stem(found.name), found.subject.mechanism.program
    yield _download(f"{stem}.dip", "the program", program.source.text.encode(), "")
    verdict = found.verdict
    if verdict is not None and not isinstance(verdict, Undecided):
        text = attempts("the certificate", lambda: dumps(certificate(program, verdict)))
        data = text.encode() if text else b""
        name = f"{stem}.json"
        if len(data) > LARGEST // 4:
            data, name = gzip.compress(data, mtime=0), f"{name}.gz"
        if data:
            command = f"dipc check {_words(found)} --certificate {name}"
            yield _download(name, "the certificate: the verdict with its proofs", data, command)
    subjects: list[tuple[Mapping[str, Callable[[Any], str]], Any, str]] = [
        (QUESTIONS, asked, f"export {_words(found)}"),
        (CHAINS, drawn, f"export {_words(found, claim=False)}{_input(drawn)}"),
    ]
    for formats, subject, command in subjects:
        for name, write in formats.items() if subject is not None else ():
            ending, about = FILES[name]
            text = attempts(f"the export to {name}", lambda w=write, s=subject: w(s))  # type: ignore[misc]
            if text is not None:
                full = f"dipc {command} --to {name} -o {stem}{ending}"
                yield _download(f"{stem}{ending}", about, text.encode(), full)


def _download(name: str, about: str, data: bytes, command: str) -> Download:
    size = f"{len(data) / 1024:.0f} KiB" if len(data) >= 10_240 else f"{len(data)} bytes"
    href = data_uri(data, "application/octet-stream") if len(data) <= LARGEST else None
    return Download(name, about, size, href, command)


def plain_stem(name: str) -> str:
    """A file name without special characters.

    >>> plain_stem("programs/svt/svt1.dip"), plain_stem("<text>")
    ('svt1', 'text')
    """
    stem = re.sub(r"[^\w.-]+", "_", PurePath(name).stem, flags=re.ASCII).strip("._-")
    return stem or "program"


def _words(found: Study, claim: bool = True) -> str:
    """FILE, its parameters and the claim, quoted for a shell."""
    subject = found.subject
    words = [_file(found)]
    for name, value in subject.mechanism.parameters.items():
        words += ["-D", f"{name}={value}"]
    if claim and subject.text is not None:
        words += ["--claim", subject.text]
    return shlex.join(words)


def _file(found: Study) -> str:
    """The program's name in commands; a program given as text is a file of the page."""
    return f"{plain_stem(found.name)}.dip" if found.name.startswith("<") else found.name


def _input(drawn: Picture | None) -> str:
    """The option that names the input of the chain."""
    return f" --input {shlex.quote(valuation_text(drawn.input))}" if drawn and drawn.input else ""


def commands(found: Study, drawn: Picture | None) -> Iterator[tuple[str, str]]:
    """How to check the verdict again: each command with what it does."""
    file, words = f"{plain_stem(found.name)}.json", _words(found)
    if found.goal is None:
        yield f"dipc distribution {words}{_input(drawn)}", "the distributions on an input"
    elif found.verdict is None or isinstance(found.verdict, Undecided):
        yield f"dipc check {words}", "decide again, without a limit of time"
    else:
        yield f"dipc check {words} --certificate {file}", "decide again, and write a certificate"
        expected = " --expect violated" if isinstance(found.verdict, Violated) else ""
        yield (
            f"dipc verify {file} --program {words}{expected}",
            "check it against this program, whose distributions are derived anew by a second, slower way",
        )
        yield (
            f"python -m dipc.kernel {file}",
            "check its proofs with one folder that uses nothing of dipc",
        )
