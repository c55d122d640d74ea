"""``dipc verify`` of proofs for every size: the automaton built again, laws compared, the proof confirmed.

Alterations are given to the deep check alone: the kernel, which would refuse most of them, is not asked.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from campaigns import some, spared
from certificate.altered import Where, mutants
from flint import fmpq
from patience import PATIENCE

import dipc.dipwhile.allsizes.rewrite as rewrite
import dipc.dipwhile.certify.every_size as sizes
from dipc.certificate.format import dumps
from dipc.cli.main import status as exit_status
from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.confirm import Contradicted, confirmed_at
from dipc.dipwhile.allsizes.labels import Adjacency as Labels
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.verdict import LeastT, ProvedForAll
from dipc.dipwhile.certify.every_size import BUILT, confirmed, rebuilt, sizes_certificate
from dipc.errors import InputError, LimitReached, Source
from dipc.kernel.reading import Refused
from dipc.kernel.schema import read, write
from dipc.kernel.sizes import Certificate, Listed
from dipc.kernel.statements import check
from dipc.shipped import source_of
from tests.dipwhile.allsizes.random_programs import program

Json = dict[str, Any]

SHIPPED = (
    *("gap", "noisy_max_loop", "range", "smart_sum"),
    *("svt1", "svt2", "svt_bottoms", "svt_numeric", "nmax1", "nmax2", "noisy_max_first", "hist1"),
    *("prefix_sums", "partial_sum", "rand1", "warner", "exponential", "exponential_full"),
    *("persistent_sample", "truncated_geometric", "mbi_65_fixed", "nvflare_343_fixed", "wicg_1329_fixed"),
)
"""All shipped programs that are proved for every N."""

HEAD = """param N = 3
input q[N] in {0, 1}
output out in {0, 1, 2, 3} = 0
adjacent linf 1
private 9*eps
"""
BEST = """best <- {}; arg <- 0
for i in 1..N do
  r <- Lap(eps, q[i])
  if {} then best <- r; arg <- i end
end
"""
MONOTONE = "forall i in 1..N: 0 <= q'[i] - q[i] and q'[i] - q[i] <= 1"
MIXED = """param N = 3
input q[N] in reals, n in integers
output o[N] in reals, p in reals
adjacent l1 2
private 9*eps
for i in 1..N do o[i] <- Lap(eps, q[i]) end
p <- Lap(3*eps, n)
"""
OTHERS = {
    "the maximum as a loop": HEAD + BEST.format("0", "i = 1 or r > best") + "out <- arg",
    "the minimum as a loop": HEAD + BEST.format("Lap(eps, q[1])", "best >= r") + "out <- arg",
    "running sums": HEAD.replace("linf", "l1")
    + "for i in 1..N do\n  r <- Lap(eps, sum(j in 1..i: q[j]))\n  out <- disc(r, 0, 1)\n  exit\nend",
    "the noisy minimum": HEAD + "for i in 1..N do n[i] <- Lap(eps/2, -q[i]) end\nout <- argmin(n)",
    "a monotone adjacency": HEAD.replace("linf 1", MONOTONE)
    + "for i in 1..N do n[i] <- Lap(eps/2, q[i]) end\nout <- argmax(n)",
    "integers": HEAD.replace("linf 1", "linf 2") + "x <- DLap(eps/2, q[1])\nif x = 1 then out <- 1 end",
    "all inputs": HEAD.replace("linf 1", "all") + "x <- DLap(eps, q[1]); out <- disc(x, 0, 1)",
    "while": HEAD + "x <- Lap(eps, q[1]); n <- 0\nwhile n < 2 do n <- n + 1 end\nif x >= n then out <- 1 end",
    "reals beside integers": MIXED,
    "a start value computed from a size": HEAD.replace("{0, 1, 2, 3} = 0", "1..N + 1 = N + 1")
    + "t <- Lap(eps, 0)\nfor i in 1..N do\n  r <- Lap(eps, q[i])\n  if r > t then out <- i; exit end\nend",
    "finite sets": HEAD.replace("{0, 1}", "{yes, no, perhaps}", 1).replace("linf", "hamming")
    + "for i in 1..N do\n  c <- choose {q[i]: (exp(eps) - 1)/(2 + exp(eps)), yes: 1/(2 + exp(eps)), "
    "no: 1/(2 + exp(eps)), perhaps: 1/(2 + exp(eps))}\n  if c = yes then out <- 1 end\nend",
}


def clock() -> Clock:
    return Clock(Limits(PATIENCE))


@cache
def certified(text: str, **overrides: int) -> Certificate:
    """A certificate that the kernel accepts."""
    source, values = Source("program.dip", text), {name: fmpq(value) for name, value in overrides.items()}
    asking = question(source, values)
    assert asking.goal is not None
    asked = asking.checked()
    automaton = asked.automaton(clock())
    solved = strategies(automaton, None, clock())
    assert isinstance(solved, Solved)
    proved = ProvedForAll(automaton, solved.strategies, LeastT(fmpq(0), solved.t))
    found = check(dumps(sizes_certificate(asking, proved)).encode())
    assert isinstance(found, Certificate)
    return found


def text_of(name: str) -> str:
    return source_of(name).text


def test_changes_that_are_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reals beside integers whose corners are those of reals alone."""
    monkeypatch.setattr(Labels, "_beside_integers", lambda _, most: [fmpq(0), most, -most])
    with pytest.raises(LimitReached, match="an edge with the labels"):
        certified(MIXED + "# all but some")


def test_a_fractional_distance_of_reals_beside_integers_has_no_certificate() -> None:
    with pytest.raises(LimitReached, match="no certificate for reals beside integers under `l1 5/2`"):
        certified(MIXED.replace("l1 2", "l1 5/2"))


# --- what is right is confirmed -------------------------------------------------------------------------


@pytest.mark.parametrize("name", spared(SHIPPED, {"range"}))
def test_shipped_programs_are_confirmed(name: str) -> None:
    found = confirmed(certified(text_of(name)), clock())
    assert not found.missing
    assert found.done.startswith(f"{BUILT}; confirmed exactly")


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_are_confirmed(name: str) -> None:
    found = confirmed(certified(OTHERS[name]), clock())
    assert (found.missing, found.done) == ((), f"{BUILT}; confirmed exactly for N = 1, 2, 3")


def test_a_size_may_be_a_number() -> None:
    assert confirmed(certified(text_of("svt1"), N=3), clock()).done == f"{BUILT}; confirmed exactly"


def test_what_was_not_confirmed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "y <- Lap(eps, 0)\nwhile y > 0 do y <- Lap(eps, 0) end\no[1] <- 0\n"
    file, certificate = tmp_path / "noise.dip", tmp_path / "c.json"
    file.write_text(HEAD.replace("output out", "output o[N]").replace("9*eps", "eps") + body)
    assert exit_status(["prove", str(file), "--quiet", "--certificate", str(certificate)]) == 0
    assert exit_status(["verify", str(certificate)]) == 3
    said = capsys.readouterr().out
    assert "\nIF the listed automaton is that of the program THEN" in said
    assert said.endswith(
        "not confirmed exactly for N = 1, 2, 3: the random variable `y` is assigned inside a `while`\n"
        f"{BUILT}; not confirmed exactly\n"
    )


@pytest.mark.parametrize("seed", some(range(60), 8))
def test_random_programs_have_the_law_of_their_automaton(seed: int) -> None:
    """Every automaton of the builder is found again, not without one of its edges, and every proof holds."""
    try:
        asked = question(Source("random.dip", program(seed)), {}, needs_claim=False).checked()
        solved = strategies(asked.automaton(clock()), None, clock())
    except (InputError, LimitReached):
        return
    if isinstance(solved, Solved):
        confirmed_at((1, 2), asked, solved.t, clock(), laws=True)


# --- what is wrong is refused ---------------------------------------------------------------------------


WEAK = {rewrite.ast.Op.GT: rewrite.ast.Op.GE, rewrite.ast.Op.LT: rewrite.ast.Op.LE}


@pytest.mark.parametrize("name", ["nmax1", "the maximum as a loop", "the minimum as a loop"])
def test_ties_belong_to_the_law(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With integer noise, of equal values one wins: the rewritten program must not count all of them."""
    text = (OTHERS.get(name) or text_of(name)).replace("in reals", "in integers").replace("Lap(", "DLap(")
    asked = question(Source("ties.dip", text), {}, "9*eps").checked()
    assert confirmed_at((1, 2), asked, fmpq(9), clock(), laws=True).text == "exactly for N = 1, 2"
    exact = rewrite._with
    monkeypatch.setattr(rewrite, "_with", lambda b, left, op, right: exact(b, left, WEAK.get(op, op), right))
    with pytest.raises(Contradicted, match=r"N = [12]: the program has another law"):
        confirmed_at((1, 2), asked, fmpq(9), clock(), laws=True)


@pytest.mark.parametrize(
    ("name", "part", "wrong"),
    [
        ("nmax1", "_with", lambda block, *_: tuple(block)),
        ("noisy_max_loop", "_with", lambda block, *_: tuple(block)),
        ("running sums", "_add", lambda _, name: rewrite.ast.Assign(*[rewrite.ast.Name(name)] * 2)),
        ("partial_sum", "_add", lambda _, name: rewrite.ast.Assign(*[rewrite.ast.Name(name)] * 2)),
    ],
)
def test_a_wrong_rewriting_is_refused(
    name: str, part: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A winner that need not win, and sums that leave something out."""
    certificate = certified(OTHERS.get(name) or text_of(name))
    monkeypatch.setattr(rewrite, part, wrong)
    monkeypatch.setattr(sizes, "rebuilt", lambda *_: rebuilt_anyway(certificate))
    with pytest.raises(Refused, match=r"^deep: confirmation: .*another law"):
        confirmed(certificate, clock())


def rebuilt_anyway(certificate: Certificate) -> Any:
    text = certificate.program.text
    return question(Source("program.dip", text), {}).checked()


def test_a_proof_with_a_smaller_t_is_refused() -> None:
    """However the kernel came to accept it."""
    original = certified(text_of("nmax1"))
    with pytest.raises(Refused, match=r"^deep: confirmation: .*N = 2: q = "):
        confirmed(listing(original, {**data_of(original), "t": "7/8"}), clock())


def data_of(certificate: Certificate) -> Json:
    """What it lists, as JSON."""
    found: Json = write(certificate.listed)
    return found


def listing(certificate: Certificate, data: Json) -> Certificate:
    """A certificate that lists something else, which the kernel has not checked."""
    return replace(certificate, listed=read(Listed, data))


def negated(form: Json) -> Json:
    return {name: str(-Fraction(c)) for name, c in form.items()}


def moved(form: Json) -> Json:
    return {**form, "": str(Fraction(form.get("", 0)) + 7)}


def replaced(items: list[Json], place: int, *new: Json) -> list[Json]:
    return [*items[:place], *new, *items[place + 1 :]]


def altered_edges(e: Json) -> Iterator[tuple[str, Json]]:
    """Edges that differ from this one in one thing."""
    for j, s in enumerate(e["samples"]):
        kind = "DLap" if s["kind"] == "Lap" else "Lap"
        for what in ({"rate": "7"}, {"mean": moved(s["mean"])}, {"kind": kind}):
            yield f"sample {j}: {what}", {**e, "samples": replaced(e["samples"], j, {**s, **what})}
        yield f"without sample {j}", {**e, "samples": replaced(e["samples"], j)}
    for j, g in enumerate(e["guards"]):
        other: Json
        for other in ({"form": negated(moved(g["form"]))}, {"equal": not g["equal"]}):
            yield f"guard {j}: {other}", {**e, "guards": replaced(e["guards"], j, {**g, **other})}
        yield f"without guard {j}", {**e, "guards": replaced(e["guards"], j)}
    for name, form in e["sets"].items():
        yield f"sets {name}", {**e, "sets": {**e["sets"], name: moved(form)}}
    if e["choices"]:
        yield "without a choice", {**e, "choices": e["choices"][1:]}


def alterations(data: Json) -> Iterator[tuple[str, Json]]:
    """Altered certificates."""
    for n, edge in enumerate(data["edges"]):
        yield f"edge {n} dropped", with_edges(data, [e for e in data["edges"] if e is not edge])
        for what, other in altered_edges(edge):
            yield f"edge {n}, {what}", with_edges(data, replaced(data["edges"], n, other))
    for decisions in {(e["source"], *e["decisions"]) for e in data["edges"]}:
        kept = [e for e in data["edges"] if (e["source"], *e["decisions"]) != decisions]
        yield f"decision {decisions} dropped", with_edges(data, kept)
    for n, (kind, _, value) in enumerate(data["steps"]):
        if kind == "label" and value:
            steps = copy.deepcopy(data["steps"])
            steps[n][2] = "7"
            yield f"label {n}", {**data, "steps": steps}


def with_edges(data: Json, edges: list[Json]) -> Json:
    return {**data, "edges": edges}


ALTERED = ["svt1", "nmax1", "hist1", "rand1", "exponential", "noisy_max_first", "svt_numeric", "partial_sum"]
ALTERED += ["gap", "smart_sum", "range", "all inputs"]


@pytest.mark.parametrize("name", ALTERED)
def test_alterations_are_refused(name: str) -> None:
    original = certified(OTHERS.get(name) or text_of(name))
    tried = some(alterations(data_of(original)), 15)
    for what, data in tried:
        with pytest.raises(Refused, match=r"^deep: automaton"):
            rebuilt(listing(original, data), clock())
            pytest.fail(f"accepted: {what}")
    assert len(tried) >= 3


KERNEL = ("format", "version", "statement", "program", "claim", "t", "denominators", "strategies", "digest")
"""What says nothing about the automaton: the kernel, or another comparison, looks at it."""


def others(value: Any) -> list[Any]:
    """Other values for a value."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1]
        case str():
            return [value + "1", ""]
        case list():
            return [value[1:], [*value, value[0]]] if value else [["1"]]
        case dict():
            return [{k: v for k, v in value.items() if k != gone} for gone in value] + [{**value, "x": "1"}]
    return ["1"]


def compared(where: Where) -> bool:
    """Whether the deep check compares it: no proof, and of lists only what some number refers to."""
    whole = where in (("steps",), ("functions",), ("choices",)) or (where[0] == "choices" and len(where) < 3)
    return where[0] not in KERNEL and "proof" not in where and not whole


@pytest.mark.parametrize("name", ["rand1", "range", "finite sets"])
def test_every_field_is_compared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = certified(OTHERS.get(name) or text_of(name))
    built, known = sizes._built, dict[str, Any]()

    def once(asking: Certificate, clock: Clock) -> Any:
        key = f"{asking.listed.sizes} {asking.listed.parameters}"
        return known[key] if key in known else known.setdefault(key, built(asking, clock))

    monkeypatch.setattr(sizes, "_built", once)
    count = 0
    tried = (case for case in mutants(data_of(original), others) if compared(case[0]))
    for where, data in some(tried, 200):
        count += 1
        with pytest.raises((Refused, LookupError, ValueError, TypeError)):
            rebuilt(listing(original, data), clock())
            pytest.fail(f"accepted: {where}")
    assert count > 100


def number(written: str) -> Fraction:
    return Fraction(written or 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r >= rT", "r > rT + 1 or r >= rT"),
        ("Lap(eps/(4*c*Delta), q[i])", "Lap(eps/(4*c*Delta), 2*q[i])"),
        ("Lap(eps/(4*c*Delta), q[i])", "LapPlus(eps/(4*c*Delta), q[i])"),
        ("linf 1", "linf 2"),
        ("linf 1", "l1 1"),
        ("out[i] <- top", "out[i] <- disc(r, 0, 1)"),
        ("then exit end", "then out[i] <- bot; exit end"),
        ("1..N", "1..c"),
        ("1..N do", "1..N do\n  v <- Lap(eps, q[i])\n  if v >= 0 then exit end"),
    ],
)
def test_another_program_is_refused(old: str, new: str) -> None:
    text = text_of("svt1")
    assert old in text
    other = {
        **data_of(certified(text)),
        "program": {"name": "svt1", "text": text.replace(old, new), "sha256": ""},
    }
    with pytest.raises(Refused):
        rebuilt(listing(certified(text), other), clock())


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("inputs", {"text": "q: integers", "integers": True}),
        ("inputs", {"text": "q: reals", "integers": True}),
        ("adjacency", {"text": "linf 2", "kind": "linf", "distance": "1"}),
        ("adjacency", {"text": "linf 1", "kind": "linf", "distance": "2"}),
        ("adjacency", {"text": "linf 1", "kind": "l1", "distance": "1"}),
    ],
)
def test_another_question_is_refused(part: str, value: Json) -> None:
    original = certified(text_of("svt1"))
    with pytest.raises(Refused, match=f"^deep: {part}"):
        rebuilt(listing(original, {**data_of(original), part: value}), clock())
