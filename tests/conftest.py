"""Settings and fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from patience import PATIENCE

from dipc import child
from dipc.numbers import polynomial

HERE = Path(__file__).parent
HELPERS = (path for path in HERE.rglob("*.py") if not path.name.startswith("test_"))
# A system for tests/test_systems.py, which puts it into a copy of the package; and what has no doctests: it
# would be loaded a second time, under another name.
collect_ignore = ["die", *(str(path) for path in HELPERS if ">>> " not in path.read_text(encoding="utf-8"))]

# The same examples in every run, unless a test says otherwise.
hypothesis.settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("fixed")

gc.disable()  # while thousands of tests are collected; what they consist of is never garbage


def pytest_collection_finish() -> None:
    """The garbage collector passes over the tests and comes less often: it took about a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that tests start find Python's files compiled, and write nothing into the checkout.

    All workers share the folder, else each would compile sympy and matplotlib for itself.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        if "PYTHONPYCACHEPREFIX" not in os.environ:
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "compiled"))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture
def between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time limits are looked at between steps only: with ``--time-limit 0`` programs are read."""
    monkeypatch.setattr(child, "GRACE", PATIENCE)


@pytest.fixture
def force(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let small degrees be great ones: other bounds."""

    def force(**bounds: int) -> None:
        for name, bound in bounds.items():
            monkeypatch.setattr(polynomial, name, bound)

    return force
