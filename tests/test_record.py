"""The record of outputs (tests/record.py) is made, compared, and reveals a changed output."""

from __future__ import annotations

from pathlib import Path

import pytest
import record

ONLY = ("--only", r"^(check rand1( --json)?|budget rand2)$")


def test_a_changed_output_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "record.txt"
    assert record.main(["write", str(file), *ONLY]) == 0
    assert list(record.read(file)) == ["budget rand2", "check rand1", "check rand1 --json"]
    assert record.main(["compare", str(file), *ONLY]) == 0
    file.write_text(file.read_text(encoding="utf-8").replace("PRIVATE", "VIOLATED"), encoding="utf-8")
    capsys.readouterr()
    assert record.main(["compare", str(file), *ONLY]) == 1
    assert "3 commands, 1 differ\n  check rand1\n" in capsys.readouterr().out
