"""How answers about hidden Markov models show themselves."""

from __future__ import annotations

from dipc.pufferfish.records import KINDS, brief, rows_of
from dipc.report.document import plain_document
from dipc.report.notebook import register

for _answer in KINDS:
    register(_answer, brief, lambda found: plain_document(rows_of(found)))
