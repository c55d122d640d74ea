"""The kernel as a program: "accepted: IF ... THEN ..." and exit status 0, or "refused: STEP: REASON" and 1.

What takes more work than it may is "undecided", with exit status 3.

The statement is conditional: only ``dipc verify`` derives the distributions from the program text.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # the folder was run, or a copy of it: it becomes a package, without its neighbours
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("kernel", folder / "__init__.py")
    assert spec is not None
    sys.modules["kernel"] = importlib.util.module_from_spec(spec)
    __package__ = "kernel"

reading = importlib.import_module(f"{__package__}.reading")
privacy = importlib.import_module(f"{__package__}.privacy")
statements = importlib.import_module(f"{__package__}.statements")


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="kernel", description="Check a certificate of dipc.")
    parser.add_argument("certificate")
    parser.add_argument("--program", help="refuse unless the certificate is about the text of this file")
    steps = reading.MAX_STEPS
    parser.add_argument("--steps", type=int, default=steps, help="end after so much work (%(default)s)")
    given = parser.parse_args(arguments)
    try:
        program = None if given.program is None else Path(given.program).read_bytes()
        lines = statements.check(reading.file_bytes(Path(given.certificate)), program, given.steps).summary()
    except OSError as error:
        lines = [f"refused: reading: {error.strerror}: {error.filename}"]
    except reading.Refused as refused:
        word = "undecided" if isinstance(refused, reading.Unfinished) else "refused"
        lines = [f"{word}: {privacy.shown(str(refused))}"]
    print(*lines, sep="\n")
    return {"accepted": 0, "undecided": 3}.get(lines[0].split(":")[0], 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
