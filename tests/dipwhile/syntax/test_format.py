"""The formatter: it changes no meaning, loses no comment, and has nothing to do the second time."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from campaigns import many
from dipwhile.syntax.programs import PROGRAMS
from dipwhile.syntax.scribble import scribbled
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.format import formatted
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import InputError, Source

SHIPPED = sorted((Path(__file__).parents[3] / "programs").glob("**/*.dip"))


def again(text: str) -> str:
    return formatted(Source("p.dip", text))


def comments(text: str) -> list[str]:
    return [found.rstrip() for found in re.findall(r"#[^\n]*", text)]


@settings(max_examples=many(16, campaign=1000), deadline=None)
@given(PROGRAMS, st.integers(0, 2**32))
def test_laws(program: Program, seed: int) -> None:
    assume(program.body or program.params or program.inputs or program.outputs)
    text = scribbled(program, Random(seed))
    assert parse(Source("p.dip", text)) == program, "the text is not for this program"
    after = again(text)
    assert parse(Source("p.dip", after)) == program
    assert comments(after) == comments(text)
    assert again(after) == after
    assert after.splitlines() == [line.rstrip() for line in after.splitlines()]
    assert "\n\n\n" not in f"\n{after}\n"


@settings(max_examples=many(12, campaign=1000), deadline=None)
@given(PROGRAMS)
def test_what_is_printed_is_formatted(program: Program) -> None:
    assume(program.body or program.params or program.inputs or program.outputs)
    shown = show_program(program)
    assert again(shown) == shown


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_programs_are_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert again(text) == text


EXAMPLES = [
    (
        "spaces",
        "output b in {0,1}\n\nb<-1+2 *3-( -4 )^2/5",
        "output b in {0, 1}\n\nb <- 1 + 2*3 - (-4)^2/5\n",
    ),
    ("spellings", "output b in {0}\n\nb := 0; c ← ε≤1", "output b in {0}\n\nb <- 0; c <- eps <= 1\n"),
    (
        "two claims",
        "output b in {0}\nprivate eps\naccurate b=0,1/20\naccurate<-1\nb<-0",
        "output b in {0}\nprivate eps\naccurate b = 0, 1/20\n\naccurate <- 1\nb <- 0\n",
    ),
    (
        "padding",
        "param N=3,c=1\ninput q[N] in 0 .. N-1\noutput b in {0}\nprivate eps for eps in (0,1]",
        "param  N = 3, c = 1\ninput  q[N] in 0..N - 1\noutput b in {0}\nprivate eps for eps in (0, 1]\n",
    ),
    (
        "blocks",
        "output b in {0}\n\nfor i in 1..2 do\nif b=0 then\nb<-0\nelif b=0 then b<-0\nelse\nb<-0\nend\nend",
        "output b in {0}\n\nfor i in 1..2 do\n  if b = 0 then\n    b <- 0\n  elif b = 0 then b <- 0\n"
        "  else\n    b <- 0\n  end\nend\n",
    ),
    (
        "ends on one line",
        "output b in {0}\n\nif b=0 then\nif b=0 then\nb<-0\nend end\nb<-0",
        "output b in {0}\n\nif b = 0 then\n  if b = 0 then\n    b <- 0\nend end\nb <- 0\n",
    ),
    (
        "trailing comments",
        "output b in {0}   # one\nadjacent all # two\n\nb <- 0#three",
        "output b in {0}  # one\nadjacent all     # two\n\nb <- 0  #three\n",
    ),
    (
        "comments in blocks",
        "output b in {0}\n\n# 1\nif b = 0 then\n# 2\nb <- 0\n# 3\nelse\nb <- 0\n    # 4\nend\n# 5",
        "output b in {0}\n\n# 1\nif b = 0 then\n  # 2\n  b <- 0\n# 3\nelse\n  b <- 0\n  # 4\nend\n# 5\n",
    ),
    (
        "brackets",
        "output b in {0}\n\nb <- choose {  # what\n0: 1/2, # half\n# rest\n1: 1/2\n}",
        "output b in {0}\n\nb <- choose {  # what\n  0: 1/2,      # half\n  # rest\n  1: 1/2\n}\n",
    ),
    (
        "long conditions",
        "output b in {0}\n\nif b = 0 and\nb = 0\nor b = 0\nthen\nb <- 0\nend",
        "output b in {0}\n\nif b = 0 and\n    b = 0\n    or b = 0\nthen\n  b <- 0\nend\n",
    ),
    (
        "empty lines",
        "\n\n# a\n\n\n\noutput b in {0}\nb <- 0\n\n\n\n\nb <- 0\n\n\n",
        "# a\n\noutput b in {0}\n\nb <- 0\n\nb <- 0\n",
    ),
    (
        "separators",
        "output b in {0}\n\n;;b <- 0;\n;\nif b = 0 then; b <- 0; end;",
        "output b in {0}\n\nb <- 0\n\nif b = 0 then b <- 0 end\n",
    ),
    ("windows", "output b in {0}\r\n\r\nb <- 0  # c\r\n", "output b in {0}\n\nb <- 0  # c\n"),
]


@pytest.mark.parametrize(("name", "before", "after"), EXAMPLES, ids=[case[0] for case in EXAMPLES])
def test_examples(name: str, before: str, after: str) -> None:
    assert again(before) == after, name
    assert again(after) == after


def test_no_program() -> None:
    with pytest.raises(InputError, match="the program is empty"):
        again("# only a comment")
