"""The languages one can export to, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dipc.claims.verdict import Verdict
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.export.coq.theorems import coq
from dipc.export.drawing import dot, svg
from dipc.export.latex import latex
from dipc.export.mathematica import mathematica
from dipc.export.questions import ClaimExport, Picture
from dipc.export.sage import sage
from dipc.export.smtlib import smtlib
from dipc.export.storm import drn, prism

QUESTIONS: Mapping[str, Callable[[ClaimExport], str]] = {
    export.__name__: export for export in (mathematica, sage, smtlib, latex)
}
"""They speak of a claim."""

VERDICTS: Mapping[str, Callable[[CoreProgram, Verdict], str]] = {"coq": coq}
"""They speak of a verdict on a claim."""


CHAINS: Mapping[str, Callable[[Picture], str]] = {"dot": dot, "svg": svg, "drn": drn, "prism": prism}
"""They speak of the chain on one input."""
