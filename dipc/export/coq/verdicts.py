"""A verdict as a theorem: its certificate is written, checked by the kernel, and put into Coq's words."""

from __future__ import annotations

from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.claims.verdict import Undecided, Verdict
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import LimitReached, Unsupported
from dipc.export.coq.core import core_theorem
from dipc.export.coq.theorems import theorem
from dipc.kernel import privacy
from dipc.kernel.reading import Refused


def coq(program: CoreProgram, verdict: Verdict) -> str:
    """A file that Coq checks by itself, with nothing of dipc: ``coqc NAME.v``.

    The theorem is about the core of the program, whose laws Coq computes, if it is in the fragment of
    ``Core.v``; else about the listed laws.

    Raises :class:`InputError` if the verdict is not about all adjacent inputs, :class:`LimitReached` if
    nothing was decided within the limits, and :class:`Unsupported` for what the library cannot prove.
    """
    if isinstance(verdict, Undecided):
        raise LimitReached(f"there is no theorem, as the claim is undecided: {verdict.reason}")
    try:
        checked = privacy.check(dumps(certificate(program, verdict)).encode())
    except Refused as refused:
        raise LimitReached(f"there is no theorem, as the certificate would be refused: {refused}") from None
    try:
        return core_theorem(program, checked)
    except Unsupported:
        return theorem(checked)
