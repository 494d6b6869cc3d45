"""All makers of outdoor things."""

from __future__ import annotations

from .outdoor_furniture import (
    bench,
    cone,
    fence,
    litter_bin,
    parasol,
    plinth,
    street_lamp,
    trampoline,
)
from .outdoor_plants import bush, cactus, hay, rock, tree
from .outdoor_small import (
    basket,
    blanket,
    bucket,
    crate,
    footprints,
    ring,
    sand_castle,
    splash,
    wake,
)

__all__ = [
    "basket",
    "bench",
    "blanket",
    "bucket",
    "bush",
    "cactus",
    "cone",
    "crate",
    "fence",
    "footprints",
    "hay",
    "litter_bin",
    "parasol",
    "plinth",
    "ring",
    "rock",
    "sand_castle",
    "splash",
    "street_lamp",
    "trampoline",
    "tree",
    "wake",
]
