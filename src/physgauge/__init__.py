"""physgauge scores AI-generated images for physical realism, by the million."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("physgauge")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
