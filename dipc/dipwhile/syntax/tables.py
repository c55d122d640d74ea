"""The parser tables, kept between runs: building them takes longer than most programs take to check.

They are kept in the user's cache folder, under a name that depends on the grammar and on the versions of lark
and Python.  Nothing depends on the file: if it cannot be read or written, the tables are built.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark


def parser(grammar: str, starts: tuple[str, ...]) -> Lark:
    """The parser of a grammar, from the cache if it is there.

    >>> str(parser('start: "a"', ("start",)).parse("a").data)
    'start'
    """
    path = cache_file(grammar, starts)
    with suppress(Exception):  # whatever is wrong with the file, the tables can be built
        return Lark.load(BytesIO(path.read_bytes()))
    built = Lark(grammar, parser="lalr", lexer="basic", start=list(starts), propagate_positions=True)
    with suppress(OSError):
        keep(built, path)
    return built


def cache_file(grammar: str, starts: tuple[str, ...]) -> Path:
    """Where the tables of a grammar are kept."""
    key = "\0".join([grammar, *starts, lark.__version__, sys.version])
    return cache_folder() / f"parser-{sha256(key.encode()).hexdigest()[:32]}.tables"


def cache_folder() -> Path:
    """The folder of this user for what can be computed again."""
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    with suppress(RuntimeError):  # there are users without a home
        return (Path(given) if os.path.isabs(given) else Path.home() / ".cache") / "dipc"
    return Path(os.devnull) / "dipc"


def keep(built: Lark, path: Path) -> None:
    """Write the tables in one step, so that no other process ever reads half of them."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            built.save(file)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
