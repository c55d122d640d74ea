"""How answers about Markov models show themselves."""

from __future__ import annotations

from dipc.dpctl.model import ModelRegions
from dipc.dpctl.pipeline import ModelValue
from dipc.dpctl.records import brief, rows_of
from dipc.dpctl.verdict import Fails, Holds, Undecided
from dipc.report.document import plain_document
from dipc.report.notebook import register

for _answer in (Holds, Fails, Undecided, ModelValue, ModelRegions):
    register(_answer, brief, lambda found: plain_document(rows_of(found)))
