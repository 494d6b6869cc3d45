"""The numbers of a layout model, and their file.

A pair is a part's box beside the hull of all boxes of a component (of the others, if it is its own one):
pictorial structures (Fischler and Elschlager 1973; Felzenszwalb and Huttenlocher 2005) with a Gaussian
mixture in place of the one spring, and every pair in place of a tree's.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import numpy as np

from physgauge.rules_kernel.arrays import F64, I64
from physgauge.rules_kernel.errors import ArrayError

FEATURES: Final = ("aside", "below", "log_width", "log_height", "log_other")
"""Of a pair, in the size of the hull of all parts: |x| and y from the component's middle to the part's,
then logarithms of the part's width and height and of the component's diagonal. |x|, since mirroring is to
change nothing."""
FORMAT: Final = 1
MAX_BYTES: Final = 32 * 2**20
_NO_MODEL: Final = (
    ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading other files or damaged ones raises."""


@dataclass(frozen=True, slots=True)
class LayoutModel:
    """Densities of M pairs as mixtures of K Gaussians, C components, V views, Q tail probabilities."""

    components: tuple[str, ...]
    views: tuple[str, ...]
    """Names; the first, "unknown", was made from all of them."""
    pair: I64
    """[V, C, C] (view, part, component) to a pair's row; -1 where too few were seen to say."""
    log_weight: F64
    """[M, K] logarithm of each Gaussian's weight and normalisation; -inf where a pair has fewer."""
    mean: F64
    """[M, K, F] in the units of FEATURES."""
    whiten: F64
    """[M, K, F, F] upper triangular: (x - mean) @ whiten is standard normal."""
    log_tail: F64
    """[Q] rising logarithms of probabilities, up to 0."""
    pair_tail: F64
    """[M, Q] rising log densities that this share of such pairs stay below in pictures without fault."""
    image_tail: F64
    """[V, Q] the same of an image's least log tail probability."""

    def __post_init__(self) -> None:
        m, k, f = self.mean.shape if self.mean.ndim == 3 else (-1, -1, -1)
        v, c, q = len(self.views), len(self.components), self.log_tail.size
        shapes = {
            "pair": (v, c, c), "log_weight": (m, k), "mean": (m, k, len(FEATURES)),
            "whiten": (m, k, f, f), "log_tail": (q,), "pair_tail": (m, q), "image_tail": (v, q),
        }  # fmt: skip
        for name, shape in shapes.items():
            got = getattr(self, name).shape
            if got != shape:
                raise ArrayError(f"layout: {name}", expected=f"shape {shape}", got=str(got))
        if q < 2 or np.any(np.diff(self.log_tail) <= 0) or self.log_tail[-1] != 0:
            raise ArrayError("layout: log_tail", expected="rising values up to 0", got="others")
        if self.pair.size and not -1 <= self.pair.min() <= self.pair.max() < max(m, 1):
            raise ArrayError("layout: pair", expected=f"-1 to {m - 1}", got="rows beyond")
        for name in ("pair_tail", "image_tail"):
            if np.any(np.diff(getattr(self, name), axis=1) < 0):
                raise ArrayError(f"layout: {name}", expected="rising values", got="falling ones")
        for name in ("mean", "whiten", "log_tail", "pair_tail", "image_tail"):
            if not np.isfinite(getattr(self, name)).all():
                raise ArrayError(f"layout: {name}", expected="finite numbers", got="others")
        if np.isnan(self.log_weight).any() or np.any(self.log_weight == np.inf):
            raise ArrayError("layout: log_weight", expected="numbers or -inf", got="others")
        if m and not np.isfinite(self.log_weight).any(axis=1).all():
            raise ArrayError("layout: log_weight", expected="a Gaussian in each pair", got="none")

    def save(self, path: Path) -> None:
        """Write an .npz (float32, no pickle); equal models give equal bytes."""
        arrays = {
            f.name: getattr(self, f.name).astype(np.int32 if f.name == "pair" else np.float32)
            for f in fields(self)
            if f.name not in ("components", "views")
        }
        head = {"format": FORMAT, "components": self.components, "views": self.views}
        stream = io.BytesIO()
        np.savez_compressed(
            stream, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays
        )
        path.write_bytes(stream.getvalue())

    @classmethod
    def load(cls, path: Path) -> LayoutModel:
        """Read what `save` wrote. Raises ArrayError (what is wrong with it), OSError."""
        return cls.parse(path.read_bytes(), str(path))

    @classmethod
    def parse(cls, data: bytes, where: str) -> LayoutModel:
        """The model in a file's bytes; `where` names the file. Raises ArrayError."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as members:
                size = sum(member.file_size for member in members.infolist())
            if size > MAX_BYTES:
                raise ValueError(f"{size} bytes of arrays, above {MAX_BYTES}")
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                head = json.loads(file["head"].tobytes())
                if head["format"] != FORMAT:
                    raise ValueError(f"format {head['format']}")
                arrays = {
                    f.name: file[f.name].astype(np.int64 if f.name == "pair" else np.float64)
                    for f in fields(cls)
                    if f.name not in ("components", "views")
                }
            names = tuple(map(str, head["components"])), tuple(map(str, head["views"]))
        except _NO_MODEL as error:
            got = f"{type(error).__name__}: {error}"
            raise ArrayError(where, expected="a layout model (.npz)", got=got) from None
        return cls(*names, **arrays)
