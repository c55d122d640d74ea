"""How files are written: whatever happens in between, there is the old file or the new one, and no half."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

OUTPUT = "/dev/stdout"


def write_file(path: str | Path, content: str | bytes, new: bool = False) -> int:
    """Write the file, a text in UTF-8 with ``?`` for what that cannot hold; the number of its bytes.

    The standard output of this process (``/dev/stdout``), a pipe and the like are written directly.  ``new``:
    raises :class:`FileExistsError` if there is a file.  Raises :class:`OSError` with the name of the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/a.txt", "ε"), os.listdir(folder)
    (2, ['a.txt'])
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    try:
        if str(path) == OUTPUT:
            _print(data)
        elif new and target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        elif target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:  # which may name the temporary file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    return len(data)


def _print(data: bytes) -> None:
    """Write to the standard output, if there is one."""
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _replace(target: Path, data: bytes) -> None:
    """Write the data beside the file, then put it in its place."""
    if target.exists():
        target.open("r+b").close()  # one that may not be written is not replaced, either
    temporary = target.parent / f".dipc-{os.urandom(8).hex()}.tmp"
    try:
        temporary.write_bytes(data)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
