"""How results show themselves: in a line at the prompt, as text in print, as tables in a notebook.

Tables are plain and take their colours from the page, light or dark.  Formulas are HTML too, so that they
need no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import assert_never

import dipc.dipwhile.records.every_size as sizes
import dipc.views as views
from dipc.claims.claim import Witness
from dipc.claims.exponent import exponent_text
from dipc.claims.rows import Row
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.tightness.greatest import Accuracy, Expectation
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Regions
from dipc.claims.verdict import Verdict
from dipc.claims.wording import Line
from dipc.dipwhile.allsizes.answer import AllSizesAnswer
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.editors.words import COMMENT, CONTROL, DECLARATIONS, LOGIC, words
from dipc.dipwhile.explain.explanation import Explanation
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.records.explanation import explanation_document
from dipc.dipwhile.semantics.chain import Chain
from dipc.models.values import show_valuation, valuation_text
from dipc.numbers.function import FunctionOfEps
from dipc.report.document import Document, plain_document, table
from dipc.report.greatest import accuracy_rows, expectation_rows
from dipc.report.notebook import register
from dipc.report.tightness import Tight, enclosure, rows_of, where
from dipc.report.words import pair_text, program_title, verdict_rows
from dipc.signs.ends import shown, union

MOST_ROWS = 60
MOST_TERMS = 24  # of a formula in a table

CODE = re.compile(rf"(?P<comment>{COMMENT})|{words((*DECLARATIONS, *CONTROL, *LOGIC))}")


def formula(f: FunctionOfEps) -> str:
    """A function, or its size if it is very long."""
    count = str(f).count("exp(")
    return f.html() if count <= MOST_TERMS else f"(a function with {count} exponentials)"


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
def _mechanism(mechanism: Mechanism) -> str:
    settings = program_title("", mechanism.parameters)[1:]
    heading = f"<b>{escape(mechanism.source.name)}</b>{escape(settings)}"
    return f"<div>{heading}</div>\n<pre>{code(mechanism.source.text)}</pre>"


def code(text: str) -> str:
    """The program with bold keywords and pale comments; colours come from the page."""
    pale = '<span style="opacity: 0.6">{}</span>'
    shown = escape(text.strip("\n"), quote=False)
    return CODE.sub(lambda found: (pale if found["comment"] else "<b>{}</b>").format(found[0]), shown)


@views.html.register
def _chain(chain: Chain) -> str:
    nodes = _listing(((str(node), node.mass) for node in chain.nodes), ("state", "probability of being here"))
    return f"<div>{escape(repr(chain).strip('<>'))}</div>\n{nodes}"


def verdict_document(found: Verdict) -> Document:
    """The document of a verdict, with its notes."""
    return plain_document((*verdict_rows(found), *(Row("note", note) for note in found.notes)))


def document_of(found: Tight | Explanation) -> Document:
    """The document of a result."""
    return explanation_document(found) if isinstance(found, Explanation) else plain_document(rows_of(found))


def brief(found: Tight | Explanation) -> str:
    """A result in one line, for the prompt."""
    match found:
        case LeastEpsilon(_, least, witnesses):
            spots = [where(spot, least.attained) for spot, _ in witnesses[:1]]
            return f"LeastEpsilon({', '.join([f't={enclosure(least)}', *spots])})"
        case Profile():
            return f"Profile({exponent_text(found.epsilon)}: delta={enclosure(found.least)})"
        case Curve():
            count = len(found.segments)
            return f"Curve({count} segment{'s' * (count != 1)})"
        case Regions():
            return f"Regions(broken for {union(list(map(shown, found.regions))) or 'no eps'})"
        case Explanation():
            outputs = valuation_text(found.outputs[0]) + " or ..." * (len(found.outputs) > 1)
            inputs = pair_text(found.input, found.neighbour)
            return f"Explanation({inputs}, output {outputs}, eps = {found.eps})"
        case _:
            assert_never(found)


views.record.register(Distribution, lambda law: {"distribution": law.records()})
for _kind in (LeastEpsilon, Profile, Curve, Regions, Explanation):
    register(_kind, brief, document_of)
register(Verdict, repr, verdict_document)
register(Witness, repr, lambda found: plain_document(found.rows()))
register(AllSizesAnswer, sizes.brief, lambda found: plain_document(sizes.answer_rows(found)))
views.html.register(AllSizesAnswer, sizes.answer_html)
register(
    Accuracy,
    lambda found: f"Accuracy(beta={enclosure(found.least)})",
    lambda found: plain_document(accuracy_rows(found)),
)
register(
    Expectation,
    lambda found: f"Expectation({len(found.values)} input{'s' * (len(found.values) != 1)})",
    lambda found: plain_document(expectation_rows(found)),
)
