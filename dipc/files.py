"""How files are written: in one piece.

A file has its old content or the new one, whatever happens in between: a full disk, Ctrl-C, a machine that
stops.  So the content goes to a temporary file in the same folder, which then takes the place of the old one.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

NOT_THERE = (errno.EACCES, errno.EPERM, errno.EROFS)
"""A folder in which no file can be created."""
NOT_THUS = (errno.EBUSY, errno.EXDEV)
"""A file that cannot be replaced: a container has it mounted."""
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""A file system without hard links."""


def write_file(path: str | Path, content: str | bytes, new: bool = False) -> int:
    """Write the file in one piece; the number of its bytes.

    ``content``: bytes, or a text, which is written in UTF-8, with ``?`` for what UTF-8 cannot hold.  The file
    keeps its permissions, and a symbolic link its place.  What is no regular file (a pipe), or cannot be
    replaced, is written directly; to an output of this process (``/dev/stdout``), after what it has written
    there.  ``new``: raises :class:`FileExistsError` if there is a file.

    Raises :class:`OSError` with the name of the file; then it is as it was.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/a.txt", "ε"), os.listdir(folder)
    (2, ['a.txt'])
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with _named(path):
        if new:
            _create(Path(path), data)
        elif (stream := _own(path)) is not None:
            _append(stream, data)
        elif _is_special(path):
            _overwrite(Path(path), data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    return len(data)


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Errors name the file that is to be written, and not the temporary one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def _is_special(path: str | Path) -> bool:
    """Whether the file is something else than a regular one."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(found.st_mode) or os.path.abspath(path).startswith(("/dev/fd/", "/proc/"))


def _own(path: str | Path) -> TextIO | None:
    """The standard output or standard error, if the path leads to what is behind it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or a notebook's; or no such path
            if os.path.samestat(os.stat(path), os.fstat(stream.fileno())):
                return stream
    return None


def _append(stream: TextIO, data: bytes) -> None:
    """Write to an output of this process."""
    stream.flush()
    with open(stream.fileno(), "wb", closefd=False) as file:
        file.write(data)


def _create(path: Path, data: bytes) -> None:
    """Write a new file; raises :class:`FileExistsError` if there is one."""
    with _written(path.parent, data) as temporary:
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            temporary.replace(path)


def _replace(path: Path, data: bytes) -> None:
    """Put a file in the place of another, or where there is none."""
    if path.exists() and not os.access(path, os.W_OK):  # the folder's permissions would suffice
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        with _written(path.parent, data, path) as temporary:
            temporary.replace(path)
    except OSError as error:
        if error.errno not in NOT_THERE + NOT_THUS or not path.exists():
            raise
        _overwrite(path, data)


@contextmanager
def _written(folder: Path, data: bytes, old: Path | None = None) -> Iterator[Path]:
    """A temporary file with the data and the permissions of the old file; it is gone in the end."""
    temporary = folder / f".dipc-{os.urandom(8).hex()}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # some file systems notice only now that the disk is full
        if old is not None and old.exists():
            _like(temporary, old.stat())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _like(path: Path, old: os.stat_result) -> None:
    """Give a file the owner, as far as the system allows it, and the permissions of another."""
    if hasattr(os, "chown"):
        for user, group in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(OSError):
                os.chown(path, user, group)
    path.chmod(stat.S_IMODE(old.st_mode))


def _overwrite(path: Path, data: bytes) -> None:
    """Write to what is there."""
    with path.open("wb") as file:
        file.write(data)
