"""Files are written in one piece: whatever goes wrong, there is the old file or none."""

from __future__ import annotations

import ast
import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dipc.files import write_file

ROOT = Path(__file__).parent.parent
POSIX = pytest.mark.skipif(os.name == "nt", reason="files of POSIX")

Patch = pytest.MonkeyPatch


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- the function --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["ε\r\n\n", b"\x00\xff"])
def test_what_is_written_is_there(content: str | bytes, tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    data = content if isinstance(content, bytes) else content.encode()
    for _ in range(2):
        assert write_file(target, content) == len(data)
        assert target.read_bytes() == data and names(tmp_path) == ["a.txt"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_permissions_stay(mode: int, tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(mode)
    write_file(target, "new")
    assert (stat.S_IMODE(target.stat().st_mode), target.read_text()) == (mode, "new")


@POSIX
def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_file(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode


@POSIX
@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(there: bool, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "a.txt", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to(Path("folder", "a.txt"))
    write_file(link, "new")
    assert link.is_symlink() and target.read_text() == "new" and names(target.parent) == ["a.txt"]


@POSIX
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as cat:
        write_file(pipe, "through")
        assert cat.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@POSIX
def test_the_standard_output_of_the_process(tmp_path: Path) -> None:
    """Even if it is a file: it must not be replaced, since what comes before and after is written to it."""
    code = "from dipc.files import write_file; print(end='0'); write_file('/dev/stdout', 'a'); print(end='b')"
    with open(tmp_path / "out", "w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, cwd=ROOT, check=True)
    assert (tmp_path / "out").read_text() == "0ab"


def test_a_new_file_replaces_none(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_file(target, "first", new=True)
    with pytest.raises(FileExistsError) as caught:
        write_file(target, "second", new=True)
    assert caught.value.filename == str(target)
    assert target.read_text() == "first" and names(tmp_path) == ["a.txt"]


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch: Patch) -> None:
    def refuse(*given: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    target = tmp_path / "a.txt"
    target.write_text("old")
    monkeypatch.setattr(Path, "open", refuse)  # root may write everything
    with pytest.raises(PermissionError):
        write_file(target, "new")
    monkeypatch.undo()
    assert target.read_text() == "old" and names(tmp_path) == ["a.txt"]


# --- failures ------------------------------------------------------------------------------------


def no_space(*given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*given: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("old", ["old", None])
@pytest.mark.parametrize("failure", [no_space, interrupted])
@pytest.mark.parametrize("place", [(Path, "write_bytes"), (Path, "replace")])
def test_a_failure_leaves_the_old_file_or_none(
    place: tuple[object, str], failure: object, old: str | None, tmp_path: Path, monkeypatch: Patch
) -> None:
    target = tmp_path / "a.txt"
    if old is not None:
        target.write_text(old)
    monkeypatch.setattr(*place, failure)
    with pytest.raises((OSError, KeyboardInterrupt)) as caught:
        write_file(target, "new")
    if isinstance(caught.value, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(target))
    assert names(tmp_path) == ([] if old is None else ["a.txt"])
    assert old is None or target.read_text() == old


SMALL = """
import resource, sys
from dipc.cli.main import status
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
sys.exit(status(sys.argv[1:]))
"""
HELD = ["svt1", "-D", "N=1"]
WRITERS = {
    "packed certificate": (["check", *HELD, "--quiet", "--certificate"], "a.json.gz"),
    "junit": (["check", *HELD, "--quiet", "--junit"], "a.xml"),
    "report": (["report", *HELD, "-o"], "a.html"),
    "model export": (["model", "export", "survey", "--to", "drn", "-o"], "a.drn"),
    "format": (["format", "--write"], "a.dip"),
}
OLD = "input q in {0,1}\noutput out in {0,1}\nadjacent all\nprivate eps\n" + "out<-0\n" * 30


@pytest.mark.parametrize("name", WRITERS)
def test_commands_with_a_full_disk(name: str, tmp_path: Path) -> None:
    """No file may have more than 100 bytes: what a full disk does, without one."""
    pytest.importorskip("resource")
    command, file = WRITERS[name]
    if name == "report":
        pytest.importorskip("matplotlib")
    target = tmp_path / file
    target.write_text(OLD)
    run = subprocess.run(
        [sys.executable, "-c", SMALL, *command, str(target)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr.splitlines()[-1:]) == (2, [f"error: {target}: File too large"])
    assert target.read_text() == OLD and names(tmp_path) == [file]


# --- who writes ----------------------------------------------------------------------------------


def test_only_one_function_writes_files() -> None:
    """Nobody opens a file to write, or lets somebody else do it."""
    for path in sorted((ROOT / "dipc").rglob("*.py")):
        if path.name in ("files.py", "terminal.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="write_text" | "write_bytes")):
                    pytest.fail(f"{path}:{node.lineno}")
                case ast.Call(
                    func=ast.Attribute(ast.Name("os"), "open"), args=[_, ast.Attribute(attr="O_WRONLY")]
                ):
                    assert path.name == "child.py"  # /dev/null
                case ast.Call(func=ast.Name("open") | ast.Attribute(attr="open"), args=args):
                    modes = {arg.value for arg in args if isinstance(arg, ast.Constant)}
                    assert modes == {"rb"}, f"{path}:{node.lineno}"
