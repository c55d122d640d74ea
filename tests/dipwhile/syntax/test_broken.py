"""Every broken program gets exactly the message in the file beside it.

To add one: write NAME.dip, run `python tests/dipwhile/syntax/test_broken.py`, and read NAME.txt critically.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dipc.dipwhile.syntax.compile import read
from dipc.errors import InputError, Source

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.dip"))


def message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read(Source(path.name, path.read_text(encoding="utf-8")))
    return f"{caught.value}\n"


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_message(path: Path) -> None:
    """It says where and how to fix it."""
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert message(path) == text
    name, line, column = text.split(":")[:3]
    assert name == path.name and int(line) >= 1 and int(column) >= 1
    assert "^" in text and "help: " in text


def test_there_are_many() -> None:
    assert len(BROKEN) >= 190


if __name__ == "__main__":
    for broken in BROKEN:
        broken.with_suffix(".txt").write_text(message(broken), encoding="utf-8")
