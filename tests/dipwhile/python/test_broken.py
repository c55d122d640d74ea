"""Every broken function gets exactly the message that stands beside it.

To add one: write NAME.py, run `python tests/dipwhile/python/test_broken.py`, and read NAME.txt with a critical eye.  A mistake
is found when the function is read, or when it is decided.  The file starts after `import dipc`.
"""

from __future__ import annotations

import os
import runpy
import warnings
from pathlib import Path

import pytest

import dipc
from dipc.errors import InputError

FOLDER = Path(__file__).parent / "broken"
BROKEN = sorted(FOLDER.glob("*.py"))


def message(path: Path) -> str:
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        with pytest.raises(InputError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            runpy.run_path(str(path), {"dipc": dipc})["f"].check()
    finally:
        os.chdir(before)
    return f"{caught.value}\n"


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_message(path: Path) -> None:
    assert message(path) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_says_where_and_how_to_mend_it(path: Path) -> None:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    name, line, column = text.split(":")[:3]
    assert name == path.name
    assert 1 <= int(line) <= len(path.read_text(encoding="utf-8").splitlines())
    assert int(column) >= 1
    assert "^" in text
    assert "help: " in text
    assert path.read_text(encoding="utf-8").splitlines()[int(line) - 1] in text
    assert "<-" not in text


def test_there_are_many() -> None:
    assert len(BROKEN) >= 60


if __name__ == "__main__":
    for broken in BROKEN:
        broken.with_suffix(".txt").write_text(message(broken), encoding="utf-8")
