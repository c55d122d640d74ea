"""The words of Python, numpy, random, secrets and dipc that a mechanism may call, each with its meaning.

A row is a function below :func:`word`: its arguments are those of the real one.  Samples are mathematical:
``rng.laplace`` draws a real number, not a float; a seed is refused.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.dipwhile.python.operations import positive, sign_of_difference
from dipc.dipwhile.python.source import described
from dipc.dipwhile.python.values import (
    FINITE,
    RANDOM,
    Constants,
    Geometric,
    Gumbel,
    Items,
    Logarithm,
    Members,
    Method,
    Named,
    Once,
    Ref,
    Stepped,
    Sym,
    Table,
    Unit,
    Value,
    Word,
    is_known,
    is_number,
    kind_of,
    one_possible,
    possible_results,
    possible_values,
    some,
)
from dipc.dipwhile.python.words import MEANINGS, scale_or_rate
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Binary, Expr, Number, Op, Unary
from dipc.dipwhile.syntax.distributions import OTHER_NOISE
from dipc.dipwhile.syntax.rates import grows_as_scale
from dipc.errors import InputError
from dipc.suggest import did_you_mean

if TYPE_CHECKING:
    from dipc.dipwhile.python.interpreter import Interpreter

Handler = Callable[..., Value]

WORDS: dict[str, Handler] = {}
METHODS: dict[tuple[str, str], Handler] = {}
"""What each method does; the first word is "list", "array" or "dict"."""

MODULES = {
    "numpy.random": "rng",
    "numpy.random.Generator": "rng",
    "numpy.random.RandomState": "rng",
    **dict.fromkeys(("dipc.python", "dipc.words", "dipc", "builtins", "operator"), ""),
    "random.Random": "random",
    "random.SystemRandom": "random",
    "secrets.SystemRandom": "random",
}
"""Modules and classes by the names that their words have in the table."""

ITERATING = frozenset(
    (
        *("all", "any", "collections.Counter", "dict", "enumerate", "frozenset", "list", "map", "math.fsum"),
        *("max", "min", "set", "sorted", "statistics.fmean", "statistics.mean", "statistics.median"),
        *("functools.reduce", "itertools.accumulate", "itertools.chain", "itertools.product"),
        *("sum", "tuple", "zip"),
    )
)
"""Words that go through their arguments at once, and keep none of them."""

EXACT = (
    "samples are mathematical: dipc proves nothing about the rounding of floats or the quality of a generator"
)

ONE_DIMENSION = (
    *("rng.choice", "numpy.all", "numpy.any", "numpy.argmax", "numpy.argmin", "numpy.argsort"),
    *("numpy.bincount", "numpy.count_nonzero", "numpy.cumsum", "numpy.flatnonzero", "numpy.histogram"),
    *("numpy.amax", "numpy.amin", "numpy.max", "numpy.mean", "numpy.median", "numpy.min", "numpy.sort"),
    "numpy.sum",
)
"""Words of numpy that mean something else for an array of two dimensions."""

MISSING = object()
E = Sym(dip.Call("exp", (Number(fmpq(1)),)), "eps")


def word(*paths: str) -> Callable[[Handler], Handler]:
    """Put a function into the table."""

    def enter(handler: Handler) -> Handler:
        WORDS.update(dict.fromkeys(paths, handler))
        return handler

    return enter


def rows(table: Mapping[tuple[str, ...], Handler]) -> None:
    """Put short functions into the table, each under some names."""
    for paths, handler in table.items():
        word(*paths)(handler)


def canonical(path: str) -> Word:
    """A name of a library as the table has it."""
    if path in MODULES:
        return Word(MODULES[path])
    owner, _, name = path.rpartition(".")
    owner = MODULES.get(owner, owner)
    return Word(f"{owner}.{name}" if owner else name)


def member(owner: Word, name: str) -> Value:
    """``np.random``, ``math.inf``."""
    constants = {"inf": math.inf, "infty": math.inf, "e": E}
    if owner.path in ("numpy", "math") and name in constants:
        return constants[name]
    return canonical(f"{owner.path}.{name}" if owner.path else name)


def call(
    m: Interpreter, path: str, positional: Sequence[Value], named: Mapping[str, Value], node: ast.Call | None
) -> Value:
    """A call of a word of the table."""
    handler = WORDS.get(path)
    if handler is None:
        message, hint = unknown(path, node, m)
        raise m.refuse(message, hint)
    if path.partition(".")[0] in ("rng", "random"):
        m.note(EXACT)
    return applied(m, path, handler, (m, *positional), named)


def goes_through(function: Value) -> bool:
    """Does a function go through its arguments at once, and keep nothing of them?"""
    return (isinstance(function, Word) and function.path in ITERATING) or (
        isinstance(function, Method) and function.name == "extend"
    )


def applied(
    m: Interpreter, name: str, handler: Handler, positional: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """The handler with its arguments."""
    if name in ONE_DIMENSION and ("axis" in named or any(map(m.is_table, (*positional, *named.values())))):
        hint = "go through the rows: `[row.sum() for row in P]`, `np.array([row / row.sum() for row in P])`"
        raise m.refuse(f"`{name}` of a table, or along an axis", hint)
    signature = inspect.signature(handler)
    try:
        bound = signature.bind(*positional, **named)
    except TypeError:
        usage = ", ".join(re.split("[:=]", str(p))[0] for p in [*signature.parameters.values()][1:])
        raise m.refuse(f"`{name}` does not take these arguments", f"dipc reads `{name}({usage})`") from None
    return handler(*bound.args, **bound.kwargs)


def unknown(path: str, node: ast.Call | None, m: Interpreter) -> tuple[str, str]:
    """The message and the hint for a word that is not in the table."""
    last = path.rpartition(".")[2]
    written = path if node is None else m.text.written(node.func)
    if written in MEANINGS:
        value = m.text.outside(written)
        return f"`{written}` is {described(value)} here and not dipc's `{written}`", "rename the other one"
    if last in INSTEAD:
        return f"`{written}` is not read by dipc", f"write `{INSTEAD[last]}`"
    if last in OTHER_NOISE or last in ("normal", "standard_normal", "gauss", "normalvariate"):
        return f"Gaussian or other noise (`{written}`) is not supported", "use `Lap(scale=s)` or `DLap(eps)`"
    hint = did_you_mean(path, WORDS, "write what it does with arithmetic, `if` and loops")
    return f"`{written}` cannot be called here", hint


INSTEAD = {
    name: line
    for line, names in {
        "x + Lap(scale=sensitivity/eps)": (
            *("Laplace", "LaplaceMechanism"),
            *("make_laplace", "make_base_laplace", "then_laplace", "then_base_laplace"),
        ),
        "x + DLap(eps/sensitivity)": (
            *("Geometric", "GeometricMechanism"),
            *("make_geometric", "then_geometric", "make_base_discrete_laplace"),
        ),
        "max(low, min(high, x + Lap(scale=sensitivity/eps)))": ("LaplaceTruncated", "LaplaceFolded"),
        "max(low, min(high, x + DLap(eps/sensitivity)))": ("GeometricTruncated",),
        "x if flip(exp(eps)/(1 + exp(eps))) else not x": ("Binary", "make_randomized_response_bool"),
        "Exp(eps/2, range(N), lambda v: score[v])": (
            *("Exponential", "ExponentialMechanism", "make_report_noisy_max_gumbel"),
        ),
        "Lap(scale=s)` for Laplace noise, or `-1 if x < 0 else 1": ("copysign",),
        "sum(x) + DLap(eps/sensitivity)": ("BoundedSum", "sum_"),
        "len(x) + DLap(eps)": ("Count", "make_count"),
        "secrets.randbits(8)": ("urandom",),
        "np.bincount(x, minlength=K)": ("unique",),
    }.items()
    for name in names
}
"""Constructors of diffprivlib, OpenDP, PyDP and others, with the line to write in their place."""


# --- samples ------------------------------------------------------------------------------------


def listed(m: Interpreter, value: Value) -> bool:
    """Is this a list or array?"""
    return isinstance(m.get(value), Items)


def sized(m: Interpreter, size: Value, draw: Callable[..., Value], *over: Value) -> Value:
    """One sample, or an array of them: of the given size, or one for each cell of an array argument."""
    size = m.settled(size[0] if isinstance(size, tuple) and len(size) == 1 else size)
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
        raise m.refuse("this size is not a number of samples", "write `size=N`")
    return m.broadcast(draw, *over, size=size)


def noise(m: Interpreter, kind: str, rate: Expr, mean: Value) -> Value:
    """A sample around a mean; a mean that is random itself is added."""
    mean = m.now(m.number(mean))
    whole = kind == "DLap"
    center = mean if not isinstance(mean, Sym) or mean.kind == "num" else 0
    drawn = m.assign("noise", dip.Noise(kind, rate, m.lift(center), span=m.place), "int" if whole else "real")
    if not whole:
        m.drawn.add(drawn.expr)
    return drawn if center is mean else m.binary("+", mean, drawn)


def inverse(m: Interpreter, scale: Value) -> Expr:
    """The rate of a scale."""
    one = Number(fmpq(1), span=m.place)
    expr = m.lift(m.number(scale))
    match expr:
        case Binary(Op.DIV, top, bottom) if top == one:
            return bottom
    return Binary(Op.DIV, one, expr, span=m.place)


def own_noise(kind: str) -> Handler:
    """``Lap(rate, mean)`` and the like; a rate with eps below the line is a scale by mistake."""

    def draw(
        m: Interpreter, *given: Value, rate: Value = MISSING, mean: Value = 0, scale: Value = MISSING
    ) -> Value:
        if len(given) > 2 or (given and rate is not MISSING) or (not given and rate is scale):
            raise m.refuse(
                f"`{kind}` takes a rate or a scale, and a mean", f"write `{kind}(scale=2/eps, mean=x)`"
            )
        if given:
            rate, mean = given[0], given[1] if len(given) > 1 else mean
            if grows_as_scale(m.lift(m.number(rate))):
                first = m.first_argument()
                raise m.refuse(*scale_or_rate(kind, first.source.text[first.start : first.end]))
        found = m.lift(m.number(rate)) if rate is not MISSING else inverse(m, scale)
        return noise(m, kind, found, mean)

    return draw


for _kind in ("Lap", "LapPlus", "DLap"):
    WORDS[_kind] = own_noise(_kind)


rows(
    {
        ("rng.laplace",): lambda m, loc=0, scale=1, size=None: sized(
            m, size, lambda a, b: noise(m, "Lap", inverse(m, b), a), loc, scale
        ),
        ("rng.exponential",): lambda m, scale=1, size=None: sized(
            m, size, lambda s: noise(m, "LapPlus", inverse(m, s), 0), scale
        ),
        ("random.expovariate",): lambda m, lambd=1: noise(m, "LapPlus", m.lift(m.number(lambd)), 0),
        # a number drawn from [0, 1) is compared with a probability later
        ("random.random", "rng.random", "rng.random_sample", "rng.rand"): lambda m, size=None: sized(
            m, size, lambda: m.new(Unit(0, 1))
        ),
        ("rng.uniform", "random.uniform"): lambda m, low=0, high=1, size=None: sized(
            m, size, lambda: m.binary("+", m.binary("*", m.new(Unit(0, 1)), m.binary("-", high, low)), low)
        ),
        ("rng.gumbel",): lambda m, loc=0, scale=1, size=None: sized(
            m, size, lambda a, b: m.binary("+", m.binary("*", m.new(Gumbel()), b), a), loc, scale
        ),
    }
)


@word("rng.geometric")
def geometric(m: Interpreter, p: Value, size: Value = None) -> Value:
    """The number of trials up to the first success, counted from 1; p must be ``1 - exp(-rate)``."""

    def draw(probability: Value) -> Value:
        match m.lift(m.number(probability)):
            case Binary(Op.SUB, Number(one), dip.Call("exp", (exponent,))) if one == 1:
                return m.new(Geometric(opposite(exponent)))
        hint = "dipc reads geometric samples with p = `1 - exp(-eps)`; or write `DLap(eps)`"
        raise m.refuse("this probability is not of the form 1 - exp(-rate)", hint)

    return sized(m, size, draw, p)


def opposite(expr: Expr) -> Expr:
    """``-expr``, without the sign if it has one."""
    match expr:
        case Binary(Op.MUL, Number(n), right) if n == -1:
            return right
        case Binary(Op.DIV | Op.MUL as op, left, right):
            return Binary(op, opposite(left), right, span=expr.span)
        case Unary(Op.NEG, inside):
            return inside
    return Unary(Op.NEG, expr, span=expr.span)


@word("flip")
def flip(m: Interpreter, probability: Value) -> Value:
    """True with a probability."""
    return m.assign("coin", dip.Flip(m.lift(m.number(probability)), span=m.place), "bool")


def one_of(m: Interpreter, values: Sequence[Value], weights: Sequence[Value] | None = None) -> Value:
    """One of some values, all alike or with probabilities."""
    values = [m.now(m.plain(v)) if not listed(m, v) else v for v in values]
    if not values:
        raise m.stop("a choice among no values")
    if weights is None:
        weights = [Fraction(1, len(values))] * len(values)
    if len(weights) != len(values):
        raise m.refuse("there are not as many probabilities or weights as values", "write one for each value")
    kinds = set(map(kind_of, values))
    plain = len(kinds) == 1 and all(
        v.kind in FINITE if isinstance(v, Sym) else is_number(v) or (is_known(v) and str(v) in m.declared)
        for v in values
    )
    names = values if plain else range(len(values))
    options = tuple((m.lift(v), m.lift(m.number(p))) for v, p in zip(names, weights, strict=True))
    kind = kinds.pop() if names is values else "num"
    drawn = m.assign("choice", dip.Choose(options, span=m.place), kind, one_possible(names))
    return drawn if names is values else values[m.settled(drawn)]


def integer(m: Interpreter, value: Value) -> int:
    """A known integer."""
    value = m.settled(m.plain(value))
    if not isinstance(value, int):
        raise m.refuse("this is not an integer", "use an integer, or `//` to divide")
    return value


def integers(m: Interpreter, low: Value, high: Value, size: Value = None) -> Value:
    """The integers from low to high, both included."""
    bounds = range(integer(m, low), integer(m, high) + 1)
    return sized(m, size, lambda: one_of(m, list(bounds)))


@word("rng.integers")
def rng_integers(
    m: Interpreter,
    low: Value,
    high: Value = None,
    size: Value = None,
    dtype: Value = None,
    endpoint: Value = False,
) -> Value:
    """Integers; the end is excluded unless ``endpoint`` is true."""
    low, high = (0, low) if high is None else (low, high)
    return integers(m, low, high if m.truth(m.condition(endpoint)) else m.binary("-", high, 1), size)


rows(
    {
        # numpy and randrange leave the end out, random.randint includes it
        ("rng.randint",): lambda m, low, high=None, size=None: rng_integers(m, low, high, size),
        ("random.randint",): lambda m, a, b: integers(m, a, b),
        ("random.randrange",): lambda m, start, stop=None, step=1: one_of(
            m, list(span(m, start, stop, step))
        ),
        ("secrets.randbelow",): lambda m, exclusive_upper_bound: integers(
            m, 0, m.binary("-", exclusive_upper_bound, 1)
        ),
        ("random.getrandbits", "secrets.randbits"): lambda m, k: integers(m, 0, 2 ** integer(m, k) - 1),
        ("random", "random.seed"): lambda m, seed=None: generator(m, seed) and Word("random"),
        ("rng.permutation",): lambda m, x: m.array(drawn_in_turn(m, cells_of(m, x))),
        ("random.choice", "secrets.choice"): lambda m, seq: one_of(m, m.items(seq)),
    }
)


@word("rng.choice")
def rng_choice(m: Interpreter, a: Value, size: Value = None, replace: Value = True, p: Value = None) -> Value:
    """One cell of a list, or of range(a), with probabilities."""
    values = cells_of(m, a)
    if replace is not True and size is not None:
        if p is not None or integer(m, size) > len(values):
            raise m.refuse("a choice without replacement, with probabilities", "draw one at a time")
        return m.array(drawn_in_turn(m, values, integer(m, size)))
    return sized(m, size, lambda: one_of(m, values, None if p is None else m.items(p)))


def cells_of(m: Interpreter, a: Value) -> list[Value]:
    """The cells of a list, or of range(a)."""
    a = m.settled(a)
    return list(range(a)) if isinstance(a, int) else m.items(a)


def drawn_in_turn(m: Interpreter, cells: Sequence[Value], count: int | None = None) -> list[Value]:
    """All cells, or so many of them, drawn one after the other and not put back."""
    rest, found = list(cells), []
    for _ in range(len(cells) if count is None else count):
        found.append(rest.pop(m.settled(one_of(m, range(len(rest))))))
    return found


@word("random.sample")
def sample(m: Interpreter, population: Value, k: Value) -> Value:
    """Several cells of a list, none of them twice."""
    cells = m.items(population)
    if integer(m, k) > len(cells):
        raise m.stop("a sample of more cells than there are")
    return m.new(Items(tuple(drawn_in_turn(m, cells, integer(m, k)))))


@word("random.shuffle", "rng.shuffle")
def shuffle(m: Interpreter, x: Value) -> None:
    """A list in a random order."""
    if not listed(m, x) or m.get(x).kind in ("input", "view"):
        raise m.refuse("this is no list of the function", "copy it first: `x = list(x)`")
    changed(m, x, drawn_in_turn(m, m.items(x)))


@word("random.choices")
def choices(
    m: Interpreter, population: Value, weights: Value = None, *, cum_weights: Value = None, k: Value = 1
) -> Value:
    """A list of values, with weights."""
    if cum_weights is not None:
        raise m.refuse("cumulative weights", "write `weights=`")
    values = m.items(population)
    parts = [1] * len(values) if weights is None else m.items(weights)
    return m.new(Items(tuple(by_weight(m, values, parts) for _ in range(integer(m, k)))))


@word("uniform")
def uniform(m: Interpreter, values: Value) -> Value:
    """dipc's ``uniform``: the members of a set count once."""
    members = list(dict.fromkeys(values.values)) if isinstance(values, Members) else m.items(values)
    if isinstance(values, Members) and not all(map(is_known, members)):
        kinds = set(map(kind_of, members))
        if len(kinds) > 1 or not kinds <= {*FINITE}:
            raise m.refuse("the members of this set are not known", "use a list of constants")
        support = dip.SetOf(tuple(map(m.lift, members)), span=m.place)
        return m.assign("choice", dip.Uniform(support, span=m.place), kinds.pop(), one_possible(members))
    if len(set(map(m.now, members))) < len(members):
        hint = "list every value once; if some are more likely, use `choose`: `choose({0: 2/3, 1: 1/3})`"
        raise InputError("a value appears here twice", m.first_argument(), hint)
    return one_of(m, members)


def entries_of(m: Interpreter, value: Value) -> tuple[tuple[Value, Value], ...]:
    """The keys of a dictionary with their values."""
    table = m.get(value)
    if not isinstance(table, Table):
        raise m.refuse("this is not a dictionary", "write `{key: value}`")
    return table.entries


@word("choose")
def choose(m: Interpreter, options: Value) -> Value:
    """dipc's ``choose``."""
    entries = entries_of(m, options)
    return one_of(m, [value for value, _ in entries], [p for _, p in entries])


@word("Exp")
def exponential_mechanism(m: Interpreter, rate: Value, values: Value, score: Value) -> Value:
    """dipc's ``Exp``."""
    found = m.items(values)
    return by_weight(m, found, [exp(m, m.binary("*", rate, m.invoke(score, [v], {}))) for v in found])


def by_weight(m: Interpreter, values: Sequence[Value], weights: Sequence[Value]) -> Value:
    """One of some values, with probabilities proportional to weights."""
    total = m.total("sum", weights)
    return one_of(m, values, [m.binary("/", weight, total) for weight in weights])


@word("rng.binomial")
def binomial(m: Interpreter, n: Value, p: Value, size: Value = None) -> Value:
    """The number of successes in n trials."""

    def draw(probability: Value) -> Value:
        return m.total("sum", [flip(m, probability) for _ in range(integer(m, n))])

    return sized(m, size, draw, p)


@word("rng", "rng.default_rng", "rng.seed", "rng.RandomState", "rng.Generator", "rng.PCG64")
def generator(m: Interpreter, seed: Value = None) -> Value:
    """A generator without a seed: with one, all samples are known, and two generators draw the same."""
    if seed is not None and seed != Word("rng"):
        raise m.refuse(
            "a seed fixes every sample, so there is no noise",
            "leave the seed out; tests can hand over a generator as the argument `rng`",
        )
    return Word("rng")


# --- numbers ------------------------------------------------------------------------------------


def rounding(mode: str) -> Handler:
    """One way of rounding."""

    def rounded(m: Interpreter, x: Value = 0, digits: Value = 0) -> Value:
        if mode == "int" and isinstance(x, str) and x.isascii() and x.isdigit() and not digits:
            return int(x)
        if digits not in (0, None):
            raise m.refuse("rounding to decimals", "round to integers: `round(x)`")
        return m.broadcast(lambda v: m.rounded(mode, v), x)

    return rounded


for _mode, _paths in {
    "round": ("round", "numpy.round", "numpy.rint", "numpy.around"),
    "floor": ("floor", "math.floor", "numpy.floor"),
    "ceil": ("ceil", "math.ceil", "numpy.ceil"),
    "int": ("int", "math.trunc", "numpy.trunc", "numpy.fix", "numpy.int64", "numpy.int32"),
}.items():
    WORDS.update(dict.fromkeys(_paths, rounding(_mode)))


@word("float", "numpy.float64")
def to_float(m: Interpreter, x: Value = 0) -> Value:
    """A number stays what it is."""
    if x in ("inf", "-inf"):
        return math.inf if x == "inf" else -math.inf
    return x if isinstance(x, Stepped) else m.number(x)


@word("exp", "math.exp", "numpy.exp")
def exp(m: Interpreter, x: Value) -> Value:
    """A power of e, for probabilities."""
    if listed(m, x):
        return m.array([exp(m, v) for v in m.get(x).values], "float")
    if isinstance(x, Logarithm):
        return x.of
    power = m.number(x)
    if is_number(power) and power == 0:
        return 1
    if isinstance(power, Sym) and power.kind in RANDOM:
        raise m.refuse("`exp` of a sample", "use `exp` in probabilities and weights only")
    return Sym(dip.Call("exp", (m.lift(power),), span=m.place), "eps")


@word("math.log", "numpy.log")
def log(m: Interpreter, x: Value) -> Value:
    """A logarithm, which only ``exp`` makes a number again."""
    if isinstance(x, Sym) and isinstance(x.expr, dip.Call) and x.expr.function == "exp":
        return Sym(x.expr.arguments[0], "eps")
    if not is_number(x) or x <= 0:
        hint = "take the logarithm of constants only; for Laplace noise write `Lap(scale=s)`"
        raise m.refuse("`log` of this", hint)
    return 0 if x == 1 else Logarithm(Fraction(x))


@word("abs", "math.fabs", "numpy.abs", "numpy.absolute")
def absolute(m: Interpreter, x: Value) -> Value:
    """``abs``."""

    def one(value: Value) -> Value:
        value = m.number(value)
        if is_number(value):
            return abs(value)
        call = dip.Call("abs", (value.expr,), span=m.place)
        return Sym(call, value.kind, possible_results(abs, value))

    return m.broadcast(one, x)


def logical(connect: Callable[..., Value]) -> Handler:
    """``np.logical_and`` and the like, cell by cell."""
    return lambda m, *given: m.broadcast(lambda *cells: connect(m, *map(m.condition, cells)), *given)


rows(
    {
        ("numpy.sign",): lambda m, x: m.broadcast(
            lambda v: m.binary("-", *(m.as_number(m.compare(sign, v, 0)) for sign in "><")), x
        ),
        ("numpy.logical_not",): logical(lambda m, a: m.negated(a)),
        ("numpy.logical_and",): logical(lambda m, a, b: m.both(a, b)),
        ("numpy.logical_or",): logical(lambda m, a, b: m.either(a, b)),
        ("numpy.logical_xor",): logical(lambda m, a, b: m.compare("!=", a, b)),
        ("math.expm1", "numpy.expm1"): lambda m, x: m.binary("-", exp(m, x), 1),
        ("bool",): lambda m, x=False: m.condition(x),
        ("pow", "math.pow", "numpy.power"): lambda m, x, y: m.binary("**", x, y),
        ("mod",): lambda m, a, b: m.binary("%", a, b),
    }
)


@word("numpy.clip")
def clip(m: Interpreter, a: Value, a_min: Value = None, a_max: Value = None) -> Value:
    """``min(a_max, max(a_min, a))``."""

    def one(value: Value) -> Value:
        value = value if a_min is None else m.extreme("max", [a_min, value])
        return value if a_max is None else m.extreme("min", [a_max, value])

    return m.broadcast(one, a)


@word("disc")
def disc(m: Interpreter, x: Value, *levels: Value) -> Value:
    """dipc's ``disc``."""
    if not all(map(is_number, levels)) or list(levels) != sorted(set(levels)):
        raise m.refuse("the steps of `disc` must be in ascending order", "sort them: `disc(r, -1, 0, 1)`")
    cases = [(m.lift(m.compare("<=", x, level)), level) for level in levels[:-1]]
    return m.by_cases("step", [*cases, (None, levels[-1])], "num", frozenset(levels))


# --- lists --------------------------------------------------------------------------------------


def span(m: Interpreter, start: Value, stop: Value = None, step: Value = 1) -> range:
    """A range."""
    bounds = [m.settled(m.plain(v)) for v in ((0, start) if stop is None else (start, stop))]
    numbers = [v for v in (*bounds, m.settled(step)) if isinstance(v, int)]
    if len(numbers) != 3 or numbers[2] == 0:
        raise m.refuse("the bounds of a `range` are integers", "use `//` to divide")
    return range(*numbers)


@word("zip")
def zipped(m: Interpreter, *iterables: Value, strict: Value = False) -> Value:
    """Cells of several lists together."""
    lists = [m.items(values) for values in iterables]
    if m.truth(m.condition(strict)) and len({len(cells) for cells in lists}) > 1:
        raise m.stop("`zip` of lists with different lengths")
    return Once(tuple(zip(*lists, strict=False)))


@word("dict")
def to_dict(m: Interpreter, pairs: Value = (), **named: Value) -> Value:
    """A dictionary."""
    if isinstance(m.get(pairs), Table):
        return m.new(Table(tuple({**dict(m.get(pairs).entries), **named}.items())))
    found = {m.key(m.items(pair)[0]): m.items(pair)[1] for pair in m.items(pairs)}
    return m.new(Table(tuple({**found, **named}.items())))


@word("collections.Counter")
def counter(m: Interpreter, values: Value = ()) -> Value:
    """How often each value occurs; of a dictionary, its numbers."""
    if isinstance(table := m.get(values), Table):
        return m.new(Table(table.entries, 0))
    found: dict[Value, int] = {}
    for key in map(m.key, m.items(values)):
        found[key] = found.get(key, 0) + 1
    return m.new(Table(tuple(found.items()), 0))


@word("functools.reduce")
def reduced(m: Interpreter, function: Value, iterable: Value, initial: Value = MISSING) -> Value:
    """A function of the result so far and the next cell."""
    found = accumulated(m, m.items(iterable), function, initial)
    if not found:
        raise m.stop("`reduce` of nothing")
    return found[-1]


@word("itertools.accumulate")
def accumulate(m: Interpreter, iterable: Value, function: Value = None, *, initial: Value = None) -> Value:
    """The results so far: sums, unless there is another function."""
    start = MISSING if initial is None else initial
    return Once(tuple(accumulated(m, m.items(iterable), function, start)))


def accumulated(
    m: Interpreter, cells: Sequence[Value], function: Value = None, initial: Value = MISSING
) -> list[Value]:
    """The results of a function of the one before and the next cell."""
    found: list[Value] = [] if initial is MISSING else [initial]
    for cell in cells:
        if not found:
            found.append(cell)
        elif function is None:
            found.append(m.kept(m.plain(m.binary("+", found[-1], cell))))
        else:
            found.append(m.invoke(function, [found[-1], cell], {}))
    return found


@word("isinstance")
def is_instance(m: Interpreter, x: Value, kind: Value) -> Value:
    """Not known: an input may be given as another type."""
    raise m.refuse("dipc knows no types", "remove the test: the sets of the inputs say what they are")


@word("numpy.asarray")
def as_array(m: Interpreter, values: Value, dtype: Value = None) -> Value:
    """The same array, or a new one, which cannot be told apart for an input: it must not be changed."""
    if listed(m, values) and m.get(values).kind == "array" and dtype is None:
        return values
    if listed(m, values) and m.get(values).kind == "array" and m.is_table(values):
        raise m.refuse("this may be the same table or a copy", "write `P.astype(float)`")
    made = array(m, values, dtype)
    if listed(m, values) and m.get(values).kind != "list":
        m.put(made, replace(m.get(made), kind="view"))
    return made


@word("numpy.array", "numpy.copy")
def array(m: Interpreter, values: Value, dtype: Value = None, copy: Value = True) -> Value:
    """A numpy array."""

    def cell(v: Value) -> Value:
        if m.cells(v) is not None:
            return tuple(map(cell, m.items(v)))
        return v if waits(m, v) else m.kept(m.plain(v))

    made = m.array([cell(v) for v in m.items(values)])
    return made if dtype is None else as_type(m, made, dtype)


def waits(m: Interpreter, value: Value) -> bool:
    """Is this a sample that becomes a number later, when it is clamped or compared?"""
    return isinstance(m.sample(value), Stepped) or m.unit_in(value) is not None


def as_type(m: Interpreter, values: Value, dtype: Value) -> Value:
    """An array, or a number, of another type."""
    name = dtype.path.rpartition(".")[2] if isinstance(dtype, Word) else dtype
    convert: dict[str, Callable[[Value], Value]] = {
        "int": lambda v: m.rounded("int", v),
        "float": m.as_number,
        "bool": m.condition,
    }
    kind = next((kind for kind in convert if isinstance(name, str) and name.startswith(kind)), None)
    if kind is None:
        raise m.refuse("arrays of this type are not read", "use int, float or bool")

    def turned(v: Value) -> Value:
        return convert[kind](v) if m.cells(v) is None else tuple(map(turned, m.items(v)))

    return m.array(turned(values), kind) if listed(m, values) else turned(values)


def filled(m: Interpreter, shape: Value, fill: Value, dtype: Value) -> Value:
    """``np.zeros(N)``, ``np.zeros((N, M))`` and the like."""
    sizes = [m.settled(v) for v in ((shape,) if m.cells(shape) is None else m.items(shape))]
    least = 0 if len(sizes) == 1 else 1
    if len(sizes) not in (1, 2) or not all(isinstance(v, int) and v >= least for v in sizes):
        raise m.refuse("this is not a length", "write `np.zeros(N)` or `np.zeros((N, M))`")
    zeros = m.array([0 if len(sizes) == 1 else (0,) * sizes[1]] * sizes[0])
    made = m.broadcast(lambda _, value: value, zeros, fill)
    return as_type(m, made, dtype) if dtype else made


def filled_like(m: Interpreter, a: Value, fill: Value, dtype: Value) -> Value:
    """``np.zeros_like(a)`` and the like, of the type of ``a``."""
    like = m.array(m.items(a))
    return as_type(m, m.broadcast(lambda _, value: value, like, fill), dtype or m.get(like).dtype)


@word("numpy.fill_diagonal")
def fill_diagonal(m: Interpreter, a: Value, val: Value) -> None:
    """The cells ``(i, i)`` get a value."""
    if not m.is_table(a) or m.cells(val) is not None:
        raise m.refuse("this is not a table and a number", "write `np.fill_diagonal(P, 1/2)`")
    for i in range(min(len(m.items(a)), len(m.items(m.items(a)[0])))):
        m.assign_cell(a, (i, i), val)


rows(
    {
        ("numpy.zeros",): lambda m, shape, dtype=None: filled(m, shape, 0, dtype or "float"),
        ("numpy.ones",): lambda m, shape, dtype=None: filled(m, shape, 1, dtype or "float"),
        ("numpy.full",): lambda m, shape, fill_value, dtype=None: filled(m, shape, fill_value, dtype),
        ("numpy.zeros_like",): lambda m, a, dtype=None: filled_like(m, a, 0, dtype),
        ("numpy.ones_like",): lambda m, a, dtype=None: filled_like(m, a, 1, dtype),
        ("numpy.eye", "numpy.identity"): lambda m, n, dtype=None: array(
            m,
            tuple(tuple(int(i == j) for j in range(integer(m, n))) for i in range(integer(m, n))),
            dtype or "float",
        ),
        ("numpy.full_like",): lambda m, a, fill_value, dtype=None: filled_like(m, a, fill_value, dtype),
    }
)


def total(m: Interpreter, values: Value, start: Value = 0) -> Value:
    """The sum."""
    return m.total("sum", [start, *map(m.number, m.items(values))])


@word("count")
def count(m: Interpreter, *conditions: Value) -> Value:
    """dipc's ``count``."""
    values = (
        m.items(conditions[0])
        if len(conditions) == 1 and not isinstance(conditions[0], Sym | bool)
        else conditions
    )
    return m.total("sum", map(m.condition, values))


def best(name: str) -> Handler:
    """``max`` or ``min``."""

    def extreme(m: Interpreter, *values: Value, key: Value = None, default: Value = MISSING) -> Value:
        cells = m.items(values[0]) if len(values) == 1 else list(values)
        if not cells and default is not MISSING:
            return default
        if key is None and not any(isinstance(v, tuple) for v in cells):
            return m.extreme(name, cells)
        keys = cells if key is None else [m.invoke(key, [v], {}) for v in cells]
        if not cells:
            raise m.stop(f"`{name}` of nothing")
        if all(not isinstance(k, tuple) for k in keys):
            return cells[m.settled(place_of(m, f"arg{name}", keys))]
        winner = 0
        for i in range(1, len(keys)):
            if less(m, keys[winner], keys[i]) if name == "max" else less(m, keys[i], keys[winner]):
                winner = i
        return cells[winner]

    return extreme


for _name in ("max", "min"):
    WORDS.update(dict.fromkeys((_name, f"numpy.{_name}", f"numpy.a{_name}"), best(_name)))


def place_of(m: Interpreter, name: str, cells: Sequence[Value]) -> Value:
    """``argmax`` or ``argmin``: the first of equals, counted from 0."""
    if not cells:
        raise m.stop(f"`{name}` of nothing")
    if (drawn := gumbels(m, name, cells)) is not None:
        return drawn
    cells = [m.number(v) for v in cells]
    if all(map(is_number, cells)):
        return cells.index(max(cells) if name == "argmax" else min(cells))
    if any(isinstance(v, Sym) and v.kind == "eps" for v in cells):
        signs = (1,) if name == "argmax" else (-1,)
        return reduce(lambda i, j: j if m.order_of(cells[j], cells[i]) in signs else i, range(len(cells)))
    listed_name = m.fresh("list")
    array = dip.Name(listed_name, span=m.place)
    for i, cell in enumerate(cells, 1):
        place = dip.Index(listed_name, Number(fmpq(i), span=m.place), span=m.place)
        m.out.append(dip.Assign(place, m.lift(cell), span=m.place))
    found = dip.Call(name, (array,), span=m.place)
    one = Number(fmpq(1), span=m.place)
    return m.assign("best", Binary(Op.SUB, found, one, span=m.place), "num", some(range(len(cells))))


def gumbels(m: Interpreter, name: str, cells: Sequence[Value]) -> Value:
    """``argmax`` of numbers with independent Gumbel noise of one scale; None for others.

    The largest of ``s[i] + b*g[i]`` is at i with a probability proportional to ``exp(s[i]/b)``.
    """
    drawn = [each for each in map(m.unit_in, cells) if each is not None]
    fresh = {each.unit for each in drawn if m.get(each.unit) == Gumbel()}
    if len(fresh) < len(cells):
        return None  # refused as numbers
    one, *others = [m.lift(m.number(each.factor)) for each in drawn]
    turned = m.binary("*", -1 if name == "argmin" else 1, drawn[0].factor)
    if not positive(turned) or any(sign_of_difference(one, scale) != 0 for scale in others):
        return None
    for each in drawn:
        m.put(each.unit, Gumbel(spent=True))
    rate = Sym(inverse(m, drawn[0].factor), "eps")
    return by_weight(m, range(len(cells)), [exp(m, m.binary("*", rate, each.offset)) for each in drawn])


def less(m: Interpreter, left: Value, right: Value) -> bool:
    """Whether one value comes before another; tuples by their first difference."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        for a, b in zip(left, right, strict=False):
            if less(m, a, b):
                return True
            if less(m, b, a):
                return False
        return len(left) < len(right)
    return m.truth(m.compare("<", left, right))


def ordered(
    m: Interpreter, values: Sequence[Value], key: Value = None, reverse: Value = False
) -> list[Value]:
    """The values in ascending order, or descending; equal ones keep their order."""
    down = m.truth(m.condition(reverse))
    plain = key is None and all(
        is_number(v) or (isinstance(v, Sym) and v.kind != "eps") for v in map(m.now, values)
    )
    if plain:
        cells = [m.number(v) for v in values]
        for i in range(1, len(cells)):
            for j in range(i, 0, -1):
                pair = [m.kept(m.plain(m.extreme(name, cells[j - 1 : j + 1]))) for name in ("min", "max")]
                cells[j - 1 : j + 1] = pair
        return cells[::-1] if down else cells
    keys = list(values) if key is None else [m.invoke(key, [v], {}) for v in values]
    found: list[int] = []
    for i in range(len(keys)):
        place = len(found)
        while place > 0 and (
            less(m, keys[found[place - 1]], keys[i]) if down else less(m, keys[i], keys[found[place - 1]])
        ):
            place -= 1
        found.insert(place, i)
    return [values[i] for i in found]


@word("numpy.median", "statistics.median")
def median(m: Interpreter, a: Value) -> Value:
    """The middle one, or the mean of the two in the middle."""
    cells = ordered(m, m.items(a))
    half = len(cells) // 2
    return cells[half] if len(cells) % 2 else m.binary("/", m.binary("+", cells[half - 1], cells[half]), 2)


@word("numpy.where")
def where(m: Interpreter, condition: Value, x: Value = MISSING, y: Value = MISSING) -> Value:
    """``x`` where the condition holds, else ``y``."""
    if x is MISSING or y is MISSING:
        places = [i for i, v in enumerate(m.items(condition)) if m.truth(m.condition(v))]
        return (m.array(places, "int"),)

    def one(test: Value, a: Value, b: Value) -> Value:
        return m.joined(lambda: a if m.truth(m.condition(test)) else b)

    return m.broadcast(one, condition, x, y)


@word("numpy.bincount")
def bincount(m: Interpreter, x: Value, minlength: Value = 0) -> Value:
    """How often each number occurs."""
    cells = [m.settled(v) if not isinstance(m.now(v), Sym) else m.now(v) for v in m.items(x)]
    highest = max((max(possible_values(v) or {0}) for v in cells), default=-1)
    size = m.settled(minlength)
    if highest >= size and any(isinstance(v, Sym) for v in cells):
        raise m.refuse("the length of this depends on private values", f"write `minlength={highest + 1}`")
    counts = range(max(highest + 1, size))
    return m.array([m.total("sum", [m.compare("==", v, k) for v in cells]) for k in counts], "int")


@word("numpy.histogram")
def histogram(m: Interpreter, a: Value, bins: Value = 10, range: Value = None) -> Value:
    """How many values each interval has, and the ends of these; the last interval includes its end."""
    edges = [] if is_number(bins) else m.items(bins)
    if is_number(bins) and range is not None:
        low, high = m.items(range)
        step = m.binary("/", m.binary("-", high, low), bins)
        edges = [low]
        for _ in itertools.repeat(None, integer(m, bins)):
            edges.append(m.binary("+", edges[-1], step))
    if not all(map(is_number, edges)) or len(edges) < 2 or list(edges) != sorted(edges):
        raise m.refuse("the intervals depend on private values", "write `bins=[0, 1, 2]` or `range=(0, 2)`")
    found = []
    for place, (low, high) in enumerate(itertools.pairwise(edges), 2):
        last = "<=" if place == len(edges) else "<"
        inside = [m.both(m.compare(">=", v, low), m.compare(last, v, high)) for v in m.items(a)]
        found.append(m.total("sum", inside))
    return m.array(found, "int"), m.array(edges, "float")


rows(
    {
        ("range",): span,
        ("len",): lambda m, values: len(m.items(values)),
        ("map",): lambda m, function, *iterables: Once(
            tuple(m.invoke(function, [*row], {}) for row in zip(*map(m.items, iterables), strict=False))
        ),
        ("argmax", "numpy.argmax"): lambda m, a: place_of(m, "argmax", m.items(a)),
        ("argmin", "numpy.argmin"): lambda m, a: place_of(m, "argmin", m.items(a)),
        ("numpy.maximum",): lambda m, a, b: m.broadcast(lambda x, y: m.extreme("max", [x, y]), a, b),
        ("numpy.minimum",): lambda m, a, b: m.broadcast(lambda x, y: m.extreme("min", [x, y]), a, b),
        ("enumerate",): lambda m, iterable, start=0: Once(tuple(enumerate(m.items(iterable), start))),
        ("reversed",): lambda m, values: Once(tuple(reversed(m.items(values)))),
        ("itertools.chain",): lambda m, *iterables: Once(
            tuple(cell for cells in iterables for cell in m.items(cells))
        ),
        ("itertools.product",): lambda m, *iterables, repeat=1: Once(
            tuple(itertools.product(*map(m.items, iterables), repeat=integer(m, repeat)))
        ),
        ("list",): lambda m, values=(): m.new(Items(tuple(m.items(values)))),
        ("tuple",): lambda m, values=(): tuple(m.items(values)),
        ("set", "frozenset"): lambda m, values=(): Members(tuple(m.items(values))),
        ("collections.defaultdict",): lambda m, default_factory=None: m.new(Table((), default_factory)),
        ("numpy.concatenate",): lambda m, arrays: array(
            m, tuple(cell for part in m.items(arrays) for cell in m.items(part))
        ),
        ("numpy.arange",): lambda m, start, stop=None, step=1: m.array(
            list(span(m, start, stop, step)), "int"
        ),
        ("sum", "numpy.sum", "math.fsum"): total,
        ("any", "numpy.any"): lambda m, values: m.total("any", m.items(values)),
        ("all", "numpy.all"): lambda m, values: m.total("all", m.items(values)),
        ("numpy.count_nonzero",): lambda m, values: count(m, values),
        ("numpy.mean", "statistics.mean", "statistics.fmean"): lambda m, values: m.binary(
            "/", total(m, values), len(m.items(values))
        ),
        ("sorted",): lambda m, iterable, *, key=None, reverse=False: m.new(
            Items(tuple(ordered(m, m.items(iterable), key, reverse)))
        ),
        ("numpy.cumsum",): lambda m, values: m.array(accumulated(m, [*map(m.number, m.items(values))])),
        ("numpy.sort",): lambda m, a: m.array(ordered(m, m.items(a))),
        ("numpy.argsort",): lambda m, a: m.array(
            [place for _, place in ordered(m, [(value, i) for i, value in enumerate(m.items(a))])], "int"
        ),
        ("numpy.flatnonzero",): lambda m, a: where(m, a)[0],
    }
)


# --- methods ------------------------------------------------------------------------------------


def method(
    m: Interpreter,
    owner: Value,
    name: str,
    positional: list[Value],
    named: Mapping[str, Value],
    node: ast.Call | None,
) -> Value:
    """A call of a method of a list, array or dictionary."""
    thing = m.get(owner)
    kinds = {Items: "list", Table: "dict", tuple: "list"}
    kind = kinds.get(type(thing), "value")
    if isinstance(thing, Items) and thing.kind in ("array", "view", "input") and ("array", name) in METHODS:
        kind = "array"
    handler = METHODS.get((kind, name))
    tuples = isinstance(thing, tuple) and name not in ("index", "count")
    arrays = isinstance(thing, Items) and thing.kind in ("array", "view") and name != "sort"
    if handler is None or (kind == "list" and (tuples or arrays)):
        written = name if node is None else m.text.written(node.func)
        hint = "write what it does with arithmetic, `if` and loops"
        raise m.refuse(f"`{written}` cannot be called here", hint)
    name = f"numpy.{name}" if kind == "array" else name
    return applied(m, name, handler, (m, owner, *positional), named)


def changed(m: Interpreter, owner: Ref, values: Sequence[Value]) -> None:
    """New cells of a list."""
    if m.get(owner).kind == "array" and m.is_table(owner):
        raise m.refuse("the rows of a table move here", "write `np.array([P[i] for i in order])`")
    if m.get(owner).kind == "view":
        raise m.refuse(
            "this changes a slice of an array, or an array with slices", "copy it first: `a.copy()`"
        )
    m.put(owner, replace(m.get(owner), values=tuple(values)))


def insert(m: Interpreter, owner: Ref, place: Value, value: Value) -> None:
    """``a.insert(i, x)``."""
    cells = m.items(owner)
    cells.insert(integer(m, place), value)
    changed(m, owner, cells)


def pop(m: Interpreter, owner: Ref, place: Value = -1) -> Value:
    """``a.pop(i)``."""
    cells = m.items(owner)
    value = cells.pop(m.position(place, len(cells)))
    changed(m, owner, cells)
    return value


def index(m: Interpreter, owner: Value, value: Value) -> Value:
    """``a.index(x)``: the first place."""
    cells = m.items(owner)
    value = m.now(value)
    for i, cell in enumerate(cells):
        if m.truth(m.compare("==", cell, value)):
            return i
    raise m.stop("this value may not be in the list")


def setdefault(m: Interpreter, owner: Ref, key: Value, default: Value = None) -> Value:
    """``d.setdefault(key, default)``."""
    entries = dict(m.get(owner).entries)
    value = entries.setdefault(m.key(key), default)
    m.put(owner, replace(m.get(owner), entries=tuple(entries.items())))
    return value


def update(m: Interpreter, owner: Ref, other: Value) -> None:
    """``d.update(e)``; a ``Counter`` adds up."""
    both = dict(m.get(owner).entries)
    if m.get(owner).default == 0:
        more = entries_of(m, counter(m, other))
        both |= {key: m.kept(m.binary("+", both.get(key, 0), value)) for key, value in more}
    else:
        both |= dict(entries_of(m, other))
    m.put(owner, replace(m.get(owner), entries=tuple(both.items())))


@word("dataclasses.replace")
def replaced(m: Interpreter, obj: Value, /, **changes: Value) -> Value:
    """A new instance with other fields."""
    if not isinstance(record := m.get(obj), Named):
        raise m.refuse("`replace` of this", "use it for instances of a dataclass")
    return m.invoke(Constants("", record.of), [], {**record.fields, **changes})


METHODS |= {
    ("value", "_replace"): replaced,
    ("list", "append"): lambda m, owner, value: changed(m, owner, (*m.items(owner), m.kept(m.sample(value)))),
    ("list", "extend"): lambda m, owner, values: changed(m, owner, (*m.items(owner), *m.items(values))),
    ("list", "insert"): insert,
    ("list", "pop"): pop,
    ("list", "sort"): lambda m, owner, *, key=None, reverse=False: changed(
        m, owner, ordered(m, m.items(owner), key, reverse)
    ),
    ("list", "index"): index,
    ("list", "remove"): lambda m, owner, value: pop(m, owner, index(m, owner, value)) and None,
    ("list", "count"): lambda m, owner, value: m.total(
        "sum", [m.compare("==", cell, value) for cell in m.items(owner)]
    ),
    ("list", "reverse"): lambda m, owner: changed(m, owner, m.items(owner)[::-1]),
    ("list", "clear"): lambda m, owner: changed(m, owner, ()),
    ("list", "copy"): lambda m, owner: m.new(m.get(owner)),
    ("array", "copy"): lambda m, owner: (
        m.new(m.get(owner)) if m.get(owner).kind == "input" else m.array(m.items(owner), m.get(owner).dtype)
    ),
    ("array", "tolist"): lambda m, owner: m.new(
        Items(tuple(v if m.cells(v) is None else m.new(Items(m.cells(v) or ())) for v in m.items(owner)))
    ),
    **{
        ("array", name): WORDS[f"numpy.{name}"]
        for name in ("sum", "mean", "max", "min", "argmax", "argmin", "any", "all", "clip", "round", "cumsum")
    },
    ("array", "astype"): as_type,
    ("dict", "get"): lambda m, owner, key, default=None: dict(m.get(owner).entries).get(m.key(key), default),
    ("dict", "setdefault"): setdefault,
    ("dict", "update"): update,
    ("dict", "keys"): lambda m, owner: Once(tuple(key for key, _ in m.get(owner).entries)),
    ("dict", "values"): lambda m, owner: Once(tuple(value for _, value in m.get(owner).entries)),
    ("dict", "items"): lambda m, owner: Once(m.get(owner).entries),
    ("dict", "copy"): lambda m, owner: m.new(replace(m.get(owner), outside=False)),
    ("value", "item"): lambda m, owner: owner,
    ("value", "astype"): as_type,
    ("value", "clip"): clip,
    ("value", "round"): WORDS["round"],
}
