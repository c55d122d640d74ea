"""Certificates written to keep the kernel busy: refused, or ended by a limit, without a traceback."""

from __future__ import annotations

import copy
import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from certificates import sealed, with_text
from patience import PATIENCE

import dipc
from dipc.cli.main import status
from dipc.kernel import reading, statements
from dipc.kernel.__main__ import main as kernel_main

ROOT = Path(__file__).parent.parent.parent
LONG = "9" * 3999
SECONDS = 30  # of the processor, on a slow machine

Data = dict[str, Any]


def written(name: str, claim: str | None = None, **parameters: Any) -> Data:
    mechanism = dipc.load(ROOT / "programs" / f"{name}.dip", **parameters)
    return mechanism.certificate(mechanism.check(claim))


PROVED = written("svt/svt1", N=1)
DELTA = written("svt/sparse", N=1)
VIOLATED = written("svt/svt4", N=2)


def with_first(proof: Any, function: Any = None) -> Data:
    """PROVED, with another proof of its first inequality, or with the function as a denominator."""
    data = copy.deepcopy(PROVED)
    if function is not None:
        return {**data, "denominators": [{"function": function, "proof": proof}]}
    (first, *more), rest = data["inequalities"][0]["of"], data["inequalities"][1:]
    items = [{**data["inequalities"][0], "of": [first], "proof": proof}]
    items += [{**data["inequalities"][0], "of": more}] * bool(more)
    return {**data, "inequalities": [*items, *rest]}


def changed(data: Data, **fields: Any) -> Data:
    return {**copy.deepcopy(data), **fields}


def nested(depth: int) -> Any:
    proof: Any = {"kind": "identity"}
    for _ in range(depth):
        proof = {"kind": "inverse", "proof": proof}
    return proof


def chain(at: str) -> Any:
    return {"kind": "chain", "at": at}


def wide(count: int) -> list[Any]:
    """A function of many terms, none of them like another."""
    return [["1"], *([str((-1) ** i), 0, str(i)] for i in range(1, count))]


SIDE = {"name": "a", "size": 1000, "domain": [str(i) for i in range(1000)]}


HOSTILE: dict[str, Callable[[], Data]] = {
    "a power of a long number": lambda: with_first(chain(f"1/{LONG}"), [["-1"], ["1", 500, "1"]]),
    "the greatest power": lambda: with_first(chain("0"), [["-1"], ["1", 500, "1"], ["1", 500, "2"]]),
    "a power that is too great": lambda: with_first(chain("0"), [["-1"], ["1", 10**9, "1"]]),
    "huge exponents": lambda: with_first(chain("0"), [["-1"], ["1", 0, LONG]]),
    "huge constants": lambda: with_first(chain("0"), [["-1"], ["1", 0, "1", LONG]]),
    "close exponents": lambda: with_first(chain("0"), [["-1"], ["1", 0, f"1/{LONG}"]]),
    "values that cancel": lambda: with_first(
        chain("0"), [["-1"], ["1", 0, "1"], [LONG, 0, "1", f"1/{LONG}"], [f"-{LONG}", 0, "1", f"2/{LONG}"]]
    ),
    "a long chain": lambda: with_first(chain("0"), wide(3000)),
    "many small pieces": lambda: with_first(
        {
            "kind": "pieces",
            "points": ["0", f"1/{LONG}", "1", None],
            "pieces": [["low", 100, [["1"]]], ["low", 100, [["1"]]], "tail"],
        }
    ),
    "a tail of great order": lambda: with_first(
        {"kind": "pieces", "points": ["0", None], "pieces": ["tail"]}, wide(2000)
    ),
    "a tail from far away": lambda: with_first(
        {"kind": "pieces", "points": ["0", LONG, None], "pieces": [["low", 1, [["1"]]], "tail"]},
        [["-1"], ["1", 500, "1"]],
    ),
    "deep nesting": lambda: with_first(nested(300)),
    "deeper nesting": lambda: with_first(nested(900)),
    "powers of long exponents": lambda: with_first(
        {
            "kind": "product",
            "scale": "1",
            "factors": [{"function": [["1"], ["1", 0, f"1/{LONG}"]], "power": 500, "proof": None}],
        }
    ),
    "a long binomial": lambda: with_first(
        {
            "kind": "binomial",
            "binomial": [["-1"], ["1", 0, "1"]],
            "cofactor": wide(19_000),
            "proof": {"kind": "identity"},
        }
    ),
    "a million inputs": lambda: changed(PROVED, inputs=[SIDE, {**SIDE, "name": "b"}]),
    "a thousand values": lambda: changed(PROVED, inputs=[{**SIDE, "size": None}], nodes=[[0, *[0, 1] * 500]]),
    "many cells": lambda: changed(PROVED, inputs=[{**SIDE, "name": f"a{i}"} for i in range(50)]),
    "a unit of many digits": lambda: changed(
        PROVED, functions=[[[["1/2", 0, f"-1/{10**300 + i}"]], 0] for i in range(100)]
    ),
    "a common denominator of many digits": lambda: changed(
        PROVED, functions=[[[[f"1/{10**3000 + i}"]], 0] for i in range(100)]
    ),
    "many pairs of a formula": lambda: changed(
        PROVED,
        inputs=[{**SIDE, "size": 2}],
        adjacency={"kind": "formula", "distance": None, "pairs": [[0, i] for i in range(10**6)]},
    ),
    "many denominators": lambda: changed(
        PROVED,
        denominators=[
            {"function": [[str(i)], ["1", 0, "1"]], "proof": {"kind": "point"}} for i in range(20_000)
        ],
    ),
    "many unsure outcomes": lambda: changed(
        DELTA, cases=[{**case, "signs": ["?" * len(row) for row in case["signs"]]} for case in DELTA["cases"]]
    ),
    "a violation far away": lambda: changed(VIOLATED, violation={**VIOLATED["violation"], "eps": LONG}),
    "a violation at a long number": lambda: changed(
        VIOLATED, violation={**VIOLATED["violation"], "eps": f"{LONG}/1{'0' * 3998}"}
    ),
    "a long delta": lambda: changed(PROVED, claim={**PROVED["claim"], "delta": [wide(19_000), 0]}),
    "many functions": lambda: changed(PROVED, functions=[[[[str(i)]], 0] for i in range(1, 40_000)]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_too_large_is_refused(name: str) -> None:
    data = HOSTILE[name]()
    start = time.process_time()
    with pytest.raises(reading.Refused, match=r"^[^:]+: ."):
        statements.check(sealed(data).encode())
    assert time.process_time() - start < SECONDS


def test_endless_work_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The system ends it: such a certificate may be right."""
    factor = {"function": wide(1000), "power": 500, "proof": None}
    file = tmp_path / "out.json"
    data = with_first({"kind": "product", "scale": "1", "factors": [factor]})
    file.write_text(sealed(data), encoding="utf-8")
    assert kernel_main([str(file), "--seconds", "1"]) == 3
    assert capsys.readouterr().out == "undecided: work: more than 1 s or 4000 MB\n"
    assert status(["verify", str(file), "--time-limit", "1"]) == 3
    assert "the time limit was reached" in capsys.readouterr().err


def test_little_memory_is_undecided(tmp_path: Path) -> None:
    """A new process has no memory to spare; the same certificate with enough."""
    file = tmp_path / "out.json"
    file.write_text(json.dumps(PROVED), encoding="utf-8")
    for more, code, answer in ((["--megabytes", "1"], 3, "undecided: work: "), ([], 0, "accepted: ")):
        command = [sys.executable, "-m", "dipc.kernel", str(file), *more]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == code and run.stdout.startswith(answer)


def test_a_bomb_of_lists_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 10_000)
    with pytest.raises(reading.Refused, match="more than 10000 bytes"):
        statements.check(gzip.compress(b"[" + b"[]," * 10**6 + b"0]"))


# --- memory and the deep check, in a process of its own ---------------------------------------------

resource = pytest.importorskip("resource")

LIMIT = 300 * 2**20  # bytes of memory
HEAD = "param N = 1\ninput q in {0, 1}\noutput o in {0, 1}\nadjacent all\nprivate eps\n"
END = "o <- 0\n"


SERVER = f"""
import json, os, resource, sys
from dipc.cli.main import run, status

status(["verify", "--deep", sys.argv[1]])  # all that is needed is loaded now
sys.stdout.flush()
for line in sys.stdin:
    arguments, files = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in enumerate(files, 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
        # Twice the limit: some memory is reserved, but not used.
        resource.setrlimit(resource.RLIMIT_AS, (2 * {LIMIT}, 2 * {LIMIT}))
        sys.argv[1:] = arguments
        run()
    print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs commands in processes of their own, with little memory; only the first one has to load dipc."""

Verified = Callable[..., str]


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory, constant: Data) -> Iterator[Verified]:
    """What ``dipc verify`` prints about a file that it refuses (1), cannot read (2) or gives up (3)."""
    folder = tmp_path_factory.mktemp("processes")
    honest, *files = (folder / name for name in ("honest.json", "out", "err"))
    honest.write_text(json.dumps(constant), encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(honest)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert server.stdin is not None and server.stdout is not None
    given, told = server.stdin, server.stdout
    assert told.readline().startswith("accepted: ")

    def ask(file: Path, *arguments: str, status: int = 1) -> str:
        for each in files:
            each.unlink(missing_ok=True)
        given.write(json.dumps([["verify", str(file), *arguments], list(map(str, files))]) + "\n")
        given.flush()
        while not (line := told.readline()).startswith("status "):
            assert line, "the process has ended"
        said, errors = (each.read_text(encoding="utf-8") for each in files)
        assert "Traceback" not in errors
        assert (line, said if status == 2 else errors) == (f"status {status}\n", "")
        return errors if status == 2 else said

    yield ask
    given.close()
    assert server.wait(PATIENCE) == 0


BOMBS: dict[str, Callable[[], bytes]] = {
    "lists": lambda: b"[" + b"[]," * (10 * 10**6) + b"0]",
    "objects": lambda: b"[" + b'{"a":0},' * (3 * 10**6) + b"0]",
    "strings": lambda: b"[" + b'"ab",' * (5 * 10**6) + b"0]",
    "a string": lambda: b'"' + b"a" * (200 * 2**20) + b'"',
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_a_bomb_unpacks_to_is_bounded(name: str, tmp_path: Path, verified: Verified) -> None:
    file = tmp_path / "bomb.json"
    file.write_bytes(gzip.compress(BOMBS[name](), 1))
    assert re.search(
        r"is not a certificate \((more than \d+ bytes|its values take)", verified(file, status=2)
    )


SQUARES = "N = 1, a0 = 9^999" + "".join(f", a{i + 1} = a{i}*a{i}" for i in range(40))
DEEP: dict[str, tuple[str, int]] = {
    "a long for": (HEAD + "for i in 1..1000000000 do x <- i end\n" + END, 1),
    "a long sum": (HEAD + "x <- sum(i in 1..1000000000: i)\n" + END, 1),
    "a power": (HEAD + "x <- 2^(2^36)\n" + END, 1),
    "a power of a parameter": (HEAD + "x <- 2^(N^4)\n" + END, 1000),
    "a parameter that is a power": (HEAD.replace("N = 1", "N = 1, M = 2^(2^36)") + END, 1),
    "parameters that are squares": (HEAD.replace("N = 1", SQUARES) + END, 1),
    "an enormous domain": (HEAD.replace("q in {0, 1}", "q in 1..10^12") + END, 1),
    "many cells": (HEAD.replace("q in {0, 1}", "q[N] in {0, 1}") + END, 100_000),
    "many outputs": (HEAD.replace("o in {0, 1}", "o[N] in {0, 1} = 0"), 100_000),
    "deep blocks": (HEAD + "if q = 1 then\n" * 300 + "x <- 0\n" + "end\n" * 300 + END, 1),
    "a formula over a long range": (
        HEAD.replace("all", "forall i in 1..N: forall j in 1..N: q = q' or q = i") + END,
        10_000,
    ),
}
"""Programs, with the N that a forger chose."""


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """The certificate of the program that does nothing."""
    path = tmp_path_factory.mktemp("constant") / "constant.dip"
    path.write_text(HEAD + END, encoding="utf-8")
    mechanism = dipc.load(path)
    return mechanism.certificate(mechanism.check())


def with_program(constant: Data, text: str, n: int, file: Path) -> None:
    """Write the certificate with another program in the place of the one that the kernel's part is about."""
    data = with_text(constant, text) | {"parameters": {"N": str(n)}}
    file.write_text(sealed(data), encoding="utf-8")


@pytest.mark.parametrize("name", DEEP)
def test_programs_that_are_too_large_are_refused(
    name: str, constant: Data, tmp_path: Path, verified: Verified
) -> None:
    text, n = DEEP[name]
    with_program(constant, text, n, tmp_path / "out.json")
    said = verified(tmp_path / "out.json", "-D", f"N={n}")
    assert said.splitlines()[-1].startswith("refused: deep: ")


def test_endless_programs_are_not_derived(constant: Data, tmp_path: Path, verified: Verified) -> None:
    coins = "".join(f"c{i} <- flip(1/2)\n" for i in range(30))
    with_program(constant, HEAD + coins + END, 1, tmp_path / "out.json")
    said = verified(tmp_path / "out.json", "--time-limit", "1", status=3)
    assert said.splitlines()[-1] == "not derived: the time limit was reached"
