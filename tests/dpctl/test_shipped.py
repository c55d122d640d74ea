"""The chains that ship with dipc give the answers that their comments promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dipc.dpctl.model import load_model
from dipc.errors import Source
from dipc.models.chain import MarkovChain
from dipc.models.reading import ModelFile, PropertyLine, read_model

FOLDER = Path(__file__).parents[2] / "programs" / "chains"


def shipped(path: Path) -> ModelFile:
    return read_model(Source(path.name, path.read_text(encoding="utf-8")))


CHAINS = {path.stem: shipped(path) for path in sorted(FOLDER.glob("*.dpm"))}
LINES = {
    f"{name}.{line.name}": (found, line)
    for name, found in CHAINS.items()
    if isinstance(found.model, MarkovChain)
    for line in found.properties
}


@pytest.mark.parametrize("name", LINES)
def test_a_property_gets_its_answer(name: str) -> None:
    _, line = LINES[name]
    assert load_model(FOLDER / f"{name.partition('.')[0]}.dpm").check(line).status == line.expected


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.dpm")), ids=lambda path: path.stem)
def test_every_file_says_what_it_is_and_what_to_expect(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert re.match(r"# (?!\w+:)\S", lines[0])
    assert lines[1].startswith("# source: ")
    properties: tuple[PropertyLine, ...] = CHAINS[path.stem].properties
    assert properties
    assert all(line.expected in ("holds", "fails", "undecided") for line in properties)
