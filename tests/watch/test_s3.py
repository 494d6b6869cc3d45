"""Watching a run that lies in an object store."""

from __future__ import annotations

import secrets

import msgspec
import pytest

from physgauge.bulk.watch.report import Report
from physgauge.bulk.watch.status import Onlooker
from physgauge.bulk.watch.watched import Wishes, close, watched
from physgauge.cli.main import main
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.clients.storage import retry as retry_module
from tests.storage.s3 import S3, s3, s3_shared
from tests.watch.rows import commit, mixed, tally_of

__all__ = ["s3", "s3_shared"]
UNITS, SIZE = 6, 10


def test_a_run_in_a_bucket(
    s3: S3, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(retry_module, "FIRST_WAIT_S", 0.01)
    address = f"s3://runs/{secrets.token_hex(4)}"
    run = Run.create_or_open(open_store(address), {"model parts": "00ff"}, {})
    faults = ["500", "503", "500 after"]

    def fault(method: str, path: str) -> str | None:
        return faults.pop() if faults and method == "PUT" and "/events/" in path else None

    s3.fault = fault
    wishes = Wishes(line=False)
    with watched(run, "s1", wishes, total=UNITS * SIZE, total_units=UNITS) as watch:
        for unit in range(UNITS):
            rows = [mixed(n) for n in range(unit * SIZE, (unit + 1) * SIZE)]
            watch.tell(commit(run, unit, rows))
    report = close(watch, wishes)
    assert faults == []
    assert (report.status, report.rows, watch.failed_writes) == ("done", 60, 0)

    s3.fault = lambda method, path: None
    s3.seen.clear()
    with pytest.raises(SystemExit) as end:
        main(["status", address, "--json"])
    assert end.value.code == 0
    found = msgspec.json.decode(capsys.readouterr().out, type=Report)
    assert found.output == address
    assert found.total == report.total
    assert found.total.rows == tally_of(mixed(n) for n in range(60)).rows
    assert not [path for method, path, _ in s3.seen if method == "GET" and "/rows/unit" in path]
    assert len(s3.seen) < 20

    sound = Onlooker(open_store(address)).look(verify=True)
    assert (sound.damaged, sound.total) == ([], report.total)
