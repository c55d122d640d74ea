"""Reading in which nothing is shared judges reading in which equal and similar lines are looked at once.

Both find the same instructions with every node in the same place, or the same message.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from campaigns import many, some
from dipwhile.syntax.test_broken import BROKEN
from lark import Lark, Token

from dipc.dipwhile.syntax import alike, compile, everywhere, parser, unroll
from dipc.dipwhile.syntax.ast import Node
from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram, Draw, Instruction, Put, Test
from dipc.dipwhile.syntax.machine import Built
from dipc.dipwhile.syntax.walk import parts, preorder
from dipc.errors import DipcError, Source
from dipc.models.arithmetic import lexed
from dipc.shipped import paths, source_of

Arrange = Callable[[Iterable[Token]], Iterable[Token]]


def each(code: Iterable[Instruction], exact: Container[str]) -> tuple[Put | Draw | Test, ...]:
    return tuple(instruction for instruction in code if isinstance(instruction, Put | Draw | Test))


def separately(source: Source) -> CoreProgram:
    """Read by lark, whose trees share nothing, and with every instruction checked."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (compile, everywhere):
            patch.setattr(module, "distinct", each)
            patch.setattr(module, "readings", each)
        patch.setattr(alike, "outline", lambda value: object())  # nothing is alike
        patch.setattr(
            unroll.Unroller, "put_in", lambda self, assign, known: unroll.put_in(assign.value, known)
        )
        patch.setattr(parser, "run", by_lark)
        return read(source)


def by_lark(lark: Lark, start: str, text: str, arranged: Arrange, builder: Builder) -> Built:
    return parser.explained(lark, start, arranged(lexed(lark, text)), builder)


def shown(read: Any, source: Source) -> str:
    """What is read, with the place of every node; or the message."""
    try:
        core = read(source)
    except DipcError as error:
        return str(error)
    places = (node.span for instruction in core.code for node in nodes(instruction))
    return "\n".join([repr(core), *(f"{place.start} {place.end}" for place in places)])


def nodes(instruction: Instruction) -> Iterable[Node]:
    match instruction:
        case Put(target, value) | Draw(target, value):
            return (*preorder(target, parts), *preorder(value, parts))
        case Test(condition):
            return preorder(condition, parts)
    return ()


@pytest.mark.parametrize("name", paths())
def test_shipped_programs(name: str) -> None:
    source = source_of(name)
    assert shown(read, source) == shown(separately, source)


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_programs(path: Path) -> None:
    """Also with the last part twice, as far as this is a program."""
    text = path.read_text(encoding="utf-8")
    *declared, last = text.rstrip().split("\n")
    for source in (Source("<text>", text), Source("<text>", "\n".join((*declared, last, last)))):
        assert shown(read, source) == shown(separately, source)


DECLARED = """param N = 3
input q[3] in {0, 1, 2}
input b in {true, false}
output o in {0, 1, top} = 0
output w[2] in {0, 1} = 0
x <- 0; y <- 1; a[3] <- 0; c <- b; r <- Lap(eps, 0)
"""

RIGHT = (
    "x <- @",
    "y <- x + @",
    "x <- q[&] - @*y",
    "x <- y*@ + 2/3 - x",
    "a[&] <- x + @",
    "a[N] <- @",
    "x <- a[&]  +  a[N - 1]",
    "c <- x = @ or  y < @",
    "c <- not c and x + @ > y",
    "r <- Lap(eps/&, q[&])",
    "r <- Lap(eps, x + @)",
    "y <- choose {0: 1/2, @: 1/2}",
    "y <- choose {top: 1/&, @: 1 - 1/&}",
    "c <- flip(1/&)",
    "y <- uniform {0, @}",
    "y <- uniform 0..&",
    "o <- 1",
    "o <- top # @",
    "w[1] <- 1",
    "x <- max(x, @, y)",
    "x <- sum(k in 1..&: q[k] + @)",
    "c <- r > @",
    "y <- disc(r, 0, &)",
    "x <- 2^&",
    "x <- (x + @)^2",
    "a[&] <- x",
    "y <- i",
    "y <- i + @",
    "x <- 2*N + i",
    "x <- x^@ + 1",
    "x <- (@ + y)/&",
    "x <- sum(k in 3..@: k)",
    "a[sum(i in 1..1: i)] <- @",
)
WRONG = (
    "x <- z + @",
    "x <- a + @",
    "x[&] <- 0",
    "a <- @",
    "o <- 5",
    "o <- r",
    "x <- y/0",
    "x <- a[7]",
    "x <- a[@]",
    "c <- b + @",
    "x <- r*r",
    "x <- eps + @",
    "q[1] <- @",
    "r <- Lap(&, x)",
    "x <- true",
    "x <- f(@)",
    "y <- disc(r, &, 0)",
    "x <- 1 +",
    "x <- x^(1/&)",
    "x <- sum(i in 1..x: i)",
    "x <- sum(k in 1..@/2: k)",
    "y <- choose {0: 1/2, sum(k in 1..@/2: k): 1/2}",
    "x <- top + @",
    "w[&] <- 0",
    "w[1] <- @",
    "x <- x + @; w[2] <- @",
    "x <- mod(x, @)",
    "x <- x^(@/2)",
    "x <- y/@",
    "x <- 0^(0 - @)",
    "a[@] <- x",
    "o <- @",
)
AROUND = (
    "if N > 7 then",
    "if x > @ then",
    "if b then",
    "for i in 1..& do",
    "for i in 3..@ do",
    "while x < 0 do",
    "if c then exit end; if true then",
)


def body(chance: random.Random, wrong: int) -> str:
    """Lines of a few kinds over and over, with other digits, some of them in blocks."""
    some = [*chance.sample(RIGHT, 5), *chance.sample(WRONG, wrong)]
    lines = [chance.choice(some) for _ in range(chance.randint(4, 16))]
    for _ in range(chance.randint(0, 3)):
        start = chance.randrange(len(lines) + 1)
        end = chance.randint(start, len(lines))
        lines[start:end] = [chance.choice(AROUND), *("  " + line for line in lines[start:end]), "end"]
    return "\n".join(
        "".join(chance.choice("0123") if c == "@" else chance.choice("123") if c == "&" else c for c in line)
        for line in lines
    )


FRAMES = (
    "d[1] <- true; {0}; if d[1] then {1} end; d[2] <- d[1]; while d[2] do d[2] <- false; {2} end",
    "{0}\n{1}\n{2}",
    "for i in 1..2 do {0} end\nfor i in 2..3 do {0}; {1} end\n{0}",
    "if N > 7 then {0} end\nfor i in 1..1 do {1} end\nif c then {2} else {1} end",
    "x <- 0; {0}; x <- 0; {1}; y <- 0\n{2}",
)
"""What is around three lines that differ in digits."""


@pytest.mark.parametrize("line", RIGHT + WRONG)
def test_one_line_with_other_digits(line: str) -> None:
    """One of them may be wrong where those before it are right."""
    for frame, digits in some(product(FRAMES, ("120", "201", "323", "030", "121")), 8):
        lines = (line.replace("@", digit).replace("&", digit) for digit in digits)
        source = Source("<text>", f"{DECLARED}{frame.format(*lines)}\n")
        assert shown(read, source) == shown(separately, source)


@pytest.mark.parametrize("seed", range(many(50, campaign=5000)))
def test_lines_said_again(seed: int) -> None:
    chance = random.Random(seed)
    source = Source("<text>", f"{DECLARED}{body(chance, wrong=seed % 3)}\n")
    assert shown(read, source) == shown(separately, source)


def test_right_and_wrong_programs_are_tried() -> None:
    found = [
        shown(read, Source("<text>", f"{DECLARED}{body(random.Random(seed), wrong=seed % 3)}\n"))
        for seed in range(60)
    ]
    right = sum(text.startswith("CoreProgram(") for text in found)
    assert 10 < right < 50


CELLS = """output o in {0, 1} = 0
output w[2] in {0, 1} = 0
input q in {0, 1}
"""


@pytest.mark.parametrize(
    "body",
    [
        "w[1] <- 0; w[1] <- 7",
        "w[2] <- q + 1; w[2] <- 2",
        "a[1] <- 0; if a[1] then o <- 1 end",
        "x <- 1; a[x] <- 1; while a[x] do o <- 1 end",
        "b[2] <- 1; b[1] <- q; if b[1] then o <- 1 end",
    ],
)
def test_cells(body: str) -> None:
    """Cells of outputs have a set, and a cell may be a condition."""
    source = Source("<text>", CELLS + body)
    assert shown(read, source) == shown(separately, source)
    with pytest.raises(DipcError):
        read(source)
