"""`python -m tests.watch.session FOLDER UNITS OF PAUSE_S`: a session in a process of its own, to look at,
to interrupt and to kill. Every unit has 20 rows."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

from physgauge.bulk.watch.events import Beat, Waiting
from physgauge.bulk.watch.watched import Wishes, close, watched
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.cost_settings import CostSettings
from tests.watch.rows import commit, mixed, new_run

SIZE = 20


def main(folder: Path, units: int, of: int, pause_s: float) -> None:
    """Commit units that are missing, so many of so many, one every so many seconds."""
    run = Run.open(open_store(folder)) if (folder / "run.json").exists() else new_run(folder)
    wishes = Wishes(by=["generator"], prices=CostSettings(per_hour=3.0))
    missing = sorted(set(range(of)) - run.committed().keys())
    with (
        run.session() as session,
        watched(run, session.token, wishes, total=of * SIZE, total_units=of, gpus=0) as watch,
    ):
        for unit in missing[:units]:
            watch.tell(Waiting(units=len(missing), workers=1))
            watch.tell(Beat(worker="0", unit=unit, done=SIZE // 2))
            time.sleep(pause_s)
            watch.tell(commit(run, unit, [mixed(n) for n in range(unit * SIZE, (unit + 1) * SIZE)]))
    close(watch, wishes)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
