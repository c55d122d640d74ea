"""The figure of a mechanism: panels of its privacy loss, its privacy profile, a pair of distributions, a
counterexample.

:func:`plot_mechanism` puts panels side by side; a report takes each for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from flint import fmpq

import dipc.views as views
from dipc.dipwhile.convert import Inputs, PythonValue
from dipc.errors import DipcError, InputError, LimitReached
from dipc.mechanisms import Mechanism
from dipc.numbers.exact import Number
from dipc.report.canvas import Panel, sheet
from dipc.report.curve_panels import SHOWN_DIGITS, View, loss_panels, profile_panels, region_panels
from dipc.report.law_panels import law_panels
from dipc.report.sampling import Range, as_float, beginning, float_end, fmpq_of, refuse_file
from dipc.report.study import Attempts, Study, Subject, study
from dipc.report.words import nice, program_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FARTHEST = fmpq(10)  # of an axis whose end nothing chooses

PANELS: dict[str, tuple[str, Callable[[Study, View], Iterator[Panel]]]] = {
    "loss": ("loss", loss_panels),
    "profile": ("profile", profile_panels),
    "distributions": ("laws", law_panels),
    "region": ("verdict", region_panels),
}
"""What to plot: the part of a study that it needs, and how to draw it."""

WHAT = tuple(PANELS)


def plot_mechanism(
    mechanism: Mechanism,
    what: str = "all",
    claim: str | None = None,
    *,
    pair: Sequence[Inputs] | None = None,
    at: PythonValue | None = None,
    budgets: str | None = None,
    low: Number | None = None,
    high: Number | None = None,
    log: bool | None = None,
    digits: int = SHOWN_DIGITS,
    attempts: Attempts | None = None,
) -> Figure:
    """A figure with a panel for each thing to see.

    ``what`` is ``"loss"`` (the privacy loss against the claim), ``"profile"`` (the least delta for each
    eps), ``"distributions"`` (of the counterexample's pair, or of the pair that needs the greatest t),
    ``"region"`` (a counterexample and where it breaks the claim), or ``"all"`` that there is.  ``at`` is the
    eps of the distributions; ``budgets`` replaces the eps range of the claim; the axis goes from ``low`` to
    ``high``.  A part that takes too long is left out and listed in ``attempts.notes``.
    """
    refuse_file(what)
    if what not in (*WHAT, "all"):
        raise InputError(f"there is no plot of `{what}`", hint=f"one of: {', '.join((*WHAT, 'all'))}")
    attempts = attempts or Attempts()
    if what != "all":
        attempts.strict = True
    wanted = WHAT if what == "all" else (what,)
    found = study(Subject(mechanism, claim, pair, at, budgets), attempts, [PANELS[one][0] for one in wanted])
    view = View(axis_of(found, low, high, log), high is not None, digits, alone=what != "all")
    panels = [panel for one in wanted for panel in PANELS[one][1](found, view)]
    if not panels:
        raise _nothing(found, what, attempts)
    return sheet(panels, _heading(found))


@views.plot.register(Mechanism)
def _of_mechanism(mechanism: Mechanism, low: Any = None, high: Any = None, **options: Any) -> Figure:
    return plot_mechanism(mechanism, low=low, high=high, **options)


def panels_of(found: Study) -> list[Panel]:
    """All panels that there are."""
    view = View(axis_of(found, None, None, None))
    return [panel for _, panels in PANELS.values() for panel in panels(found, view)]


def _nothing(found: Study, what: str, attempts: Attempts) -> DipcError:
    if what == "region" and found.verdict is not None:
        return InputError(
            f"there is no region to plot: the verdict is {found.verdict.status}",
            hint="try `loss`, or a smaller claim such as eps/2",
        )
    if attempts.notes:
        note = attempts.notes[0]
        return LimitReached(f"there is nothing to plot: {note.part}: {note.why}")
    if found.goal is None:
        return InputError(
            f"{found.name}: the program makes no claim", hint="give one, for example the claim `eps`"
        )
    return InputError("there is nothing to plot: no output distinguishes any two adjacent inputs")


def _heading(found: Study) -> str:
    head = program_title(found.name, found.subject.mechanism.parameters)
    if found.verdict is None:
        return head
    return f"{head}\nclaim: {nice(str(found.goal))}: {found.verdict.status.upper()}"


def axis_of(found: Study, low: Number | None, high: Number | None, log: bool | None) -> Range:
    """The eps to be shown: as asked, or those of the claim, or up to a little beyond the broken ones."""
    budgets = found.subject.budgets
    start = beginning(low, fmpq(0) if budgets.is_point else budgets.low, log)
    if high is not None:
        return Range.of(start, high, log)
    if budgets.is_point:
        return Range.of(start, 2 * budgets.low, log)
    if budgets.high is not None:
        return Range.of(start, budgets.high, log)
    ends = [end for r in (found.regions.regions if found.regions else ()) for end in (r.low, r.high)]
    finite = [fmpq_of(float_end(end)) for end in ends if end is not None]
    far = max([fmpq(ceil(3 * as_float(max(finite)))), found.point]) if any(finite) else FARTHEST
    # The axis is linear unless the user asks otherwise: the claim is a straight line there.
    return Range.of(start, max(far, 2 * budgets.low, 2 * found.point), log or False)
