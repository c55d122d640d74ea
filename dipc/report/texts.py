"""Documents of tightness and explanations: short at the prompt, whole in print, tables in a notebook."""

from __future__ import annotations

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


for _kind in (LeastEpsilon, Profile, Curve, Regions, Explanation):
    views.text.register(_kind, lambda found: text(document_of(found)))
    views.html.register(_kind, lambda found: html(document_of(found)))


@views.short.register
def _budget(found: LeastEpsilon) -> str:
    spots = [where(spot, found.least.attained) for spot, _ in found.witnesses[:1]]
    return f"LeastEpsilon({', '.join([f't={enclosure(found.least)}', *spots])})"


@views.short.register
def _profile(found: Profile) -> str:
    return f"Profile({epsilon_text(found.t)}: delta={enclosure(found.least)})"


@views.short.register
def _curve(found: Curve) -> str:
    count = len(found.segments)
    return f"Curve({count} segment{'s' * (count != 1)})"


@views.short.register
def _regions(found: Regions) -> str:
    return f"Regions(broken for {' or '.join(map(region_words, found.regions)) or 'no eps'})"


@views.short.register
def _explanation(found: Explanation) -> str:
    outputs = valuation_text(found.outputs[0]) + " or ..." * (len(found.outputs) > 1)
    inputs = pair_text(found.input, found.neighbour)
    return f"Explanation({inputs}, output {outputs}, eps = {found.eps})"
