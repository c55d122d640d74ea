"""How a result with a document shows itself: at the prompt, in print, as a table, and to programs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import dipc.views as views
from dipc.claims.rows import record
from dipc.report.document import Document, html, text


def register(kind: type, brief: Callable[[Any], str], document: Callable[[Any], Document]) -> None:
    """Show results of a kind by their documents."""
    views.short.register(kind, brief)
    views.text.register(kind, lambda found: text(document(found)))
    views.html.register(kind, lambda found: html(document(found)))
    views.record.register(
        kind, lambda found: record(chain.from_iterable(section.rows for section in document(found)))
    )
