"""SciPy's image operations as the pairs use them: the only file here that imports it."""

from __future__ import annotations

from typing import Any

from scipy import ndimage as _ndimage

ndimage: Any = _ndimage  # its annotations mix arrays and numbers
