"""Random programs of the whole supported language, as text, for the laws.

:func:`programs` draws a valid program with inputs, outputs, adjacency and claim.  It is bounded: at most
two inputs in a small domain, at most four samples on every path, and at most two samples in every
comparison but one, which may have three.  It is biased to corner cases: equal rates and means, rates that
add up to another rate, comparisons that are certain or impossible, ties, probabilities 0 and 1, domains of
one element.  :func:`discrete_programs` draws smaller programs with integer noise.

The builder keeps, for every real variable, the sets of samples it may depend on (one set for each
path the program may have taken), and for every finite numeric variable the values it may have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Lines = list[str]
Alternatives = frozenset[frozenset[int]]
"""The sets of samples that a real expression may depend on."""

MAX_SAMPLES = 4
MAX_PER_COMPARISON = 2
MAX_STATEMENTS = 9
MAX_COMPARISONS = 6

RATES = ("eps/2", "eps/2", "eps", "eps", "eps/3", "2*eps", "eps/4", "3*eps/2")
CONSTANTS = ("0", "0", "1", "-1", "1/2", "-1/2", "2", "-1/3")
PROBABILITIES = (
    "1/2",
    "1/3",
    "exp(eps)/(1 + exp(eps))",
    "1/(1 + exp(eps/2))",
    "exp(-eps)",
    "1 - exp(-2*eps)",
    "eps*exp(-eps)",
    "exp(eps/2)/(exp(eps/2) + 2)",
    "1/(1 + eps)",
    "0",
    "1",
)
SMALL_PROBABILITIES = ("(1 + eps)/2", "(1 - eps)/2", "1 - eps^2/2")  # for budgets below 1
WEIGHTS = (
    ("1/3", "2/3"),
    ("exp(-eps)", "1 - exp(-eps)"),
    ("exp(eps)/(2 + exp(eps))", "1/(2 + exp(eps))", "1/(2 + exp(eps))"),
    ("exp(-eps)/2", "1/2", "(1 - exp(-eps))/2"),
    ("0", "1/2", "1/2"),
)
INTERVALS = ("(0, 1)", "(0, 2]", "[1/2, 3)", "(1, inf)", "(0, inf)")
BELOW_ONE = ("(0, 1)", "(0, 1]", "[1/4, 1/2]")
STEPS = (("0", "1"), ("-1", "0", "1"), ("-1/2", "1/2"), ("0",), ("-1", "1"))


@dataclass
class State:
    """What is certainly assigned at a point of the program."""

    reals: dict[str, Alternatives] = field(default_factory=dict)
    booleans: list[str] = field(default_factory=list)
    numbers: dict[str, frozenset[str]] = field(default_factory=dict)  # name to possible values
    samples: int = 0
    comparisons: int = 0

    def copy(self) -> State:
        return State(
            dict(self.reals), list(self.booleans), dict(self.numbers), self.samples, self.comparisons
        )


def merged(states: Sequence[State]) -> State:
    """What is certain after branches that end in these states."""
    first = states[0]
    result = State(samples=max(s.samples for s in states), comparisons=max(s.comparisons for s in states))
    for name in first.reals:
        if all(name in s.reals for s in states):
            result.reals[name] = frozenset().union(*(s.reals[name] for s in states))
    result.booleans = [name for name in first.booleans if all(name in s.booleans for s in states)]
    for name in first.numbers:
        if all(name in s.numbers for s in states):
            result.numbers[name] = frozenset().union(*(s.numbers[name] for s in states))
    return result


@dataclass
class Array:
    """An array input or output."""

    name: str
    size: int


def indent(lines: Lines) -> Lines:
    return ["  " + line for line in lines]


class Builder:
    """Draws one program."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.state = State()
        self.fresh = 0
        self.statements = 0
        self.loops = 0
        self.wide = False  # whether there is a comparison of three samples
        self.scalars: list[str] = []  # numeric scalar inputs
        self.bits: list[str] = []  # Boolean inputs
        self.vectors: list[Array] = []  # numeric array inputs
        self.results: list[Array] = []  # array outputs of bot and top
        self.with_exit = self.chance(3)
        self.below_one = self.chance(5)

    # drawing

    def pick(self, items: Sequence[T]) -> T:
        return self.draw(st.sampled_from(list(items)))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def constant(self) -> str:
        return self.pick(CONSTANTS)

    def probability(self) -> str:
        return self.pick(PROBABILITIES + SMALL_PROBABILITIES * 2 if self.below_one else PROBABILITIES)

    # declarations

    def inputs(self) -> Lines:
        shape = self.pick(("array", "array", "scalar", "two", "bit", "array and bit"))
        domain = self.pick(("{0, 1}", "{-1, 0, 1}", "0..1", "{-1/2, 1/2}", "{0}", "{0, 2}"))
        lines = []
        if shape.startswith("array"):
            size = 1 if self.chance(4) else 2
            self.vectors.append(Array("q", size))
            small = domain if shape == "array" else "{0, 1}"
            if self.chance(2):
                lines += [f"param N = {size}", f"input q[N] in {small}"]
            else:
                lines.append(f"input q[{size}] in {small}")
        if shape == "scalar":
            self.scalars.append("x")
            lines.append(f"input x in {domain}")
        if shape == "two":
            self.scalars += ["x", "y"]
            lines += ["input x in {0, 1}", f"input y in {self.pick(('{0, 1}', '{-1, 1}', '{1}'))}"]
        if shape.endswith("bit"):
            self.bits.append("t")
            lines.append("input t in {true, false}")
        return lines

    def adjacency(self) -> str:
        options = ["all", "hamming 1"]
        if not self.bits:
            options += ["linf 1", "linf 1", "linf 1", "l1 1", "l1 2", "linf 1/2"]
        if self.vectors and not self.bits:
            n = self.vectors[0].size
            options += [
                f"forall i in 1..{n}: abs(q[i] - q'[i]) <= 1",
                f"count(i in 1..{n}: q[i] != q'[i]) <= 1",
                f"sum(i in 1..{n}: abs(q[i] - q'[i])) <= 1 and q[1] <= q'[1]",
                f"q[{n}] = q'[{n}]",
            ]
        if self.scalars:
            options += ["abs(x - x') <= 1", "x = x' or x < x'"]
        return f"adjacent {self.pick(options)}"

    def claim(self) -> str:
        budget = self.pick(("eps", "eps", "eps", "eps/2", "2*eps", "eps/4", "3*eps"))
        delta = self.pick(("",) * 6 + (", 1/10", ", exp(-2)", ", 1/2", ", 1/4"))
        interval = self.pick(BELOW_ONE) if self.below_one else self.pick(("", "", "", *INTERVALS))
        return f"private {budget}{delta}" + (f" for eps in {interval}" if interval else "")

    # numeric expressions without randomness

    def atoms(self) -> list[str]:
        """Finite numeric inputs and variables."""
        cells = [f"{v.name}[{i}]" for v in self.vectors for i in range(1, v.size + 1)]
        return [*self.scalars, *cells, *self.state.numbers]

    def number(self) -> str:
        """A finite numeric expression: an input, a variable, a constant, or a sum of two."""
        atoms = self.atoms()
        first = self.pick(atoms * 3 + list(CONSTANTS)) if atoms else self.constant()
        if atoms and self.chance(5):
            return f"{first} + {self.pick(('1', '1/2', *atoms))}"
        return first

    # real expressions

    def mix(self, names: Sequence[str]) -> Alternatives:
        """The alternatives of an expression that depends on all the names."""
        result: set[frozenset[int]] = {frozenset()}
        for name in names:
            result = {a | b for a in result for b in self.state.reals[name]}
        return frozenset(result)

    def narrow(self, alternatives: Alternatives) -> bool:
        return all(len(a) <= MAX_PER_COMPARISON for a in alternatives)

    def partners(self, name: str) -> list[str]:
        """Real variables that may stand in one comparison with name."""
        return [other for other in self.state.reals if self.narrow(self.mix([name, other]))]

    def comparison(self) -> str | None:
        """A comparison of random expressions with at most two samples, or None if there is none."""
        usable = [name for name in self.state.reals if self.narrow(self.state.reals[name])]
        if not usable or self.state.comparisons >= MAX_COMPARISONS:
            return None
        self.state.comparisons += 1
        op = self.pick((">=", "<", ">", "<="))
        first = self.pick(usable)
        others = [other for other in self.partners(first) if other != first]
        if not others or self.chance(3):
            return self.with_constant(first, op)
        hub = next(iter(self.state.reals))
        second = hub if hub in others and not self.chance(3) else self.pick(others)
        if self.chance(25):
            second = first  # certain or impossible
        return self.pick(
            (
                f"{first} {op} {second}",
                f"{first} {op} {second}",
                f"{first} {op} {second} + {self.number()}",
                f"2*{first} - {second} {op} {self.pick(('1/2', '0', '1'))}",
                f"{first} + {second} {op} {self.number()}",
                f"{first}/2 + {self.number()} {op} 3*{second}",
                f"abs({first} - {second}) {op} 1",
            )
        )

    def with_constant(self, name: str, op: str) -> str:
        return self.pick(
            (
                f"{name} {op} {self.number()}",
                f"{name} {op} {self.number()}",
                f"3*{name} {op} {self.number()} - 1",
                f"-1 <= {name} < 1",
                f"{name} {op} 0 and {name} {op} 1",
                f"abs({name}) {op} {self.pick(('1', '0', '-1'))}",
            )
        )

    def condition(self) -> str:
        """A Boolean expression."""
        options = [*self.state.booleans, *self.bits] * 2
        options += [f"not {b}" for b in (*self.state.booleans, *self.bits)]
        options += [f"{a} {self.pick(('=', '<', '>=', '!='))} {self.number()}" for a in self.atoms()[-2:]]
        if not options or self.chance(20):
            options = [f"{self.constant()} {self.pick(('=', '<', '>=', '!='))} {self.constant()}"]
        random = None if self.chance(4) else self.comparison()
        first = random or self.pick(options)
        if self.chance(5):
            return f"({first}) {self.pick(('and', 'or'))} {self.pick(options)}"
        return first

    def decisive(self) -> str:
        """A Boolean expression for an output: the last Boolean variable, or a comparison."""
        last = self.state.booleans[-1:]
        if last and self.chance(2):
            return self.pick((last[0], f"not {last[0]}"))
        return (self.comparison() if self.state.reals else None) or self.condition()

    # statements

    def sample(self, name: str, mean: str, alike: bool = False) -> str:
        """``name <- Lap(...)``."""
        kind = self.pick(("Lap", "Lap", "Lap", "LapPlus"))
        rate = RATES[0] if alike else self.pick(RATES)
        self.fresh += 1
        self.state.reals[name] = frozenset({frozenset({self.fresh})})
        self.state.samples += 1
        if self.chance(8):
            return f"{name} <- {kind}(rate = {rate}, mean = {mean})"
        return f"{name} <- {kind}({rate}, {mean})"

    def noise(self) -> Lines:
        if self.state.samples >= MAX_SAMPLES:
            return self.boolean()
        name = self.pick(("r1", "r2", "r3", "r4")) if self.chance(4) else f"r{len(self.state.reals) % 4 + 1}"
        return [self.sample(name, self.number(), alike=self.chance(3))]

    def affine(self) -> Lines:
        """A deterministic step on real variables."""
        usable = [name for name in self.state.reals if self.narrow(self.state.reals[name])]
        if not usable:
            return self.noise()
        first = self.pick(usable)
        second = self.pick(self.partners(first) or [first])
        target = self.pick(("s", "s", "r2", first))
        shape = self.pick(("shift", "scale", "sum", "abs", "max", "constant"))
        if shape in ("abs", "max") and self.state.comparisons >= MAX_COMPARISONS:
            shape = "shift"
        one, both = self.state.reals[first], self.mix([first, second])
        text, depends = {
            "shift": (f"{first} + {self.number()}", one),
            "scale": (f"{self.pick(('2', '-1', '1/2', '0'))}*{first}", one),
            "sum": (f"{first} - {second}/2", both),
            "abs": (f"abs({first})", one),
            "max": (f"{self.pick(('max', 'min'))}({first}, {second})", one | self.state.reals[second]),
            "constant": (self.number(), frozenset({frozenset[int]()})),
        }[shape]
        self.state.comparisons += shape in ("abs", "max")
        self.state.reals[target] = frozenset(depends)
        return [f"{target} <- {text}"]

    def boolean(self) -> Lines:
        name = self.pick(("b", "c"))
        value = f"flip({self.probability()})" if self.chance(4) else self.condition()
        self.state.booleans = [*(b for b in self.state.booleans if b != name), name]
        return [f"{name} <- {value}"]

    def index_of_extreme(self, name: str, first: str) -> Lines:
        """The index of the larger or the smaller of two real variables."""
        second = self.pick(self.partners(first))
        self.state.comparisons += 1
        self.state.numbers.pop(name, None)
        self.state.numbers[name] = frozenset({"1", "2"})
        return [f"z[1] <- {first}; z[2] <- {second}", f"{name} <- {self.pick(('argmax', 'argmin'))}(z)"]

    def finite(self, in_loop: bool = False) -> Lines:
        """A finite numeric variable: discretised noise, a discrete choice, or the index of a maximum."""
        name = self.pick(("d", "e"))
        usable = [n for n in self.state.reals if self.narrow(self.state.reals[n])]
        shape = self.pick(
            ("disc", "disc", "choose", "uniform", "exp", "constant", "argmax")[: 6 if in_loop else 7]
        )
        if not usable or self.state.comparisons + 2 > MAX_COMPARISONS:
            shape = self.pick(("choose", "uniform", "exp", "constant"))
        if shape == "disc":
            steps = self.pick(STEPS)
            self.state.comparisons += len(steps) - 1
            text, values = f"disc({self.pick(usable)}, {', '.join(steps)})", steps
        elif shape == "choose":
            weights = self.pick(WEIGHTS)
            values = ("-1", "0", "1")[: len(weights)] if self.chance(2) else ("0", "1", "2")[: len(weights)]
            text = "choose {" + ", ".join(f"{v}: {w}" for v, w in zip(values, weights, strict=True)) + "}"
        elif shape == "uniform":
            text, values = self.pick((("uniform {0, 1}", ("0", "1")), ("uniform 1..3", ("1", "2", "3"))))
        elif shape == "exp":
            values = ("0", "1", "2")
            score = self.pick(("v", "-abs(v - 1)", f"v*({self.number()})", f"-abs(v - ({self.number()}))"))
            text = f"Exp({self.pick(('eps', 'eps/2', '2*eps'))}, v in {{0, 1, 2}}, {score})"
        elif shape == "argmax":
            return self.index_of_extreme(name, self.pick(usable))
        else:
            values = (self.pick(("0", "1")),)
            text = values[0]
        self.state.numbers.pop(name, None)  # the newest variable stands last
        self.state.numbers[name] = frozenset(values)
        return [f"{name} <- {text}"]

    def branching(self, depth: int) -> Lines:
        conditions = [self.condition()]
        if self.chance(4):
            conditions.append(self.condition())
        start, ends, lines = self.state, [], []
        for i, condition in enumerate(conditions):
            self.state = start.copy()
            lines += [f"{'elif' if i else 'if'} {condition} then", *indent(self.block(depth + 1))]
            ends.append(self.state)
        self.state = start.copy()
        if not self.chance(3):
            lines += ["else", *indent(self.block(depth + 1))]
        ends.append(self.state)
        self.state = merged(ends)
        return [*lines, "end"]

    def leaving(self) -> Lines:
        if not self.with_exit:
            return self.boolean()
        return [f"if {self.condition()} then exit end"]

    def loop(self) -> Lines:
        """``while`` with a counter; no real variable may be assigned in its body."""
        self.loops += 1
        counter = f"w{self.loops}"
        rounds = self.pick((1, 2))
        self.state.numbers[counter] = frozenset(map(str, range(rounds + 1)))
        reals = dict(self.state.reals)
        body: Lines = []
        outside, self.state = self.state, self.state.copy()
        self.state.comparisons += MAX_COMPARISONS // 2  # every round compares again
        for _ in range(self.pick((1, 2))):
            body += self.boolean() if self.chance(2) else self.finite(in_loop=True)
        self.state = merged([outside, self.state])
        self.state.reals = reals
        head = [f"{counter} <- 0", f"while {counter} < {rounds} do"]
        return [*head, *indent([*body, f"{counter} <- {counter} + 1"]), "end"]

    def vector_loop(self) -> Lines:
        """A ``for`` loop over an array input."""
        if not self.vectors:
            return self.noise()
        array = self.vectors[0]
        if self.state.samples + array.size > MAX_SAMPLES:
            return self.accumulate(array)
        shape = self.pick(("threshold", "threshold", "noisy array", "accumulate"))
        if shape == "threshold":
            return self.threshold(array)
        return self.noisy_array(array) if shape == "noisy array" else self.accumulate(array)

    def threshold(self, array: Array) -> Lines:
        """The shape of the sparse vector technique."""
        lines: Lines = []
        if not self.state.reals and self.state.samples + array.size < MAX_SAMPLES:
            lines.append(self.sample("r1", self.number()))
        hub = next(iter(self.state.reals), None)
        if hub and not all(len(a) <= 1 for a in self.state.reals[hub]):
            hub = None
        result = next((o for o in self.results if o.size == array.size), None)
        draw = self.sample("r", f"q[i]{self.pick(('', '', ' + 1', ' - 1/2'))}")
        self.state.samples += array.size - 1
        self.state.comparisons += array.size
        op = self.pick((">=", "<"))
        bar = hub or self.number()
        test = self.pick((f"r {op} {bar}", f"r {op} {bar}", f"2*r - 1 {op} {bar}", f"r {op} {bar} + q[i]"))
        body = [draw]
        if self.chance(2):
            self.state.booleans += ["b"] * ("b" not in self.state.booleans)
            body.append(f"b <- {test}")
            test = "b"
        hit = [f"{result.name}[i] <- top"] if result else ["c <- true"]
        miss = [f"{result.name}[i] <- bot"] if result else ["c <- false"]
        if not result and "c" not in self.state.booleans:
            self.state.booleans.append("c")
        if self.with_exit and self.chance(2):
            hit.append("exit")
        body += [f"if {test} then", *indent(hit), "else", *indent(miss), "end"]
        return [*lines, f"for i in 1..{array.size} do", *indent(body), "end"]

    def noisy_array(self, array: Array) -> Lines:
        """The shape of noisy max: an array of noise, then a statistic of it."""
        kind, rate = self.pick(("Lap", "Lap", "LapPlus")), self.pick(RATES)
        self.state.samples += array.size
        lines = [f"for i in 1..{array.size} do", f"  a[i] <- {kind}({rate}, q[i])", "end"]
        cells = []
        for _ in range(array.size):
            self.fresh += 1
            cells.append(frozenset({self.fresh}))
        self.state.comparisons += array.size - 1
        shape = self.pick(("argmax", "argmin", "max", "min", "sum"))
        if shape.startswith("arg"):
            self.state.numbers["d"] = frozenset(str(i) for i in range(1, array.size + 1))
            return [*lines, f"d <- {shape}(a)"]
        both = frozenset({frozenset().union(*cells)}) if shape == "sum" else frozenset(cells)
        self.state.reals["s"] = both
        return [*lines, f"s <- {shape}(a)"]

    def accumulate(self, array: Array) -> Lines:
        """Deterministic ``for`` loop and folds over the input."""
        name = self.pick(("c", "b"))
        if name not in self.state.booleans:
            self.state.booleans.append(name)
        n = array.size
        return self.pick(
            (
                [
                    "n <- 0",
                    f"for i in 1..{n} do",
                    "  if q[i] > 0 then n <- n + 1 end",
                    "end",
                    f"{name} <- n >= 1",
                ],
                [f"{name} <- sum(q) >= 1"],
                [f"{name} <- max(q) > min(q)"],
                [f"{name} <- exists i in 1..{n}: q[i] = 0"],
                [f"{name} <- count(i in 1..{n}: q[i] > 0) = 1"],
            )
        )

    def triangle(self) -> Lines:
        """Three samples, each compared with each: a cycle in the graph of comparisons."""
        if self.state.samples + 3 > MAX_SAMPLES or self.state.comparisons + 3 > MAX_COMPARISONS:
            return self.noise()
        self.state.comparisons += 3
        lines = [self.sample(name, self.number()) for name in ("r1", "r2", "r3")]
        for name, (first, second) in zip("bcb", (("r1", "r2"), ("r2", "r3"), ("r3", "r1")), strict=True):
            joint = f"{name} and " if name in self.state.booleans and self.chance(2) else ""
            lines.append(f"{name} <- {joint}{first} >= {second}{self.pick(('', '', ' + 1', ' - 1/2'))}")
            self.state.booleans += [name] * (name not in self.state.booleans)
        return lines

    def of_three(self) -> Lines:
        """One comparison of three samples, as a sum or by nested extremes and absolute values."""
        if self.wide or self.state.samples + 3 > MAX_SAMPLES or self.state.comparisons + 3 > MAX_COMPARISONS:
            return self.affine()
        self.wide = True
        self.state.comparisons += 3
        lines = [self.sample(name, self.number()) for name in ("r1", "r2", "r3")]
        op = self.pick((">=", "<"))
        test = self.pick(
            (
                f"r1 + r2 {op} 2*r3",
                f"r1 - r2 {op} r3 + {self.number()}",
                f"r1 + r2 + r3 {op} {self.number()}",
                f"max(r1, r2, r3) {op} {self.number()}",
                f"max(min(r1, r2), r3) {op} {self.number()}",
                f"min(r1, max(r2, r3)) {op} r2",
                f"abs(r1 - max(r2, r3)) {op} 1",
                f"abs(min(r1, abs(r2))) {op} max(r3, 0)",
            )
        )
        self.state.booleans += ["c"] * ("c" not in self.state.booleans)
        return [*lines, f"c <- {test}"]

    def statement(self, depth: int) -> Lines:
        self.statements += 1
        kinds: list[Callable[[], Lines]] = (
            [self.noise] * 4 + [self.boolean] * 2 + [self.finite] * 2 + [self.affine]
        )
        if depth < 2:
            kinds += [lambda: self.branching(depth)] * 3
        if depth == 0:
            kinds += [self.vector_loop] * 2 + [self.loop, self.triangle, self.of_three]
        if self.with_exit:
            kinds.append(self.leaving)
        return self.pick(kinds)()

    def block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self.pick((1, 1, 2) if depth else (3, 4, 5))):
            if self.statements < MAX_STATEMENTS:
                lines += self.statement(depth)
        return lines or self.boolean()

    # outputs

    def program(self) -> str:
        head = self.inputs()
        if self.chance(2):
            self.results.append(Array("out", self.vectors[0].size if self.vectors else 2))
        body = self.block(0)
        tail, declarations = self.outputs()
        text = [*head, *declarations, self.adjacency(), self.claim(), "", *body, *tail]
        return "\n".join(text) + "\n"

    def outputs(self) -> tuple[Lines, Lines]:
        """Final assignments to the outputs, and the declarations; start values if there is an exit."""
        tail: Lines = []
        declarations: Lines = []
        for result in self.results:
            declarations.append(f"output {result.name}[{result.size}] in {{bot, top}} = bot")
            cell = f"{result.name}[{self.pick(range(1, result.size + 1))}]"
            tail += [f"if {self.decisive()} then {cell} <- top end"] if self.chance(2) else []
        kinds = self.pick((("bit",), ("number",), ("bit", "number"), ("disc",)) + ((),) * bool(tail))
        if "bit" in kinds:
            declarations.append("output o in {true, false}" + " = false" * self.with_exit)
            tail.append(f"o <- {self.decisive()}")
        if "number" in kinds:
            declared, lines = self.number_output()
            declarations.append(declared)
            tail += lines
        if "disc" in kinds:
            declared, lines = self.disc_output()
            declarations.append(declared)
            tail += lines
        return tail, declarations

    def number_output(self) -> tuple[str, Lines]:
        lines = [] if self.state.numbers else self.finite()
        name = self.pick(list(self.state.numbers)[-1:] * 2 + list(self.state.numbers))
        values = sorted(self.state.numbers[name])
        start = f" = {values[0]}" * self.with_exit
        return f"output m in {{{', '.join(values)}}}{start}", [*lines, f"m <- {name}"]

    def disc_output(self) -> tuple[str, Lines]:
        """An array of discretised noise."""
        usable = [n for n in self.state.reals if self.narrow(self.state.reals[n])]
        lines = [] if usable else [self.sample("r1", self.number())]
        usable = usable or ["r1"]
        start = " = 0" * self.with_exit
        first, second = self.pick(usable), self.pick(usable)
        cells = [
            f"h[1] <- disc({first}, -1, 0, 1)",
            f"h[2] <- disc({second}, {self.pick(('0, 1', '-1, 1', '1'))})",
        ]
        return f"output h[2] in {{-1, 0, 1}}{start}", [*lines, *cells]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a random program."""
    return Builder(draw).program()


# --- integer noise ---------------------------------------------------------------------------

DISCRETE_RATES = ("eps", "eps", "eps", "2*eps", "eps/2")
MAX_INTEGERS = 3


class DiscreteBuilder:
    """Draws one program with discrete Laplace noise, small enough to be summed path by path.

    At most three samples, at most one of them of a rate below eps, at most one comparison of all three.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.samples: list[str] = []
        self.changed: set[str] = set()  # variables that may no longer be a sample alone
        self.numbers: list[str] = ["x"]  # finite numbers
        self.booleans: list[str] = []
        self.slow = self.wide = 0  # samples of rate eps/2, comparisons of three samples

    def pick(self, items: Sequence[T]) -> T:
        return self.draw(st.sampled_from(list(items)))

    def constant(self) -> str:
        return self.pick((*self.numbers, "0", "1", "-1", "2", "1/2"))

    def sample(self) -> Lines:
        if len(self.samples) == MAX_INTEGERS:
            return self.boolean()
        name, rate = f"z{len(self.samples) + 1}", self.pick(DISCRETE_RATES)
        if rate == "eps/2":
            rate = "eps" if self.slow else rate
            self.slow += 1
        self.samples.append(name)
        return [f"{name} <- DLap({rate}, {self.pick((*self.numbers, '0', '1', '-2'))})"]

    def form(self, count: int) -> str:
        """A linear expression of ``count`` different samples."""
        names = self.draw(st.permutations(self.samples))[:count]
        coefficients = [self.pick(("", "", "", "2*", "3*", "-", "-2*", "1/2*")) for _ in names]
        return " + ".join(c + name for c, name in zip(coefficients, names, strict=True)) or "0"

    def comparison(self) -> str:
        count = self.pick((1, 2, 2, 2, 3)) if self.samples else 0
        if count == 3:
            count = 2 if self.wide else 3
            self.wide += 1
        op = self.pick((">=", ">", "<", "<=", "=", "="))
        return self.pick(
            (
                f"{self.form(count)} {op} {self.constant()}",
                f"{self.form(min(count, 1))} {op} {self.form(min(count, 1))} + {self.constant()}",
                f"{self.pick(('abs', 'max', 'min'))}({self.form(min(count, 2))}) {op} {self.constant()}",
                f"mod({self.pick(self.numbers)}, 2) = 0 and {self.form(min(count, 2))} {op} 0",
            )
        )

    def boolean(self) -> Lines:
        name = self.pick(("b", "c"))
        first = self.comparison()
        if self.booleans and self.draw(st.booleans()):
            first = f"({first}) {self.pick(('and', 'or'))} {self.pick(self.booleans)}"
        self.booleans = [*(b for b in self.booleans if b != name), name]
        return [f"{name} <- {first}"]

    def finite(self) -> Lines:
        """A finite number that is drawn; the mean of later noise may be it."""
        self.numbers = [*(n for n in self.numbers if n != "n"), "n"]
        return [
            self.pick(
                (
                    "n <- Exp(eps/2, v in {0, 1, 2}, -abs(v - x))",
                    "n <- Exp(eps, v in -1..1, v*x)",
                    "n <- choose {0: 1/3, 2: 2/3}",
                    "n <- choose {-1: exp(-eps), 1: 1 - exp(-eps)}",
                    "n <- uniform 0..1",
                )
            )
        ]

    def branching(self) -> Lines:
        """A sample is moved, or replaced by another one, on some of the paths."""
        if not self.samples:
            return self.sample()
        name = self.pick(self.samples)
        self.changed.add(name)
        change = self.pick((f"{name} + 1", f"-{name}", f"2*{name} - 1", f"min({name}, 1)", "x", "0"))
        return [f"if {self.comparison()} then {name} <- {change} end"]

    def mechanism(self) -> Lines:
        """A clamp, a maximum, a sum or a tie between samples."""
        if len(self.samples) < 2:
            return self.sample()
        a, b = self.draw(st.permutations(self.samples))[:2]
        self.changed.add(a)
        return self.pick(
            (
                [f"{a} <- max({a}, {b})"],
                [f"{a} <- {a} + {b}"],
                [f"{a} <- abs({a} - {b})"],
                [f"{a} <- min(max({a}, 0), 2)"],
                [f"if {a} = {b} then {a} <- {a} + 1 end"],
            )
        )

    def output(self) -> tuple[str, Lines]:
        """The declaration and the last lines: a Boolean, a clamped integer, or an index."""
        first = self.samples[0]
        low = "disc({}, 0, 1, 2)" if first in self.changed else "min(max({}, 0), 2)"
        cells = [f"a[{i}] <- {name}" for i, name in enumerate(self.samples, start=1)]
        if "n" in self.numbers and self.draw(st.booleans()):
            return "output o in {-1, 0, 1, 2, 3}", [f"if {self.comparison()} then o <- n else o <- 3 end"]
        return self.pick(
            (
                ("output o in {true, false}", [f"o <- {self.comparison()}"]),
                ("output o in {true, false}", [f"o <- {self.pick(self.booleans or ['x = 0'])}"]),
                ("output o in 0..2", ["o <- " + low.format(first)]),
                ("output o in 0..3", [f"o <- disc(abs({first}), 0, 1, 2, 3)"]),
                ("output o in -1..1", [f"o <- disc({' + '.join(self.samples[:2])}, -1, 0, 1)"]),
                (
                    f"output o in 1..{len(self.samples)}",
                    [*cells, f"o <- {self.pick(('argmax', 'argmin'))}(a)"],
                ),
            )
        )

    def program(self) -> str:
        kinds = [self.sample] * 3 + [self.boolean, self.boolean, self.finite, self.branching, self.mechanism]
        body = self.sample()
        for _ in range(self.pick((1, 2, 3, 4))):
            body += self.pick(kinds)()
        declared, tail = self.output()
        return (
            "\n".join([f"input x in {{0, 1}}\n{declared}\nadjacent all\nprivate eps\n", *body, *tail]) + "\n"
        )


@st.composite
def discrete_programs(draw: st.DrawFn) -> str:
    """The text of a random program with integer noise."""
    return DiscreteBuilder(draw).program()


# --- loops that end only with probability 1 --------------------------------------------------

LOOP_CHANCES = st.sampled_from(["1/2", "1/3", "1/(1+exp(eps))", "exp(eps/2)/(1+exp(eps/2))", "1"])
LOOP_VALUES = st.sampled_from(["0", "1", "2", "2 - x"])
LOOP_TESTS = st.sampled_from(["r > 0", "r <= 1", "2*r > s", "x = 1", "z >= 1", "x < 2 and r < s"])
LOOP_STEPS = st.one_of(
    LOOP_VALUES.map("x <- {}".format),
    st.just("x <- uniform {0, 1, 2}"),
    st.builds("c <- flip({}); if c then x <- {} end".format, LOOP_CHANCES, LOOP_VALUES),
    st.builds("if {} then x <- {} end".format, LOOP_TESTS, LOOP_VALUES),
    st.builds("if {} then x <- {} else go <- false end".format, LOOP_TESTS, LOOP_VALUES),
)
LOOP_STOPS = st.sampled_from(["1/2", "2/3", "1/(1+exp(-eps))"])
LOOP_CONDITIONS = st.sampled_from(["go", "go and x < 2", "go or x = 3"])
LOOP_HEAD = (
    "output o in {0, 1, 2, open}\nx <- 0; go <- true\n"
    "r <- Lap(eps, 0); s <- LapPlus(eps/2, 0); z <- DLap(eps, 1)\n"
)


@st.composite
def loops(draw: st.DrawFn) -> tuple[str, str]:
    """A condition and a body that ends with a coin for stopping."""
    body = [*draw(st.lists(LOOP_STEPS, min_size=1, max_size=4)), f"stop <- flip({draw(LOOP_STOPS)})"]
    return draw(LOOP_CONDITIONS), "\n  ".join([*body, "if stop then go <- false end"])


def looping(loop: tuple[str, str]) -> str:
    """The program with this loop, whose output is x."""
    condition, body = loop
    return f"{LOOP_HEAD}while {condition} do\n  {body}\nend\no <- x"


def looping_programs() -> st.SearchStrategy[str]:
    """The text of a random program with a loop."""
    return loops().map(looping)
