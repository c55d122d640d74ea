"""coqc with the library of dipc, compiled once for all tests."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, islice
from pathlib import Path

import pytest
from export_tools import ROOT

from dipc.certificate.format import dumps
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.export.coq import every_size as sizes
from dipc.dipwhile.export.coq.core import CORE, core_theorem
from dipc.dipwhile.export.coq.theorems import theorem
from dipc.dipwhile.mechanisms import Mechanism
from dipc.export.coq.library import FOLDER, MODULES, MORE
from dipc.kernel import privacy, statements

TIME_LIMIT = 300
LIBRARY = tuple(dict.fromkeys((*MODULES, *MORE, *CORE, *sizes.MODULES)))
"""All modules, in the order in which they need each other."""
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""What Coq's own real numbers rest on."""

# --- reading ------------------------------------------------------------------------------------------


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


# --- coqc ---------------------------------------------------------------------------------------------


def coqc(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Coq on a file, in its folder."""
    command = ["coqc", "-q", *options, file.name]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=TIME_LIMIT)


def compiled(base: Path) -> Path:
    """The folder with the compiled library; of several processes that share ``base`` one compiles it."""
    folder = base / "coq-library"
    with (base / "coq-library.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
            for module in LIBRARY:
                run = coqc(folder / f"{module}.v", "-R", ".", "Dipc")
                assert run.returncode == 0 and not run.stderr, run.stderr
            (folder / "done").touch()
    return folder


def coq_library(factory: pytest.TempPathFactory) -> Path:
    """The compiled library; skips the test if there is no coqc, or it has no Coquelicot."""
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed (see docs/certificates.md)")
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    if not (base / "coq-library" / "done").exists():
        probe = base / f"probe_{os.getpid()}.v"
        probe.write_text("From Coquelicot Require Hierarchy.\n")
        if coqc(probe).returncode:
            pytest.skip("Coq's library Coquelicot is not installed (see docs/certificates.md)")
    return compiled(base)


def judged(text: str, library: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What coqc makes of a file in this folder, which may need the library."""
    file = folder / "claim.v"
    file.write_text(text, encoding="utf-8")
    return coqc(file, "-R", str(library), "Dipc")


def accepted(text: str, library: Path, folder: Path) -> str:
    """What Coq prints about a file that it accepts, without a warning."""
    return printed(judged(text, library, folder))


def accepted_alone(text: str, file: Path) -> str:
    """The same with nothing of dipc in reach but the file."""
    file.write_text(text, encoding="utf-8")
    return printed(coqc(file))


def printed(run: subprocess.CompletedProcess[str]) -> str:
    """What a run that has succeeded without a warning has printed."""
    assert run.returncode == 0 and not run.stderr, run.stderr
    return run.stdout


def assumed(output: str) -> Iterator[set[str]]:
    """The names of the axioms that each ``Print Assumptions`` has printed."""
    for block in re.split(r"^Axioms:\n", output, flags=re.MULTILINE)[1:]:
        yield set(re.findall(r"^([\w.]+)\s*:", block.replace("\n  :", " :"), re.MULTILINE))


# --- many files as one, as it takes a second to load what they import -----------------------------------

IMPORTS = re.compile(r"^(From \w+ Require) Import (.*\n)", re.MULTILINE)
PRINT = re.compile(r"Print Assumptions (\w+)\.\n\Z")
BOTH = re.compile(r"^Definition proved := .*\n", re.MULTILINE)
CHECKED = "vm_compute. reflexivity.\nQed.\n"
REFUSED = "vm_compute. lazymatch goal with |- false = true => idtac end.\nAbort.\n"


def together(texts: Sequence[str]) -> str:
    """Files as one, with a module for each, which has its own names.

    Files in a row that import the same do so once, in a module around theirs: it takes a fifth of a second.
    """
    imports = [tuple(IMPORTS.findall(text)) for text in texts]
    head = dict.fromkeys(" ".join(line) for lines in imports for line in lines)
    found = [*head]
    for number, (lines, group) in enumerate(groupby(range(len(texts)), key=imports.__getitem__)):
        found += (f"Module With{number}.\n", *(f"Import {names}" for _, names in lines))
        found += (f"Module P{i}.\n{IMPORTS.sub('', texts[i])}End P{i}.\n" for i in group)
        found += (f"End With{number}.\n", f"Import With{number}.\n")
    return "".join(found)


def theorems(texts: Sequence[str]) -> str:
    """Files that each end with the axioms of what they prove, as one that prints the axioms of all.

    Once, as Coq takes half a second to find them.
    """
    assert all(CHECKED in text for text in texts)
    names = ", ".join(f"P{i}.{PRINT.findall(text)[0]}" for i, text in enumerate(texts))
    end = f"Definition all := ({names}).\nPrint Assumptions all.\n"
    return together([PRINT.sub("", text) for text in texts]) + end


def refusals(texts: Sequence[str]) -> str:
    """Files whose checkers must all compute ``false``, as one that Coq accepts: all the rest is in order."""
    assert all(text.count(CHECKED) == 1 for text in texts)
    return together([PRINT.sub("", text.replace(CHECKED, REFUSED)) for text in texts])


def hold(texts: Sequence[str], library: Path, folder: Path) -> None:
    """Coq accepts these files, and their theorems rest on the axioms of its real numbers only."""
    assert list(assumed(accepted(theorems(texts), library, folder))) == [AXIOMS]


def holds_alone(text: str, file: Path) -> None:
    """The same of one file, with nothing of dipc in reach but the file."""
    assert list(assumed(accepted_alone(text, file))) == [AXIOMS]


def verdicts(texts: Sequence[str], library: Path, folder: Path) -> list[bool]:
    """Whether the checkers of all theorems of each file compute ``true``; the rest is in order."""
    says = 'vm_compute. tryif reflexivity then idtac "true" else idtac "false".\nAbort.\n'
    changed = [BOTH.sub("", PRINT.sub("", text)).replace(CHECKED, says) for text in texts]
    said = iter(accepted(together(changed), library, folder).splitlines())
    return ["false" not in list(islice(said, text.count(CHECKED))) for text in texts]


def alone(text: str) -> tuple[str, str]:
    """A file with the theorem that is claimed only, and one with that about the laws only."""
    model, _, rest = BOTH.sub("", PRINT.sub("", text)).partition("Theorem claim")
    claim, _, sound = rest.partition("Theorem laws_sound")
    assert claim and sound
    return f"{model}Theorem claim{claim}", f"{model}Theorem laws_sound{sound}"


def altered(name: str, text: str, old: str, new: str) -> str:
    """An altered file; ``old`` is a regular expression if it has a backslash."""
    changed = re.sub(old, new, text) if "\\" in old else text.replace(old, new)
    assert changed != text, name
    return changed


# --- theorems of verdicts -----------------------------------------------------------------------------

Case = tuple[str, dict[str, int], str | None]
"""A shipped file or the text of a program, N, a claim."""


@cache
def mechanism(name: str, n: int | None) -> Mechanism:
    parameters = {} if n is None else {"N": n}
    return Mechanism.load(name if "\n" in name else ROOT / "programs" / name, **parameters)


@cache
def checked(name: str, n: int | None, claim: str | None) -> privacy.Certificate:
    asked = mechanism(name, n)
    return statements.check(dumps(certificate(asked.program, asked.check(claim))).encode())


def written(case: Case, about_program: bool = False, library: bool = False) -> str:
    """The file that proves the claim, of the listed distributions or of the program."""
    name, parameters, claim = case
    n = parameters.get("N")
    found = checked(name, n, claim)
    if about_program:
        return core_theorem(mechanism(name, n).program, found, library)
    return theorem(found, library)
