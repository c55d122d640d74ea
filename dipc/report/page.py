"""What the pages of all systems share: one file of HTML that loads nothing and runs no script.

A page forbids itself scripts and connections (``Content-Security-Policy``).  Its plots need matplotlib
(``pip install '.[report]'`` in dipc's folder).
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from io import StringIO
from pathlib import Path, PurePath

from dipc.claims.rows import Node
from dipc.claims.wording import pretty
from dipc.errors import InputError
from dipc.report.attempts import Note
from dipc.report.canvas import MissingPackage, Panel, sheet
from dipc.report.document import html, plain_document, typeset
from dipc.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LARGEST = 200_000  # bytes of a file that the page carries
FOOT = (
    f"Made by dipc {__version__}, which decides differential privacy exactly. "
    "This page is one file: it loads nothing and runs no script."
)
PANEL = (5.6, 4.2)  # inches: still to be read on a phone

INKS = {
    "#1c2126": "ink",
    "#e6e9ec": "line",
    "#c9ced4": "line",
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


@dataclass(frozen=True, slots=True)
class Answer:
    """What the box of a verdict shows, in the colour ``tone``: the verdict, the claim, and notes."""

    status: str
    tone: str
    claim: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Download:
    """A file in the page, or the command that writes it if ``href`` is None."""

    name: str
    about: str
    size: str
    href: str | None
    command: str


def download(name: str, about: str, data: bytes, command: str) -> Download:
    """A file; only its command if it is too large for the page."""
    size = f"{len(data) / 1024:.0f} KiB" if len(data) >= 10_240 else f"{len(data)} bytes"
    href = data_uri(data, "application/octet-stream") if len(data) <= LARGEST else None
    return Download(name, about, size, href, command)


# --- pages ---------------------------------------------------------------------------------------


def page(title: str, about: str, answers: Sequence[Answer], sections: Iterable[str]) -> str:
    """A page as text; ``about`` is a line below the title, the sections are HTML."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    status = ", ".join(dict.fromkeys(answer.status for answer in answers))
    content = "".join(sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(f'{title}: {status}')}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{escape(title)}</h1>\n<p class="meta">{escape(about)}</p>\n'
        f"{''.join(map(_box, answers))}{_contents(content)}</header>\n<main>\n{content}</main>\n"
        f"<footer><p>{FOOT}</p></footer>\n</body>\n</html>\n"
    )


def _box(answer: Answer) -> str:
    claim = f'<p class="claim">{typeset(pretty(answer.claim))}</p>\n' if answer.claim else ""
    notes = "".join(f'<p class="small">{escape(note)}</p>\n' for note in answer.notes)
    return (
        f'<section class="verdict {answer.tone}" aria-label="Verdict">\n'
        f'<p><span class="badge">{escape(answer.status.capitalize())}</span></p>\n{claim}{notes}</section>\n'
    )


def section(heading: str, content: str) -> str:
    """A part with a heading, to which the contents of the page lead."""
    return f'<h2 id="{plain_stem(heading).lower()}">{escape(heading)}</h2>\n{content}\n'


def _contents(content: str) -> str:
    """Links to the sections."""
    headings = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', content)
    links = " &ensp; ".join(f'<a href="#{place}">{heading}</a>' for place, heading in headings)
    return f'<nav class="small" aria-label="Sections">{links}</nav>\n'


def rows(found: Iterable[Node]) -> str:
    """The rows of a document as a table, which scrolls where it is too wide."""
    return scrolling(html(plain_document(found), typeset))


def scrolling(table: str) -> str:
    """A table, which scrolls where it is too wide."""
    return f'<div class="scroll" tabindex="0">{table}</div>\n'


def plots(panels: Iterable[Panel], prefix: str = "plot") -> str:
    """The panels as figures with their words, side by side where there is room."""
    return f'<div class="plots">\n{"".join(_figures(panels, prefix))}</div>\n'


def _figures(panels: Iterable[Panel], prefix: str) -> Iterator[str]:
    for number, panel in enumerate(panels, start=1):
        caption = f"<b>{escape(panel.title)}.</b> {escape(panel.words)}"
        drawn = plot_svg(panel, f"{prefix}{number}")
        yield f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>\n"


def drawing(svg: str, alt: str) -> str:
    """A drawing as an image, so that its style does not affect the page."""
    image = data_uri(svg.encode(), "image/svg+xml")
    return f'<div class="drawing"><img src="{image}" alt="{escape(alt)}"></div>\n'


def check_again(commands: Iterable[tuple[str, str]], files: Iterable[Download]) -> str:
    """The section with the commands, each with what it does, and the files."""
    boxes = "".join(
        f'<p class="small soft" style="margin-bottom: 0">{escape(about)}</p>\n'
        f'<pre class="box" tabindex="0">{escape(command)}</pre>\n'
        for command, about in commands
    )
    items = "".join(map(_file, files))
    return section("Check it again", f'{boxes}<h3>Files</h3>\n<ul class="files">\n{items}</ul>')


def _file(file: Download) -> str:
    kind, more = 'span class="file"', f": {escape(file.command)}"
    if file.href is not None:
        kind, more = f'a class="file" download="{escape(file.name)}" href="{file.href}"', ""
    name = f"<{kind}>{escape(file.name)}</{kind.split()[0]}>"
    return f'<li>{name}&ensp;<span class="soft small">{file.size} · {escape(file.about)}{more}</span></li>\n'


def left_out(notes: Sequence[Note]) -> str:
    """The parts that the page lacks."""
    reasons = {note.part: note.why for note in notes}  # one for each part
    items = "".join(f"<li>{escape(part)}: {escape(why)}</li>\n" for part, why in reasons.items())
    return f'<div class="left-out">\n<h3>Left out</h3>\n<ul>\n{items}</ul>\n</div>\n' if notes else ""


# --- parts of pages ------------------------------------------------------------------------------


def load() -> None:
    """Load what a page needs, once: parts run in processes of their own, which keep what they load.

    Raises :class:`MissingPackage`.
    """
    try:
        for name in ("matplotlib", "matplotlib.backends.backend_svg", "matplotlib.figure"):
            import_module(name)
    except ImportError as error:
        raise MissingPackage(f"reports need {error.name}", hint="pip install matplotlib") from None


def plot_svg(panel: Panel, prefix: str) -> str:
    """The panel as an ``<svg>`` element with the colours of the page; its ids begin with the prefix."""
    import matplotlib

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
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def data_uri(data: bytes, kind: str) -> str:
    """A file as an address."""
    return f"data:{kind};base64,{b64encode(data).decode()}"


# --- names of files ------------------------------------------------------------------------------


def target_of(name: str, file: str | Path | None) -> Path:
    """The file of a page about what is called ``name``; raises :class:`InputError` for that itself."""
    target = Path(file or ("report.html" if name.startswith("<") else f"{plain_stem(name)}.html"))
    refuse_no_page(target)
    if target.exists() and Path(name).exists() and target.samefile(name):
        raise InputError(f"{target}: this is what the page is about", hint="write to another file")
    return target


def refuse_no_page(target: Path) -> None:
    """Raise :class:`InputError` for the name of another kind of file."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target}: a report is a page of HTML", hint=f'for example "{target.stem}.html"')


def plain_stem(name: str) -> str:
    """A file name without special characters.

    >>> plain_stem("programs/svt/svt1.dip"), plain_stem("<text>")
    ('svt1', 'text')
    """
    stem = re.sub(r"[^\w.-]+", "_", PurePath(name).stem, flags=re.ASCII).strip("._-")
    return stem or "program"
