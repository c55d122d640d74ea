"""What all pages of HTML share: one file that loads nothing and runs no script, with plots inside."""

from __future__ import annotations

import re
from base64 import b64encode
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from dipc.errors import InputError
from dipc.report.canvas import Panel, sheet

if TYPE_CHECKING:
    from markupsafe import Markup

STYLES = Path(__file__).parent / "templates"
PANEL = (5.6, 4.2)  # inches: still to be read on a phone  # inches: still to be read on a phone

INKS = {
    "#000000": "ink",
    "#262626": "ink",
    "#dddddd": "line",
    "#0072b2": "blue",
    "#d55e00": "red",
    "#009e73": "green",
    "#cc79a7": "pink",
    "#e69f00": "orange",
    "#56b4e9": "sky",
    "#777777": "grey",
    "#ffffff": "paper",
}
"""The colours of plots and the CSS variables that replace them, which differ in dark mode."""


def refuse_no_page(target: Path) -> None:
    """Raise :class:`InputError` for the name of another kind of file."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target}: a report is a page of HTML", hint=f'for example "{target.stem}.html"')


def marked(html: str) -> Markup:
    """HTML of our own, which the template must not escape."""
    from markupsafe import Markup

    return Markup(html)


def plot_svg(panel: Panel, prefix: str) -> Markup:
    """The panel as an ``<svg>`` element with the colours of the page; its ids begin with the prefix."""
    import matplotlib
    from markupsafe import escape

    data = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": prefix}):
        sheet([panel], size=PANEL, titles=False).savefig(
            data, format="svg", metadata=nothing, transparent=True
        )
    text = data.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda ink: f"var(--{INKS[ink[0]]})" if ink[0] in INKS else ink[0], text)
    label = escape(f"{panel.title}. {panel.words}")
    text = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', r"<svg \1", text, count=1)
    return marked(text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def data_uri(data: bytes, kind: str) -> str:
    """A file as an address."""
    return f"data:{kind};base64,{b64encode(data).decode()}"
