"""The languages one can export to, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dipc.claims.verdict import Verdict
from dipc.dipwhile.export.coq.theorems import coq
from dipc.dipwhile.export.drawing import dot, svg
from dipc.dipwhile.export.latex import latex
from dipc.dipwhile.export.mathematica import mathematica
from dipc.dipwhile.export.questions import ClaimExport, Picture
from dipc.dipwhile.export.sage import sage
from dipc.dipwhile.export.smtlib import smtlib
from dipc.dipwhile.export.storm import drn, prism
from dipc.dipwhile.syntax.core import CoreProgram

QUESTIONS: Mapping[str, Callable[[ClaimExport], str]] = {
    export.__name__: export for export in (mathematica, sage, smtlib, latex)
}
"""They speak of a claim."""

VERDICTS: Mapping[str, Callable[[CoreProgram, Verdict], str]] = {"coq": coq}
"""They speak of a verdict on a claim."""


CHAINS: Mapping[str, Callable[[Picture], str]] = {"dot": dot, "svg": svg, "drn": drn, "prism": prism}
"""They speak of the chain on one input."""
