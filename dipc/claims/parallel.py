"""Inequalities decided in several processes, with the answers and the order of one process.

Polynomials of flint hold Python's global lock: processes are used instead of threads.  What travels between
them are functions of eps (dictionaries of rationals, no flint polynomials, which cannot be pickled).  The
answers come in the order in which they are asked for, and whoever asks may stop early.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from dipc.claims.privacy import Checked, PrivacyInequalities, SignOracle
from dipc.claims.verdict import Goal
from dipc.errors import InputError
from dipc.models.laws import Vector

Laws = tuple[Vector, Vector]

CHUNK = 256  # pairs of vectors that a process is given at a time


def examined(comparison: PrivacyInequalities, laws: Sequence[Laws], jobs: int) -> Iterator[list[Checked]]:
    """What :meth:`PrivacyInequalities.examine` answers for each of these pairs of vectors, in their order.

    Raises :class:`InputError` if several processes are asked for and joblib is not installed.
    """
    if jobs < 1:
        raise InputError(f"the number of jobs must be positive, not {jobs}")
    if jobs == 1:
        return (comparison.examine(left, right) for left, right in laws)
    return _in_processes(comparison.goal, laws, jobs)


def _in_processes(goal: Goal, laws: Sequence[Laws], jobs: int) -> Iterator[list[Checked]]:
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise InputError(
            "several jobs need the package joblib, which is not installed",
            hint="pip install joblib, or leave the option --jobs out",
        ) from None
    size = min(CHUNK, len(laws) // jobs + 1)
    chunks = (laws[i : i + size] for i in range(0, len(laws), size))
    results = Parallel(n_jobs=jobs, return_as="generator")(delayed(_work)(goal, chunk) for chunk in chunks)
    try:
        for answers in results:
            yield from answers
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that tasks are cancelled is what is wanted
            results.close()


def _work(goal: Goal, laws: Sequence[Laws]) -> list[list[Checked]]:
    """What one process does."""
    comparison = PrivacyInequalities(goal, SignOracle(goal.budgets))
    return [comparison.examine(left, right) for left, right in laws]
