"""What every command prints about every shipped and every broken file, so that whatever is lost is seen.

    python tests/record.py write tests/record.txt      a line per command: status, hash and gist of the output
    python tests/record.py compare tests/record.txt    the same again: a diff, and exit 1, if anything differs
    python tests/record.py texts FILE                  all that is printed, one block per command

`compare` takes the older outputs from the code of the last commit that wrote the record, or of
`--before REV`: it runs the commands that differ there, too.  `--only REGEX` is for a part, which
`write` replaces in the file; `-n 2` for two processes.  Times are left out, and so are the commands in
TOO_LONG.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPU = 300  # seconds of the processor after which a command is ended
SLOW = 4  # after so many a command is named, which may then be added to TOO_LONG
TOO_LONG = (
    r"^pufferfish (?!(check|budget) \S+$).* ?(ex6|noisy-max-5)",
    r"^(budget|explain|model show) (ex6|noisy-max-5) --",
)
"""Commands that are not run, as regular expressions: most take five seconds or more, all together 300."""
NOISE = (
    (r"^(time +|.* )\d+\.\d\d s( .*)?$", r"\1TIME\2"),  # the row `time`, and the column of a table
    (r'"seconds": ([\d.e-]+|\{[^}]*\})', '"seconds": TIME'),
    (r"^private for every N .*: dipc prove .*\n", ""),  # only where there was time to prove it
)
"""What may differ between two runs of the same code, and what stands in its place."""
GIST = r'^(verdict|least|broken for|accepted|refused|conditional|  "(verdict|least)).*|error: .*'
TEXT = ("mathematica", "sage", "smtlib", "latex", "coq")
CHAIN = ("dot", "svg", "drn", "prism")
HELP = (
    *("check", "prove", "explain", "budget", "profile", "regions", "decide", "model", "pufferfish", "verify"),
    *("distribution", "plot", "report", "export", "programs", "new", "format", "completion"),
)
GROUPS = {"model": "check export regions show value", "pufferfish": "budget check distribution export plot"}


# --- the commands -------------------------------------------------------------------------------------------


def commands() -> list[str]:
    """All commands, sorted."""
    found = ["--help", "programs", "programs --long", "programs --json"]
    found += [f"{name} --help" for name in HELP]
    inputs = example_inputs()
    for group, names in GROUPS.items():
        found += [f"{group} {name} --help" for name in names.split()]
    for path in sorted((ROOT / "programs").rglob("*.*")):
        hidden = path.parent.name == "hidden_markov"
        match path.suffix:
            case ".hmm":
                found += of_hidden_model(path.stem)
            case ".dpm" | ".drn":
                found += of_model(path)
            case ".dip":
                found += of_program(path.stem, inputs[path.stem]) + (
                    of_hidden_model(path.stem) if hidden else []
                )
    for path in sorted((ROOT / "tests").glob("**/broken/*")):
        place = path.relative_to(ROOT).as_posix()
        if path.suffix == ".dip":
            found += [*both(f"check {place}"), *both(f"prove {place}"), f"format {place}"]
        elif path.suffix == ".py":
            found.append(f"python {place}")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for sentence in re.findall(
            r'^\$ dipc (decide "[^"]*")', page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            found += both(sentence)
    return sorted(set(found))


def both(command: str) -> list[str]:
    """For people and for machines."""
    return [command, f"{command} --json"]


def example_inputs() -> dict[str, str]:
    """An input of each program, as `dipc distribution` suggests it; "" if it suggests none."""
    names = sorted(path.stem for path in (ROOT / "programs").rglob("*.dip"))
    asked = outputs([f"distribution {name}" for name in names])
    found = [re.search(r"for example (.*)", text) for _, text, _ in asked]
    return {name: match[1] if match else "" for name, match in zip(names, found, strict=True)}


def of_program(name: str, example: str) -> list[str]:
    """The commands about a program."""
    found = [
        f"programs {name}",
        f"format {name}",
        f"prove {name} --details",
        f"budget {name} --epsilon-curve",
    ]
    found += [f"export {name} --to {to}" for to in TEXT] + [
        f"prove {name} --to {to}" for to in ("latex", "coq")
    ]
    for command in ("check", "prove", "budget", "explain", "profile", "regions", "model show"):
        found += both(f"{command} {name}")
    found += both(f"budget {name} --all-sizes")
    for command in ("check", "prove"):
        found.append(f"{command} {name} --certificate OUT && verify OUT --program {name}")
    given = f"{name} --input {shlex.quote(example)}" if example else name
    found += [*both(f"distribution {given}"), f"distribution {given} --at 1/2"]
    return found + [f"export {given} --to {to}" for to in CHAIN]


def of_model(path: Path) -> list[str]:
    """The commands about a Markov model, with questions made of its properties."""
    name = path.stem
    found = [f"programs {name}", *both(f"model check {name}"), *both(f"model show {name}")]
    found += [f"model export {name} --to {to}" for to in ("drn", "prism", "dpm", "dot", "svg")]
    found.append(f"model check {name} --certificate OUT && verify OUT --model {path.relative_to(ROOT)}")
    for line in re.findall(
        r"^property \w+: (.*?)\s*(?:#.*)?$", path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        formula, _, start = line.partition(" from ")
        asked = f"{shlex.quote(formula)} --from {start}" if start else shlex.quote(formula)
        found += both(f"model regions {name} {asked}")
        if formula.count("D[") == 1 and formula.startswith("D["):
            for query in (re.sub(r"D\[[^,]*, ", "D[?, ", asked), re.sub(r", [^,\]]*\]", ", ?]", asked)):
                found += both(f"model value {name} {query}")
    return found


def of_hidden_model(name: str) -> list[str]:
    """The commands about a hidden Markov model or a program with a prior."""
    found = [f"programs {name}", *both(f"pufferfish check {name}"), *both(f"pufferfish budget {name}")]
    found += [f"pufferfish export {name} --to {to}" for to in ("smtlib", "redlog", "drn", "prism", "dot")]
    found += [*both(f"pufferfish distribution {name}"), f"pufferfish budget {name} --curve"]
    found += [
        *both(f"pufferfish check {name} --horizon any"),
        *both(f"pufferfish budget {name} --horizon any"),
    ]
    found.append(f"pufferfish check {name} --certificate OUT && verify OUT --model {name}")
    return found


# --- the outputs --------------------------------------------------------------------------------------------


def run(commands: Iterable[str]) -> None:
    """Run them in this process, and print a line of JSON for each: exit status, output, seconds."""
    sys.path.insert(0, os.getcwd())
    from dipc.cli.main import status

    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for command in commands:
        signal.setitimer(signal.ITIMER_PROF, CPU)  # ends the process
        start = time.process_time()
        printed = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        code: int | str = 0
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            with contextlib.redirect_stderr(printed):
                for step in command.replace("OUT", f"{folder}/out").split(" && "):
                    code = python(step[7:]) if step.startswith("python ") else status(shlex.split(step))
            text = printed.buffer.getvalue().decode().replace(folder, "FOLDER").replace(os.getcwd(), "ROOT")
        print(json.dumps((code, text, time.process_time() - start)), file=results, flush=True)


def python(path: str) -> int:
    """Check the function in a file of Python."""
    try:
        runpy.run_path(path)["f"].check()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        return 2
    return 0


def outputs(commands: list[str], root: Path = ROOT) -> Iterator[tuple[int | str, str, float]]:
    """Status, text and seconds of each command, run by the code in ``root`` in a process of its own."""
    environment = {**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": "ignore", "NO_COLOR": "1"}
    while commands:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as asked:
            json.dump(commands, asked)
            asked.seek(0)
            worker = [sys.executable, __file__, "run"]
            with subprocess.Popen(
                worker, cwd=root, env=environment, stdin=asked, stdout=subprocess.PIPE
            ) as child:
                assert child.stdout is not None
                for line in child.stdout:
                    status, text, seconds = json.loads(line)
                    yield status, without_noise(text), seconds
                    commands = commands[1:]
        if commands:
            yield "-", f"(the process ended: {child.returncode})\n", 0
            commands = commands[1:]


def without_noise(text: str) -> str:
    """What is the same in every run.

    >>> without_noise("verdict  PRIVATE\\ntime     0.10 s\\n")
    'verdict  PRIVATE\\ntime     TIME\\n'
    """
    for pattern, replacement in NOISE:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def record(commands: list[str], root: Path = ROOT, jobs: int = 1) -> dict[str, tuple[str, str]]:
    """The line of each command, and its text."""
    found: dict[str, tuple[str, str]] = {}

    def part(mine: list[str]) -> None:
        for command, (status, text, seconds) in zip(mine, outputs(mine, root), strict=True):
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            found[command] = f"{status}\t{digest}\t{gist(text)}", text
            if seconds > SLOW:
                print(f"{seconds:.0f} s: dipc {command}", file=sys.stderr)

    wanted = []
    for command in commands:
        if any(re.search(pattern, command) for pattern in TOO_LONG):
            found[command] = "-\t-\t(too long)", "(too long)\n"
        else:
            wanted.append(command)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(part, [wanted[first::jobs] for first in range(jobs)]))
    return {command: found[command] for command in commands}


def gist(text: str) -> str:
    """The line of the verdict, the answer or the mistake; else the first line."""
    line = re.search(GIST, text, re.MULTILINE) or re.search(".*", text)
    assert line is not None
    return line[0].strip()[:60]


# --- the record ---------------------------------------------------------------------------------------------


def read(file: Path) -> dict[str, str]:
    """The lines of a record."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)


def compare(file: Path, only: str, revision: str | None, jobs: int) -> bool:
    """Whether all is as recorded; prints what is not."""
    old = {command: line for command, line in read(file).items() if re.search(only, command)}
    chosen = sorted(old.keys() | {command for command in commands() if re.search(only, command)})
    now = record(chosen, jobs=jobs)
    differ = [command for command in chosen if old.get(command) != now[command][0]]
    before = earlier(differ, file, revision, jobs) if differ else {}
    for command in differ:
        old_text = before[command][1] if before else f"{old.get(command, '(not recorded)')}\n"
        lines = [text.splitlines(keepends=True) for text in (old_text, now[command][1])]
        sys.stdout.writelines(difflib.unified_diff(*lines, f"$ dipc {command}", f"$ dipc {command}"))
    print(f"{len(chosen)} commands, {len(differ)} differ", *differ, sep="\n  ")
    return not differ


def earlier(commands: list[str], file: Path, revision: str | None, jobs: int) -> dict[str, tuple[str, str]]:
    """The same by the code of the commit, or of the last one that wrote the record; {} without a commit."""
    git = ["git", "-C", str(ROOT)]
    last = subprocess.run([*git, "log", "-1", "--format=%H", "--", str(file)], capture_output=True, text=True)
    commit = revision or last.stdout.strip()
    if not commit:
        return {}
    archive = subprocess.run([*git, "archive", commit], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
        return record(commands, Path(folder), jobs)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("what", choices=("write", "compare", "texts"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--before", metavar="REV")
    parser.add_argument("-n", "--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.what == "compare":
        return 0 if compare(given.file, given.only, given.before, given.jobs) else 1
    found = record([command for command in commands() if re.search(given.only, command)], jobs=given.jobs)
    if given.what == "texts":
        blocks = [f"$ dipc {command}\n{text}\n" for command, (_, text) in found.items()]
        given.file.write_text("".join(blocks), encoding="utf-8")
        return 0
    kept = read(given.file) if given.only and given.file.exists() else {}
    lines = {**kept, **{command: line for command, (line, _) in found.items()}}
    text = "".join(f"{command}\t{lines[command]}\n" for command in sorted(lines))
    given.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        run(json.load(sys.stdin))
    else:
        sys.exit(main())
