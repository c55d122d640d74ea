"""Syntax tree to canonical text: ``parse(show_program(p)) == p``.

Precedences are numbers (see :data:`LEVEL`, loosest first); a part is put in parentheses iff its
level is lower than the one its place requires.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import bottom_up

ANY, OR, AND, NOT, COMPARISON, ARITH, TERM, FACTOR, POWER, PRIMARY = range(10)

LEVEL: dict[ast.Op, tuple[int, int, int]] = {
    ast.Op.OR: (OR, OR, AND),
    ast.Op.AND: (AND, AND, NOT),
    **dict.fromkeys(
        (ast.Op.EQ, ast.Op.NE, ast.Op.LT, ast.Op.LE, ast.Op.GT, ast.Op.GE), (COMPARISON, ARITH, ARITH)
    ),
    **dict.fromkeys((ast.Op.ADD, ast.Op.SUB), (ARITH, ARITH, TERM)),
    **dict.fromkeys((ast.Op.MUL, ast.Op.DIV), (TERM, TERM, FACTOR)),
    ast.Op.POW: (POWER, PRIMARY, FACTOR),
}
"""For each binary operator: its own level, and the least levels of its left and right sides."""

TIGHT = frozenset({ast.Op.MUL, ast.Op.DIV, ast.Op.POW})
"""Operators written without spaces."""

Shown = tuple[str, int]
"""A text and its level."""


def show_expr(expr: ast.Expr) -> str:
    """An expression, with as few parentheses as possible.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> show_expr(parse_expression("((a)+(b))*2 - (c - d) >= -(3^2) or (not (x = 1))"))
    '(a + b)*2 - (c - d) >= -3^2 or not x = 1'
    """
    return bottom_up(expr, show_node)[0]


def as_written(expr: ast.Expr) -> str:
    """The text of the expression in the program; its canonical text if it is not from a program."""
    span = expr.span
    written = " ".join(span.source.text[span.start : span.end].split())
    return written or show_expr(expr)


def show_node(node: ast.Expr, parts: tuple[Shown, ...]) -> Shown:
    """The text of a node, given that of its parts."""
    match node:
        case ast.Number(value):
            return show_number(value)
        case ast.Name(name, primed):
            return name + "'" * primed, PRIMARY
        case ast.Index(array, _, primed):
            prime = "'" * primed
            return f"{array}{prime}[{within(parts[0], ARITH)}]", PRIMARY
        case ast.Eps():
            return "eps", PRIMARY
        case ast.Unary(ast.Op.NOT):
            return f"not {within(parts[0], NOT)}", NOT
        case ast.Unary():
            return f"-{within(parts[0], FACTOR)}", FACTOR
        case ast.Binary(op):
            own, left, right = LEVEL[op]
            sign = op.value if op in TIGHT else f" {op.value} "
            return f"{within(parts[0], left)}{sign}{within(parts[1], right)}", own
        case ast.Call(function):
            return f"{function}({', '.join(text for text, _ in parts)})", PRIMARY
        case ast.Fold(kind, variable):
            low, high, body = within(parts[0], ARITH), within(parts[1], ARITH), parts[2][0]
            binder = f"{variable} in {low}..{high}: {body}"
            return (
                (f"{kind} {binder}", ANY) if kind in ("forall", "exists") else (f"{kind}({binder})", PRIMARY)
            )
        case _:
            assert_never(node)


def within(part: Shown, level: int) -> str:
    """The text of a part at a place that requires a level."""
    text, own = part
    return text if own >= level else f"({text})"


def show_number(value: fmpq) -> Shown:
    """A number: decimal if that is exact, else a quotient."""
    digits = decimals(value)
    if digits is None:
        return str(value), TERM
    scaled = str(abs((value * fmpq(10) ** digits).p)).zfill(digits + 1)
    text = f"{scaled[:-digits]}.{scaled[-digits:]}" if digits else scaled
    return (text, PRIMARY) if value >= 0 else (f"-{text}", FACTOR)


def decimals(value: fmpq) -> int | None:
    """How many digits after the point write the value exactly; None if it has no end."""
    rest, counts = int(value.q), []
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        counts.append(count)
    return max(counts) if rest == 1 else None


def show_arith(expr: ast.Expr) -> str:
    """An expression where the grammar requires ``arith``."""
    return within(bottom_up(expr, show_node), ARITH)


def show_set(values: ast.FiniteSet) -> str:
    """A finite set."""
    match values:
        case ast.SetOf(members):
            return "{" + ", ".join(map(show_arith, members)) + "}"
        case ast.Range(low, high):
            return f"{show_arith(low)}..{show_arith(high)}"
        case _:
            assert_never(values)


def show_distribution(distribution: ast.Distribution) -> str:
    """The right-hand side of a sampling assignment."""
    match distribution:
        case ast.Noise(kind, rate, mean):
            return f"{kind}({show_arith(rate)}, {show_arith(mean)})"
        case ast.Choose(options):
            return "choose {" + ", ".join(f"{show_arith(v)}: {show_arith(p)}" for v, p in options) + "}"
        case ast.Flip(probability):
            return f"flip({show_arith(probability)})"
        case ast.Uniform(support):
            members = show_set(support)
            # A parenthesis would look like that of a call.
            return f"uniform({members})" if members.startswith("(") else f"uniform {members}"
        case ast.ExpMechanism(rate, variable, support, score):
            return f"Exp({show_arith(rate)}, {variable} in {show_set(support)}, {show_arith(score)})"
        case _:
            assert_never(distribution)


def show_program(program: ast.Program) -> str:
    """A whole program: declarations, an empty line, statements.

    >>> from dipc.dipwhile.syntax.parser import parse, Source
    >>> print(show_program(parse(Source("", "output b in {0,1}=0; if b=0 then b<-1 end"))), end="")
    output b in {0, 1} = 0
    <BLANKLINE>
    if b = 0 then
      b <- 1
    end
    """
    declarations = [f"param  {param.name} = {show_arith(param.value)}" for param in program.params]
    declarations += [f"input  {show_declaration(declaration)}" for declaration in program.inputs]
    declarations += [f"output {show_declaration(declaration)}" for declaration in program.outputs]
    if program.adjacency is not None:
        declarations.append(f"adjacent {show_adjacency(program.adjacency)}")
    if program.claim is not None:
        declarations.append(f"private {show_claim(program.claim)}")
    gap = [""] if declarations and program.body else []
    return "\n".join([*declarations, *gap, *show_block(program.body, "")]) + "\n"


def show_declaration(declaration: ast.Declaration) -> str:
    """What follows ``input`` or ``output``."""
    size = "" if declaration.size is None else f"[{show_arith(declaration.size)}]"
    start = "" if declaration.start is None else f" = {show_arith(declaration.start)}"
    return f"{declaration.name}{size} in {show_set(declaration.domain)}{start}"


def show_adjacency(adjacency: ast.Adjacency) -> str:
    """What follows ``adjacent``."""
    match adjacency:
        case ast.NamedAdjacency(kind, distance):
            return kind if distance is None else f"{kind} {show_arith(distance)}"
        case ast.FormulaAdjacency(formula):
            return show_expr(formula)
        case _:
            assert_never(adjacency)


def show_claim(claim: ast.Claim) -> str:
    """What follows ``private``."""
    delta = "" if claim.delta is None else f", {show_arith(claim.delta)}"
    interval = "" if claim.interval is None else f" for eps in {show_interval(claim.interval)}"
    return f"{show_arith(claim.epsilon)}{delta}{interval}"


def show_interval(interval: ast.Interval) -> str:
    """An interval of eps."""
    high = "inf" if interval.high is None else show_arith(interval.high)
    return f"{'(['[interval.low_closed]}{show_arith(interval.low)}, {high}{')]'[interval.high_closed]}"


def show_block(block: ast.Block, indent: str) -> Iterator[str]:
    """The lines of a block."""
    for statement in block:
        yield from show_statement(statement, indent)


def show_statement(statement: ast.Statement, indent: str) -> Iterator[str]:
    """The lines of a statement."""
    match statement:
        case ast.Assign(target, value):
            shown = show_expr(value) if isinstance(value, ast.Expr) else show_distribution(value)
            yield f"{indent}{show_expr(target)} <- {shown}"
            return
        case ast.Exit():
            yield f"{indent}exit"
            return
        case ast.If(branches, otherwise):
            words = ["if", *["elif"] * (len(branches) - 1)]
            blocks = [
                (f"{word} {show_expr(c)} then", block)
                for word, (c, block) in zip(words, branches, strict=True)
            ]
            blocks += [("else", otherwise)] if otherwise else []
        case ast.For(variable, low, high, body):
            blocks = [(f"for {variable} in {show_arith(low)}..{show_arith(high)} do", body)]
        case ast.While(condition, body):
            blocks = [(f"while {show_expr(condition)} do", body)]
        case _:
            assert_never(statement)
    for header, block in blocks:
        yield indent + header
        yield from show_block(block, indent + "  ")
    yield f"{indent}end"
