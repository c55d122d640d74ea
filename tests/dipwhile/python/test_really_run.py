"""What a function means to dipc is what it does in Python: both distributions, for every input."""

from __future__ import annotations

import itertools
import textwrap
from fractions import Fraction

import pytest
from dipwhile.python.really_run import as_value, law_of
from dipwhile.python.to_python import load_function

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
    "break, and what follows in the round": (
        "list",
        "n = 0\nfor i in range(3):\n    if q[i] == 1:\n        n += 5\n        break\n    else:\n        n += 1\n    n += 10\nreturn n",
    ),
    "break and continue": (
        "list",
        "n = 0\nfor i in range(3):\n    if flip(1/2):\n        continue\n    n += 1\n    if q[i] == 1:\n        break\n    n += 10\nreturn n",
    ),
    "break before an index that is too large": (
        "list",
        "i = 0\nwhile q[i] == 0:\n    i += 1\n    if i == 3:\n        break\nreturn i",
    ),
    "while with a draw in its condition": (
        "bit",
        "n = 0\nwhile n < 3 and flip(1/3):\n    n += 1\nreturn n + x",
    ),
    "elif with a draw": (
        "bit",
        "if x == 0:\n    return 1\nelif flip(1/3):\n    return 2\nelif x == 2 and flip(1/4):\n    return 3\nelse:\n    return 4",
    ),
    "elif guards an index": (
        "bit",
        "a = [1, 1]\nif x == 2:\n    return 7\nelif uniform({0, a[x]}) == 1:\n    return 1\nreturn 0",
    ),
    "either in a condition of a while": (
        "bit",
        "n = 0\nwhile (n < 3 if x == 0 else n < 5):\n    n += 2\nreturn n",
    ),
    "for over a list that changes": (
        "list",
        "a = [q[2], 5, 6]\nn = 0\nfor x in a:\n    a[0] = 50\n    a[2] = 1\n    n += x\nreturn n",
    ),
    "a counter that changes": ("list", "n = 0\nfor i in range(3):\n    i += q[0]\n    n += i\nreturn n + i"),
    "enumerate": ("list", "n = 0\nfor i, x in enumerate(q):\n    if x == 1:\n        n += i + 1\nreturn n"),
    "nested loops": (
        "list",
        "n = 0\nfor i in range(3):\n    for j in range(i):\n        n += q[i] * (j + 1)\nreturn n",
    ),
    "an empty range": (
        "list",
        "n = 1\nfor i in range(0):\n    n = 9\nfor i in range(2, 1):\n    n = 8\nreturn n",
    ),
    "sum of comparisons": ("list", "return sum(x > 0 for x in q) + 10*sum(1 for i in range(3) if q[i] == 0)"),
    "all and any with if": (
        "list",
        "n = 0\nif all(q[i] == 1 for i in range(3) if i > 0):\n    n += 1\nif any(q[i] == 1 for i in range(3) if i != 1):\n    n += 2\nreturn n",
    ),
    "a comprehension of a name that is taken": ("list", "i = 4\nreturn i + sum(q[i] for i in range(2)) + i"),
    "argmax as an index": ("list", "return q[argmax(q)] + 10*q[argmin(q)] + 20*argmax([q[2], q[1]])"),
    "max and min": (
        "list",
        "return max(q) + 2*min(q) + 4*max(q[0], q[1], 2) + min([q[0], 1]) + max(-x for x in q)",
    ),
    "len": ("list", "n = 0\nfor i in range(len(q) - 1):\n    n += q[i + 1]\nreturn n + q[len(q) - 1]"),
    "a list from a range that starts elsewhere": (
        "list",
        "a = [10*i + q[i] for i in range(1, 3)]\nreturn a[0] + a[1]",
    ),
    "one draw for all cells": ("list", "a = [uniform({0, 1})] * 2\nreturn a[0] + 10*a[1]"),
    "an index that is drawn": (
        "list",
        "a = [0] * 3\na[uniform(range(3))] += 1\nreturn a[0] + 2*a[1] + 4*a[2] + q[0]",
    ),
    "a list returned": ("lists", "return [q[0] + 1, uniform({1, 2}) if q[0] == 1 else 3, q[2]]"),
    "another list returned": (
        "lists",
        "a = [x + 1 for x in q]\na[1] = 7\nif q[0] == 1:\n    return a\nreturn [0] * 3",
    ),
    "one value for many": ("bit", "a = b = uniform({0, 1})\nreturn a + 10*b + x"),
    "index and value in one line": (
        "bit",
        "a = [0] * 3\ni = 1\ni, a[i] = x, 5\nreturn a[0] + 2*a[1] + 4*a[2] + i",
    ),
    "one value for index and cell": (
        "bit",
        "a = [0] * 3\ni = 0\ni = a[i] = x\nreturn a[0] + 2*a[1] + 4*a[2] + 10*i",
    ),
    "floor division and remainder of negative numbers": ("bit", "n = x - 2\nreturn 10*(n // 2) + n % 3"),
    "powers": ("bit", "return -2**2 + (-2)**3 + x**2"),
    "precedence": ("words", "return not x == 1 and x < 2 or x >= 2"),
    "chains": ("words", "return 0 <= x < 2 != 1"),
    "two outputs": (
        "two",
        'out = 3\nif x == 0:\n    return x, "low"\nreturn out + 1, "high" if x == 1 else "low"',
    ),
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
        expected: dict[object, Fraction] = law_of(text, "f", *given_)
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
