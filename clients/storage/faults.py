"""Faults of a file system as errors that say where and why."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from physgauge.errors import EnvironmentProblem

_SAYS: Final = {
    errno.ENOSPC: "no space left on device; make room and run the same command again",
    errno.EDQUOT: "the disk quota is used up; make room and run the same command again",
    errno.EPERM: "not permitted; a run folder needs a file system with hard links",
    errno.EOPNOTSUPP: "the file system has no hard links; use another one, or an object store",
}


@contextmanager
def said(path: Path | str, done: str) -> Iterator[None]:
    """Raise EnvironmentProblem for an OSError.

    Args:
        path: what it was about.
        done: what could not be: "read", "written" ...
    """
    try:
        yield
    except FileNotFoundError as error:
        gone = error.filename or path
        raise EnvironmentProblem(f"{path}: cannot be {done}: {gone} is not there") from None
    except OSError as error:
        why = _SAYS.get(error.errno or 0) or error.strerror or type(error).__name__
        raise EnvironmentProblem(f"{path}: cannot be {done} ({why})") from None
