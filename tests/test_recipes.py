"""Every place that the recipes in docs/contributing.md name has an entry for every distribution and claim.

Whoever adds one and forgets a place learns here which.
"""

from __future__ import annotations

import re
from importlib import import_module
from inspect import isabstract
from pathlib import Path

import oracles
import pytest

import dipc
import dipc.words
from dipc.claims.claim import Claim
from dipc.cli.terminal import COLOURS
from dipc.dipwhile.python.words import MEANINGS, RESERVED
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS, OTHER_NOISE
from dipc.dipwhile.syntax.fragment import RULES
from dipc.dipwhile.syntax.layout import WORDS
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source
from dipc.shipped import VERDICTS

ROOT = Path(__file__).parent.parent
NOISE = sorted(word for word, terminal in WORDS.items() if terminal == "NOISE")
LANGUAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
GRAMMAR = (ROOT / "dipc" / "dipwhile" / "syntax" / "grammar.lark").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """The text below a heading of the language page."""
    found = re.findall(rf"^## {heading}$\n(.*?)(?=^## |\Z)", LANGUAGE, re.MULTILINE | re.DOTALL)
    return "".join(found)


# --- distributions -------------------------------------------------------------------------------


@pytest.mark.parametrize("word", DISTRIBUTIONS)
def test_every_distribution_is_a_word_everywhere(word: str) -> None:
    """The language, Python, and the table of distributions on the language page."""
    assert word in WORDS or f'"{word}"' in GRAMMAR
    assert word in dipc.words.__all__ and word in RESERVED and word in MEANINGS
    assert re.search(rf"^\| .*`{word}\b", section("Distributions"), re.MULTILINE)


@pytest.mark.parametrize("word", NOISE)
def test_every_noise_is_in_the_tables(word: str) -> None:
    assert word in DISTRIBUTIONS and word not in OTHER_NOISE
    assert re.search(rf"\b{word}\b", RULES[1].statement)
    for drawn_by in ("tests/strategies.py", "tests/dipwhile/syntax/programs.py"):
        assert re.search(rf"\b{word}\b", (ROOT / drawn_by).read_text(encoding="utf-8")), drawn_by


PROGRAM = """
input q in {{0, 1}}; output o in {{0, 1, 2}}; adjacent all; private eps
x <- {noise}(eps/2, q)
y <- {noise}(eps, 0)
if x >= 1 and x <= 3 then o <- 1 elif x > y then o <- 2 else o <- 0 end
"""


@pytest.mark.parametrize("word", NOISE)
def test_every_noise_has_a_density_and_a_slow_twin_that_agrees(word: str) -> None:
    """Both read the program with the same words; the twin integrates or sums in another way."""
    text = PROGRAM.format(noise=word)
    mechanism, program = dipc.load(text), parse(Source("<test>", text))
    for inputs in oracles.all_inputs(program):
        law = oracles.dipc_distribution(mechanism, inputs)
        assert oracles.different(law, oracles.oracle_distribution(program, inputs)) == []


@pytest.mark.parametrize("word", NOISE)
def test_every_noise_is_explained(word: str) -> None:
    """The explanation checks by itself that the paths add up to the probability of the output."""
    assert dipc.load(PROGRAM.format(noise=word)).explain("3*eps").routes


# --- claims --------------------------------------------------------------------------------------

STATED = dict.fromkeys(("Goal", "Measured"), ("private", "The claim"))
"""For every claim the word of the grammar that states it, and the section of the language page about it."""


def kinds() -> list[type[Claim]]:
    """The claims of dipc: a file of dipc/claims for each."""
    for path in sorted((ROOT / "dipc" / "claims").glob("*.py")):
        import_module(f"dipc.claims.{path.stem}")
    found, todo = [], [Claim]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if kind.__module__.startswith("dipc.") and not isabstract(kind):
            found.append(kind)
    return list({kind.__qualname__: kind for kind in found}.values())


# The word `accurate` is read before the grammar.
@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.__name__ != "Accurate"])
def test_every_claim_has_words_and_a_place_in_the_language(kind: type[Claim]) -> None:
    word, heading = STATED[kind.__name__]
    assert f'"{word}"' in GRAMMAR and f"`{word} " in section(heading)
    for status in (*kind.words, "undecided"):
        assert status in COLOURS and status in VERDICTS


@pytest.mark.parametrize("kind", kinds())
def test_every_claim_has_a_certificate_statement(kind: type[Claim]) -> None:
    """The kernel's checker of the statement."""
    kernel = ROOT / "dipc" / "kernel"
    assert (kernel / f"{kind.statement}.py").is_file()
    assert kind.statement in (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
