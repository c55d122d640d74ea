"""Random small functions of Python: what they do on finite inputs is what their reading must say.

Every name has one type, so that few of them stop with an error; those that do must be refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

HEADS = {
    "x": "x in -1..2",
    "q": "q[2] in {0, 1}",
    "x, t": "x in 0..1; t in {True, False}",
    "q, w": "q[2] in {0, 1}; w in {a, b}",
}
VALUES = {
    "x": range(-1, 3),
    "q": [(a, b) for a in (0, 1) for b in (0, 1)],
    "t": (True, False),
    "w": ("a", "b"),
}
OUTPUTS = {"out": "out in 0..6", "out, s": "out in 0..6; s in {None, a, b, c}"}


class Writer:
    """Writes one function; the random choices are those of ``rng``."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.head = rng.choice(list(HEADS))
        self.outputs = rng.choice(list(OUTPUTS))
        arguments = self.head.split(", ")
        self.ints = ["m", "n", *(["x"] if "x" in arguments else [])]
        self.bools = ["b", *(["t"] if "t" in arguments else [])]
        self.lists = ["u", "v", *(["q"] if "q" in arguments else [])]
        self.texts = ["s", *(["w"] if "w" in arguments else [])]
        self.arguments = arguments
        self.coins = 2  # drawn at most so often
        self.loops = 0
        self.functions: list[str] = []

    def pick(self, *items: str) -> str:
        return self.rng.choice(items)

    def one(self, *makers: Callable[[], str]) -> str:
        return self.rng.choice(makers)()

    # --- expressions -------------------------------------------------------------------------------

    def int(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.pick(*self.ints, *self.ints, "0", "1", "2", "-1", "3", "len(u)", "u[0]", "v[-1]")
        a, b = (lambda: self.int(depth - 1)), (lambda: self.int(depth - 2))
        c, u = (lambda: self.bool(depth - 1)), (lambda: self.list(depth - 2))
        name = f"y{self.rng.randrange(3)}"
        return self.one(
            a,
            lambda: f"{a()} {self.pick('+', '-', '*')} {b()}",
            lambda: f"({a()}) {self.pick('//', '%')} {self.pick('2', '3', '-2', '-3')}",
            lambda: f"({a()}) % (abs({b()}) + 1)",
            lambda: f"-({a()})",
            lambda: f"{self.pick('abs', 'int', 'round')}({a()})",
            lambda: f"{self.pick('int', 'round')}(({a()}) / 2)",
            lambda: f"{self.pick('max', 'min')}({a()}, {b()})",
            lambda: f"({a()} if {c()} else {b()})",
            lambda: f"int({c()})",
            lambda: f"({a()} {self.pick('and', 'or')} {b()})",
            lambda: f"({c()} and {a()})",
            lambda: f"({a()} + ({c()}))",
            lambda: f"{self.pick('sum', 'len')}({u()})",
            lambda: f"{self.pick('max', 'min')}({u()}, default={b()})",
            lambda: f"{self.pick('sum', 'max', 'min')}([{b()}, {b()}, {b()}])",
            lambda: f"{self.pick(*self.lists)}[{self.pick('0', '-1', '1', '-2', f'({b()}) % 2')}]",
            lambda: f"sum({self.inside(name)} for {name} in {u()} if {self.test(name)})",
            lambda: f"sum(1 for {name} in {u()} if {self.test(name)})",
            lambda: f"next(({name} for {name} in {u()} if {self.test(name)}), {b()})",
            lambda: f"{self.pick(*self.lists)}.count({b()})",
            lambda: f"sorted({self.pick(*self.lists)})[{self.pick('0', '-1', '1')}]",
            lambda: (
                f"{self.pick('max', 'min')}({self.pick(*self.lists)}, key=lambda {name}: {self.inside(name)})"
            ),
            lambda: f"d.get({b()}, {b()})",
            lambda: f"d[{self.pick('0', b())}]",
            lambda: "len(d)",
            lambda: f"[{b()}, {b()}][{c()}]",
            lambda: f"{{0: {b()}, 1: {b()}}}[({b()}) % 2]",
            lambda: f"({a()}) ** 2",
            lambda: f"(({a()}) {self.pick('&', '|', '^', '>>', '<<')} {self.pick('1', '2', '3')})",
            lambda: f"int(f'{{abs({self.pick(*self.ints)})}}')",
            lambda: f"helper({b()}{self.pick('', f', {b()}', f', k={b()}')})",
            lambda: f"(lambda {name}: {self.inside(name)})({b()})",
            lambda: f"{self.pick(*self.functions)}({b()})" if self.functions else a(),
            lambda: f"sum(range({self.pick('3', '0, 3', f'({b()}) % 3', '3, 0, -2', '-2, 3, 2')}))",
        )

    def inside(self, name: str) -> str:
        """A number that depends on a bound name."""
        return self.pick(
            name,
            f"{name} + {self.int(0)}",
            f"-{name}",
            f"{name} % 3",
            f"{name} * {self.int(0)}",
            f"abs({name} - 1)",
        )

    def test(self, name: str) -> str:
        """A condition on a bound name."""
        sign = self.pick("<", "<=", ">", ">=", "==", "!=")
        return self.pick(f"{name} {sign} {self.int(0)}", name, f"{name} % 2", f"not {name}", self.bool(0))

    def bool(self, depth: int = 2) -> str:
        if self.coins and self.rng.random() < 0.15:
            self.coins -= 1
            return self.pick(
                "random.random() < 1 / 2", "random.random() >= 1 / 4", "random.randrange(3) == 1"
            )
        sign = self.pick("<", "<=", ">", ">=", "==", "!=")
        if depth <= 0:
            return self.pick(
                *self.bools, f"{self.int(0)} {sign} {self.int(0)}", "True", f"{self.text(0)} == 'a'"
            )
        a, b = (lambda: self.int(depth - 1)), (lambda: self.bool(depth - 1))
        return self.one(
            b,
            lambda: f"{a()} {sign} {a()}",
            lambda: f"{self.int(0)} {sign} {a()} {self.pick('<', '>=', '!=')} {self.int(0)}",
            lambda: f"not ({b()})",
            lambda: f"({b()} {self.pick('and', 'or')} {b()})",
            lambda: f"({a()} {self.pick('in', 'not in')} {self.pick(*self.lists, '(0, 1)', '{1, 2}', 'd')})",
            lambda: f"({self.text(1)} {self.pick('is', 'is not')} None)",
            lambda: f"({self.text(0)} {self.pick('==', '!=')} {self.text(1)})",
            lambda: f"({self.text(0)} in ('a', None))",
            lambda: f"{self.pick('any', 'all')}({self.test('z')} for z in {self.list(depth - 1)})",
            lambda: f"bool({a()})",
            lambda: f"({self.list(0)} {self.pick('==', '!=')} {self.list(1)})",
            lambda: f"(({a()}, {a()}) == ({self.int(0)}, {self.int(0)}))",
        )

    def text(self, depth: int = 1) -> str:
        if depth <= 0:
            return self.pick(*self.texts, "'a'", "'b'", "None", "'c'")
        return self.one(
            lambda: self.text(0),
            lambda: f"({self.text(0)} if {self.bool(1)} else {self.text(0)})",
            lambda: f"({self.text(0)} or {self.text(0)})",
            lambda: f"['a', None, 'b'][({self.int(1)}) % 3]",
            lambda: f"{{0: 'a', 1: 'b'}}.get({self.int(1)})",
        )

    def list(self, depth: int = 2) -> str:
        if depth <= 0:
            return self.pick(*self.lists)
        u = partial(self.list, depth - 1)
        name = f"y{self.rng.randrange(3)}"
        return self.one(
            u,
            lambda: f"[{self.int(1)}, {self.int(1)}]",
            lambda: f"{u()}[{self.pick(':', '1:', ':1', '::-1', '-1:', ':-1', '::2', '-3:3', '2:0:-1')}]",
            lambda: f"({self.pick('u', 'v')} + {self.pick('u', 'v', '[1]')})",
            lambda: f"[{self.inside(name)} for {name} in {u()} if {self.test(name)}]",
            lambda: f"[{self.inside(name)} for {name} in {u()}]",
            lambda: f"list(range({self.pick('2', '1, 4', f'({self.int(0)}) % 3', '4, 0, -3')}))",
            lambda: f"sorted({u()}, reverse={self.bool(0)})",
            lambda: f"sorted({u()}, key=lambda {name}: {self.inside(name)})",
            lambda: f"[{self.int(1)}] * {self.pick('2', '3', '1')}",
            lambda: f"list({self.pick('reversed', 'list', 'tuple', 'sorted')}({u()}))",
            lambda: f"[y + z for y, z in zip({u()}, {u()})]",
            lambda: f"[i * y for i, y in enumerate({u()}{self.pick('', ', 1')})]",
            lambda: f"list(map(lambda {name}: {self.inside(name)}, {u()}))",
            lambda: (
                f"{self.pick('list(d)', 'list(d.values())', 'sorted(d)', '[k + y for k, y in d.items()]')}"
            ),
            lambda: f"({u()} if {self.bool(1)} else {u()})",
            lambda: f"[*{u()}, {self.int(0)}]",
        )

    # --- statements --------------------------------------------------------------------------------

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def inner(self, depth: int, in_loop: bool) -> list[str]:
        return [f"    {line}" for line in self.block(depth + 1, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        simple = [
            *[lambda: [f"{self.pick('m', 'n')} = {self.int()}"]] * 3,
            lambda: [f"{self.pick('m', 'n')} {self.pick('+=', '-=', '*=')} {self.int(1)}"],
            lambda: [f"{self.pick('m', 'n')} {self.pick('//=', '%=')} {self.pick('2', '3', '-2')}"],
            lambda: [f"b = {self.bool()}"],
            lambda: [f"if (w := {self.int()}) > 0 {self.pick('and', 'or')} {self.bool(1)}:", "    n += w"],
            lambda: [f"s = {self.text()}"],
            *[lambda: [f"{self.pick('u', 'v')} = {self.list()}"]] * 2,
            lambda: [
                self.pick("u = v", "v = u", "v = u[:]", "u, v = v, u", "d = dict(d)", "d = {0: m, 2: n}")
            ],
            lambda: [
                self.pick(
                    "m, n = n, m",
                    "m = n = u[0]",
                    "m, *u = [n, *v]",
                    "*v, n = u + [1]",
                    "(m, n), b = (1, x0), b",
                )
            ],
            *[lambda: [f"{self.pick('u', 'v')}.{self.change()}"]] * 2,
            lambda: [f"{self.pick('u', 'v')}[{self.place()}] {self.pick('=', '+=')} {self.int(1)}"],
            lambda: [f"{self.pick('u', 'v')} {self.pick('+= [' + self.int(1) + ']', '*= 1', '+= v[:1]')}"],
            lambda: [f"d[{self.int(0)}] = {self.int(1)}"],
            lambda: [f"d[{self.int(0)}] = d.get({self.int(0)}, 0) + 1"],
            lambda: [
                self.pick("d.setdefault(m, n)", "d.update({1: m})", "d[0] += 1", "m = d.setdefault(1, 5)")
            ],
        ]
        if in_loop:
            simple += [
                lambda: [f"if {self.bool(1)}:", f"    {self.pick('break', 'continue', self.end())}"]
            ] * 3
        if depth < 2 and self.loops < 3:
            simple += [lambda: self.branch(depth, in_loop)] * 3 + [lambda: self.loop(depth)] * 3
        if depth == 0 and len(self.functions) < 2:
            simple += [self.function]
        if depth:
            simple += [lambda: [f"if {self.bool(1)}:", f"    {self.end()}"]]
        return self.rng.choice(simple)()

    def place(self) -> str:
        return self.pick("0", "-1", f"({self.int(1)}) % 2")

    def change(self) -> str:
        return self.pick(
            f"append({self.int(1)})",
            f"extend({self.list(1)})",
            f"insert({self.pick('0', '1', '-1')}, {self.int(1)})",
            "pop()",
            "pop(0)",
            "sort()",
            f"sort(reverse={self.bool(0)})",
            "reverse()",
        )

    def branch(self, depth: int, in_loop: bool) -> list[str]:
        lines = [f"if {self.bool()}:", *self.inner(depth, in_loop)]
        if self.rng.random() < 0.3:
            lines += [f"elif {self.bool()}:", *self.inner(depth, in_loop)]
        return [*lines, "else:", *self.inner(depth, in_loop)] if self.rng.random() < 0.5 else lines

    def loop(self, depth: int) -> list[str]:
        self.loops += 1
        number = self.loops
        head = self.pick(
            f"for i{number} in range({self.pick('2', '1, 3', '2, -1, -1', f'({self.int(1)}) % 3', '0')}):",
            f"for i{number} in {self.pick('u', 'v[:]', 'q0', '(1, 2)', 'd')}[:3]:".replace(
                "d[:3]", "list(d)"
            ),
            f"for j, i{number} in enumerate({self.pick('u', 'v')}[:2]):",
            f"for i{number}, j in zip(u[:2], {self.pick('v', 'range(3)')}):",
            f"for i{number} in {self.pick('u', 'v')}:",
            f"while i{number} < {self.pick('2', '3')}:",
        )
        before = [f"i{number} = 0"] if head.startswith("while") else []
        step = [f"    i{number} += 1"] if before else [f"    {self.pick('m', 'n')} += i{number}"]
        lines = [*before, head, *step, *self.inner(depth, True)]
        if "in u:" in head or "in v:" in head:  # a list that grows while it is gone through
            lines.insert(len(before) + 1, "    if len(u) + len(v) > 9:")
            lines.insert(len(before) + 2, "        break")
        return [*lines, "else:", *self.inner(depth, False)] if self.rng.random() < 0.3 else lines

    def function(self) -> list[str]:
        """A nested function, which sees later values of the variables around it."""
        name = f"g{len(self.functions)}"
        body = self.pick(
            f"    return y + {self.int(1)}",
            f"    if y > {self.int(0)}:\n        return {self.int(1)}\n    return y",
            "    u.append(y)\n    return len(u)",
            f"    for z in range(2):\n        if z == y:\n            return {self.int(0)}\n    return -y",
            "    m = y * 2\n    return m + n",
        )
        self.functions.append(name)
        return [f"def {name}(y, k={self.int(0)}):", *body.split("\n")]

    def end(self) -> str:
        number = f"({self.int(1)} + 2 * m + 3 * n + sum(u) + 4 * len(v)) % 7"
        return f"return {number}, {self.text()}" if self.outputs == "out, s" else f"return {number}"

    def text_of(self) -> str:
        lines = [
            f"m, n, b, s = {'x' if 'x' in self.arguments else 1}, 2, False, None",
            f"u, v = [{'x' if 'x' in self.arguments else '*q'}, 1], [2, 0]",
            "d = {0: 1, 1: 2}",
            "x0 = m",
            "q0 = (3, n)",
            *self.block(0, False),
            *self.block(0, False),
            self.end(),
        ]
        inside = "\n".join("    " + line for block in lines for line in block.split("\n"))
        value = self.pick("a - k", "max(a, k)", "a if a > k else -k", "a * k % 5")
        return f"def helper(a, k=1):\n    return {value}\n\n\ndef f({self.head}, eps):\n{inside}\n"


def written(seed: int) -> Writer:
    """The writer of a function."""
    return Writer(Random(seed))
