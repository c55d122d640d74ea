"""Mechanisms as people write them in Python: the shipped programs, constants from outside, and the decorator itself."""

from __future__ import annotations

import linecache
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from dipwhile.python.to_python import load_function

import dipc
import dipc.python
import dipc.words
from dipc.certificate.format import dumps
from dipc.cli.main import cli
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.python.errors import pythonic
from dipc.dipwhile.python.words import MEANINGS, RESERVED
from dipc.dipwhile.syntax.functions import DISTRIBUTIONS, FUNCTIONS
from dipc.dipwhile.syntax.parser import parse_expression
from dipc.dipwhile.syntax.types import free_names
from dipc.errors import InputError
from dipc.words import Lap, eps

ROOT = Path(__file__).parents[3]

SVT = {"inputs": "q[N] in {-1, 0, 1}", "adjacent": "linf 1", "private": "eps"}


@dipc.mechanism(outputs="out[N] in {bot, top}", **SVT)
def svt1(q, N=3, c=1, T=0, Delta=1):
    out = ["bot"] * N
    bar = Lap(eps / (2 * Delta), T)
    found = 0
    for i in range(N):
        if Lap(eps / (4 * c * Delta), q[i]) >= bar:
            out[i] = "top"
            found += 1
            if found >= c:
                return out
    return out


# --- constants from outside ----------------------------------------------------------------------

THRESHOLD = Fraction(1, 2)
LEVELS = (-1, Fraction(-1, 3), 1)
ANSWER = "high"


def test_constants_of_the_module_are_parameters() -> None:
    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in {low, high}", adjacent="all", private="eps")
    def f(q):
        return ANSWER if Lap(eps, q) > THRESHOLD else "low"

    assert f.parameters == {"THRESHOLD": "1/2"}
    assert " > 0.5" in f.source_text
    law = f.with_parameters(THRESHOLD=0).distribution(q=0)
    assert [str(p) for p in law.values()] == ["1/2", "1/2"]


def test_constants_of_an_enclosing_function_and_in_declarations() -> None:
    def made(size: int, rate: Fraction) -> dipc.PythonMechanism:
        @dipc.mechanism(
            inputs="q[size] in 0..1", outputs="out in 0..size", adjacent="hamming 1", private="rate*eps"
        )
        def total(q):
            return min(max(DLap(rate * eps, sum(q)), 0), size)

        return total

    assert made(2, Fraction(1, 3)).parameters == {"size": "2", "rate": "1/3"}
    assert made(2, Fraction(1, 3)).check().status == "private"
    assert made(3, Fraction(1)).check("99/100*eps").status == "violated"


def test_a_collection_from_outside_as_a_set() -> None:
    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in {-1, -1/3, 1}", adjacent="all", private="eps")
    def f(q):
        return uniform(LEVELS)

    assert sorted(str(output[0][1]) for output in f.distribution(q=0)) == ["-1", "-1/3", "1"]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"eps": 0.5}, "`eps` is the float 0.5 here and not the privacy parameter"),
        ({"Lap": print}, "`Lap` is a builtin_function_or_method here and not dipc's `Lap`"),
    ],
)
def test_a_word_that_means_something_else_is_refused(known: dict[str, object], message: str) -> None:
    text = "@dipc.mechanism(inputs='q in {0, 1}', outputs='out in {0, 1}')\ndef f(q):\n    return disc(max(Lap(eps, q), 0), 0, 1)\n"
    with pytest.raises(InputError) as caught:
        load_function(text, "f", **known)
    assert caught.value.message == message
    load_function(text, "f", eps=eps, Lap=Lap, max=max)
    least = load_function(text, "f", max=min)  # as Python runs it: at most 0, which is the first interval
    assert [(str(dict(o)["out"]), p) for o, p in least.distribution(q=1).items()] == [("0", 1)]


# --- the object ----------------------------------------------------------------------------------


def test_it_is_a_mechanism_with_the_name_and_the_text_of_the_function() -> None:
    assert isinstance(svt1, dipc.Mechanism)
    assert svt1.__name__ == "svt1"  # type: ignore[attr-defined]
    assert svt1.program.source.name == "tests/dipwhile/python/test_mechanism.py:svt1" or Path.cwd() != ROOT
    assert dipc.load(svt1.source_text).check().counts == svt1.check().counts


def test_unknown_parameters() -> None:
    with pytest.raises(InputError, match="the mechanism has no parameter `M`"):
        svt1.with_parameters(M=3)


def test_a_certificate_shows_the_program_and_is_verified(tmp_path: Path) -> None:
    smaller = svt1.with_parameters(N=2)
    written = certificate(smaller.program, smaller.check())
    assert re.search(r"bar\d+ <- Lap\(eps/2, 0\)", dumps(written))
    file = tmp_path / "svt1.json"
    file.write_text(dumps(written), encoding="utf-8")
    done = CliRunner().invoke(cli, ["verify", str(file), "--deep"], standalone_mode=False)
    assert done.exception is None, done.output


def test_the_exports_work() -> None:
    assert "bar" in svt1.with_parameters(N=1).export("latex")
    assert "svt1" in svt1.with_parameters(N=1).export("mathematica")


@pytest.mark.parametrize("how", ["-c", "stdin"])
def test_without_a_file_there_is_no_text(how: str) -> None:
    code = "import dipc\n@dipc.mechanism(inputs='q in {0, 1}', outputs='out in {0, 1}')\ndef f(q):\n    return q\n"
    command = [sys.executable, "-c", code] if how == "-c" else [sys.executable, "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, cwd=ROOT, check=False)
    if sys.version_info < (3, 13):
        assert "the source of `f` is not available: it is not in a file" in done.stderr
        assert "in a file or a notebook cell" in done.stderr


def test_the_decorator_without_arguments() -> None:
    with pytest.raises(InputError, match=r"`@dipc.mechanism` needs arguments"):

        @dipc.mechanism
        def f(q):
            return q


def test_a_method_of_a_class_and_tabs_and_other_scripts() -> None:
    text = "class A:\n\t@dipc.mechanism(inputs='q in {0, 1}', outputs='out in {0, 1}')\n\tdef f(q):\n\t\t'ö'; e = q + no\n\t\treturn e\n"
    with pytest.raises(InputError) as caught:
        load_function(text, "A")
    assert caught.value.span is not None
    assert caught.value.span.place.endswith(":4:16")
    load_function(text.replace("no", "0"), "A")


def test_a_notebook_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython keeps the text of a cell in ``linecache``, under a name of its own."""
    cell = "%matplotlib inline\n@dipc.mechanism(inputs='q in {0, 1}', outputs='out in {0, 1}', adjacent='all', private='eps')\ndef f(q):\n    return quux\n"
    name = "/tmp/ipykernel_7/1234.py"
    monkeypatch.setitem(linecache.cache, name, (len(cell), None, cell.splitlines(keepends=True), name))
    with pytest.raises(InputError) as caught:
        exec(compile(cell.replace("%matplotlib inline", ""), name, "exec"), {"dipc": dipc})
    assert str(caught.value).startswith("<cell>:4:12: error: unknown name `quux`\n        return quux\n")


# --- the words -----------------------------------------------------------------------------------


DRAWN = [
    lambda: dipc.words.Lap(1, 0),
    lambda: dipc.words.LapPlus(1, 0),
    lambda: dipc.words.DLap(1, 0),
    lambda: dipc.words.Exp(1, [0, 1], abs),
    lambda: dipc.words.choose({0: 1}),
    lambda: dipc.words.flip(0),
    lambda: dipc.words.uniform([0]),
]


@pytest.mark.parametrize("draw", DRAWN)
def test_words_draw_within_a_call_only(draw: Callable[[], object]) -> None:
    with pytest.raises(InputError, match="draws only while a mechanism runs"):
        draw()


def test_eps_has_a_value_within_a_call_only() -> None:
    for compute in (lambda: eps / 2, lambda: 1 - eps, lambda: float(eps), lambda: eps > 1, lambda: -eps):
        with pytest.raises(InputError, match="`eps` has no value here"):
            compute()


def test_the_former_name_of_the_words() -> None:
    assert dipc.python.__all__ == dipc.words.__all__
    assert all(getattr(dipc.python, word) is getattr(dipc.words, word) for word in dipc.words.__all__)


def test_a_lambda_is_not_a_mechanism() -> None:
    with pytest.raises(InputError, match="a `lambda` cannot be a mechanism") as caught:
        dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}")(lambda q: q)
    assert caught.value.hint == "write a function with `def`"


def test_the_names_that_an_expression_reads() -> None:
    assert free_names(parse_expression("a[i + 1] + sum(j in 1..N: q[j])")) == {"N", "a", "i", "q"}


def test_messages_count_cells_from_0() -> None:
    assert (
        pythonic("the cells of `q` are numbered from 1 to 3") == "the cells of `q` are numbered from 0 to 2"
    )


def test_every_word_of_the_language_is_there() -> None:
    assert {*FUNCTIONS, *DISTRIBUTIONS} <= MEANINGS.keys()
    grammar = (ROOT / "dipc" / "dipwhile" / "syntax" / "grammar.lark").read_text(encoding="utf-8")
    assert set(re.findall(r'"([A-Za-z]+)"', grammar)) <= RESERVED


def test_an_input_with_the_name_of_a_global_number_stays_an_input() -> None:
    told = """inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="abs(q - q') <= 1", private="eps" """
    text = f"@dipc.mechanism({told})\ndef f(q, eps):\n    return int(q + Lap(eps) > int('1'))\n"
    assert "abs(q - q')" in load_function(text, "f", q=3).source_text


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..N-1", adjacent="linf 1", private="eps", N=2)
def first_largest(q):
    best, best_i = None, -1
    for i, x in enumerate(q):
        noisy = x + Lap(eps / 2, 0)
        if best is None or noisy > best:
            best, best_i = noisy, i
    return best_i


def test_names_made_by_unrolling_have_no_warnings() -> None:
    assert re.search(r"best\d+ <- ", first_largest.source_text)  # of which the last one is never read
    assert first_largest.warnings == ()


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def misspelt(q):
    count = 0
    if Lap(eps, q) > 0:
        cuont = count + 1  # noqa: F841
    return count


def test_a_misspelt_name_has_one() -> None:
    (warning,) = misspelt.warnings
    assert "`cuont` is assigned, but never read" in warning


COIN = {"inputs": "q in {0, 1}", "outputs": "out in {True, False}", "adjacent": "all", "private": "eps"}


@dipc.mechanism(**COIN)
def scale_with_mean(q, eps):
    return np.random.laplace(q, scale=eps / 2) > 0


@dipc.mechanism(**COIN)
def scale_alone(q):
    return q + Lap(scale=2 * eps) > 0


@dipc.mechanism(**COIN)
def rate_alone(q):
    return q + Lap(rate=1 / eps) > 0


def test_noise_that_grows_has_the_scale_that_is_meant() -> None:
    (mean,), (scale,), (rate,) = scale_with_mean.warnings, scale_alone.warnings, rate_alone.warnings
    assert mean.endswith("help: noise that falls with eps has the scale 2/eps")
    assert scale.endswith("help: noise that falls with eps has the scale 1/(2*eps)")
    assert "for scale 1/eps write Lap(eps, 0),\n" in rate and rate.endswith("Lap(scale = 1/eps, mean = 0)")


@dipc.mechanism(inputs="x in {a, b}", outputs="out in {True, False}", adjacent="all", private="eps")
def counted(x, eps):
    counts = {}
    counts[x] = counts.get(x, 0) + 1
    return counts.get("a", 0) + np.random.laplace(scale=2 / eps) > 0


def test_an_explanation_names_the_branch_on_private_values() -> None:
    found = str(counted.explain())
    assert re.search(r"the program has branched on private values before line \d+ `np.random.laplace", found)


def test_inputs_of_a_distribution_are_named() -> None:
    with pytest.raises(TypeError, match=re.escape("write `distribution(q=[0, 1])`")):
        svt1.distribution([0, 1])


# --- every size and all inputs -------------------------------------------------------------------


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="first in 0..N", adjacent="linf 1", private="eps")
def first_above(q, eps, N=3, threshold=0.5):
    bar = threshold + np.random.laplace(scale=2 / eps)
    for i, x in enumerate(q):
        if x + np.random.laplace(scale=4 / eps) >= bar:
            return i
    return N


def test_prove_reads_functions_with_their_loops() -> None:
    assert svt1.prove().status == "private"
    assert svt1.with_parameters(c=2).prove("2*eps").status == "private"
    assert svt1.with_parameters(N=2).prove().status == "private"
    assert first_above.prove().status == "private"


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {True, False}", adjacent="l1 1", private="eps")
def private_in_its_set(x, eps):
    if x > 1:
        return x > 2
    return x + np.random.laplace(scale=1 / eps) > 0


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {True, False}", adjacent="l1 1", private="eps")
def looked_up(x, eps):
    return {0: 0, 1: 1}[x] + np.random.laplace(scale=1 / eps) > 0


def test_prove_is_about_inputs_outside_the_sets_too() -> None:
    assert private_in_its_set.check().status == "private"
    assert private_in_its_set.prove().status == "violated"
    assert looked_up.check().status == "private"
    with pytest.raises(InputError, match="a function that is read for all inputs at once"):
        looked_up.prove()


@dipc.mechanism(inputs="x in 0..600", outputs="out in 0..3", adjacent="l1 1", private="eps")
def halves(x, eps):
    return max(0, min(3, round(x / 2 + [DLap(eps)][0])))


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out[N] in {0, 1}", adjacent="hamming 1", private="eps", N=4)
def reads_a_cell_twice(q, eps, N):  # type: ignore[no-untyped-def]
    out = [0] * N
    for i in range(N):
        if i < 3 and N > 3:
            x = Lap(eps, q[2 - 2 * i])
            if x > 0:
                out[i] = 1
    return out


def test_an_index_below_0_counts_from_the_end_for_every_size() -> None:
    """For N = 4, q[2] and q[-2] are one cell; for N = 1, 2, where proofs are confirmed, no cell is read."""
    assert reads_a_cell_twice.prove().status == "violated"


def test_integer_noise_on_halves_is_no_integer() -> None:
    """Round half to even: 1/2 becomes 0 and 3/2 becomes 2."""
    values = {key[0][1].p: p for key, p in halves.distribution(x=1).items()}
    assert 1 not in values or values[1] == 0
