"""The whole tool: from a program to a verdict.

    text -> syntax tree -> core program -> configurations -> output laws -> inequalities -> verdict

:func:`check` and :func:`distribution` are that path; everything else is inside one of the stages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from flint import fmpq

from dipc.decision.budgets import Budgets
from dipc.decision.inequality import Fails, Method
from dipc.decision.privacy import Comparison, Finding, Findings, Judge, violated_regions
from dipc.decision.roots import Unsettled
from dipc.decision.signs import end_as_text
from dipc.decision.verdict import (
    Counterexample,
    Counts,
    Doubt,
    Goal,
    Private,
    Undecided,
    Valuation,
    Verdict,
    Violated,
)
from dipc.errors import InputError, LimitReached, Span
from dipc.probability.quotient import Quotient
from dipc.semantics.adjacency import InputSpace
from dipc.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.semantics.explore import Explorer, Input, Law
from dipc.semantics.step import Outcome
from dipc.syntax.core import CoreClaim, CoreProgram, Variable
from dipc.syntax.values import Value

Progress = Callable[[str, int, int], None]  # what is being done, done, total


def silent(stage: str, done: int, total: int) -> None:
    """No progress is shown."""
