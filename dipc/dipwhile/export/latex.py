"""LaTeX: the program as an algorithm, its output laws, and one inequality with its proof written out.

Only ``amsmath`` is needed.  Long formulas stand in the text, where TeX breaks lines by itself; so sums are
written with rational coefficients and not over one denominator, and long quotients with a slash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import assert_never

from flint import arb, fmpq

from dipc.claims.privacy import Goal
from dipc.dipwhile.export.checks import links
from dipc.dipwhile.export.questions import ClaimExport, Inequality, NamedLaw
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Variable
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source
from dipc.export.operators import EXACT, LATEX, Apply, Symbol, Tree, cleared, condition, product, tidy, write
from dipc.models.values import Valuation, Value, show
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.derivatives import chain_exponents
from dipc.signs.inequality import Fails, Holds
from dipc.signs.proofs import Chain, Point

PREAMBLE = r"""\documentclass{article}
\usepackage[a4paper,margin=25mm]{geometry}
PACKAGES
\setlength{\parindent}{0pt}
\setlength{\parskip}{1ex}
\raggedright
\begin{document}
\medmuskip=4mu \thickmuskip=5mu % lines end early instead of being squeezed
\lineskiplimit=2pt \lineskip=3pt % lines with fractions do not touch
"""
HANGING = r"\hangindent=3em "
MOST_TERMS = 8
"""Of a quotient that stands above and below a line."""


def latex(question: ClaimExport) -> str:
    """A document that can be compiled on its own."""
    sections = {
        "Claim": [*_claim(question), ""],
        "Output distributions": [line for law in question.laws for line in _law(law)],
    }
    if (chosen := chosen_inequality(question)) is not None:
        sections["One inequality"] = [*_inequality(chosen)]
    heading = "".join(f"% {line}\n" for line in question.heading())
    return heading + document(question.program.source, [*_program(question), ""], sections)


def document(
    source: Source,
    program: Iterable[str],
    sections: Mapping[str, Iterable[str]],
    packages: Sequence[str] = ("amsmath",),
) -> str:
    """A document about a program: its lines, then sections with theirs."""
    named = {rf"Program \texttt{{{escaped(Path(source.name).name)}}}": program, **sections}
    lines = [line for name, inside in named.items() for line in (rf"\section*{{{name}}}", *inside)]
    used = "\n".join(rf"\usepackage{{{package}}}" for package in packages)
    return "\n".join([PREAMBLE.replace("PACKAGES", used), *lines, r"\end{document}"]) + "\n"


# --- the program -----------------------------------------------------------------------------


def _program(question: ClaimExport) -> Iterator[str]:
    program = question.program
    for what, variables in (("Input", program.inputs), ("Output", program.outputs)):
        for variable in variables:
            domain = ", ".join(map(_value, variable.domain))
            yield rf"{what}: ${_cells(variable)} \in \{{{domain}\}}$ \\"
    if program.parameters:
        settings = ", ".join(f"${_word(name)} = {_number(value)}$" for name, value in program.parameters)
        yield rf"Parameters: {settings} \\"
    yield from numbered(parse(program.source).body)


def numbered(body: ast.Block) -> Iterator[str]:
    """The lines of a program, with their numbers."""
    for place, (depth, text) in enumerate(_statements(body, 0), start=1):
        yield rf"\makebox[2em][r]{{\footnotesize {place}}}\hspace{{{1 + 2 * depth}em}}{text} \\"


def _cells(variable: Variable) -> str:
    word = _word(variable.name)
    if variable.size is None or variable.size == 1:
        return word if variable.size is None else f"{{{word}}}_1"
    dots = r", \dots, " if variable.size > 2 else ", "
    return f"{{{word}}}_1{dots}{{{word}}}_{{{variable.size}}}"


def _statements(block: ast.Block, depth: int) -> Iterator[tuple[int, str]]:
    """The lines of a block with their depth."""
    for statement in block:
        match statement:
            case ast.Assign(target, value):
                yield depth, rf"${_show(target)} \leftarrow {_right(value)}$;"
            case ast.Exit():
                yield depth, r"\textbf{exit}"
            case _:
                for head, body in _parts(statement):
                    yield depth, head
                    yield from _statements(body, depth + 1)
                yield depth, r"\textbf{end}"


def _parts(statement: ast.If | ast.For | ast.While) -> Iterator[tuple[str, ast.Block]]:
    """The blocks of a statement, each below its head."""
    match statement:
        case ast.If(branches, otherwise):
            for word, (test, body) in zip(chain(["if"], repeat("else if")), branches, strict=False):
                yield rf"\textbf{{{word}}} ${_show(test)}$ \textbf{{then}}", body
            if otherwise:
                yield r"\textbf{else}", otherwise
        case ast.For(variable, low, high, body):
            bounds = rf"{_word(variable)} = {_show(low)}, \dots, {_show(high)}"
            yield rf"\textbf{{for}} ${bounds}$ \textbf{{do}}", body
        case ast.While(test, body):
            yield rf"\textbf{{while}} ${_show(test)}$ \textbf{{do}}", body
        case _:
            assert_never(statement)


def _right(value: ast.Expr | ast.Distribution) -> str:
    match value:
        case ast.Noise(kind, rate, mean):
            return rf"\mathrm{{{kind}}}\left({_show(rate)}, {_show(mean)}\right)"
        case ast.Choose(options):
            shown = ", ".join(f"{_show(result)} : {_show(p)}" for result, p in options)
            return rf"\mathrm{{choose}} \left\{{{shown}\right\}}"
        case ast.Flip(p):
            return rf"\mathrm{{flip}}\left({_show(p)}\right)"
        case ast.Uniform(support):
            return rf"\mathrm{{uniform}}({write(_set(support), LATEX)})"
        case ast.ExpMechanism(rate, variable, support, score):
            chosen = rf"{_word(variable)} \in {write(_set(support), LATEX)}"
            return rf"\mathrm{{Exp}}\left({_show(rate)}, {chosen}, {_show(score)}\right)"
        case _:
            return _show(value)


def _show(expr: ast.Expr) -> str:
    return write(tidy(as_tree(expr)), LATEX)


def as_tree(expr: ast.Expr) -> Tree:
    """An expression of the program as a tree of operators."""
    match expr:
        case ast.Number(value):
            return value
        case ast.Eps():
            return Symbol("eps")
        case ast.Name(name, primed):
            return _primed(Symbol(_word(name)), primed)
        case ast.Index(array, index, primed):
            return Apply("index", (_primed(Symbol(_word(array)), primed), as_tree(index)))
        case ast.Unary(op, operand):
            return Apply(op.value, (as_tree(operand),))
        case ast.Binary():
            return _chain(expr)
        case ast.Call("exp" | "abs" as function, (argument,)):
            return Apply(function, (as_tree(argument),))
        case ast.Call(function, arguments):
            called = Symbol(rf"\mathrm{{{escaped(function)}}}")
            return Apply("call", (called, Apply(",", tuple(map(as_tree, arguments)))))
        case ast.Fold(kind, variable, low, high, body):
            span = Apply("element", (Symbol(_word(variable)), Apply("range", (as_tree(low), as_tree(high)))))
            return Apply("call", (Symbol(rf"\mathrm{{{kind}}}"), Apply("colon", (span, as_tree(body)))))
        case _:
            assert_never(expr)


def _chain(expr: ast.Binary) -> Tree:
    """A chain of operators of one strength, flat; of several divisions all divisors are below one line."""
    first, links = expr.spine(ast.STRENGTH.get(expr.op, frozenset()))
    operators, parts = [node.op for node in links], [as_tree(node.right) for node in links]
    if len(set(operators)) == 1 and expr.op is not ast.Op.DIV:
        return Apply(expr.op.value, (as_tree(first), *parts))
    if expr.op in ast.SUMS:
        signed = (
            part if op is ast.Op.ADD else Apply("neg", (part,))
            for op, part in zip(operators, parts, strict=True)
        )
        return Apply("+", (as_tree(first), *signed))
    split = operators.index(ast.Op.DIV)
    above = (as_tree(first), *parts[:split])
    factors, divisors = (
        [
            part
            for op, part in zip(operators[split:], parts[split:], strict=True)
            if (op is ast.Op.DIV) == below
        ]
        for below in (False, True)
    )
    if len(divisors) > 1:
        return Apply("/", (product((*above, *factors)), product(divisors)))
    quotient = Apply("/", (above[0] if len(above) == 1 else Apply("*", above), *divisors))
    return Apply("*", (quotient, *factors)) if factors else quotient


def _primed(tree: Tree, primed: bool) -> Tree:
    return Apply("prime", (tree,)) if primed else tree


def _set(values: ast.FiniteSet) -> Tree:
    if isinstance(values, ast.SetOf):
        return Apply("set", (Apply(",", tuple(map(as_tree, values.members))),))
    return Apply("set", (Apply("range", (as_tree(values.low), as_tree(values.high))),))


GREEK = ("alpha", "beta", "gamma", "Gamma", "delta", "Delta", "lambda", "mu", "rho", "sigma", "tau", "theta")
SYMBOLS = {"top": r"\top", "bot": r"\bot"} | {name: f"\\{name}" for name in GREEK}


def _word(name: str) -> str:
    """A name: one letter as it is, perhaps with an index as in r1 or rT; a longer one in italics."""
    if name in SYMBOLS:
        return SYMBOLS[name]
    match = re.fullmatch(r"([A-Za-z])(\d*|(?<=[a-z])[A-Z])", name)
    if match:
        return f"{match[1]}_{{{match[2]}}}" if match[2] else match[1]
    return rf"\mathit{{{escaped(name)}}}"


def escaped(text: str) -> str:
    """The text with the signs that TeX reads as commands."""
    return re.sub(r"([_#$%&{}])", r"\\\1", text)


def _value(value: Value) -> str:
    if isinstance(value, fmpq):
        return _number(value)
    return SYMBOLS.get(show(value), rf"\mathrm{{{escaped(show(value))}}}")


def _number(value: fmpq) -> str:
    return write(value, LATEX)


# --- the claim and the laws ------------------------------------------------------------------


def _epsilon(goal: Goal) -> str:
    t = goal.t
    if goal.text:
        return rf"\texttt{{{escaped(goal.text)}}}"
    return rf"\ln\left({formula(goal.factor)}\right)" if t is None else formula(Quotient(ExpPoly.of(t, 1)))


def _claim(question: ClaimExport) -> Iterator[str]:
    goal = question.goal
    epsilon, delta = _epsilon(goal), formula(goal.delta)
    among = write(condition(goal.budgets), LATEX)
    where = "Between the two inputs that were chosen, " if question.restricted else ""
    yield rf"{where}$\left({epsilon}, {delta}\right)$-differential privacy for all ${among}$"
    yield f"is a conjunction of {len(question.requirements)} different inequalities."
    failing = sum(isinstance(r.answer, Fails) for r in question.requirements)
    left = sum(not isinstance(r.answer, Fails | Holds) for r in question.requirements)
    if failing:
        yield f"{failing} of them {'fails' if failing == 1 else 'fail'}: the claim is violated."
    else:
        yield f"{left} of them could not be settled; the others hold." if left else "All of them hold."


def _law(named: NamedLaw) -> Iterator[str]:
    where = rf"\medskip On the input ${_valuation(named.input)}$:"
    yield where if named.input else "The program has no input:"
    for output, p in named.law:
        yield f"\n{HANGING}$\\Pr[{_valuation(output)}] = {formula(p)}$"
    yield ""


def _valuation(valuation: Valuation) -> str:
    texts = (f"[{', '.join(map(_value, v))}]" if isinstance(v, tuple) else _value(v) for _, v in valuation)
    return r",\; ".join(f"{_word(name)} = {text}" for (name, _), text in zip(valuation, texts, strict=True))


def formula(value: Quotient) -> str:
    """A sum, or a quotient of sums; a long one such that lines can be broken in it."""
    divisor = value.denominator.as_rational()
    if divisor is not None:
        return _polynomial(value.numerator * ExpPoly.of(1 / divisor))
    parts = cleared(value, only_powers=True)
    above, below = map(_polynomial, parts)
    if max(len(list(part.terms())) for part in parts) <= MOST_TERMS:
        return rf"\dfrac{{{above}}}{{{below}}}"
    return rf"({above}) \,\big/\, ({below})"


def _polynomial(f: ExpPoly) -> str:
    return write(tidy(EXACT.polynomial(f)), LATEX)


# --- one inequality --------------------------------------------------------------------------

MOST_LINKS = 12


def chosen_inequality(question: ClaimExport) -> Inequality | None:
    """The first that fails, or else the one with the longest derivative chain that fits on a page."""
    failing = [r for r in question.requirements if isinstance(r.answer, Fails)]
    different = [r for r in question.requirements if r.input != r.neighbour]
    proved = [r for r in different if r.function]
    sizes = [(r, len(chain_exponents(r.function))) for r in proved if r.chain_start is not None]
    short = [(r, size) for r, size in sizes if size <= MOST_LINKS]
    longest = [max(short, key=lambda pair: pair[1])[0]] if short else []
    return next(iter([*failing, *longest, *proved, *different, *question.requirements]), None)


def _inequality(requirement: Inequality) -> Iterator[str]:
    f = requirement.function
    outputs = r" \text{ or } ".join(map(_valuation, requirement.outputs))
    u, v = map(_valuation, (requirement.input, requirement.neighbour))
    yield rf"For the neighbours $u$: ${u}$ and $u'$: ${v}$, and the output ${outputs}$, the claim requires"
    yield f"\n{HANGING}$\\displaystyle {formula(requirement.probability)}$"
    yield f"$\\displaystyle {{}} \\;\\le\\; {formula(requirement.bound)}$.\n"
    if not f:
        yield "Both sides are equal."
        return
    factor = formula(requirement.margin / Quotient(f))
    yield f"The right side minus the left side is the positive function ${factor}$ times \n"
    yield f"{HANGING}$f(\\varepsilon) = {_polynomial(f)}$.\n"
    match requirement.answer:
        case Fails(sample):
            mantissa, _, exponent = f.enclose(arb(sample)).str(10, radius=False).partition("e")
            value = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
            where = rf"at $\varepsilon = {_number(sample)}$"
            yield rf"It is false: {where}, $f(\varepsilon) \approx {value} < 0$."
        case Holds(Chain(at)):
            yield from _proof(f, at)
        case Holds(Point()):
            yield r"(Its sign at the only $\varepsilon$ of the claim was decided exactly.)"
        case _:
            yield "(Its sign was settled by isolating the roots of $f$.)"


def _proof(f: ExpPoly, at: fmpq) -> Iterator[str]:
    """The derivative chain from a point on."""
    found = links(f, at)
    count, start = len(found), _number(at)
    from_start = rf"(\varepsilon - {start})" if at else r"\varepsilon"
    to_start = rf"(s - {start})" if at else "s"
    yield rf"\textbf{{Proof}} that $f(\varepsilon) \ge 0$ for all $\varepsilon \ge {start}$."
    yield r"Put $f_0 = f$ and $f_k = f_{k-1}' - a_k f_{k-1}$, where $a_1 \le a_2 \le \dots$ are the exponents"
    yield "of $f$, each as often as its polynomial has coefficients:\n"
    for k, link in enumerate(found):
        yield (
            rf"{HANGING}$f_{{{k}}} = {_polynomial(link.function)}$, \quad "
            rf"$f_{{{k}}}({start}) = {_polynomial(link.value)} \ge 0$, \quad "
            f"$a_{{{k + 1}}} = {_number(link.exponent)}$;\n"
        )
    yield rf"and $f_{{{count}}} = 0$."
    yield rf"For $k = {count}, \dots, 1$ in turn, $f_k \ge 0$ gives $f_{{k-1}} \ge 0$:"
    yield (
        rf"\[ f_{{k-1}}(\varepsilon) = e^{{a_k {from_start}}} \left( f_{{k-1}}({start}) + "
        rf"\int_{{{start}}}^\varepsilon e^{{-a_k {to_start}}} f_k(s) \, ds \right) \ge 0. \]"
    )
    yield r"Hence $f = f_0 \ge 0$. \hfill q.e.d."
