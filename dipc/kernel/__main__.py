"""The kernel as a program: "accepted: IF ... THEN ..." and exit status 0, or "refused: STEP: REASON" and 1.

What takes more time or memory than it may is "undecided", with exit status 3.

The statement is conditional: only ``dipc verify`` derives the distributions from the program text.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows, where there are no limits
    resource = None  # type: ignore[assignment]

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
    parser.add_argument("--seconds", type=int, default=600, help="of the processor (%(default)s)")
    parser.add_argument("--megabytes", type=int, default=4000, help="of memory (%(default)s)")
    given = parser.parse_args(arguments)
    answer = limited(lambda: checked(given.certificate, given.program), given.seconds, given.megabytes)
    print(answer)
    return {"accepted": 0, "undecided": 3}.get(answer.split(":")[0], 1)


def checked(certificate: str, program: str | None) -> str:
    """The answer about a certificate."""
    try:
        text = None if program is None else Path(program).read_bytes()
        return "\n".join(statements.check(reading.file_bytes(Path(certificate)), text).summary())
    except OSError as error:
        return f"refused: reading: {error.strerror}: {error.filename}"
    except reading.Unfinished as limit:
        return f"undecided: {limit}"
    except reading.Refused as refused:
        return f"refused: {privacy.shown(str(refused))}"


def limited(work: Callable[[], str], seconds: int, megabytes: int) -> str:
    """What ``work`` returns in a child process, which the system ends beyond the limits."""
    if resource is None:
        return work()
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            for what, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, megabytes * 2**20)):
                with contextlib.suppress(ValueError, OSError, OverflowError):  # no such limit
                    resource.setrlimit(what, (limit, limit))
            with os.fdopen(theirs, "w", encoding="utf-8") as pipe:
                pipe.write(work())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return answer if status == 0 else f"undecided: work: more than {seconds} s or {megabytes} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
