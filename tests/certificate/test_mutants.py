"""Real certificates altered in every field: refused, each with the step that failed, never a traceback.

Every mutant is put to the kernel twice.  As it is: it must be refused, without exception.  And *resealed*,
with a digest that fits, as a forger would: then the kernel must refuse it as well, or the mutation must be of
one of the classes in ``HARMLESS`` (what is proved stays true, and is printed), or it must concern what the
kernel says it trusts, and then the deep check must refuse it.  The digest is looked at last: a mutant that is
refused resealed is refused for the same reason as it is.

There are about 57,000 mutants; some 7,000 are tried, and what was proved for one is not proved again for the
next.  All of them are tried, each from the beginning, if DIPC_ALL_MUTANTS is set (ten minutes).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from campaigns import many
from certificate.altered import Where, at, changed, places

import dipc
from dipc.certificate.format import dumps
from dipc.dipwhile.certify.compared import rederive
from dipc.dipwhile.certify.privacy import certificate
from dipc.kernel import facts, reading, statements

ROOT = Path(__file__).parent.parent.parent
ALL = bool(os.environ.get("DIPC_ALL_MUTANTS"))
TRIED = many(200, campaign=450)  # of each certificate

COIN = """input q in {0, 1}; output out in {0, 1, 2} = 2; adjacent linf 1
x <- flip(exp(eps)/(1 + exp(eps))); y <- flip(1/2); if y then if x then out <- q else out <- 1 - q end end
"""
OPEN = (
    "input q in {0, 1}; output out in {0, 1} = 0; adjacent all; x <- flip(exp(-eps))\nif x then out <- q end"
)

SUBJECTS: dict[str, tuple[str, str | None, str | None, dict[str, Any]]] = {
    # what it is for: program or its text, claim, adjacency, parameters
    "private": ("svt/svt1", None, None, {"N": 1}),
    "violated": ("svt/svt4", None, None, {"N": 2}),
    "delta": ("svt/sparse", None, None, {"N": 1}),
    "delta, pieces": ("svt/sparse", "eps/8, 1/2 for eps in (0, 20]", None, {"N": 1}),
    "pieces": ("svt/svt1", "6/25*eps for eps in (0, 10]", None, {"N": 1}),
    "quotients": ("randomized_response/warner", None, None, {}),
    "formula": ("histogram/hist1", None, "forall i in 1..N: abs(q[i] - q'[i]) <= 1 or q[1] = 0", {"N": 2}),
    "listed": ("svt/svt1", None, "forall i in 1..N: abs(q[i] - q'[i]) <= 1 and q[i] <= q'[i]", {"N": 2}),
    "inverse": ("histogram/hist2", None, None, {"N": 1}),
    "mixed": ("histogram/hist2", "eps for eps in [1, inf)", None, {"N": 1}),
    "mixed, delta": ("histogram/hist2", "eps, 1/2", None, {"N": 1}),
    "range": (COIN, "range 2*eps", None, {}),
    "range, violated": (COIN, "range eps", None, {}),
    "renyi": (COIN, "renyi 2, eps", None, {}),
    "renyi, violated": (COIN, "renyi 3, eps/4", None, {}),
    "renyi, infinite": (OPEN, "renyi 2, eps", None, {}),
    "accuracy": (COIN, "accurate out = q or out = 2, 1/4 when q = 1", None, {}),
    "accuracy, violated": (COIN, "accurate out = q, exp(-eps)/2", None, {}),
}

HARMLESS = {
    r"program\.name": "a label, printed",
    r"claim\.interval\..*": "another interval, printed, on which the listed proofs are proofs as well",
    r"claim\.t": "another epsilon, printed, for which the listed proofs are proofs as well",
    r"claim\.delta\..*": "another delta, printed, that needs no other inequalities than those proved",
    r"parameters\..*": "another value, printed, under which --deep derives the same distributions",
    r"(inequalities|cases)": "the same items in another order",
    r"adjacency\..*": "another distance or kind with the same pairs of neighbours",
    r"inequalities\.\d+\.of(\..*)?": "another name of the same inequality, or another order",
    r"inequalities\.\d+\.on.*": "another interval on which the proof holds, with all pieces that need it",
    r".*\.proof(\..*)?": "another proof of the same inequality: it was checked",
    r"cases\.\d+\.signs.*": "another sign of the zero function, or a sign left unsure: more is checked",
    r"cases\.\d+\.points.*": "other pieces, on which the listed signs are proved",
    r"violation\.(outcomes|others).*": "other outcomes of the same probabilities",
    r"claim\.(factor|order|beta)(\..*)?": "another claim, printed, that the listed proofs prove as well",
    r"violation\.eps": "another eps, printed, at which the claim is broken",
    r"proofs(\..*)?": "another proof of the same inequality: it was checked",
    r"divisors": "functions that are positive, but by which nothing is divided",
}
"""Classes of mutations after which a resealed certificate may be accepted, and why that is right."""


@cache
def subject(name: str) -> dict[str, Any]:
    program, claim, adjacent, parameters = SUBJECTS[name]
    text = program
    if "\n" not in program:
        text = (ROOT / "programs" / f"{program}.dip").read_text(encoding="utf-8")
    if adjacent is not None:
        text = re.sub(r"^adjacent .*$", f"adjacent {adjacent}", text, flags=re.MULTILINE)
    mechanism = dipc.load(text, **parameters)
    data = json.loads(dumps(certificate(mechanism.program, mechanism.check(claim))))
    statements.check(json.dumps(data).encode())
    assert isinstance(data, dict)
    return data


WORDS = (
    *("chain", "pieces", "binomial", "product", "identity", "point", "inverse", "low", "high", "tail"),
    *("all", "linf", "l1", "hamming", "formula", "both", "plain"),
)
"""Words of certificates."""


def mutations(value: Any) -> Iterator[Any]:
    """What one value is replaced by."""
    yield from (None, True, [], {}, "", "NaN", 10**9, [value])
    match value:
        case bool():
            yield from (not value, int(value))
        case int():
            yield from (value + 1, value - 1, -value, str(value), float(value), bool(value), 10**30)
        case str() if re.fullmatch(r"-?\d+(/\d+)?", value):
            number = Fraction(value)
            others = number + 1, number - 1, -number, number / 2, number * 2, number + Fraction(1, 10**9)
            yield from map(str, others)
            yield f"{number.numerator * 2}/{number.denominator * 2}"
            yield from (f"{value}/0", f"+{value}", f" {value}", f"0{value}", f"{value}.0", f"{value}e0")
            yield from ("9" * 5000, "٣", f"1/{'9' * 5000}", "inf", int(number))
        case str():
            yield from (value + "x", value[1:], value.upper(), "-", "\ud800")
            yield "+-?"[len(value) % 3] * len(value)
            yield from WORDS
        case list():
            for i in range(len(value)):
                yield value[:i] + value[i + 1 :]
                yield value[: i + 1] + value[i:]
                if i:
                    yield [*value[: i - 1], value[i], value[i - 1], *value[i + 1 :]]
        case dict():
            for name in value:
                yield {key: item for key, item in value.items() if key != name}
                yield {**{key: item for key, item in value.items() if key != name}, name + "x": value[name]}
            yield {**value, "more": 1}


def sampled(data: dict[str, Any]) -> Iterator[tuple[Where, Any]]:
    """All places, but of the many items of a long list only the first, two in the middle and the last."""
    for where in places(data):
        if len(where) > 1 and isinstance(where[1], int):
            size = len(data[str(where[0])])
            if where[1] not in (0, size // 3, size // 2, size - 1):
                continue
        if where:
            yield where, at(data, where)


def resealed(mutant: dict[str, Any]) -> dict[str, Any]:
    return {**mutant, "digest": reading.digest(mutant)}


def refusal(mutant: dict[str, Any]) -> str | None:
    try:
        statements.check(json.dumps(mutant).encode())
    except reading.Refused as refused:
        return str(refused)
    return None


def refused_by_the_deep_check(mutant: dict[str, Any]) -> bool:
    accepted = statements.check(json.dumps(mutant).encode())
    try:
        rederive(accepted)
    except (reading.Refused, dipc.DipcError):
        return True
    return False


def remembering(prove: Callable[..., None]) -> Callable[..., None]:
    """``facts.prove``, run once for each function, interval and proof that it accepts."""
    accepted: set[object] = set()

    def once(f: facts.Function, on: facts.Interval, proof: Any, step: str, strict: bool = False) -> None:
        question = repr((f, on)), repr(proof), strict
        if question not in accepted:
            prove(f, on, proof, step, strict)
            accepted.add(question)

    return once


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_mutant_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = subject(name)
    if not ALL:
        monkeypatch.setattr(facts, "prove", remembering(facts.prove))
    count, steps, accepted = 0, Counter[str](), []
    tried = [(where, value, new) for where, value in sampled(data) for new in mutations(value)]
    every = 1 if ALL else max(3, len(tried) // TRIED)
    for where, value, new in islice(tried, 0, None, every):
        if json.dumps(new) != json.dumps(value):
            mutant = changed(data, where, new)
            forged = mutant if where[0] == "digest" else resealed(mutant)
            reason = refusal(forged)
            count += 1
            if reason is not None:
                assert re.match(r"[^:]+: .", reason)
                steps[re.sub(r"[\d ]+", " ", reason.split(":")[0])] += 1
                continue
            assert refusal(mutant) == "digest: the certificate is not as it was written", (where, value, new)
            place = ".".join(map(str, where))
            harmless = any(re.fullmatch(pattern, place) for pattern in HARMLESS)
            if harmless and len(where) == 1:
                harmless = sorted(map(str, value)) == sorted(map(str, new))
            if harmless and where[0] == "parameters":
                harmless = not refused_by_the_deep_check(forged)
            if not harmless and not refused_by_the_deep_check(forged):
                accepted.append((place, value, new))
    assert accepted == []
    assert count > 150
    assert len(steps) > 8


def accepted_by_both(mutant: dict[str, Any]) -> bool:
    return refusal(mutant) is None and not refused_by_the_deep_check(mutant)


def test_swapped_functions_and_leaves() -> None:
    """Each two neighbours among the functions, the branches of a node, the nodes, the roots."""
    data = subject("private")
    for field in ("functions", "roots", "nodes"):
        items = data[field]
        for i in range(len(items) - 1):
            swapped = [*items[:i], items[i + 1], items[i], *items[i + 2 :]]
            assert items[i] == items[i + 1] or not accepted_by_both(resealed({**data, field: swapped}))
    for i, (cell, *branches) in enumerate(data["nodes"]):
        for j in range(len(branches) - 1):
            turned = [*branches[:j], branches[j + 1], branches[j], *branches[j + 2 :]]
            nodes = [*data["nodes"][:i], [cell, *turned], *data["nodes"][i + 1 :]]
            assert turned == branches or not accepted_by_both(resealed({**data, "nodes": nodes}))


def test_parts_of_another_certificate() -> None:
    ours, other = subject("delta"), subject("delta, pieces")
    for field in ours:
        if ours[field] != other[field] and field != "digest":
            assert refusal(resealed({**ours, field: other[field]})) is not None, field


def test_each_inequality_is_needed() -> None:
    data = subject("private")
    for i, item in enumerate(data["inequalities"]):
        for j in range(len(item["of"])):
            fewer = {**item, "of": item["of"][:j] + item["of"][j + 1 :]}
            rest = data["inequalities"][:i] + [fewer] * bool(fewer["of"]) + data["inequalities"][i + 1 :]
            reason = refusal(resealed({**data, "inequalities": rest}))
            assert reason is not None
            assert "is needed that is not among the proved ones" in reason


# --- forgeries of what is shared -------------------------------------------------------------------------


def forged(name: str = "private", **fields: Any) -> str:
    """Why a certificate with other fields is refused."""
    reason = refusal(resealed({**subject(name), **fields}))
    assert reason is not None
    return reason


def test_a_node_with_a_branch_too_few_or_too_many() -> None:
    nodes = subject("private")["nodes"]
    for other in (nodes[0][:-1], [*nodes[0], nodes[0][-1]], nodes[0][:1], []):
        assert forged(nodes=[other, *nodes[1:]]).startswith("node 0: ")


def test_a_law_that_ignores_a_value() -> None:
    """A branch is taken from its neighbour: the walk finds other pairs, or the sum is no longer 1."""
    nodes = subject("listed")["nodes"]
    for i, (cell, *branches) in enumerate(nodes):
        for j in range(1, len(branches)):
            other = [cell, *branches[:j], branches[j - 1], *branches[j + 1 :]]
            if other != nodes[i]:
                forged("listed", nodes=[*nodes[:i], other, *nodes[i + 1 :]])


def test_cells_out_of_order() -> None:
    data = subject("listed")
    (i, top) = max(enumerate(data["nodes"]), key=lambda item: min(item[1][1:]))
    last = max(cell for cell, *_ in data["nodes"])
    for cell in (last, last + 1, -1):
        nodes = [*data["nodes"][:i], [cell, *top[1:]], *data["nodes"][i + 1 :]]
        assert forged("listed", nodes=nodes).startswith(f"node {i}: ")


def test_nodes_that_refer_to_themselves_or_forward() -> None:
    data = subject("listed")
    number = len(data["functions"])
    for i, (cell, *branches) in enumerate(data["nodes"]):
        for later in (number + i, number + i + 1, -1):
            nodes = [*data["nodes"][:i], [cell, later, *branches[1:]], *data["nodes"][i + 1 :]]
            assert forged("listed", nodes=nodes).startswith(f"node {i}: an integer")


def test_superfluous_nodes() -> None:
    data = subject("listed")
    nodes, number = data["nodes"], len(data["functions"])
    assert "listed twice" in forged("listed", nodes=[nodes[0], nodes[0], *nodes[1:]])
    cell, *branches = nodes[0]
    assert "all its branches are equal" in forged("listed", nodes=[[cell, *[0] * len(branches)], *nodes[1:]])
    unused = [0, *[number, *[0] * (len(data["inputs"][0]["domain"]) - 1)]]
    assert "not used" in forged("listed", nodes=[*nodes, unused])
    shifted = [[c, *(ref + (ref >= number) for ref in refs)] for c, *refs in nodes]
    more = {"nodes": shifted, "roots": [ref + (ref >= number) for ref in data["roots"]]}
    assert forged("listed", functions=[*data["functions"], [[["1/7"]], 0]], **more) == (
        "functions: a function is not used"
    )


def test_a_missing_value_of_a_set() -> None:
    """With fewer inputs fewer inequalities would be needed."""
    data = subject("private")
    (first, *rest) = data["inputs"]
    smaller = {**first, "domain": first["domain"][:-1]}
    assert forged(inputs=[smaller, *rest]).startswith("node 0: there is not one branch")


def test_a_missing_outcome() -> None:
    data = subject("private")
    assert "for every outcome" in forged(roots=data["roots"][:-1])
    assert forged(roots=data["roots"][:-1], outcomes=data["outcomes"][:-1])


@pytest.mark.parametrize("distance", ["-1", "-1/2"])
def test_an_adjacency_without_pairs(distance: str) -> None:
    data = subject("private")
    adjacency = {**data["adjacency"], "distance": distance}
    assert forged(adjacency=adjacency, inequalities=[]) == "adjacency: no inputs are adjacent"


def test_a_smaller_distance_needs_fewer_inequalities_but_these_exactly() -> None:
    """The kernel walks the adjacency itself: nothing may be missing, and nothing listed in vain."""
    data = subject("private")
    assert "not needed" in forged(adjacency={**data["adjacency"], "distance": "0"})
    assert "is needed" in forged(adjacency={**data["adjacency"], "distance": "2"})


def test_negative_probabilities() -> None:
    """A law that sums to 1, on every input the same: all inequalities would be trivial."""
    data = subject("private")
    outcomes = len(data["outcomes"])
    law = [["-1/2"]], [["3/2"]], *[[]] * (outcomes - 2)
    functions = [[f, 0] for f in {str(f): f for f in law}.values()]
    roots = [next(i for i, (g, _) in enumerate(functions) if g == f) for f in law]
    proof = {"what": "slack", "of": [[i, i] for i in range(len(functions))], "on": None}
    chain = {**proof, "proof": {"kind": "chain", "at": "0"}}
    reason = forged(functions=functions, roots=roots, nodes=[], inequalities=[chain])
    assert reason == "function 0: a probability is negative at eps = 1"


def test_version_1_says_how_to_write_a_new_one() -> None:
    reason = refusal({**subject("private"), "version": 1})
    assert reason is not None
    assert "dipc check FILE --certificate c.json" in reason
