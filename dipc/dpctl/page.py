"""The page about a Markov model and formulas: verdicts with witnesses, plots over eps, and a picture."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

import dipc.views as views
from dipc.certificate.format import dumps
from dipc.child import held
from dipc.clock import Clock
from dipc.dpctl.certify import verdict_certificate
from dipc.dpctl.formula import ALL, Property, Proposition
from dipc.dpctl.model import Formula, MarkovModel, describe
from dipc.dpctl.panels import panels_of, plot_model
from dipc.dpctl.picture import svg
from dipc.dpctl.pipeline import is_symbolic
from dipc.dpctl.records import rows_of, state_rows
from dipc.dpctl.syntax import show
from dipc.dpctl.verdict import ModelVerdict
from dipc.errors import DipcError
from dipc.export.markov import dpm
from dipc.files import write_file
from dipc.report.page import (
    Answer,
    check_again,
    download,
    drawing,
    load,
    page,
    plain_stem,
    plots,
    rows,
    section,
    target_of,
)
from dipc.suggest import options_only

MOST_STATES = 60  # of a model that is drawn and listed
TONES = {"holds": "private", "fails": "violated", "undecided": "undecided"}  # the colours of the page


@options_only
def report_model_html(
    model: MarkovModel,
    formula: Formula | None = None,
    *,
    title: str | None = None,
) -> str:
    """The page as text, by default about the properties of the model's file.

    Raises :class:`InputError` for what is wrong in a formula.  A limit that runs out raises
    :class:`LimitReached`.
    """
    load()
    return held(Clock(), lambda: _written(model, formula, title))


def _written(model: MarkovModel, formula: Formula | None, title: str | None) -> str:
    verdicts = [model.check(each) for each in ([formula] if formula is not None else model.declared())]
    answers = [Answer(found.status, TONES[found.status], _claim(found), found.notes) for found in verdicts]
    heading = title or PurePath(model.name).name.strip("<>")
    return page(heading, describe(model.model), answers, _sections(model, verdicts))


def _claim(found: ModelVerdict) -> str:
    name = found.property.name
    return f"{name}: {found.property.text}" if name else found.property.text


def _sections(model: MarkovModel, verdicts: Sequence[ModelVerdict]) -> Iterator[str]:
    for number, verdict in enumerate(verdicts):
        asked = verdict.property
        yield section(asked.name or "The answer", rows(rows_of(verdict)))
        changes = len(verdicts) == 1 or is_symbolic(model.model, asked.formula)
        if changes and not asked.eps_range.is_point:
            yield f"<h3>Over ε</h3>\n{plots(panels_of(model, verdict), f'plot{number}-')}"
    if len(model.model.names) <= MOST_STATES:
        shown = next((found.witness for found in verdicts if found.witness is not None), None)
        picture = drawing(svg(model.model, shown), f"The states of {model.name}, and the steps between them")
        yield section("The model", f"{picture}{rows(state_rows(model))}")
    yield _again(model, verdicts)


def _again(model: MarkovModel, verdicts: Sequence[ModelVerdict]) -> str:
    """How to check the verdicts with the files of the page, which have all numbers that were set."""
    stem = plain_stem(model.name)
    text = dpm(model.model).encode()
    commands, files = [], [download(f"{stem}.dpm", "the model", text, "dipc model export --to dpm")]
    for verdict in verdicts:
        asked, budgets = verdict.property, verdict.property.eps_range
        formula = _text(asked)
        name = f"{stem}-{asked.name}.json" if asked.name else f"{stem}.json"
        check = shlex.join(["dipc", "model", "check", f"{stem}.dpm", formula])
        check += f" --at {budgets.low}" if budgets.is_point else ""
        commands.append((check, "decide again"))
        try:
            data = dumps(verdict_certificate(verdict, f"{stem}.dpm")).encode()
        except DipcError:  # undecided, or with eps
            continue
        files.append(download(name, "a certificate", data, f"{check} --certificate {name}"))
        verify = shlex.join(["dipc", "verify", name, "--model", f"{stem}.dpm", "--formula", formula])
        expected = " --expect fails" if verdict.status == "fails" else ""
        commands.append((f"{verify}{expected}", "check the certificate against the model"))
    return check_again(commands, files)


def _text(asked: Property) -> str:
    """The formula with its states and its range of eps, as they are written behind it."""
    states = ", ".join(show(Proposition(state)) for state in asked.states or ())
    limited = asked.eps_range != ALL and not asked.eps_range.is_point
    return "".join(
        (asked.text, f" from {states}" if states else "", f" for eps in {asked.eps_range}" if limited else "")
    )


def _page(
    model: MarkovModel, file: str | Path | None = None, *, formula: Formula | None = None, **options: Any
) -> Path:
    """Write the page; raises :class:`InputError` unless ``file`` is named as one."""
    target = target_of(model.name, file)
    write_file(target, report_model_html(model, formula, **options))
    return target


views.plot.register(
    MarkovModel,
    lambda model, low=None, high=None, *, formula=None, **more: plot_model(model, formula, low, high, **more),
)
views.page.register(MarkovModel, _page)
