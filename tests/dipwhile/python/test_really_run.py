"""What a function means to dipc is what it does in Python: both distributions, for every input."""

from __future__ import annotations

import itertools
import textwrap
from fractions import Fraction

import pytest
from campaigns import drawn
from dipwhile.python.really_run import as_value, law
from dipwhile.python.to_python import load_function
from hypothesis import given
from hypothesis import strategies as st

HEADS = {
    "bit": ('inputs="x in {0, 1, 2}", outputs="out in -60..60"', [(0,), (1,), (2,)]),
    "list": (
        'inputs="q[3] in {0, 1}", outputs="out in -60..60"',
        [(cells,) for cells in itertools.product((0, 1), repeat=3)],
    ),
    "lists": (
        'inputs="q[3] in {0, 1}", outputs="out[3] in -60..60"',
        [(cells,) for cells in itertools.product((0, 1), repeat=3)],
    ),
    "words": ('inputs="x in {0, 1, 2}", outputs="out in {low, high, none, true, false}"', [(0,), (1,), (2,)]),
    "two": ('inputs="x in {0, 1, 2}", outputs="out in -60..60, mark in {low, high}"', [(0,), (1,), (2,)]),
}

BODIES = {
    "break in a for": (
        "list",
        "n = 0\nfor i in range(3):\n    if q[i] == 1:\n        break\n    n += 1\nreturn n",
    ),
    "break, and what follows in the round": (
        "list",
        "n = 0\nfor i in range(3):\n    if q[i] == 1:\n        n += 5\n        break\n    else:\n        n += 1\n    n += 10\nreturn n",
    ),
    "break out of the inner loop only": (
        "list",
        "n = 0\nfor i in range(3):\n    for j in range(3):\n        if q[j] == 1:\n            break\n        n += 1\n    n += 7\nreturn n",
    ),
    "continue": (
        "list",
        "n = 0\nfor i in range(3):\n    if q[i] == 1:\n        continue\n    n += i + 1\nreturn n",
    ),
    "break and continue": (
        "list",
        "n = 0\nfor i in range(3):\n    if flip(1/2):\n        continue\n    n += 1\n    if q[i] == 1:\n        break\n    n += 10\nreturn n",
    ),
    "break out of a while": (
        "bit",
        "n = 0\nwhile n < 5:\n    n += 1\n    if n > x:\n        break\n    n += 1\nreturn n",
    ),
    "break before an index that is too large": (
        "list",
        "i = 0\nwhile q[i] == 0:\n    i += 1\n    if i == 3:\n        break\nreturn i",
    ),
    "continue in a while": (
        "bit",
        "n = 0\nm = 0\nwhile n < 4:\n    n += 1\n    if n == x + 1:\n        continue\n    m += n\nreturn m",
    ),
    "while with a draw in its condition": (
        "bit",
        "n = 0\nwhile n < 3 and flip(1/3):\n    n += 1\nreturn n + x",
    ),
    "while true": ("bit", "n = x\nwhile True:\n    n += 1\n    if n > 3:\n        return n"),
    "return in a loop": ("list", "for i in range(3):\n    if q[i] == 1:\n        return i\nreturn 9"),
    "elif with a draw": (
        "bit",
        "if x == 0:\n    return 1\nelif flip(1/3):\n    return 2\nelif x == 2 and flip(1/4):\n    return 3\nelse:\n    return 4",
    ),
    "elif guards an index": (
        "bit",
        "a = [1, 1]\nif x == 2:\n    return 7\nelif uniform({0, a[x]}) == 1:\n    return 1\nreturn 0",
    ),
    "a draw within an expression": ("bit", "return 3*uniform({0, 1, 2}) - x + uniform([0, 10])"),
    "either": ("bit", "return x + (5 if flip(1/2) else uniform({7, 8}))"),
    "either, nested": ("bit", "n = 1 if x == 0 else 2 if x == 1 else 3\nreturn n"),
    "either in a condition of a while": (
        "bit",
        "n = 0\nwhile (n < 3 if x == 0 else n < 5):\n    n += 2\nreturn n",
    ),
    "for over a list": ("list", "n = 0\nfor x in q:\n    n = 2*n + x\nreturn n"),
    "for over a list that changes": (
        "list",
        "a = [q[2], 5, 6]\nn = 0\nfor x in a:\n    a[0] = 50\n    a[2] = 1\n    n += x\nreturn n",
    ),
    "a loop variable that changes": (
        "list",
        "n = 0\nfor x in q:\n    x += 1\n    n += x\nreturn n + x",
    ),
    "a counter that changes": ("list", "n = 0\nfor i in range(3):\n    i += q[0]\n    n += i\nreturn n + i"),
    "enumerate": ("list", "n = 0\nfor i, x in enumerate(q):\n    if x == 1:\n        n += i + 1\nreturn n"),
    "nested loops": (
        "list",
        "n = 0\nfor i in range(3):\n    for j in range(i):\n        n += q[i] * (j + 1)\nreturn n",
    ),
    "a range from elsewhere": (
        "list",
        "n = 0\nfor i in range(1, 3):\n    n += i * q[i] + q[i - 1]\nreturn n",
    ),
    "an empty range": (
        "list",
        "n = 1\nfor i in range(0):\n    n = 9\nfor i in range(2, 1):\n    n = 8\nreturn n",
    ),
    "all, any, sum": (
        "list",
        "n = sum(q)\nif all(x == 1 for x in q):\n    n += 10\nif any(q[i] == 1 for i in range(1, 3)):\n    n += 20\nreturn n",
    ),
    "sum of comparisons": ("list", "return sum(x > 0 for x in q) + 10*sum(1 for i in range(3) if q[i] == 0)"),
    "all and any with if": (
        "list",
        "n = 0\nif all(q[i] == 1 for i in range(3) if i > 0):\n    n += 1\nif any(q[i] == 1 for i in range(3) if i != 1):\n    n += 2\nreturn n",
    ),
    "sum of products": ("list", "return sum((i + 1) * q[i] for i in range(3))"),
    "nested sums": ("list", "return sum(sum(q[j] for j in range(i + 1)) for i in range(3))"),
    "a comprehension of a name that is taken": ("list", "i = 4\nreturn i + sum(q[i] for i in range(2)) + i"),
    "argmax": ("list", "return argmax(q) + 10*argmin(q)"),
    "argmax as an index": ("list", "return q[argmax(q)] + 10*q[argmin(q)] + 20*argmax([q[2], q[1]])"),
    "max and min": (
        "list",
        "return max(q) + 2*min(q) + 4*max(q[0], q[1], 2) + min([q[0], 1]) + max(-x for x in q)",
    ),
    "len": ("list", "n = 0\nfor i in range(len(q) - 1):\n    n += q[i + 1]\nreturn n + q[len(q) - 1]"),
    "lists": (
        "list",
        "a = [0] * 3\nfor i in range(3):\n    a[i] = 1 - q[i]\nb = [x + 1 for x in a]\nreturn a[0] + 2*a[2] + 4*b[1]",
    ),
    "a list from a range that starts elsewhere": (
        "list",
        "a = [10*i + q[i] for i in range(1, 3)]\nreturn a[0] + a[1]",
    ),
    "one draw for all cells": ("list", "a = [uniform({0, 1})] * 2\nreturn a[0] + 10*a[1]"),
    "a draw for each cell": ("list", "a = [uniform({0, x}) for x in q]\nreturn a[0] + 10*a[1] + 20*a[2]"),
    "a written list": ("list", "a = [q[0], 1 + q[1], uniform({2, 3})]\nreturn a[0] + 10*a[1] + 2*a[2]"),
    "an index that is drawn": (
        "list",
        "a = [0] * 3\na[uniform(range(3))] += 1\nreturn a[0] + 2*a[1] + 4*a[2] + q[0]",
    ),
    "a list as output": ("lists", "out = [0] * 3\nfor i in range(3):\n    out[i] = 2*q[i] + i\nreturn out"),
    "a list returned": ("lists", "return [q[0] + 1, uniform({1, 2}) if q[0] == 1 else 3, q[2]]"),
    "a comprehension returned": ("lists", "return [uniform({x, 5}) for x in q]"),
    "another list returned": (
        "lists",
        "a = [x + 1 for x in q]\na[1] = 7\nif q[0] == 1:\n    return a\nreturn [0] * 3",
    ),
    "swap": ("bit", "a, b = x, 5\na, b = b, a\na, b = a + b, a\nreturn 5*a + b"),
    "one value for many": ("bit", "a = b = uniform({0, 1})\nreturn a + 10*b + x"),
    "index and value in one line": (
        "bit",
        "a = [0] * 3\ni = 1\ni, a[i] = x, 5\nreturn a[0] + 2*a[1] + 4*a[2] + i",
    ),
    "one value for index and cell": (
        "bit",
        "a = [0] * 3\ni = 0\ni = a[i] = x\nreturn a[0] + 2*a[1] + 4*a[2] + 10*i",
    ),
    "augmented": ("bit", "n = 7\nn += x\nn -= 1\nn *= 3\nn //= 2\nn %= 7\nreturn n"),
    "floor division and remainder of negative numbers": ("bit", "n = x - 2\nreturn 10*(n // 2) + n % 3"),
    "powers": ("bit", "return -2**2 + (-2)**3 + x**2"),
    "precedence": ("words", "return not x == 1 and x < 2 or x >= 2"),
    "chains": ("words", "return 0 <= x < 2 != 1"),
    "in": ("words", 'return "low" if x in (0, 2) else "high"'),
    "not in": ("words", "return x not in {0, 1}"),
    "words": (
        "words",
        'state = "none"\nif x > 0:\n    state = "high"\nif state == "high" and flip(1/2):\n    return state\nreturn "low"',
    ),
    "two outputs": (
        "two",
        'out = 3\nif x == 0:\n    return x, "low"\nreturn out + 1, "high" if x == 1 else "low"',
    ),
    "a choice": ("bit", "return choose({x: 1/2, 5: 1/4, 7: 1/4})"),
    "decimals": ("bit", "return uniform({0, 1}) + choose({0: 0.25, 10: 0.75})"),
    "a drawn truth value": ("words", "a = flip(0.5)\nb = flip(1/4)\nreturn a != b"),
    "dead code": (
        "bit",
        "if x == 0:\n    return 1\n    return 2\nfor i in range(2):\n    break\n    return 7\nreturn 3",
    ),
    "pass and texts": (
        "bit",
        '"what it does"\npass\nn: int = 3\nif x == 0:\n    pass\nelse:\n    n = 4\nreturn n',
    ),
    "disc": ("bit", "return disc(2*x - 1, -1, 0, 2)"),
}


def same(head: str, body: str, **known: object) -> None:
    told, inputs = HEADS[head]
    arguments = "x" if head in ("bit", "words", "two") else "q"
    text = f"@dipc.mechanism({told})\ndef f({arguments}):\n{textwrap.indent(body, '    ')}\n"
    mechanism = load_function(text, "f")
    for given_ in inputs:
        expected: dict[object, Fraction] = law(text, "f", *given_)
        got = mechanism.distribution(**{arguments: given_[0]})
        shown = {key: p for key, p in got.items() if p}
        if head == "two":
            wanted = {(("out", as_value(a)), ("mark", as_value(b))): p for (a, b), p in expected.items()}
        else:
            wanted = {(("out", as_value(value)),): p for value, p in expected.items()}
        assert {key: str(p) for key, p in shown.items()} == {key: str(p) for key, p in wanted.items()}, given_


@pytest.mark.parametrize("name", BODIES)
def test_same_meaning(name: str) -> None:
    head, body = BODIES[name]
    same(head, body)


# --- random functions ----------------------------------------------------------------------------

VARIABLES = ("x", "m", "n", "a[0]", "a[1]", "a[n % 2]")
CONDITIONS = (
    "{} < {}",
    "{} == {}",
    "0 <= {} <= {}",
    "not {} > {}",
    "{} != {} and flip(1/2)",
    "flip(1/3) or {} >= {}",
    "any(y == {} for y in a) or {} == 1",
    "{} in (0, {})",
)
VALUES = (
    "{} + {}",
    "{} - 2*{}",
    "({} if flip(1/4) else {})",
    "uniform({{0, {} + 1, {}}})",
    "max({}, {})",
    "{} % 3 + {} // 2",
    "sum(y * {} for y in a) - {}",
)


class Writer:
    """Draws the lines of a function; every loop ends, and not more than a few choices are made."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.loops = 0
        self.choices = 0
        self.nesting = 0

    def pick(self, *items: str) -> str:
        return self.draw(st.sampled_from(items))

    def filled(self, *patterns: str) -> str:
        pattern = self.pick(*patterns)
        if "flip" in pattern or "uniform" in pattern:
            self.choices += 1
            if self.choices > 2 or self.nesting > 1:  # or there are too many paths to run
                pattern = patterns[0]
        return pattern.format(self.pick(*VARIABLES, "1"), self.pick(*VARIABLES, "0"))

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.draw(st.integers(1, 3))) for line in self.statement(depth, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kinds = ["assign"] * 3 + ["swap", "augmented"]
        kinds += ["jump"] * 3 if in_loop else []
        kinds += (
            ["if", "if", "for", "over", "while"] if depth < 3 and self.loops < 4 else ["if"] * (depth < 4)
        )
        match self.pick(*kinds):
            case "assign":
                return [f"{self.pick('m', 'n', 'a[0]', 'a[1]')} = ({self.filled(*VALUES)}) % 5"]
            case "swap":
                return [
                    self.pick("m, n = n, m", "a[0], m = m, a[0]", "n, a[n % 2] = a[1], n", "m = n = a[0]")
                ]
            case "augmented":
                return [f"{self.pick('m', 'n', 'a[m % 2]')} {self.pick('+=', '-=')} {self.pick(*VARIABLES)}"]
            case "jump":
                return [
                    f"if {self.filled(*CONDITIONS)}:",
                    f"    {self.pick('break', 'continue', 'return m % 7')}",
                ]
            case "if":
                lines = [f"if {self.filled(*CONDITIONS)}:", *self.inner(depth, in_loop)]
                if self.draw(st.booleans()):
                    lines += [f"elif {self.filled(*CONDITIONS)}:", *self.inner(depth, in_loop)]
                return [*lines, "else:", *self.inner(depth, in_loop)] if self.draw(st.booleans()) else lines
            case "for":
                self.loops += 1
                name = f"i{self.loops}"
                start = self.pick(f"m += {name}", f"n -= {name}", f"{name} += 1", f"a[{name} % 2] += {name}")
                return [
                    f"for {name} in range({self.pick('2', '1, 3', '0')}):",
                    f"    {start}",
                    *self.round(depth),
                ]
            case "over":
                self.loops += 1
                name = f"y{self.loops}"
                return [f"for {name} in a:", f"    m += {name}", *self.round(depth)]
            case _:
                self.loops += 1
                name = f"w{self.loops}"
                self.nesting += 1
                condition = self.filled(*CONDITIONS)
                self.nesting -= 1
                head = [f"{name} = 0", f"while {name} < 2 and ({condition}):", f"    {name} += 1"]
                return [*head, *self.round(depth)]

    def round(self, depth: int) -> list[str]:
        """The lines of a loop."""
        self.nesting += 1
        lines = self.inner(depth, True)
        self.nesting -= 1
        return lines

    def inner(self, depth: int, in_loop: bool) -> list[str]:
        return [f"    {line}" for line in self.block(depth + 1, in_loop)]


@st.composite
def functions(draw: st.DrawFn) -> str:
    """The body of a random function of ``x``."""
    writer = Writer(draw)
    lines = ["m = 0", "n = 1", "a = [x, 2]", *writer.block(0, False), *writer.block(0, False)]
    return "\n".join([*lines, "return (m + 2*n + 4*a[0] + a[1]) % 7"])


@drawn(15, campaign=40)
@given(functions())
def test_random_functions(body: str) -> None:
    same("bit", body)
