"""Progress on standard error: two lines that move on a terminal, elsewhere a line every 30 s."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from physgauge.bulk.watch import words
from physgauge.bulk.watch.progress import Progress

PLAIN_S: Final = 30.0


class ProgressLine:
    """Shows where a run stands while it is entered.

    Args:
        look: gives the moment's progress; called from another thread.
        threshold: of TerraVis, below which images are counted.
        console: standard error, unless another one is given.
        every_s: seconds between two lines where it is no terminal.
    """

    def __init__(
        self,
        look: Callable[[], Progress],
        threshold: float,
        console: Console | None = None,
        every_s: float = PLAIN_S,
    ) -> None:
        self._look, self._threshold = look, threshold
        self._console = console or Console(stderr=True)
        self._every_s = every_s
        self._live: Live | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._print_on, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._two_lines,
                console=self._console,
                refresh_per_second=2,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),
            )
            self._live.start()
        else:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        if self._live is not None:
            self._live.stop()
        elif self._thread.is_alive():
            self._thread.join()

    def _two_lines(self) -> RenderableType:
        progress = self._look()
        expected, done = progress.expected, progress.done + progress.in_flight
        bar = ProgressBar(total=expected, completed=done, width=24, pulse=expected is None)
        first = Table.grid(padding=(0, 1))
        share = words.percent(min(1.0, done / expected), "") if expected else ""
        first.add_row(bar, Text(f"{words.place(progress)}  {share}  {words.pace(progress)}"))
        return Group(first, Text("  ".join(words.summary(progress, self._threshold))))

    def _print_on(self) -> None:
        while not self._ending.wait(self._every_s):
            self._console.print(
                Text(words.line(self._look(), self._threshold)), soft_wrap=True, highlight=False
            )
