"""Deliberate bugs, and which level of checking finds each: the tables in docs/certificates.md, tried out.

Most bugs make dipc say "private" of a program that is not.  The level called Coq is tried by itself: what
the kernel would refuse before it comes to a file for Coq is let through.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import some
from certificates import ROOT
from coq_tools import coq_library, verdicts
from flint import fmpq

import dipc
from dipc.certificate.format import dumps, listed_program
from dipc.dipwhile.certify.compared import rederive
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.export.coq.theorems import theorem
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.errors import Source
from dipc.kernel import laws, privacy, statements
from dipc.kernel.reading import Refused
from dipc.kernel.schema import write
from dipc.signs.limits import NoProof
from dipc.signs.proofs import Chain

WRONG = (ROOT / "programs/randomized_response/kary_wrong.dip").read_text(encoding="utf-8")
RIGHT = (ROOT / "programs/randomized_response/kary.dip").read_text(encoding="utf-8")
Patch = pytest.MonkeyPatch
Data = dict[str, Any]


def as_listed(text: str) -> Data:
    """The certificate that dipc writes."""
    mechanism = dipc.load(text)
    found = mechanism.check()
    assert found.status == "private"
    listed: Data = write(certificate(mechanism.program, found))
    return listed


def about_wrong(data: Data) -> Data:
    """The certificate, about the text of the program that is not private."""
    return {**data, "program": write(listed_program(Source("kary_wrong.dip", WRONG)))}


# --- the bugs: each returns the certificate that dipc would write ---------------------------------------


def a_sign_in_a_derivative_chain(patch: Patch) -> Data:
    """The writer of certificates would find it, by another method: it is let through."""
    patch.setattr("dipc.signs.derivatives.chain_proves", lambda f: True)
    with pytest.raises(NoProof, match="negative"):
        as_listed(WRONG)
    patch.setattr(sys.modules[certificate.__module__], "proof", lambda *given: Chain(fmpq(0)))
    return as_listed(WRONG)


def a_coefficient_in_a_law(patch: Patch) -> Data:
    """As if exp(eps) + 1 were read as exp(eps) + 3: the probabilities still sum to 1."""
    return about_wrong(as_listed(WRONG.replace("(exp(eps) + 1)", "(exp(eps) + 3)")))


def a_coefficient_in_one_function(patch: Patch) -> Data:
    data = as_listed(RIGHT)
    assert data["functions"][0] == [[["1"]], 1]
    return {**data, "functions": [[[["2"]], 1], *data["functions"][1:]]}


def a_pair_of_inputs_left_out(patch: Patch) -> Data:
    every = ProductNeighbours.by_output

    def fewer(self: ProductNeighbours) -> Iterator[object]:
        yield from (case for case in every(self) if case.left == case.right)

    patch.setattr(ProductNeighbours, "by_output", fewer)
    return as_listed(WRONG)


def an_input_left_out(patch: Patch) -> Data:
    """A constant program leaks nothing but of the input that is not listed."""
    text = "input q in {%s}; output o in {0, 1}; adjacent all; private eps; "
    text += "if q > 2 then o <- 1 else o <- 0 end"
    listed = as_listed(text % "1, 2")
    return {**listed, "program": write(listed_program(Source("left_out.dip", text % "1, 2, 3")))}


def a_number_in_the_certificate(patch: Patch) -> Data:
    """The claim is changed after it was proved."""
    data = as_listed(RIGHT)
    return {**data, "claim": {**data["claim"], "t": "1/2"}}


def a_chain_in_dipc_and_in_the_kernel(patch: Patch) -> Data:
    patch.setattr("dipc.kernel.facts.chain_holds", lambda f, unit: True)
    return a_sign_in_a_derivative_chain(patch)


def the_adjacency_in_dipc_and_in_the_kernel(patch: Patch) -> Data:
    """Only pairs with equal probabilities are compared, wherever it is asked."""
    all_needed = laws.needed_pairs

    def fewer(*given: Any) -> laws.Needed:
        found = all_needed(*given)
        return found._replace(functions={(i, j) for i, j in found.functions if i == j})

    patch.setattr(laws, "needed_pairs", fewer)
    return a_pair_of_inputs_left_out(patch)


BUGS: tuple[Callable[[Patch], Data], ...] = (
    a_sign_in_a_derivative_chain,
    a_pair_of_inputs_left_out,
    a_number_in_the_certificate,
    a_coefficient_in_one_function,
    a_coefficient_in_a_law,
    an_input_left_out,
    a_chain_in_dipc_and_in_the_kernel,
    the_adjacency_in_dipc_and_in_the_kernel,
)

# --- the levels ---------------------------------------------------------------------------------------


def kernel(data: bytes) -> privacy.Certificate | None:
    """The certificate, unless it is refused."""
    try:
        return statements.check(data)
    except Refused:
        return None


def deep(data: bytes) -> bool:
    """Whether it is accepted by `dipc verify`: by the kernel, and then by the second derivation."""
    checked = kernel(data)
    try:
        return checked is not None and bool(rederive(checked))
    except Refused:
        return False


def for_coq(data: bytes) -> str:
    """The theorem, whatever the kernel says of its proof."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privacy, "read_inequalities", lambda *given: None)
        patch.setattr(privacy, "check_coverage", lambda *given: None)
        patch.setattr(laws, "check_sums", lambda *given: None)
        return theorem(statements.check(data), library=False)


DOCUMENT = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
HEADING = "## Who is trusted with what"


def table(first: str) -> list[list[str]]:
    """The rows of the table that begins with this cell, of that section."""
    section = DOCUMENT.split(f"\n{HEADING}\n")[1].split("\n## ")[0]
    lines = section.split(f"| {first} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def shown(bug: Callable[[Patch], Data]) -> list[str]:
    """What the document says of a bug: kernel, deep, Coq."""
    (row,) = (row for row in table("deliberate bug") if row[0] == bug.__name__.replace("_", " "))
    return row[2:]


WORDS = {True: "accepted", False: "**refused**"}


def test_the_table_has_all_bugs() -> None:
    assert len(table("deliberate bug")) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS)
def test_what_python_finds(bug: Callable[[Patch], Data], monkeypatch: Patch) -> None:
    data = dumps(bug(monkeypatch)).encode()
    found = [WORDS[kernel(data) is not None], WORDS[deep(data)]]
    assert found == shown(bug)[:2]


@pytest.mark.export
def test_what_coq_finds(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    library = coq_library(tmp_path_factory)
    bugs = some(BUGS[:6], 3)  # the last two write what two of these do
    texts = []
    for bug in bugs:
        with pytest.MonkeyPatch.context() as patch:
            texts.append(for_coq(dumps(bug(patch)).encode()))
    found = [WORDS[said] for said in verdicts(texts, library, tmp_path)]
    assert found == [shown(bug)[2] for bug in bugs]


# --- how much each level has to be trusted with ---------------------------------------------------------


def needed_by(*roots: str) -> set[Path]:
    """The files of dipc that a file imports when it is loaded, and what these import."""
    found: set[Path] = set()
    todo = [ROOT / root for root in roots]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        todo += [other for other in imports_of(path) if other.exists()]
    return found


def imports_of(path: Path) -> Iterator[Path]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.ImportFrom(module=module, names=names, level=level):
                base = path.parent if level else ROOT
                folder = base.joinpath(*(module or "").split("."))
                yield folder.with_suffix(".py")
                yield from (folder / f"{alias.name}.py" for alias in names)
            case ast.Import(names=names):
                yield from (ROOT.joinpath(*alias.name.split(".")).with_suffix(".py") for alias in names)


def code_lines(text: str) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


def statement() -> str:
    """What the theorem is stated with: the definitions of functions, of models and of the claim."""
    folder = ROOT / "dipc/export/coq"
    chain = (folder / "Chain.v").read_text(encoding="utf-8")
    values = re.findall(
        r"^Definition (?:poly|fn) .*?\.$|^Fixpoint (?:pval|eval) .*?end\.$", chain, re.M | re.S
    )
    claims = (folder / "Privacy.v").read_text(encoding="utf-8")
    values += re.findall(r"^Definition (?:delta_of|table_of) .*?\.$", claims, re.M | re.S)
    bounds = (folder / "Bounds.v").read_text(encoding="utf-8")
    values += re.findall(r"^(?:Record interval|Definition (?:inside|always)) .*?\.$", bounds, re.M | re.S)
    sound = (folder / "Distributions.v").read_text(encoding="utf-8")
    values += re.findall(r"^Definition (?:totals|distributions|only) .*?\.$", sound, re.M | re.S)
    assert len(values) == 12
    return "\n".join([*values, claims.split("1. What is claimed")[1].split("Lemma violated_not_private")[0]])


def sizes() -> dict[str, int]:
    kernel_files = needed_by("dipc/kernel/privacy.py")
    levels = {
        "`dipc check`": needed_by("dipc/dipwhile/mechanisms.py"),
        "kernel": kernel_files,
        "deep": {
            path  # the front end may only refuse; the parser is named beside
            for path in needed_by("dipc/dipwhile/certify/compared.py")
            if path.parent.name in ("certify", "rederive") or path in kernel_files
        },
    }
    counted = {
        name: sum(code_lines(path.read_text(encoding="utf-8")) for path in files)
        for name, files in levels.items()
    }
    return {**counted, "Coq": code_lines(statement())}


def test_the_lines_that_are_trusted() -> None:
    """In the document they are rounded; a fifth more or less has to be written down."""
    said = {row[0]: int(row[2].replace(",", "")) for row in table("level")}
    found = sizes()
    assert said.keys() == found.keys()
    for name, lines in found.items():
        assert 0.8 * lines <= said[name] <= 1.2 * lines, (name, lines)
