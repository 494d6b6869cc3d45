"""Structured logs: one line of JSON per event, on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import Any


def log(event: str, **fields: Any) -> None:
    """Write an event with its time (seconds since 1970). Never give it captions or pixels."""
    line = json.dumps({"time": round(time.time(), 3), "event": event, **fields})
    # A disk that is full, or a reader who is gone, must not cost an image its answer.
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(line + "\n")  # one write: several processes share the stream
        sys.stderr.flush()
