"""A small reader of Coq's syntax, and coqc with the library of dipc compiled once for all tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dipc.export.coq.library import FOLDER, MODULES, MORE

TIME_LIMIT = 300
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""What Coq's own real numbers rest on."""

# --- reading ------------------------------------------------------------------------------------------

CLOSES = {")": "(", "]": "[", "}": "{"}


def code(text: str) -> str:
    """A text without its comments, which may be nested and have strings; strings become ``""``."""
    found, depth, i = [], 0, 0
    while i < len(text):
        two = text[i : i + 2]
        if two == "(*":
            depth, i = depth + 1, i + 2
        elif two == "*)":
            assert depth, "a comment ends that has not begun"
            depth, i = depth - 1, i + 2
            found.append(" ")
        elif text[i] == '"':
            i = text.index('"', i + 1) + 1
            found.append('""' if not depth else "")
        else:
            found.append(text[i] if not depth else "")
            i += 1
    assert not depth, "a comment does not end"
    return "".join(found)


def sentences(text: str) -> list[str]:
    """The sentences of a file, each without its period, with balanced brackets; there is no rest."""
    *found, rest = re.split(r"(?<!\.)\.(?:\s+|$)", code(text))
    assert not rest.strip(), f"no period after {rest!r}"
    for sentence in found:
        balanced(sentence)
    return [sentence.strip() for sentence in found]


def balanced(sentence: str) -> None:
    """That brackets are closed in their order; curly ones of tactics may stand alone."""
    open_ones: list[str] = []
    for c in re.sub(r"^[\s{}]*|[\s{}]*$", "", sentence) if re.match(r"\s*[{}]", sentence) else sentence:
        if c in CLOSES.values():
            open_ones.append(c)
        elif c in CLOSES:
            assert open_ones and open_ones.pop() == CLOSES[c], sentence
    assert not open_ones, sentence


DEFINES = re.compile(
    r"^(?:Definition|Fixpoint|Lemma|Theorem|Inductive|Record|Ltac|Module|Notation|Variables?|Hypothesis|Let)"
    r"\s+([A-Za-z_]\w*)"
)
WORD = re.compile(r"[A-Za-z_][\w']*")


def defined(found: Sequence[str]) -> set[str]:
    """The names that sentences define: with constructors and the fields of records."""
    names = {match[1] for sentence in found if (match := DEFINES.match(sentence))}
    for sentence in found:
        if sentence.startswith("Inductive"):
            names |= set(re.findall(r"\|\s*(\w+)", sentence))
            names |= set(re.findall(r":=\s*(\w+)", sentence))
        if sentence.startswith("Record"):
            names |= set(re.findall(r"(?:[{;]|:=)\s*(\w+)", sentence))
    return names


# --- coqc ---------------------------------------------------------------------------------------------


def coqc(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Coq on a file, in its folder."""
    command = ["coqc", "-q", *options, file.name]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=TIME_LIMIT)


def compiled(base: Path) -> Path:
    """The folder with the compiled library; of several processes that share ``base`` one compiles it."""
    import fcntl

    folder = base / "coq-library"
    with (base / "coq-library.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
            for module in (*MODULES, *MORE):
                run = coqc(folder / f"{module}.v", "-R", ".", "Dipc")
                assert run.returncode == 0 and not run.stderr, run.stderr
            (folder / "done").touch()
    return folder


def coq_library(factory: pytest.TempPathFactory) -> Path:
    """The compiled library; skips the test if there is no coqc, or it has no Coquelicot."""
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed (see docs/coq.md)")
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    if not (base / "coq-library" / "done").exists():
        probe = base / f"probe_{os.getpid()}.v"
        probe.write_text("From Coquelicot Require Hierarchy.\n")
        if coqc(probe).returncode:
            pytest.skip("Coq's library Coquelicot is not installed (see docs/coq.md)")
    return compiled(base)


def assumed(output: str) -> Iterator[set[str]]:
    """The names of the axioms that each ``Print Assumptions`` has printed."""
    for block in re.split(r"^Axioms:\n", output, flags=re.MULTILINE)[1:]:
        yield set(re.findall(r"^([\w.]+)\s*:", block.replace("\n  :", " :"), re.MULTILINE))
