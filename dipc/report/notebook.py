"""HTML views for notebooks: plain tables that take their colours from the page, light or dark.

Formulas are HTML too, so that they need no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

import dipc.views as views
from dipc.claims.claim import Witness
from dipc.claims.counterexample import Counterexample
from dipc.claims.verdict import Undecided, Verdict
from dipc.claims.wording import Line, pretty
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.semantics.chain import Chain
from dipc.editors.words import COMMENT, CONTROL, DECLARATIONS, LOGIC, words
from dipc.mechanisms import Mechanism
from dipc.models.values import show_valuation
from dipc.numbers.function import FunctionOfEps
from dipc.report.document import table
from dipc.report.words import checked, doubt_lines, sign

COLOURS = {"✓": "#0a8f5b", "✗": "#d55e00", "?": "#b07d00"}
MOST_ROWS = 60
MOST_TERMS = 24  # of a formula in a table

CODE = re.compile(rf"(?P<comment>{COMMENT})|{words((*DECLARATIONS, *CONTROL, *LOGIC))}")


def formula(f: FunctionOfEps) -> str:
    """A function, or its size if it is very long."""
    text = f.html()
    if str(f).count("exp(") <= MOST_TERMS:
        return text
    return f"(a function with {str(f).count('exp(')} exponentials)"


@views.html.register
def _distribution(law: Distribution) -> str:
    return _listing(((show_valuation(output), p) for output, p in law.items()), ("output", "probability"))


def _listing(items: Iterable[tuple[str, FunctionOfEps]], head: Line) -> str:
    """A table of functions of eps, or of the first of them."""
    named = list(items)
    rows = [(escape(name), formula(f)) for name, f in named[:MOST_ROWS]]
    if len(named) > MOST_ROWS:
        rows.append((f"and {len(named) - MOST_ROWS} more", ""))
    return table(rows, head)


@views.html.register
def _witness(found: Witness) -> str:
    return table(_witness_rows(found))


def _rows(found: Counterexample) -> Iterable[Line]:
    yield "input u", escape(show_valuation(found.input))
    yield "neighbour u′", escape(show_valuation(found.neighbour))
    yield (
        "outputs" if len(found.outputs) > 1 else "output",
        escape(" or ".join(map(show_valuation, found.outputs))),
    )
    yield "budget", f"ε = {found.epsilon}"
    for name, f in (
        ("P(u)", found.probability),
        ("P(u′)", found.neighbour_probability),
        ("bound", found.bound),
        ("excess", found.excess),
    ):
        yield name, f"{f.decimal(found.epsilon)} &nbsp;=&nbsp; {formula(f)}"
    if found.violated_for:
        yield "broken for", escape(dict(found.lines())["broken for"])


def _witness_rows(found: Witness) -> Iterable[Line]:
    if isinstance(found, Counterexample):
        return _rows(found)
    return ((escape(heading), escape(text)) for heading, text in found.lines())


@views.html.register
def _verdict(verdict: Verdict) -> str:
    answer = f'<b style="color: {COLOURS[sign(verdict)]}">{sign(verdict)} {verdict.status}</b>'
    rows = [(answer, escape(pretty(str(verdict.claim)))), ("checked", escape(checked(verdict.counts)))]
    if verdict.counterexample is not None:
        rows += _witness_rows(verdict.counterexample)
    if isinstance(verdict, Undecided):
        rows += [
            (escape(head), escape(text)) for head, text in (("reason", verdict.reason), *doubt_lines(verdict))
        ]
    rows += [("note", escape(note)) for note in verdict.notes]
    return table(rows)


@views.html.register
def _mechanism(mechanism: Mechanism) -> str:
    settings = ", ".join(f"{name} = {value}" for name, value in mechanism.parameters.items())
    heading = f"<b>{escape(mechanism.program.source.name)}</b>" + (
        f" ({escape(settings)})" if settings else ""
    )
    return f"<div>{heading}</div>\n<pre>{_code(mechanism.program.source.text)}</pre>"


def _code(text: str) -> str:
    """The program with bold keywords and pale comments; colours come from the page."""

    def marked(found: re.Match[str]) -> str:
        if found["comment"]:
            return f'<span style="opacity: 0.6">{found[0]}</span>'
        return f"<b>{found[0]}</b>"

    return CODE.sub(marked, escape(text.strip("\n"), quote=False))


@views.html.register
def _chain(chain: Chain) -> str:
    nodes = _listing(((str(node), node.mass) for node in chain.nodes), ("state", "probability of being here"))
    return f"<div>{escape(repr(chain).strip('<>'))}</div>\n{nodes}"
