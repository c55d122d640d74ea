"""LaTeX of a proof for every size: the theorem, and the coupling argument as a table.

Only ``amsmath`` and ``longtable``, which come with every TeX, are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.verdict import ProvedForAll
from dipc.dipwhile.allsizes.wording import Line, in_words, table
from dipc.dipwhile.export.latex import HANGING, document, escaped, formula, numbered
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

HEADS = ("branch", "inputs", "sample", "moves by", "cost", "budget")
COLUMNS = r"@{}p{.32\linewidth}p{.22\linewidth}lrrr@{}"
ARGUMENT = r"""Run the program on two adjacent inputs $u$ and $u'$. Moving the samples of the run on $u$ as in
the table gives a run on $u'$ that takes the same branches and has the same outputs, and the move is
injective. Densities change at most by the factor $e^{k\varepsilon}$, where $k$ is the sum of the costs along
the run; this never exceeds the budget at the start. Each row has the budget before and after it."""
SIGNS = {"<=": r"$\le$", ">=": r"$\ge$", "!=": r"$\ne$", "<-": r"$\leftarrow$", "<": "$<$", ">": "$>$"}
FRACTION = re.compile(r"(?<![\w/.])(-?)(\d+)/(\d+)(?![\w/.])")


def latex(asked: Question, proved: ProvedForAll) -> str:
    """A document that can be compiled on its own."""
    proof = [ARGUMENT]
    for number, strategy in enumerate(proved.strategies, 1):
        proof += _strategy(proved.automaton, strategy, number if len(proved.strategies) > 1 else None)
    sections = {"Claim": _claim(asked, proved), "Proof": proof}
    return document(asked.source, _program(asked, proved.automaton), sections, ("amsmath", "longtable"))


def _program(asked: Question, automaton: Automaton) -> Iterator[str]:
    settings = ", ".join(_text(setting) for setting in asked.settings)
    yield rf"{f'Parameters: {settings}; inputs' if settings else 'Inputs'}: {_text(automaton.inputs)} \\"
    yield from numbered(asked.program.body)


def _claim(asked: Question, proved: ProvedForAll) -> Iterator[str]:
    t = fmpq(0) if proved.least.high is None else proved.least.high
    epsilon = formula(Quotient(ExpPoly.of(t, 1)))
    every = [r"\varepsilon > 0", *(rf"{size} \ge 1" for size in asked.sizes)]
    yield rf"The program is $\left({epsilon}, 0\right)$-differentially private for all ${', '.join(every)}$."
    if proved.least.exact and t:
        yield "No smaller multiple of $\\varepsilon$ is enough."


def _strategy(automaton: Automaton, strategy: Strategy, number: int | None) -> Iterator[str]:
    yield "" if number is None else rf"\paragraph{{Strategy {number}}}"
    yield f"\n{HANGING}{_text(in_words(automaton, strategy, 'the table'))}.\n"
    yield rf"\begin{{longtable}}{{{COLUMNS}}}"
    yield r"\hline"
    yield f"{' & '.join(HEADS)} \\\\"
    yield r"\hline \endhead"
    before = ""
    for line in table(automaton, strategy):
        if line.place != before:
            yield rf"\multicolumn{{6}}{{@{{}}l}}{{\textit{{{_text(line.place)}}}}} \\"
            before = line.place
        yield f"{' & '.join(_cells(line))} \\\\"
    yield r"\hline"
    yield r"\end{longtable}"


def _cells(line: Line) -> Sequence[str]:
    _, branch, change, sample, shift, cost, before, after = astuple(line)
    budget = _text(before) if before == after else rf"{_text(before)} $\to$ {_text(after)}"
    return [*map(_text, (branch, change.replace(" | ", " or "), sample, shift, cost)), budget]


def _text(text: str) -> str:
    """Words with names, relations and fractions.

    >>> _text("q[i] changes by -1/2, r >= r_T")
    'q[i] changes by $-\\\\tfrac{1}{2}$, r $\\\\ge$ r\\\\_T'
    """
    parts = re.split(r"(<=|>=|!=|<-|<|>)", text)
    shown = "".join(SIGNS.get(part) or escaped(part) for part in parts)
    shown = FRACTION.sub(r"$\1\\tfrac{\2}{\3}$", shown)
    shown = re.sub(r"(?<![\w$-])-(\d+)\b", r"$-\1$", shown)
    return shown.replace("*eps", r"$\varepsilon$").replace("ε", r"$\varepsilon$")
