"""A progress display for work that takes longer than a second, on the stderr of a terminal."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from dipc.clock import how_far

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before a bar appears


class Bar:
    """``with Bar("reading svt1") as bar: work(progress=bar.show)``.

    A timer opens the display, so that a single long step is announced as well.
    """

    def __init__(self, doing: str, patience: float = PATIENCE) -> None:
        self.doing = doing
        self._stages: dict[str, tuple[int, int | None]] = {doing: (0, None)}
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.RLock()
        self._timer = threading.Timer(patience, self._open)
        self._timer.daemon = True

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            if self._progress is not None:
                self._progress.stop()
                self._progress = None
            self._stages.clear()

    def show(self, stage: str, done: int, total: int | None) -> None:
        """Report ``done`` of ``total`` steps of a stage; None: the total is unknown."""
        with self._lock:
            self.doing = how_far(stage, done, total)
            self._stages[stage] = done, total
            if self._progress is not None:
                self._draw(self._progress, stage)

    def _draw(self, progress: Progress, stage: str) -> None:
        done, total = self._stages[stage]
        if stage not in self._tasks:
            self._tasks[stage] = progress.add_task(stage, total=total)
        progress.update(self._tasks[stage], completed=done, total=total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with self._lock:
            if not self._stages:  # the work has ended in the meantime
                return
            progress = Progress(*columns, console=Console(stderr=True), transient=True)
            for stage in self._stages:
                self._draw(progress, stage)
            progress.start()
            self._progress = progress
