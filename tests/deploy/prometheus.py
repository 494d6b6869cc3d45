"""Prometheus' own programs (Debian's package `prometheus`, Apache-2.0), where they are there."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Self

import pytest

from tests.deploy.files import DEPLOY


def program(name: str) -> str:
    """Path of promtool or prometheus; skips where it is not there."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here: apt-get install prometheus")
    return found


class Prometheus:
    """A running Prometheus with our configuration, on free ports; use as a context manager.

    Args:
        folder: for its files.
        targets: what it scrapes, by job; other jobs are left out.
    """

    def __init__(self, folder: Path, targets: dict[str, str]) -> None:
        text = (DEPLOY / "prometheus/prometheus.yml").read_text("utf-8")
        text = re.sub(r"(scrape|evaluation)_(interval|timeout): \d+s", r"\1_\2: 1s", text)
        head, *jobs = re.split(r"(?=  - job_name: )", text)
        kept = [job for job in jobs if job.split()[2] in targets]
        for number, job in enumerate(kept):
            address = targets[job.split()[2]]
            kept[number] = re.sub(r'targets: \["[^"]*"\]', f'targets: ["{address}"]', job)
        assert len(kept) == len(targets)
        (folder / "prometheus.yml").write_text(head + "".join(kept), encoding="utf-8")
        shutil.copy(DEPLOY / "prometheus/alerts.yml", folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._address = f"127.0.0.1:{probe.getsockname()[1]}"
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [program("prometheus"), f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address={self._address}"],
            stdout=self._log, stderr=self._log,
        )  # fmt: skip

    def query(self, expression: str) -> list[dict[str, Any]]:
        """What an expression gives now."""
        text = urllib.parse.urlencode({"query": expression})
        url = f"http://{self._address}/api/v1/query?{text}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from None
        return found

    def wait(self, expression: str, within_s: float = 30.0) -> None:
        """Until an expression gives something."""
        end = time.monotonic() + within_s
        while True:
            try:
                if self.query(expression):
                    return
            except OSError:
                assert self._process.poll() is None
            assert time.monotonic() < end, f"{expression} gives nothing"
            time.sleep(0.2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._log.close()
