"""Progress as a terminal shows it, and as a log gets it."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from rich.console import Console

from physgauge.bulk.watch.line import ProgressLine
from tests.watch.test_progress import moment

ROOT = Path(__file__).parents[2]
_STEERING = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(command: list[str], columns: int = 140) -> str:
    """What a command shows on a terminal, steering codes left out."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"):
        environment.pop(name, None)
    with subprocess.Popen(
        command, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                data = os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            shown += data
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    return _STEERING.sub(b"", shown).decode()


def test_two_lines_that_move(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.watch.session", str(tmp_path / "run"), "4", "4", "0.8"]
    shown = on_terminal(command)
    places = [int(done) for done in re.findall(r"(\d+) of 80 ", shown)]
    assert places == sorted(places)
    assert {0, 10} & set(places)
    assert max(places) >= 60
    assert re.search(r"60 of 80  75\.0%|70 of 80  87\.5%", shown)
    assert re.search(r"images/s \([\d.]+ overall\), \d+ s left", shown)
    assert re.search(
        r"errors  PASS \d+\.\d% FAIL \d+\.\d%  TerraVis 0\.\d+, \d+\.\d% below 0\.6", shown
    )
    assert re.search(r"[\d.e-]+ USD, [\d.,]+ USD a million images", shown)


def test_a_log_gets_a_line_now_and_then() -> None:
    log = io.StringIO()
    console = Console(file=log, width=40)
    with ProgressLine(moment, 0.6, console, every_s=0.02):
        until = time.monotonic() + 10
        while log.getvalue().count("\n") < 2 and time.monotonic() < until:
            time.sleep(0.01)
    lines = log.getvalue().splitlines()
    assert len(lines) >= 2
    assert set(lines) == {
        "250,000 of 1,000,000, 50.0 images/s (41 overall), 4 h 10 min left"
    }  # one line each, however narrow


def test_what_is_not_a_terminal_sees_no_steering(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.watch.session", str(tmp_path / "run"), "1", "1", "0"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=True)
    assert b"\x1b" not in done.stderr + done.stdout


def test_a_narrow_terminal_still_shows_where_it_is() -> None:
    file = io.StringIO()
    console = Console(file=file, width=60, force_terminal=True)
    with ProgressLine(lambda: moment(draining=True), 0.6, console):
        time.sleep(0.1)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue())
    assert "250,000 of 1,000,000" in shown
    assert "finishing what is in hand" in shown
