"""`physgauge score` as it is watched: its metrics while it works, its status from outside, its report."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
from PIL import Image

from physgauge.bulk.watch.report import Report, report_schema
from physgauge.bulk.watch.status import Onlooker
from physgauge.clients.runs import read_run
from physgauge.clients.storage import open_store
from tests.watch.rows import tally_of
from tests.watch.test_metrics import Samples, scrape, value

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")


def manifest(folder: Path, count: int) -> Path:
    """Small pictures of two generators, the last of which is missing."""
    listed = folder / "list.csv"
    with listed.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "path", "generator"])
        for number in range(count):
            path = folder / f"{number}.png"
            if number < count - 1:
                noise = np.random.default_rng(number).integers(0, 255, (48, 64, 3), np.uint8)
                Image.fromarray(noise).save(path)
            writer.writerow([f"image {number}", path, "ab"[number % 2]])
    return listed


def test_a_real_run_is_watched(tmp_path: Path) -> None:
    out, count = tmp_path / "out", 40
    command = [
        *RUN, "score", str(manifest(tmp_path, count)), "-o", str(out), "--unit-size", "4",
        "--method", "pcmde", "--by", "generator", "--cost-per-hour", "3600",
        "--metrics-port", "0", "--fail-on-error-share", "0.02",
    ]  # fmt: skip
    seen: list[Samples] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        port = None
        for line in process.stderr:
            if found := re.search(r"Metrics: http://127\.0\.0\.1:(\d+)/metrics", line):
                port = int(found[1])
                break
        assert port is not None
        rest = threading.Thread(target=process.stderr.read)
        rest.start()
        while process.poll() is None:
            try:
                seen.append(scrape(port))
            except (urllib.error.URLError, OSError):
                break  # it has ended
            time.sleep(0.1)
        shown = process.stdout.read()
        rest.join()
    assert process.returncode == 5, shown  # one of 40 is an error, more than 2 %
    assert "By generator" in shown

    done = [value(samples, "run_rows") for samples in seen]
    assert done == sorted(done)
    assert value(seen[-1], "run_entries") == count
    assert value(seen[-1], "run_units") == 10

    written = (out / "report.json").read_bytes()
    jsonschema.validate(json.loads(written), report_schema())
    report = msgspec.json.decode(written, type=Report)
    whole = tally_of(read_run(out))
    assert (report.status, report.entries, report.rows, report.total.rows) == ("done", 40, 40, 40)
    assert {code: error.rows for code, error in report.errors.items()} == {"image_unreadable": 1}
    assert report.total.verdicts == whole.total.verdicts
    assert report.stages.keys() == whole.stages.keys() >= {"decode", "detect"}
    groups = report.by["generator"]
    assert groups is not None
    assert {name: (one.rows, one.errors) for name, one in groups.items()} == {
        "a": (20, 0),
        "b": (20, 1),
    }
    assert report.costs.usd is not None
    assert report.costs.usd >= report.worked_s * 0.99
    assert report.costs.cpu_s is not None
    assert report.costs.cpu_s > 0
    assert report.costs.gpu_s == 0
    again = Onlooker(open_store(out)).look(verify=True)
    assert (again.damaged, again.total) == ([], report.total)
