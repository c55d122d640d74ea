"""Random syntax trees, for the laws of parser and printer."""

from __future__ import annotations

from flint import fmpq
from hypothesis import strategies as st

from dipc.dipwhile.syntax.ast import (
    Assign,
    Between,
    Binary,
    Call,
    Choose,
    Claim,
    Declaration,
    Eps,
    Exit,
    ExpMechanism,
    Expr,
    Flip,
    Fold,
    For,
    FormulaAdjacency,
    If,
    Index,
    Integers,
    Interval,
    Name,
    NamedAdjacency,
    Noise,
    Number,
    Op,
    Param,
    Prior,
    Program,
    Range,
    Reals,
    Secret,
    SecretFor,
    SetOf,
    Unary,
    Uniform,
    Unknown,
    While,
)

NAMES = st.sampled_from(
    [
        "x",
        "y",
        "count",
        "rT",
        "bot",
        "true",
        "all",
        "l1",
        "rate",
        "sum",
        "ends",
        "epsilon",
        "reals",
        "integers",
    ]
)
NUMBERS = st.builds(
    lambda top, digits: Number(fmpq(top, 10**digits)), st.integers(0, 2000), st.integers(0, 3)
)
ARITHMETIC = st.sampled_from([Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.POW])
COMPARISONS = st.sampled_from([Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE])
ATOMIC = NUMBERS | st.builds(Name, NAMES, st.booleans()) | st.just(Eps())


def larger(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return (
        st.builds(Binary, ARITHMETIC | COMPARISONS | st.sampled_from([Op.AND, Op.OR]), parts, parts)
        | st.builds(Unary, st.sampled_from([Op.NEG, Op.NOT]), parts)
        | st.builds(Index, NAMES, parts, st.booleans())
        | st.builds(
            Call, st.sampled_from(["max", "abs", "f"]), st.lists(parts, min_size=1, max_size=3).map(tuple)
        )
        | st.builds(Fold, st.sampled_from(["forall", "exists", "count", "sum"]), NAMES, parts, parts, parts)
    )


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(ATOMIC, larger, max_leaves=8)
SETS = st.builds(SetOf, st.lists(EXPRESSIONS, min_size=1, max_size=3).map(tuple)) | st.builds(
    Range, EXPRESSIONS, EXPRESSIONS
)
DISTRIBUTIONS = (
    st.builds(Noise, st.sampled_from(["Lap", "LapPlus", "DLap"]), EXPRESSIONS, EXPRESSIONS)
    | st.builds(Choose, st.lists(st.tuples(EXPRESSIONS, EXPRESSIONS), min_size=1, max_size=3).map(tuple))
    | st.builds(Flip, EXPRESSIONS)
    | st.builds(Uniform, SETS)
    | st.builds(ExpMechanism, EXPRESSIONS, NAMES, SETS, EXPRESSIONS)
)
TARGETS = st.builds(Name, NAMES) | st.builds(Index, NAMES, EXPRESSIONS)
SIMPLE = st.builds(Assign, TARGETS, EXPRESSIONS | DISTRIBUTIONS) | st.just(Exit())


def blocks(statements: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(statements, max_size=3).map(tuple)


STATEMENTS = st.recursive(
    SIMPLE,
    lambda inner: (
        st.builds(
            If,
            st.lists(st.tuples(EXPRESSIONS, blocks(inner)), min_size=1, max_size=3).map(tuple),
            blocks(inner),
        )
        | st.builds(For, NAMES, EXPRESSIONS, EXPRESSIONS, blocks(inner))
        | st.builds(While, EXPRESSIONS, blocks(inner))
    ),
    max_leaves=6,
)
OPTIONAL = st.none() | EXPRESSIONS
DOMAINS = SETS | st.just(Reals()) | st.just(Integers()) | st.builds(Between, EXPRESSIONS, EXPRESSIONS)
DECLARATIONS = st.lists(st.builds(Declaration, NAMES, OPTIONAL, DOMAINS, OPTIONAL), max_size=2).map(tuple)
INTERVALS = st.builds(Interval, EXPRESSIONS, OPTIONAL, st.booleans(), st.booleans())
SIZES = st.lists(st.builds(Name, NAMES), max_size=2).map(tuple)
CLAIMS = st.builds(Claim, EXPRESSIONS, OPTIONAL, st.none() | INTERVALS, SIZES)
ADJACENCIES = st.builds(
    NamedAdjacency, st.sampled_from(["linf", "l1", "hamming", "all"]), OPTIONAL
) | st.builds(FormulaAdjacency, EXPRESSIONS.filter(lambda formula: not starts_like_a_metric(formula)))


def starts_like_a_metric(formula: Expr) -> bool:
    """After `adjacent`, a name such as `all` is the metric, so that no formula can begin with it."""
    from dipc.dipwhile.syntax.printer import show_expr

    return show_expr(formula).startswith(("all", "l1"))


BRANCHES = st.builds(
    If, st.lists(st.tuples(EXPRESSIONS, blocks(SIMPLE)), min_size=1, max_size=2).map(tuple), blocks(SIMPLE)
)
SECRET = st.builds(Secret, EXPRESSIONS, EXPRESSIONS, st.booleans())


def loops(inner: st.SearchStrategy) -> st.SearchStrategy:
    body = st.lists(inner, min_size=1, max_size=2).map(tuple)
    return st.builds(SecretFor, NAMES, ATOMIC, ATOMIC, body)


SECRETS = SECRET | loops(SECRET) | loops(loops(SECRET))
PLAIN = st.builds(
    Program,
    st.lists(st.builds(Param, NAMES, EXPRESSIONS), max_size=2).map(tuple),
    DECLARATIONS,
    DECLARATIONS,
    st.none() | ADJACENCIES,
    st.none() | CLAIMS,
    blocks(STATEMENTS),
)
ASKING = st.builds(
    Program,
    st.lists(st.builds(Param, NAMES, ATOMIC), max_size=1).map(tuple),
    DECLARATIONS,
    st.just(()),
    st.none(),
    st.none() | CLAIMS,
    blocks(SIMPLE),
    st.lists(st.builds(Unknown, NAMES, INTERVALS), max_size=2).map(tuple),
    st.lists(st.builds(Prior, st.none() | NAMES, blocks(SIMPLE | BRANCHES)), max_size=2).map(tuple),
    st.lists(SECRETS, max_size=2).map(tuple),
)
PROGRAMS = PLAIN | ASKING
