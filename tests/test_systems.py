"""A system is a folder and a row: each can be taken out, and a new one put in, without a change elsewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dipc.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
API = {"papers", "python", "testing", "pytest_items", "words"}
"""Modules above the systems, which speak of all of them."""

TRY = {
    "dipwhile": ["check svt1", "budget svt1 -D N=1", "report svt4 -D N=2 -o {page}", "explain svt4 -D N=2"],
    "dpctl": [
        "model check survey --json",
        'report survey --formula "D[ln 3, 0](X out_1)" -o {page}',
        'model check survey "D[ln 3, 0](X out_1)" --certificate {file}',
        "verify {file} --model survey --expect holds",
    ],
    "pufferfish": [
        "pufferfish check ex2",
        "pufferfish budget ex3",
        "pufferfish check ex2 --certificate {file}",
        "verify {file} --model ex2",
    ],
}
"""Commands of each system that end with 0 or 1."""


def copied(tmp_path: Path) -> Path:
    """A copy of the package and its programs."""
    for folder in ("dipc", "programs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def take_out(root: Path, folder: str) -> None:
    """Delete the folder of a system, its row, its programs, and its names in ``import dipc``."""
    (system,) = [each for each in SYSTEMS if each.folder == folder]
    shutil.rmtree(root / "dipc" / folder)
    for suffix in system.suffixes:
        for file in (root / "programs").rglob(f"*{suffix}"):
            file.unlink()
    table = root / "dipc" / "systems.py"
    text = table.read_text(encoding="utf-8")
    (name,) = re.findall(rf'^(\w+) = System\(\n    folder="{folder}"', text, re.MULTILINE)
    text = re.sub(rf"^{name} = System\(.*?^\)\n", "", text, flags=re.MULTILINE | re.DOTALL)
    table.write_text(re.sub(rf"\b{name}, |, {name}\b", "", text), encoding="utf-8")
    door = root / "dipc" / "__init__.py"
    lines = door.read_text(encoding="utf-8").splitlines(keepends=True)
    door.write_text("".join(line for line in lines if f'"{folder}.' not in line), encoding="utf-8")


SCRIPT = """
import importlib, json, sys
names, commands = json.load(sys.stdin)
for name in names:
    importlib.import_module(name)
from dipc.cli.main import status
print(json.dumps([status(command) for command in commands]), file=sys.stderr)
"""


def answers(root: Path, names: list[str], commands: list[list[str]]) -> tuple[list[int], str]:
    """The exit statuses of commands in the copy, after imports, and all that was printed."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=root,
        input=json.dumps([names, commands]),
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stderr.splitlines()[-1]), run.stdout + run.stderr


@pytest.mark.parametrize("folder", [system.folder for system in SYSTEMS])
def test_a_system_can_be_taken_out(folder: str, tmp_path: Path) -> None:
    """Everything else imports, decides, reports and verifies, in one process of its own."""
    root = copied(tmp_path)
    take_out(root, folder)
    found = sorted(path.relative_to(root).with_suffix("") for path in (root / "dipc").rglob("*.py"))
    names = [".".join(path.parts) for path in found if path.stem not in API | {"__main__", "pygments_lexer"}]
    lines = [line for system, commands in TRY.items() if system != folder for line in commands]
    commands = [shlex.split(line.format(page=root / "page.html", file=root / "c.json")) for line in lines]
    statuses, out = answers(root, names, [["--help"], *commands])
    assert set(statuses) <= {0, 1}, out


ROW = """
DICE = System(
    folder="die",
    noun="die",
    suffixes=(".die",),
    commands={"die": Entry(PROVE, "die.commands:check", "Tell a loaded die.", "dipc die a.die")},
    homes={"load": "die:Die.load"},
    asks={"": "check"},
    forwards={"check": "die.commands:check", "report": "die.commands:report"},
)
SYSTEMS = (*SYSTEMS, DICE)
"""


def test_a_system_can_be_added(tmp_path: Path) -> None:
    """A loaded die: a folder and a row, and it has `check`, JSON, a page and a certificate."""
    root = copied(tmp_path)
    shutil.copytree(ROOT / "tests" / "die", root / "dipc" / "die")
    with (root / "dipc" / "systems.py").open("a", encoding="utf-8") as table:
        table.write(ROW)
    (root / "a.die").write_text("weights 1 1 2\nwithin 3/2\n", encoding="utf-8")
    (root / "b.die").write_text("weights 1 1 3\nwithin 3/2\n", encoding="utf-8")
    lines = (
        "check a.die --certificate c.json",
        "check b.die --json",
        "report b.die -o b.html",
        "verify c.json",
        "die a.die",
        "check c.die",
        "--help",
    )
    statuses, out = answers(root, [], list(map(shlex.split, lines)))
    assert statuses == [0, 1, 0, 0, 0, 2, 0]
    assert "verdict  PRIVATE" in out and '"verdict": "violated"' in out and "dipc die a.die" in out
    assert "<title>b.die</title>" in (root / "b.html").read_text(encoding="utf-8")
