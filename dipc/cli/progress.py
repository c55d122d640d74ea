"""A progress bar for work that takes longer than a second: on stderr, and only on a terminal."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before a bar appears


class Bar:
    """``with Bar() as bar: work(progress=bar.show)``."""

    def __init__(self) -> None:
        self._start = monotonic()
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, stage: str, done: int, total: int | None) -> None:
        """``done`` of ``total`` steps of a stage are finished; None: nobody knows of how many."""
        if self._progress is None:
            if not sys.stderr.isatty() or monotonic() - self._start < PATIENCE:
                return
            self._progress = self._open()
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)

    @staticmethod
    def _open() -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress
