"""Tightness and explanations as texts: short ones for the prompt, whole ones for ``print``."""

from __future__ import annotations

from collections.abc import Iterator

import dipc.views as views
from dipc.claims.regions import region_words
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.regions import Regions
from dipc.claims.wording import Line
from dipc.dipwhile.explain.explanation import Explanation
from dipc.models.values import valuation_text
from dipc.report.explanation import explanation_text
from dipc.report.tightness import (
    budget_lines,
    curve_lines,
    enclosure,
    epsilon_text,
    profile_lines,
    regions_lines,
    where,
)
from dipc.report.words import aligned

Tight = LeastEpsilon | Profile | Curve | Regions


def lines_of(found: Tight) -> Iterator[Line]:
    """What the terminal prints of a result, line by line."""
    match found:
        case LeastEpsilon():
            return budget_lines(found)
        case Profile():
            return profile_lines(found)
        case Curve():
            return curve_lines(found, "loss" if found.of_loss else "δ(ε)", found.of_loss)
        case Regions():
            return regions_lines(found)


def _text(found: Tight) -> str:
    return "\n".join(line.rstrip() for line in aligned(lines_of(found)))


for _kind in (LeastEpsilon, Profile, Curve, Regions):
    views.text.register(_kind, _text)
views.text.register(Explanation, explanation_text)


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
    inputs = f"{valuation_text(found.input)} against {valuation_text(found.neighbour)}"
    return f"Explanation({inputs}, output {outputs}, eps = {found.eps})"
