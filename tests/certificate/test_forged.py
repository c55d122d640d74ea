"""Forged certificates, one for each way to make a checker assume what it does not derive: none is accepted.

Each is made of a certificate that dipc writes, and sealed with a new digest.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from certificates import sealed, with_text

from dipc.cli.main import status
from dipc.kernel.__main__ import main as kernel_main

Data = dict[str, Any]
Change = Callable[[Data], object]

SVT = """param N = 2, T = 0
input q[N] in reals
output out[N] in {bot, top} = bot
adjacent linf 1
private eps for all N
r <- Lap(eps/2, T)
for i in 1..N do
  x <- Lap(eps/4, q[i])
  if x >= r then out[i] <- top; exit end
end
"""
LEAK = """param N = 2, T = 0
input q[N] in reals
output o[N] in {0, 1} = 0
adjacent linf 1
private eps for all N
for i in 1..N do
  x <- Lap(100*eps, q[i])
  if x > T then o[i] <- 1 end
end
"""
TABLE = """param N = 2
input q[N] in {0, 1}
output o in {0, 1} = 0
adjacent linf 1
private eps
x <- Lap(eps, q[1])
if x > 0 then o <- 1 end
"""
COMPUTED = """param N = 2, K = N - 1
input q[N] in reals
output o in {0, 1} = 0
adjacent linf 1
private eps for all N
x <- Lap(eps, q[1])
o <- disc(x, 0, 1)
"""
MODEL = Path(__file__).parents[2] / "programs/hidden_markov/ex4.hmm"
HUGE = "1e999999999"
PLACE: Data = {"live": []}


@cache
def honest(subject: str, folder: Path, *options: str) -> str:
    """A certificate as dipc writes it: of a program's text, or of a model."""
    program, written = folder / "program.dip", folder / "honest.json"
    program.write_text(subject, encoding="utf-8")
    command = {MODEL.name: ["pufferfish", "check", str(MODEL)], TABLE: ["check", str(program)]}
    arguments = command.get(subject, ["prove", str(program)])
    assert status([*arguments, *options, "--quiet", "--certificate", str(written)]) == 0
    return written.read_text(encoding="utf-8")


@pytest.fixture
def statuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, int, str]]:
    """The exit statuses of ``dipc verify`` and of the kernel, and what they print."""

    def run(data: Data, *options: str) -> tuple[int, int, str]:
        if "program" in data:
            data = with_text(data, data["program"]["text"])
        file = tmp_path / "forged.json"
        file.write_text(sealed(data), encoding="utf-8")
        capsys.readouterr()
        found = status(["verify", str(file), *options]), kernel_main([str(file)])
        return *found, capsys.readouterr().out

    return run


def at(*way: str | int, to: object) -> Change:
    """Put another value in the place of one."""

    def change(data: Any) -> None:
        for key in way[:-1]:
            data = data[key]
        data[way[-1]] = to

    return change


def bare(*places: Data, loop: bool = False) -> Change:
    """A program that is not private, an automaton that begins at the first of these places, and no costs."""
    edge = {"source": 0, "target": 0, "samples": [], "guards": [], "sets": {}, "cost": "0"}
    edge |= {"choices": [], "decisions": [], "path": []}
    phi, delta = {"0": "0"}, {"0": dict[str, str]()}
    strategy = {"edges": [0] * loop, "phi": phi, "delta": delta, "shift": [[]] * loop}

    def change(data: Data) -> None:
        data["program"]["text"] = LEAK
        data |= {
            "t": "0",
            "places": [PLACE | place for place in places],
            "steps": [],
            "strategies": [strategy],
        }
        data |= {"edges": [edge] * loop}

    return change


def range_of(p: Data) -> Change:
    return lambda data: data["parameters"][0].update(p)


def impossible(data: Data) -> None:
    """A claim about a side that has no weights, of which every inequality holds."""
    data["sides"][0]["start"] = []
    del data["proof"]["signs"][4:]  # for the divisor, and the three weights of the other side
    data["proof"]["items"] = []


ONE = [[[0], "1"]]
FORGED: dict[str, tuple[str, Change, str]] = {
    "the start is the end": (SVT, bare({"cut": "end"}), "a run ends where it begins"),
    "a run that comes back to the start": (SVT, bare({"cut": "start"}, loop=True), "comes back to where"),
    "a live variable at the start": (SVT, at("places", 0, "live", to=["r"]), "place 0"),
    "an empty class": (MODEL.name, at("conditions", to=[[[[0], "-1"]]]), "point: a condition"),
    "a class that one condition leaves": (
        MODEL.name,
        at("conditions", to=[[[[0], "-1"], [[1], "2"], [[2], "-1"]]]),
        "point: a condition",
    ),
    "an empty range": (MODEL.name, range_of({"low": ONE, "low_closed": True, "high_closed": True}), "point"),
    "no point of the class": (MODEL.name, lambda data: data["proof"].pop("point"), "'point' is missing"),
    "a point outside": (MODEL.name, at("proof", "point", to=["1"]), "point: p is outside"),
    "a side without weights": (MODEL.name, impossible, "point: a side is impossible"),
    "ten thousand conditions": (MODEL.name, at("conditions", to=[ONE] * 10_000), "conditions: more than"),
}
"""What the kernel sees by itself: the certificate, how it is changed, and why it is refused."""

ONLY_DEEP: dict[str, tuple[str, Change, str]] = {
    "a parameter becomes a size": (
        SVT,
        lambda data: (data["parameters"].pop("T"), data["sizes"].append("T")),
        "deep: sizes: 'T' is not the size of an input",
    ),
    "a name becomes a size": (SVT, at("sizes", to=["N", "r"]), "deep: parameters"),
    "a computed parameter becomes a size": (COMPUTED, at("sizes", to=["K", "N"]), "deep: sizes: 'K'"),
    "a number in the adjacency": (
        SVT,
        at("adjacency", "text", to=f"linf {HUGE}"),
        "deep: adjacency",
    ),
    "a comment in the adjacency": (SVT, at("adjacency", "text", to="linf 1 # or 2"), "deep: adjacency"),
    "other inputs": (SVT, at("inputs", "text", to="q: {0, 1}"), "deep: inputs"),
    "no neighbours": (
        TABLE,
        lambda data: data.update(
            adjacency={"kind": "formula", "distance": None, "pairs": []}, inequalities=[]
        ),
        "deep: adjacency",
    ),
}
"""What only a comparison with the program text shows: the kernel says IF."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("honest")


@pytest.mark.parametrize("name", [*FORGED, *ONLY_DEEP])
def test_a_forgery_is_not_accepted(name: str, folder: Path, statuses: Any) -> None:
    subject, change, why = (FORGED | ONLY_DEEP)[name]
    data = json.loads(honest(subject, folder))
    assert statuses(copy.deepcopy(data))[:2] == (0, 0)
    change(data)
    deep, kernel, said = statuses(data)
    assert deep == 1 and why in said
    assert kernel == 1 if name in FORGED else "\naccepted: IF " in said


def test_a_number_for_a_size_is_another_statement(folder: Path, statuses: Any) -> None:
    """The program claims it for all N."""
    data = json.loads(honest(SVT, folder, "-D", "N=2"))
    deep, _, said = statuses(data)
    assert deep == 1 and "N = 2 only (the program claims it for all N)" in said
    assert statuses(data, "-D", "N=2")[0] == 0


@pytest.mark.parametrize(
    "text", [COMPUTED, "input q in reals\noutput o in {0, 1} = 0\nadjacent linf 1\nprivate eps\n"]
)
def test_a_right_certificate_is_accepted(text: str, folder: Path, statuses: Any) -> None:
    """With a parameter that is computed from a size; and of a program that does nothing."""
    assert statuses(json.loads(honest(text, folder)))[:2] == (0, 0)


@pytest.mark.parametrize(
    "text", ["linf 1  # and more", "linf 1\ninput x in {0}", "linf 1\nexit", "linf 2", "l1 ("]
)
def test_the_text_of_the_adjacency_is_that_of_the_program(text: str, folder: Path, statuses: Any) -> None:
    data = json.loads(honest(SVT, folder))
    data["adjacency"]["text"] = text
    deep, _, said = statuses(data)
    assert deep == 1 and "refused: deep: adjacency: it is not what the program says" in said


def test_the_statement_has_the_claim(folder: Path, statuses: Any) -> None:
    """However long the number is."""
    data = json.loads(honest(MODEL.name, folder))
    data["c"] = f"{10**300 + 1}"
    assert f" is ln({data['c']})-Pufferfish private for every p in (0, 1)" in statuses(data)[2]


def test_the_statement_is_about_the_declared_sets(folder: Path, statuses: Any) -> None:
    """Between any two reals there is no bound."""
    text = COMPUTED.replace("in reals", "in [0, 1]", 1).replace("linf 1", "all")
    deep, kernel, said = statuses(json.loads(honest(text, folder)))
    assert (deep, kernel) == (0, 0) and said.count("(q: reals; all, within the declared sets)") == 2


def test_the_statement_has_all_conditions(folder: Path, statuses: Any) -> None:
    """Long names, and many conditions: nothing is left out."""
    data = json.loads(honest(MODEL.name, folder))
    data["parameters"][0]["name"] = name = "p" * 200
    data["conditions"] = [[[[1], str(n)]] for n in range(2, 50)]
    deep, kernel, said = statuses(data)
    assert (deep, kernel) == (0, 0) and said.count("where ") == 2
    assert all(said.count(f" {n}*{name} >= 0") == 2 for n in range(2, 50))
