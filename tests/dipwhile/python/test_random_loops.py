"""Random functions with loops over arrays of symbolic length: what is read is what CPython returns, for all sizes."""

from __future__ import annotations

import itertools
import linecache
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from campaigns import many
from dipwhile.python.really_run import returned
from dipwhile.python.test_random_python import law_of

import dipc

NUMBERS, LISTS = ("m", "n", "c"), ("u", "v")


class Writer:
    """Writes the statements of one function, which knows the numbers m, n, c, the truth b and the lists u, v."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.coins = 2

    def number(self, index: str, depth: int = 1) -> str:
        a = self.rng.choice(
            [*NUMBERS, "0", "1", "2", *([index, f"q[{index}]", f"u[{index}]"] if index else [])]
        )
        if depth == 0:
            return a
        b, test = self.number(index, depth - 1), self.test(index)
        return self.rng.choice(
            [
                *(
                    a,
                    b,
                    f"{a} + {b}",
                    f"{a} - {b}",
                    f"({a} if {test} else {b})",
                    f"max({a}, {b})",
                    f"{a} % 3",
                ),
                *(f"{a} // 2", "sum(q)", "max(q)", "argmax(q)", "len(q)", f"q[-{self.rng.randint(1, 1)}]"),
                *(f"sum(1 for y in q if y > {a})", f"sum(y + {a} for y in q)", "v[0]", "helper(m, b)"),
                *(f"sum(q[k] for k in range({self.rng.choice(['N', '1, N'])}))", "max([y - m for y in q])"),
            ]
        )

    def test(self, index: str) -> str:
        if self.coins and self.rng.random() < 0.15:
            self.coins -= 1
            return "random.random() < 1 / 4"
        a, b = self.number(index, 0), self.number(index, 0)
        kinds = [
            f"{a} {self.rng.choice(['<', '>=', '==', '!='])} {b}",
            "b",
            f"b and {a} > {b}",
            f"not b or {a}",
        ]
        return self.rng.choice([*kinds, f"any(y == {a} for y in q)", f"all(y <= {a} for y in q)"])

    def block(self, index: str, inside: bool, depth: int) -> list[str]:
        rows = [self.statement(index, inside, depth) for _ in range(self.rng.randint(1, 3))]
        return [f"    {line}" for row in rows for line in row]

    def statement(self, index: str, inside: bool, depth: int) -> list[str]:
        name, number = self.rng.choice(NUMBERS), self.number(index)
        kinds = [
            "set",
            "set",
            "add",
            "swap",
            "truth",
            "cell",
            "copy",
            *["if"] * 3,
            *["for"] * 3,
            "comprehend",
        ]
        match self.rng.choice([*kinds, *(["leave"] if inside else []), "return"]):
            case "set":
                return [f"{name} = {number}"]
            case "add":
                return [f"{name} += {number}"]
            case "swap":
                return [self.rng.choice(["m, n = n, m", "n, m = m, n", "m, n, c = n, c, m", "c = b = m > n"])]
            case "truth":
                return [f"b = {self.test(index)}"]
            case "cell":
                place = self.rng.choice([index or "0", "0", "-1"])
                return [f"{self.rng.choice(LISTS)}[{place}] {self.rng.choice(['=', '+='])} {number}"]
            case "copy":
                return ["w = u", f"w[0] = {number}", "w = v"]
            case "comprehend":
                return [
                    f"w = [y + {self.number('', 0)} for y in {self.rng.choice(['q', 'u'])}]",
                    "u[0] = w[-1]",
                ]
            case "leave":
                return [self.rng.choice(["break", "continue"])]
            case "return" if self.rng.random() < 0.4:
                return [f"return ({number}) % 7"]
            case "for" if depth:
                i = f"i{depth}"
                heads = [
                    f"for {i} in range(N):",
                    f"for {i}, x in enumerate(q):",
                    f"for {i}, x in enumerate(u):",
                ]
                heads += [f"for {i} in range(len(q) - 1):", f"for {i}, x in zip(range(N), u):"]
                heads += [f"for {i} in range({index}):"] if index else []
                return [self.rng.choice(heads), *self.block(i, True, depth - 1)]
            case "if" if depth:
                other = self.rng.choice([[], ["else:", *self.block(index, inside, depth - 1)]])
                return [f"if {self.test(index)}:", *self.block(index, inside, depth - 1), *other]
        return [f"{name} = {number}"]

    def text(self) -> str:
        start = ["m, n, c, b = 0, 1, q[0], False", "u = [q[k] for k in range(N)]", "v = [0] * N"]
        body = [self.statement("", False, 2) for _ in range(3)]
        lines = [*start, *(line for row in body for line in row)]
        lines.append("return (m + 2 * n + 3 * c + sum(u) + 4 * v[0]) % 7")
        inside = "\n".join(f"    {line}" for line in lines)
        return f"import random\n\nfrom dipc.words import argmax\n\n\ndef helper(k, t):\n    return k + 1 if t else -k\n\n\ndef f(q, eps):\n    N = len(q)\n{inside}\n"


def compared(text: str, file: str) -> bool:
    """Whether a function keeps its loops; what it says must be right, for each size that it is given."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, object] = {}
    exec(compile(text, file, "exec"), scope)
    told = {"inputs": "q[N] in {0, 1}", "outputs": "out in 0..6", "adjacent": "all", "private": "eps"}
    try:
        mechanism = dipc.mechanism(**told, N=2)(scope["f"])
    except dipc.InputError:
        return False
    written, real = mechanism.source_text, scope["random"]
    kept = "param  N = 2" in written
    for size, values in itertools.chain(
        *(((n, v) for v in itertools.product((0, 1), repeat=n)) for n in (1, 3))
    ):
        expected = law_of(scope["f"], scope, {"q": values})
        scope["random"] = real
        try:
            one = dipc.load(written, N=size) if kept else mechanism.with_parameters(N=size)
            found = {returned(key): p.at(1) for key, p in one.distribution(q=list(values)).items()}
        except dipc.InputError:
            continue  # refused, for this size
        shown = {key: p for key, p in found.items() if str(p) != "0"}
        assert expected is not None, f"{file} stops on {values}, and is read\n{text}\n{written}"
        exact = {key: str(p) for key, p in expected.items()}
        assert {key: str(p) for key, p in shown.items()} == exact, f"{file} on {values}\n{text}\n{written}"
    return kept


@pytest.mark.parametrize("part", range(2))
def test_random_loops(part: int) -> None:
    kept = [compared(Writer(seed).text(), f"<loops {seed}>") for seed in range(part, many(12, 2000), 2)]
    assert kept.count(True) > len(kept) / 2


CASES = [
    "m, n = 1, 2; for x in q:; +m, n = n, m; return m + q[0]",
    "m, n, c = 0, 1, 2; for x in q:; +m, n, c = n, c, m + x; return (m + 2 * n + 3 * c) % 7",
    "m = u[0]; u[0] = 3; return m + u[0]",
    "m = 0; for x in u:; +u[0] = 2; +u[-1] = 3; +m = 2 * m + x; return m % 7",
    "v = u; v[0] = 4; return u[0] + q[0]",
    "m = 0; for i, x in enumerate(u):; +m += x; +if x == 1: break; +u[i] = 5; return (m + sum(u)) % 7",
    "m = 0; for i, x in enumerate(q):; +m = m + x; +u[i] = m; return (m + sum(u)) % 7",
    "m = 0; for x in q:; +if random.random() < 1 / 4: continue; +m += 1 + x; return m % 7",
    "m = 0; while m < 3:; +m += 1 + (random.random() < 1 / 4); return m + q[0]",
    "m = 0; for x in q:; +b = m > 0; +m += x; +if b: return m; return 6",
    "m = max(q); u[argmax(q)] = 2; return m + u[0]",
    "v = [i for i in range(2, N)]; return len(v) + q[0]",
    "v = [0] * (N - 2); return len(v) + q[0]",
    "m = 0; for i in range(N):; +if i < 3 and N > 2: m = 2 * m + q[1 - i]; return m % 7",
    "m = 0; for i in range(N):; +m = 2 * m + u[N - 1 - i]; return m % 7",
    "m = N - 1; while q[m] == 0 and m > 1 - N:; +m -= 1; return m % 7",
]
"""What is wrong if a variable or cell is read later than it should be; ``+`` stands for four spaces."""


def function(case: str) -> str:
    """A function with these statements."""
    lines = ["N = len(q)", "u = [y for y in q]"]
    for line in case.split("; "):
        depth = len(line) - len(line.lstrip("+"))
        lines.append("    " * depth + line[depth:])
    inside = "".join(f"    {line}\n" for line in lines)
    return f"import random\n\nfrom dipc.words import argmax\n\n\ndef f(q, eps):\n{inside}"


@pytest.mark.parametrize("case", CASES)
def test_loops(case: str) -> None:
    assert compared(function(case), f"<{case}>")


LATE = {
    "m = 0; for i, x in enumerate(u):; +if i < 2: u[i + 1] = 5; +m += x; return m % 7": True,
    "m = 0; for i, x in enumerate(u, 1):; +if i < 3: u[i] += x; +m += x; return m % 7": True,
    "m = 0; for x in reversed(u):; +u[0] = 4; +m += x; return m % 7": True,
    "m = 0; for x, y in zip(u, q):; +u[2] = 4; +m += x + y; return m % 7": True,
    "m = 0; for i, x in enumerate(reversed(u)):; +u[0] = 3; +m += x; return m % 7": True,
    "d = {0: q[0], 1: 0}; m = 0; for k, x in d.items():; +d[1] = 2; +m += x; return m": True,
    "m = 0; for x in (y + 1 for y in u):; +m += x; return m % 7": True,
    "m = 0; for x in (y + m for y in u):; +m += x + 1; return m % 7": False,
    "m = 0; for x in (y for y in u):; +u[2] = 4; +m += x; return m % 7": False,
    "m = 0; for x in map(lambda y: y + m, u):; +m += x + 1; return m % 7": False,
    "m = 0; for i, x in enumerate(y for y in u):; +u[2] = 4; +m += x; return m % 7": False,
    "m = 0; for x in reversed(u):; +u.append(1); +m = 2 * m + x; return m % 7": False,
}
"""Rounds that change what the loop goes through, and whether they are read: Python reads each cell late."""


@pytest.mark.parametrize("size", ["3", "N"])
@pytest.mark.parametrize("case", LATE)
def test_what_a_loop_goes_through_is_read_late(case: str, size: str) -> None:
    file, text = f"<{case} {size}>", function(case)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, object] = {}
    exec(compile(text, file, "exec"), scope)
    told = {"inputs": f"q[{size}] in {{0, 1}}", "outputs": "out in 0..6", "adjacent": "all", "private": "eps"}
    given = {"N": 3} if size == "N" else {}
    if not LATE[case]:
        with pytest.raises(dipc.InputError, match=r"goes through|only once"):
            dipc.mechanism(**told, **given)(scope["f"]).distribution(q=[0, 1, 1])
        return
    mechanism = dipc.mechanism(**told, **given)(scope["f"])
    for values in itertools.product((0, 1), repeat=3):
        expected = law_of(scope["f"], scope, {"q": values})
        law = mechanism.distribution(q=list(values)).items()
        assert {returned(key): str(p.at(1)) for key, p in law if str(p.at(1)) != "0"} == {
            key: str(p) for key, p in expected.items()
        }


@dataclass
class Record:
    a: int


EFFECTS = [
    "m = 0; for x in (d[0] + y for y in u):; +d[0] += 1; +m += x; return m % 7",
    "m = 0; for x in (p.a + y for y in u):; +p.a += 1; +m += x; return m % 7",
    "m = 0; for x in (peek(y) for y in u):; +d[0] += 1; +m += x; return m % 7",
    "m = 0; for x in map(bump, u):; +m += x + d[0]; return m % 7",
    "m = 0; for x in (bump(y) for y in u):; +m += x + d[0]; return m % 7",
    "return sum(bump(x) for x in (y + d[0] for y in u)) % 7",
    "return sum([bump(x) for x in (y + d[0] for y in u)]) % 7",
    "return sum([shorten(x) for x in u]) % 7",
]
"""What Python evaluates value by value, while something that it reads changes."""


@pytest.mark.parametrize("case", EFFECTS)
def test_values_that_are_made_late_must_not_change_anything(case: str) -> None:
    start = "d = [0]; p = P(0); def bump(x):; +d[0] += 1; +return x; def shorten(x):; +u[1] = 5; +return x; "
    text = function(start + "peek = (lambda e: lambda x: x + e[0])(d); " + case)
    file = f"<effects {case}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"P": Record}
    exec(compile(text, file, "exec"), scope)
    told = {"inputs": "q[3] in {0, 1}", "outputs": "out in 0..6", "adjacent": "all", "private": "eps"}
    with pytest.raises(dipc.InputError, match=r"goes through|when they are made"):
        dipc.mechanism(**told)(scope["f"]).distribution(q=[0, 1, 1])
