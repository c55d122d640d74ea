"""Documents of tightness and explanations: short at the prompt, whole in print, tables in a notebook."""

from __future__ import annotations

from typing import assert_never

import dipc.views as views
from dipc.claims.regions import region_words
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.regions import Regions
from dipc.dipwhile.explain.explanation import Explanation
from dipc.models.values import valuation_text
from dipc.report.document import Document, html, plain_document, text
from dipc.report.explanation import explanation_document
from dipc.report.tightness import Tight, enclosure, epsilon_text, rows_of, where
from dipc.report.words import pair_text


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
            return f"Profile({epsilon_text(found.t)}: delta={enclosure(found.least)})"
        case Curve():
            count = len(found.segments)
            return f"Curve({count} segment{'s' * (count != 1)})"
        case Regions():
            return f"Regions(broken for {' or '.join(map(region_words, found.regions)) or 'no eps'})"
        case Explanation():
            outputs = valuation_text(found.outputs[0]) + " or ..." * (len(found.outputs) > 1)
            inputs = pair_text(found.input, found.neighbour)
            return f"Explanation({inputs}, output {outputs}, eps = {found.eps})"
        case _:
            assert_never(found)


for _kind in (LeastEpsilon, Profile, Curve, Regions, Explanation):
    views.short.register(_kind, brief)
    views.text.register(_kind, lambda found: text(document_of(found)))
    views.html.register(_kind, lambda found: html(document_of(found)))
