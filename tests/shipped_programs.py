"""The shipped programs that are asked for differential privacy.

Those in ``programs/hidden_markov`` are questions of Pufferfish privacy, for ``dipc pufferfish``; most
of them claim a number: see tests/pufferfish/test_shipped_programs.py.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = "hidden_markov"
PROGRAMS = sorted(path for path in (ROOT / "programs").rglob("*.dip") if path.parent.name != FOLDER)
