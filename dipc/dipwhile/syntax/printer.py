"""Syntax tree to canonical text: ``parse(show_program(p)) == p``.

Precedences are numbers (see :data:`LEVEL`, loosest first); a part is put in parentheses iff its
level is lower than the one its place requires.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import bottom_up

ANY, OR, AND, NOT, COMPARISON, ARITH, TERM, FACTOR, POWER, PRIMARY = range(10)

LEVEL: dict[ast.Op, tuple[int, int, int]] = {
    ast.Op.OR: (OR, OR, AND),
    ast.Op.AND: (AND, AND, NOT),
    **dict.fromkeys(ast.COMPARISONS, (COMPARISON, ARITH, ARITH)),
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


def show(node: ast.Node) -> str:
    """The text of any node but a program or a statement; an expression is an ``arith`` of the grammar."""
    match node:
        case ast.SetOf(members):
            return "{" + ", ".join(map(show, members)) + "}"
        case ast.Range(low, high):
            return f"{show(low)}..{show(high)}"
        case ast.Noise(kind, rate, mean):
            return f"{kind}({show(rate)}, {show(mean)})"
        case ast.Choose(options):
            return "choose {" + ", ".join(f"{show(v)}: {show(p)}" for v, p in options) + "}"
        case ast.Flip(probability):
            return f"flip({show(probability)})"
        case ast.Uniform(support):
            values = show(support)  # a parenthesis would look like that of a call
            return f"uniform({values})" if values.startswith("(") else f"uniform {values}"
        case ast.ExpMechanism(rate, variable, support, score):
            return f"Exp({show(rate)}, {variable} in {show(support)}, {show(score)})"
        case ast.Param(name, value):
            return f"{name} = {show(value)}"
        case ast.Unknown(name, interval):
            return f"{name} in {show(interval)}"
        case ast.Declaration(name, size, domain, start):
            cells, first = optional("[{}]", size), optional(" = {}", start)
            return f"{name}{cells} in {show(domain)}{first}"
        case ast.NamedAdjacency(kind, distance):
            return kind + optional(" {}", distance)
        case ast.FormulaAdjacency(formula):
            return show_expr(formula)
        case ast.Claim(epsilon, delta, interval, sizes, measure, order):
            every = " for all " * bool(sizes) + ", ".join(map(show, sizes))
            first = "" if measure is None else f"{measure} " + optional("{}, ", order)
            return (
                first + show(epsilon) + optional(", {}", delta) + optional(" for eps in {}", interval) + every
            )
        case ast.AccurateClaim(good, beta, condition, interval):
            rest = optional(" for eps in {}", interval)
            when = "" if condition is None else f" when {show_expr(condition)}"
            return f"{show_expr(good)}, {show(beta)}{when}{rest}"
        case ast.Reals():
            return "reals"
        case ast.Integers():
            return "integers"
        case ast.Between(low, high):
            return f"[{show(low)}, {show(high)}]"
        case ast.Interval(low, high, low_closed, high_closed):
            end = optional("{}", high) or "inf"
            return f"{'(['[low_closed]}{show(low)}, {end}{')]'[high_closed]}"
        case ast.Secret(left, right, one_way):
            return f"{show_expr(left)} {'->' if one_way else 'vs'} {show_expr(right)}"
        case _:
            assert isinstance(node, ast.Expr)
            return within(bottom_up(node, show_node), ARITH)


def optional(form: str, node: ast.Node | None) -> str:
    """The text of a node in a form; nothing if there is none."""
    return "" if node is None else form.format(show(node))


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
    parts = {
        "param  ": (*program.params, *program.unknowns),
        "input  ": program.inputs,
        "output ": program.outputs,
        "adjacent ": (program.adjacency,),
        "private ": (program.claim,),
        "accurate ": (program.accurate,),
    }
    declarations = [word + show(node) for word, nodes in parts.items() for node in nodes if node is not None]
    declarations += show_block((*program.priors, *program.secrets), "")
    gap = [""] if declarations and program.body else []
    return "\n".join([*declarations, *gap, *show_block(program.body, "")]) + "\n"


Line = ast.Statement | ast.Prior | ast.Secrets


def show_block(block: Sequence[Line], indent: str) -> Iterator[str]:
    """The lines of a block, of priors or of secrets."""
    for statement in block:
        yield from show_statement(statement, indent)


def show_statement(statement: Line, indent: str) -> Iterator[str]:
    """The lines of a statement, a prior or secrets."""
    blocks: list[tuple[str, Sequence[Line]]]
    match statement:
        case ast.Assign(target, value):
            shown = show_expr(value) if isinstance(value, ast.Expr) else show(value)
            yield f"{indent}{show_expr(target)} <- {shown}"
            return
        case ast.Exit():
            yield f"{indent}exit"
            return
        case ast.Secret():
            yield f"{indent}secret {show(statement)}"
            return
        case ast.Prior(name, body):
            blocks = [("prior" if name is None else f"prior {name}", body)]
        case ast.If(branches, otherwise):
            words = ["if", *["elif"] * (len(branches) - 1)]
            blocks = [
                (f"{word} {show_expr(c)} then", block)
                for word, (c, block) in zip(words, branches, strict=True)
            ]
            blocks += [("else", otherwise)] if otherwise else []
        case ast.For(variable, low, high, body) | ast.SecretFor(variable, low, high, body):
            blocks = [(f"for {variable} in {show(low)}..{show(high)} do", body)]
        case ast.While(condition, body):
            blocks = [(f"while {show_expr(condition)} do", body)]
        case _:
            assert_never(statement)
    for header, block in blocks:
        yield indent + header
        yield from show_block(block, indent + "  ")
    yield f"{indent}end"
