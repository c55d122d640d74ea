"""The shipped programs that are asked for differential privacy.

Those in ``programs/hidden_markov`` are questions of Pufferfish privacy, for ``dipc pufferfish``; most
of them claim a number: see tests/pufferfish/test_shipped_programs.py.  Those in ``programs/every_size`` are
for ``dipc prove`` only: see tests/dipwhile/allsizes/test_every_size_programs.py.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = "hidden_markov"
FINITE = sorted(path for path in (ROOT / "programs").rglob("*.dip") if path.parent.name != "every_size")
"""All programs with finitely many inputs, those with questions of Pufferfish privacy included."""
PROGRAMS = [path for path in FINITE if path.parent.name != FOLDER]
