"""Certificates written to keep the kernel busy: refused after bounded work, without a traceback."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from campaigns import many
from patience import PATIENCE

import dipc
from dipc.cli.main import status
from dipc.kernel import privacy, reading
from dipc.kernel.__main__ import main as kernel_main

ROOT = Path(__file__).parent.parent.parent
LONG = "9" * 3999
STEPS = many(10**5, campaign=3 * 10**6)
SECONDS = 20  # of the processor for this many steps, on a slow machine

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
    (first, *more), *rest = data["inequalities"][0]["of"], data["inequalities"][1:]
    items = [{**data["inequalities"][0], "of": [first], "proof": proof}]
    items += [{**data["inequalities"][0], "of": more}] * bool(more)
    return {**data, "inequalities": [*items, *rest]}


def changed(data: Data, **fields: Any) -> Data:
    return {**copy.deepcopy(data), **fields}


def pieces(count: int) -> Any:
    points = ["0", *(str(Fraction(i, 7)) for i in range(1, count)), None]
    return {"kind": "pieces", "points": points, "pieces": [["low", 3, [["1"]]]] * (count - 1) + ["tail"]}


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


def diagram(
    cells: int, width: int, domain: Sequence[str] = ("0", "1"), delta: bool = False, apart: bool = False
) -> Data:
    """Probabilities 0 or 1/n that are random functions of all cells, each with the outcome that completes it.

    Half of the outcomes are functions f, half are 1/n - f, in turns or one half after the other.
    """
    rng = random.Random(cells * width)
    known: dict[tuple[int, ...], int] = {}
    pools, halves = ([0, 1], [1, 0]), ([0], [0])
    for cell in range(cells - 1, -1, -1):
        size = len(pools[0])
        chosen = [rng.sample(range(max(0, size - 2 * width), size), 2) for _ in range(width)]
        layer = sorted({(x, y) * (len(domain) // 2) for x, y in chosen})
        for pool, half in zip(pools, halves, strict=True):
            half[:] = [known.setdefault((cell, *(pool[i] for i in p)), len(known) + 2) for p in layer]
            pool += half
    tops, nodes = [*halves[0], *halves[1]], list(known)
    used = set(tops)
    for ref in range(len(nodes) + 1, 1, -1):
        if ref in used:
            used.update(nodes[ref - 2][1:])
    shift = {ref: i for i, ref in enumerate(sorted(used | {0, 1}))}
    outcomes = [str(i) for i in range(len(tops))]
    turns = [root for both in zip(*halves, strict=True) for root in both]
    data = changed(
        PROVED,
        inputs=[{"name": "q", "size": cells, "domain": list(domain)}],
        outputs=[{"name": "o", "size": None, "domain": outcomes}],
        outcomes=[[o] for o in outcomes],
        functions=[[[], 0], [[[f"1/{len(halves[0])}"]], 0]],
        nodes=[[nodes[r - 2][0], *(shift[x] for x in nodes[r - 2][1:])] for r in sorted(used - {0, 1})],
        roots=[shift[root] for root in (tops if apart else turns)],
    )
    if delta:
        data["claim"]["delta"] = [[["1/2"]], 0]
    return data


PRIME = 2**61 - 1
"""Python's hashes of numbers are remainders modulo this prime."""


def alike(count: int) -> list[str]:
    """Numbers with the same hash."""
    return [str(i * PRIME) for i in range(count)]


def same_hash(count: int) -> list[Any]:
    """A function whose exponents have the same hash."""
    return [["1"], *([str((-1) ** i), 0, str(i * PRIME)] for i in range(1, count))]


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
    "many pieces": lambda: with_first(pieces(50_000)),
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
    "a power of a long product": lambda: with_first(
        {
            "kind": "product",
            "scale": "1",
            "factors": [{"function": wide(1000), "power": 500, "proof": None}],
        }
    ),
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
    "a diagram of many nodes": lambda: diagram(cells=200, width=300),
    "many laws": lambda: diagram(cells=60, width=12, delta=True),
    "many sums": lambda: diagram(cells=60, width=12, apart=True),
    "many states of the adjacency": lambda: changed(
        diagram(cells=40, width=12, domain=[f"1/{p}" for p in range(2, 40)]),
        adjacency={"kind": "l1", "distance": "10", "pairs": None},
    ),
    "a unit of many digits": lambda: changed(
        PROVED, functions=[[[["1/2", 0, f"-1/{10**300 + i}"]], 0] for i in range(5000)]
    ),
    "a common denominator of many digits": lambda: changed(
        PROVED, functions=[[[[f"1/{10**3000 + i}"]], 0] for i in range(5000)]
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
    "roots in roots": lambda: changed(
        PROVED,
        claim={
            **PROVED["claim"],
            "delta": {
                "above": [wide(1000), wide(1000)],
                "below": [wide(1000), wide(1000)],
                "radicand": wide(1000),
                "proofs": {
                    "radicand": {"kind": "point"},
                    "below": {
                        "kind": "rooted",
                        "points": ["0", None],
                        "pieces": [{"by": "plain", "proofs": [{"kind": "point"}] * 2}],
                    },
                },
            },
        },
    ),
    "values of one hash": lambda: changed(PROVED, inputs=[{**SIDE, "size": None, "domain": alike(12_000)}]),
    "outcomes of one hash": lambda: changed(
        PROVED,
        outputs=[{"name": "o", "size": None, "domain": alike(3000)}],
        outcomes=[[value] for value in alike(3000)],
    ),
    "exponents of one hash": lambda: with_first(chain("0"), same_hash(10_000)),
    "products of one hash": lambda: with_first(
        {
            "kind": "binomial",
            "binomial": [["-1"], ["1", 0, "1"]],
            "cofactor": same_hash(10_000),
            "proof": {"kind": "identity"},
        }
    ),
    "probabilities of one hash": lambda: changed(
        PROVED, functions=[[[[f"1/{1 + i * PRIME}"]], 0] for i in range(1, 5000)]
    ),
    "sums of exponents of one hash": lambda: with_first(
        {
            "kind": "product",
            "scale": "1",
            "factors": [
                {"function": [["1"], *([["1", 0, str(x)] for x in numbers])], "power": 1, "proof": None}
                for numbers in (
                    [i * (1 + PRIME) for i in range(1, 400)],
                    [i + i * i * PRIME for i in range(1, 400)],
                )
            ],
        }
    ),
    "distances of one hash": lambda: changed(
        PROVED,
        inputs=[{"name": "q", "size": 60, "domain": ["0", str(PRIME), str(3 * PRIME), str(7 * PRIME)]}],
        adjacency={"kind": "l1", "distance": str(10**6 * PRIME), "pairs": None},
        nodes=[[0, 0, 1, 0, 1]],
    ),
    "many functions": lambda: changed(PROVED, functions=[[[[str(i)]], 0] for i in range(1, 200_000)]),
}


@pytest.mark.parametrize(
    "name", ["a diagram of many nodes", "many laws", "many sums", "many states of the adjacency"]
)
def test_large_products_are_counted(name: str) -> None:
    data = {**HOSTILE[name](), "digest": ""}
    with pytest.raises(reading.Refused, match=r"^work: more than"):
        privacy.check(json.dumps({**data, "digest": privacy.digest(data)}).encode(), None, STEPS)


@pytest.mark.parametrize("name", HOSTILE)
def test_bounded_work(name: str) -> None:
    data = HOSTILE[name]()
    data["digest"] = ""
    text = json.dumps({**data, "digest": privacy.digest(data)}).encode()
    start = time.process_time()
    with pytest.raises(reading.Refused, match=r"^[^:]+: ."):
        privacy.check(text, None, STEPS)
    assert time.process_time() - start < SECONDS


def test_the_limit_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An honest certificate, with and without enough steps; the limit is that of one check only."""
    file = tmp_path / "out.json"
    file.write_text(json.dumps(PROVED), encoding="utf-8")
    for command in (
        lambda *more: kernel_main([str(file), *more]),
        lambda *m: status(["verify", str(file), "-D", "N=1", *m]),
    ):
        assert command("--steps", "1000") == 3
        assert capsys.readouterr().out == "undecided: work: more than 1000 steps (option --steps)\n"
        assert command() == 0
        assert capsys.readouterr().out.startswith("accepted: ")


def test_a_subdivision_without_end_is_counted() -> None:
    with pytest.raises(reading.Refused, match=r"^work: more than 100000 steps"):
        privacy.check(json.dumps(with_first(pieces(50_000), [["-2"], ["3", 0, "1"]])).encode(), None, 10**5)


def test_a_bomb_of_lists_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 10_000)
    with pytest.raises(reading.Refused, match="more than 10000 bytes"):
        privacy.check(gzip.compress(b"[" + b"[]," * 10**6 + b"0]"))


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
        ended = 3 if "work: more than" in said else status
        assert (line, said if status == 2 else errors) == (f"status {ended}\n", "")
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


def sum_of_noise(kind: str, count: int) -> str:
    """A comparison of a weighted sum of noise."""
    draws = "".join(f"r{i} <- {kind}(eps/{i + 1}, q)\n" for i in range(count))
    return f"{draws}o <- 0\nif {' + '.join(f'{i + 2}*r{i}' for i in range(count))} > 3 then o <- 1 end\n"


COINS = "".join(f"c{i} <- flip(1/2)\n" for i in range(30))
EVEN = "x <- choose({" + ", ".join(f"{i}: 1/5000" for i in range(5000)) + "})\n"
SQUARES = "N = 1, a0 = 9^999" + "".join(f", a{i + 1} = a{i}*a{i}" for i in range(40))
WALK = """x <- 0
while x < 60 do
  c <- flip(1/(1 + exp(eps)))
  if c then x <- x + 1 elif x > 0 then x <- x - 1 end
end
"""

DEEP: dict[str, tuple[str, int]] = {
    "coins that nothing reads": (HEAD + COINS + END, 1),
    "coins in a loop": (HEAD + "for i in 1..N do c <- flip(1/2) end\n" + END, 30),
    "a long for": (HEAD + "for i in 1..1000000000 do x <- i end\n" + END, 1),
    "nested for": (HEAD + "for i in 1..N do for j in 1..N do x <- i*j end end\n" + END, 10_000),
    "a long sum": (HEAD + "x <- sum(i in 1..1000000000: i)\n" + END, 1),
    "sums in a for": (
        HEAD + "x <- q\nfor i in 1..30 do x <- x + sum(j in 1..N: j*q) end\n" + END,
        30_000,
    ),
    "a power": (HEAD + "x <- 2^(2^36)\n" + END, 1),
    "a power of a parameter": (HEAD + "x <- 2^(N^4)\n" + END, 1000),
    "a parameter that is a power": (HEAD.replace("N = 1", "N = 1, M = 2^(2^36)") + END, 1),
    "parameters that are squares": (HEAD.replace("N = 1", SQUARES) + END, 1),
    "squares": (HEAD + "x <- q + 3\nfor i in 1..60 do x <- x*x end\n" + END, 1),
    "a power of a function": (HEAD + "x <- flip(1/(1 + eps)^(10^12))\n" + END, 1),
    "a product of functions": (HEAD + "x <- flip(1/(1 + exp(eps) + eps)^200)\n" + END, 1),
    "an enormous domain": (HEAD.replace("q in {0, 1}", "q in 1..10^12") + END, 1),
    "many cells": (HEAD.replace("q in {0, 1}", "q[N] in {0, 1}") + END, 100_000),
    "many outputs": (HEAD.replace("o in {0, 1}", "o[N] in {0, 1} = 0"), 100_000),
    "an enormous uniform": (HEAD + "x <- uniform(1..10^12)\n" + END, 1),
    "a wide uniform": (HEAD + "x <- uniform(1..99999)\n" + END, 1),
    "a wide choose": (HEAD + EVEN + END, 1),
    "a wide exponential mechanism": (HEAD + "x <- Exp(eps, v in 1..3000, v*q)\n" + END, 1),
    "a random walk": (HEAD + WALK + END, 1),
    "deep parentheses": (HEAD + "x <- " + "(" * 5000 + "1" + ")" * 5000 + "\n" + END, 1),
    "deep blocks": (HEAD + "if q = 1 then\n" * 300 + "x <- 0\n" + "end\n" * 300 + END, 1),
    "a long text": (HEAD + "".join(f"x{i} <- {i}\n" for i in range(40_000)) + END, 1),
    "a sum of real noise": (HEAD + sum_of_noise("Lap", 9), 1),
    "a sum of integer noise": (HEAD + sum_of_noise("DLap", 6), 1),
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


@pytest.mark.parametrize("name", DEEP)
def test_the_deep_check_is_bounded(name: str, constant: Data, tmp_path: Path, verified: Verified) -> None:
    """Other programs in the place of the one that the kernel's part is about."""
    text, n = DEEP[name]
    data = copy.deepcopy(constant)
    data["program"] |= {"text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    data["parameters"] = {"N": str(n)}
    file = tmp_path / "out.json"
    file.write_text(json.dumps({**data, "digest": privacy.digest(data)}), encoding="utf-8")
    said = verified(file, "--deep", "--steps", str(STEPS // 4), "-D", f"N={n}")
    assert said.splitlines()[-1].startswith(("not derived: work: more than", "refused: deep: "))
