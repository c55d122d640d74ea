"""Unusual environments: a read-only installation, users without a home folder, strange names and files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dipc.shipped import paths

ROOT = Path(__file__).parent.parent
SVT4 = paths()["svt4"]


def process(
    arguments: list[str], root: Path = ROOT, user: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dipc", *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8", **environment},
        cwd="/",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        user=user,
    )


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A copy of the package in which nothing can be written."""
    shutil.copytree(ROOT / "dipc", tmp_path / "dipc", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "programs", tmp_path / "dipc" / "programs")
    tmp_path.chmod(0o755)
    folders = [tmp_path / "dipc", *(p for p in (tmp_path / "dipc").rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield tmp_path
    for folder in folders:
        folder.chmod(0o755)


def files(root: Path) -> set[Path]:
    return set(root.rglob("*"))


@pytest.mark.skipif(os.name == "nt", reason="permissions")
def test_read_only_and_without_a_home(read_only: Path) -> None:
    before = files(read_only)
    run = process(
        ["check", "svt4", "-D", "N=2"],
        read_only,
        HOME="/nonexistent",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert (run.returncode, run.stderr) == (1, "")
    assert files(read_only) == before


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user"
)
def test_another_user(tmp_path: Path) -> None:
    try:
        subprocess.run([sys.executable, "-c", "import lark"], user=65534, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("another user cannot run this Python")
    run = process(["check", "svt4", "-D", "N=2", "--quiet"], user=65534, HOME="/nonexistent")
    assert (run.returncode, run.stdout, run.stderr) == (1, "violated\n", "")


@pytest.mark.parametrize("name", ["with space.dip", "ε and žluť.dip", "-dash.dip", "no_suffix", "a'b\"c.dip"])
def test_strange_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(SVT4, path)
    run = process(["check", str(path), "-D", "N=2", "--quiet"])
    assert (run.returncode, run.stdout, run.stderr) == (1, "violated\n", "")


def test_windows_text(tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_bytes(b"\xef\xbb\xbf" + SVT4.read_bytes().replace(b"\n", b"\r\n"))
    assert process(["check", str(path), "-D", "N=2", "--quiet"]).stdout == "violated\n"
    path.write_bytes(path.read_bytes().replace(b"r >= rT", b"r >= rTT"))
    run = process(["check", str(path)])
    assert "a.dip:17:13: error" in run.stderr or "a.dip:18:13: error" in run.stderr
    assert "\r" not in run.stderr


def test_what_a_check_does_not_load() -> None:
    """The start is most of the time of a small check."""
    code = (
        "import sys\nfrom dipc.cli.main import status\nstatus(['check', 'svt1', '--quiet'])\n"
        "print(*sorted(set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "dipc.dipwhile.commands.check" in loaded
    assert not loaded & {"rich", "pygments", "xml.etree.ElementTree", "subprocess", "dipc.cli.verify"}
    assert not [name for name in loaded if name.startswith("dipc.dpctl")]
    assert not loaded & {"dipc.dpctl.model", "dipc.models.chain"}
