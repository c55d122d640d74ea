"""Claims with a square root in their delta: the signs of A + B*sqrt(g), in Python, and in Coq."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from campaigns import many, some
from coq_tools import accepted, alone, altered, hold, holds_alone, refusals
from eps_functions import grid, random_functions
from export_tools import ROOT

from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.errors import Unsupported
from dipc.export.coq.effort import Effort
from dipc.export.coq.roots import cuts_needed, terms_at
from dipc.export.coq.terms import function, interval, listed
from dipc.export.coq.theorems import theorem
from dipc.kernel import privacy
from dipc.kernel.facts import Function, Interval, Rooted, sign_rooted
from dipc.mechanisms import Mechanism

LEAK = """input q in {0, 1}; output o in {0, 1}
adjacent all
private 0*eps, sqrt(eps)/2
b <- flip(eps/(1 + eps))
if b then o <- q else o <- 0 end
"""
"""The least delta is eps/(1 + eps); sqrt(eps)/2 is the same at eps = 1."""
SPARSE = "svt/sparse.dip"
WARNER = "randomized_response/warner.dip"

Case = tuple[str, int | None, str]
TANGENT: Case = (LEAK, None, "0*eps, sqrt(eps)/2")
LARGER: Case = (LEAK, None, "0*eps, 2*eps - eps*sqrt(eps) for eps in (0, 1]")
TURNING: Case = (LEAK, None, "0*eps, eps + (1 - eps)*sqrt(eps)/3 for eps in (0, 4]")
DENOMINATOR: Case = ("svt/svt1.dip", 1, "eps/8, 1/(2 + sqrt(eps)) for eps in (0, 3]")
BOUNDED: Case = (SPARSE, 1, "eps/8, sqrt(eps)/(1 - sqrt(eps)) for eps in (0, 1/2)")
PRIVATE: tuple[Case, ...] = (
    TANGENT,
    LARGER,
    TURNING,
    DENOMINATOR,
    BOUNDED,
    (LEAK, None, "0*eps, 1/(1 + 1/sqrt(eps)) for eps in (0, 1]"),
    (LEAK, None, "0*eps, 2*eps/(1 + eps) + (1 - eps)*sqrt(eps)*exp(-eps)/3"),
    (SPARSE, 1, "eps/8, sqrt(eps/(1 + exp(eps))) + 9/10 for eps in (0, 5)"),
    (SPARSE, 1, "eps/8, 1/(1 + sqrt(eps*(1 - eps)/(1 + eps))) for eps in (0, 1]"),
    ("svt/svt1.dip", 2, "eps/4, sqrt(1 - exp(-eps))/2"),
)
LESS: Case = (LEAK, None, "0*eps, sqrt(2*eps/9)")
UNDER: Case = (LEAK, None, "0*eps, 1/(1 + 2*sqrt(eps))")
VIOLATED: tuple[Case, ...] = (
    LESS,
    UNDER,
    (WARNER, None, "eps/2, sqrt(1 - exp(-eps))/2"),
    (LEAK, None, "0*eps, eps/(2 + eps) + sqrt(eps*(1 - eps))/9 for eps in [1, 1]"),  # the radicand is 0
)


@cache
def written(case: Case, library: bool = False) -> str:
    name, n, claim = case
    parameters = {} if n is None else {"N": n}
    mechanism = Mechanism.load(name if "\n" in name else ROOT / "programs" / name, **parameters)
    found = certificate(mechanism.program, mechanism.check(claim))
    return theorem(privacy.check(dumps(found).encode()), library)


# --- in Python ------------------------------------------------------------------------------------------

ZERO = Fraction(0)
RADICANDS: tuple[Function, ...] = (
    {(1, ZERO, ZERO, ZERO): Fraction(1)},
    {(0, ZERO, ZERO, ZERO): Fraction(2), (0, Fraction(-1), ZERO, ZERO): Fraction(-2)},
    {(1, Fraction(1, 2), ZERO, ZERO): Fraction(1), (2, ZERO, ZERO, ZERO): Fraction(3)},
)
INTERVALS = (
    Interval(ZERO, None, False, False),
    Interval(Fraction(1, 3), Fraction(3), True, False),
    Interval(ZERO, Fraction(2), False, True),
)
Sample = tuple[Rooted, Function, Interval, bool]


def samples(seed: int, count: int) -> list[Sample]:
    """Random functions with a root, with an interval, and whether they should be > 0 there."""
    parts = [f for f, _ in random_functions(seed, 2 * count)]
    return [
        (Rooted(plain, root), RADICANDS[i % 3], INTERVALS[i // 3 % 3], i % 2 == 0)
        for i, (plain, root) in enumerate(zip(parts[::2], parts[1::2], strict=True))
    ]


def test_what_is_proved_is_true_and_nothing_clear_is_missed() -> None:
    cuts = []
    for f, g, on, strict in samples(21, many(18, campaign=54)):
        signs = [sign_rooted(f, g, x) for x in grid(on)]
        found = cuts_needed(Effort(on), f, g, strict)
        if found is None:
            assert min(signs) < 1 or on.high is None, (f, g, on)
        else:
            assert min(signs) >= int(strict), (f, g, on)
            cuts.append(found)
    assert len(cuts) > 3 and max(cuts) > 1


def test_signs_at_a_point() -> None:
    for f, g, _, _ in samples(22, 60):
        for x in (Fraction(1, 7), Fraction(3, 2)):
            if sign_rooted(f, g, x) > 0:
                assert terms_at(f, g, x) > 0
            else:
                with pytest.raises(Unsupported, match="with a square root at eps = "):
                    terms_at(f, g, x)


def test_only_files_with_roots_have_their_module() -> None:
    assert "Module Roots." in written(TANGENT, library=True)
    assert "Roots" not in written((LEAK, None, "0*eps, eps"), library=True)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        # sqrt(3*eps)/2 is eps/(1/3 + eps) at eps = 1/3, where no two pieces meet
        ((LEAK.replace("(1 + eps)", "(1/3 + eps)"), None, "0*eps, sqrt(3*eps)/2"), "an inequality is not"),
        ((SPARSE, 1, "eps/2, sqrt(exp(-4)/2)"), "constants such as"),
        ((LEAK, None, "0*eps, sqrt(1/eps) for eps in (0, 1]"), "of 1/eps"),
    ],
)
def test_what_is_not_proved_is_refused_by_name(case: Case, message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        written(case)


def test_programs_have_listed_distributions() -> None:
    """Their core, of which Coq computes the distributions, has no square roots."""
    text = Mechanism.load(LEAK).export("coq")
    assert "Theorem claim : private listed (0 # 1) (root_delta listed delta) always." in text


# --- in Coq ---------------------------------------------------------------------------------------------


@pytest.mark.export
def test_coq_accepts_the_theorems(library: Path, tmp_path: Path) -> None:
    hold([written(case) for case in some((*PRIVATE, *VIOLATED), 7)], library, tmp_path)


@pytest.mark.export
def test_one_file_and_one_command_are_enough(library: Path, tmp_path: Path) -> None:
    """Nothing of dipc is in reach but the file, whatever it is called, and Coq has no warnings."""
    holds_alone(written(TURNING, library=True), tmp_path / "List.v")


ALTERED = (
    ("less delta", TANGENT, "bottom := Rooted [(0, [2])]", "bottom := Rooted [(0, [3])]"),
    ("another root", TANGENT, "radicand := [(0, [0; 1])]", "radicand := [(0, [0; 0; 1])]"),
    ("another denominator", DENOMINATOR, "bottom := Rooted [(0, [2])]", "bottom := Rooted [(0, [10])]"),
    ("a negative radicand", BOUNDED, "radicand := [(0, [0; 1])]", "radicand := [(0, [0; (-1)])]"),
    ("a denominator that is 0 somewhere", BOUNDED, "Some (1 # 2)", "Some (2 # 1)"),
    ("a longer interval", LARGER, "Some (1 # 1)", "Some (5 # 1)"),
    ("too few cuts", TURNING, "entries 2)", "entries 1)"),
    ("a missing inequality", TANGENT, r"\(2, 2, Minus\);\s+", ""),
    ("a wrong sign", TANGENT, "(2, 1, Plus)", "(2, 1, Minus)"),
    ("an interval without end", DENOMINATOR, "(Some (3 # 1))", "None"),
    ("another sign before the root", LARGER, "[(0, [0; (-1)])]", "[(0, [0; (-2)])]"),
    ("a violation at another eps", LESS, "8 (1 # 1) [", "8 (9 # 1) ["),
    ("a violation of a weaker claim", LESS, "radicand := [(0, [0; 18", "radicand := [(0, [0; 27"),
    ("a violation by no outcome", UNDER, "[0]%nat", "[]%nat"),
    (
        "a violation of a negative delta",
        UNDER,
        "bottom := Rooted [(0, [1])]",
        "bottom := Rooted [(0, [(-3)])]",
    ),
)


@pytest.mark.export
def test_coq_refuses_every_altered_file(library: Path, tmp_path: Path) -> None:
    """The checker computes ``false``; all the rest is accepted, the statement as well."""
    document = (ROOT / "docs/coq.md").read_text(encoding="utf-8")
    assert f"in {len(ALTERED)} more those with square roots" in document
    texts = [altered(name, alone(written(case))[0], *rest) for name, case, *rest in ALTERED]
    accepted(refusals(texts), library, tmp_path)


COQ = """From Coq Require Import ZArith QArith List Bool.
From Dipc Require Import Chain Bounds Pieces Roots.
Import ListNotations.
Goal forallb (fun b => b) {} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""


def on_parts(sample: Sample) -> str | None:
    """That Coq proves what is said to be proved, in units of 1/2."""
    f, g, on, strict = sample
    if min(sign_rooted(f, g, x) for x in grid(on)) < int(strict):
        return None  # not worth a try, as it is not true
    effort = Effort(on)
    cuts = cuts_needed(effort, f, g, strict)
    if cuts is None:
        return None
    effort.settle()
    plain, root = (function(part, 2, 2) for part in f)
    return (
        f"on_parts {effort} 2 {str(strict).lower()} (scaled 2 {function(g, 2, 1)}) "
        f"(rooted_at_t 2 (Rooted {plain} {root})) {cuts} {interval(on)}"
    )


@pytest.mark.export
def test_coq_proves_the_same(library: Path, tmp_path: Path) -> None:
    """What is proved by parts of an interval, for random functions."""
    texts = [text for sample in samples(23, many(12, campaign=30)) if (text := on_parts(sample)) is not None]
    assert len(texts) > 3
    accepted(COQ.format(listed(texts, ";\n  ")), library, tmp_path)
