"""Settings and fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import hypothesis
import pytest

# The same examples in every run, unless a test says otherwise.
hypothesis.settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("fixed")

gc.disable()  # while thousands of tests are collected; what they consist of is never garbage


def pytest_collection_finish() -> None:
    """The garbage collector passes over the tests, and comes less often: a sixth of the time was its own."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that tests start find Python's files compiled, and write nothing into the checkout."""
    with pytest.MonkeyPatch.context() as patch:
        if "PYTHONPYCACHEPREFIX" not in os.environ:
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield
