"""Inequalities decided in several processes, with the answers and the order of one process.

Polynomials of flint hold Python's global lock, so that threads would not help.  Functions of eps travel
between the processes as dictionaries of rationals, since flint polynomials cannot be pickled.  The answers
come in the order of the questions, and the caller may stop early.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from dipc.claims.claim import Checked, Claim, Inequalities
from dipc.claims.oracle import SignOracle
from dipc.errors import InputError
from dipc.models.laws import Vector

Laws = tuple[Vector, Vector]

CHUNK = 256  # pairs of vectors handed to a process at a time


def examined(inequalities: Inequalities, laws: Sequence[Laws], jobs: int) -> Iterator[list[Checked]]:
    """The answers of :meth:`Inequalities.examine` for each of these pairs of vectors, in their order.

    Raises :class:`InputError` if several processes are requested and joblib is not installed.
    """
    if jobs < 1:
        raise InputError(f"the number of jobs must be positive, not {jobs}")
    if jobs == 1:
        return (inequalities.examine(left, right) for left, right in laws)
    return _in_processes(inequalities.claim, laws, jobs)


def _in_processes(claim: Claim, laws: Sequence[Laws], jobs: int) -> Iterator[list[Checked]]:
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise InputError(
            "several jobs need the package joblib, which is not installed",
            hint="pip install joblib, or leave the option --jobs out",
        ) from None
    size = min(CHUNK, len(laws) // jobs + 1)
    chunks = (laws[i : i + size] for i in range(0, len(laws), size))
    results = Parallel(n_jobs=jobs, return_as="generator")(delayed(_work)(claim, chunk) for chunk in chunks)
    try:
        for answers in results:
            yield from answers
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cancelling tasks is intended
            results.close()


def _work(claim: Claim, laws: Sequence[Laws]) -> list[list[Checked]]:
    """The work of one process."""
    inequalities = claim.inequalities(SignOracle(claim.budgets))
    return [inequalities.examine(left, right) for left, right in laws]
