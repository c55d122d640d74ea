"""The page about a Markov model and a formula: the verdict, its witness, plots over eps, and a picture.

One file that loads nothing and runs no script, like :mod:`dipc.report.page`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import count
from pathlib import Path, PurePath
from typing import Any

import dipc.views as views
from dipc.child import held
from dipc.claims.wording import pretty
from dipc.clock import Clock
from dipc.dpctl.formula import Property
from dipc.dpctl.model import MarkovModel, describe
from dipc.dpctl.panels import panels_of, plot_model
from dipc.dpctl.picture import svg
from dipc.dpctl.records import rows_of, state_rows
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import InputError
from dipc.files import write_file
from dipc.report.canvas import Panel
from dipc.report.document import html, plain_document
from dipc.report.page import STYLES, data_uri, plot_svg, refuse_no_page
from dipc.suggest import options_only
from dipc.version import __version__

MOST_STATES = 60  # of a model that is drawn and listed
TONES = {"holds": "private", "fails": "violated", "undecided": "undecided"}  # the colours of the page
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@options_only
def report_model_html(
    model: MarkovModel,
    formula: str | Property,
    *,
    title: str | None = None,
) -> str:
    """The page as text.  Raises :class:`InputError` for what is wrong in the formula.

    A limit that runs out raises :class:`LimitReached`.
    """
    return held(Clock(), lambda: _written(model, formula, title))


def _written(model: MarkovModel, formula: str | Property, title: str | None) -> str:
    verdict = model.check(formula)
    heading = escape(title or PurePath(model.name).name.strip("<>"))
    style = (STYLES / "report.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}: {verdict.status}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{heading}</h1>\n<p class="meta">{escape(describe(model.model))}</p>\n'
        f"{''.join(_verdict(verdict))}</header>\n<main>\n{''.join(_sections(model, verdict))}</main>\n"
        f"<footer><p>dipc {__version__}</p></footer>\n</body>\n</html>\n"
    )


def _verdict(verdict: ModelVerdict) -> Iterator[str]:
    yield f'<section class="verdict {TONES[verdict.status]}" aria-label="Verdict">\n'
    yield f'<p><span class="badge">{verdict.status.capitalize()}</span></p>\n'
    yield f'<p class="claim mono">{escape(pretty(verdict.property.text))}</p>\n'
    yield from (f'<p class="small">{escape(note)}</p>\n' for note in verdict.notes)
    yield "</section>\n"


def _sections(model: MarkovModel, verdict: ModelVerdict) -> Iterator[str]:
    yield f"<h2>The answer</h2>\n{html(plain_document(rows_of(verdict)))}\n"
    if not verdict.property.eps_range.is_point:
        plots = "".join(map(_figure, panels_of(model, verdict), count(1)))
        yield f'<h2>Over ε</h2>\n<div class="plots">\n{plots}</div>\n'
    if len(model.model.names) <= MOST_STATES:
        image = data_uri(svg(model.model, verdict.witness).encode(), "image/svg+xml")
        alt = f"The states of {escape(model.name)}, and the steps between them"
        yield f'<h2>The model</h2>\n<div class="drawing"><img src="{image}" alt="{alt}"></div>\n'
        yield f'<div class="scroll">{html(plain_document(state_rows(model)))}</div>\n'


def _figure(panel: Panel, number: int) -> str:
    caption = f"<b>{escape(panel.title)}.</b> {escape(panel.words)}"
    return f"<figure>{plot_svg(panel, f'plot{number}')}<figcaption>{caption}</figcaption></figure>\n"


def _page(
    model: MarkovModel, file: str | Path | None = None, *, formula: str | Property, **options: Any
) -> Path:
    """Write the page; raises :class:`InputError` unless ``file`` is named as one."""
    stem = PurePath(model.name).stem
    target = Path(file or ("report.html" if stem.startswith("<") else f"{stem}.html"))
    refuse_no_page(target)
    if target.exists() and Path(model.name).exists() and target.samefile(model.name):
        raise InputError(f"{target}: this is the model itself", hint="write to another file")
    write_file(target, report_model_html(model, formula, **options))
    return target


views.plot.register(
    MarkovModel,
    lambda model, low=None, high=None, *, formula, **more: plot_model(model, formula, low, high, **more),
)
views.page.register(MarkovModel, _page)
