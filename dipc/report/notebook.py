"""How a result with a document shows itself: in a line at the prompt, as text in print, as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dipc.views as views
from dipc.report.document import Document, html, text


def register(kind: type, brief: Callable[[Any], str], document: Callable[[Any], Document]) -> None:
    """Show results of a kind by their documents."""
    views.short.register(kind, brief)
    views.text.register(kind, lambda found: text(document(found)))
    views.html.register(kind, lambda found: html(document(found)))
