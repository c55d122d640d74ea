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
    """It says where and how to mend it, and shows no text of the language."""
    text, lines = (
        path.with_suffix(".txt").read_text(encoding="utf-8"),
        path.read_text(encoding="utf-8").splitlines(),
    )
    assert message(path) == text
    name, line, column = text.split(":")[:3]
    assert name == path.name and 1 <= int(line) <= len(lines) and int(column) >= 1
    assert lines[int(line) - 1] in text and "^" in text and "help: " in text and "<-" not in text


def test_there_are_many() -> None:
    assert len(BROKEN) >= 60


if __name__ == "__main__":
    for broken in BROKEN:
        broken.with_suffix(".txt").write_text(message(broken), encoding="utf-8")
