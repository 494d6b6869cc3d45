"""A small pack with chosen rules, and images written box by box."""

from __future__ import annotations

from typing import Any

import numpy as np

from physgauge.rules_kernel import ObservedArrays, Pack, PackedBoxes, parse_pack

HEAD = """
name = "small"
version = 1
domain = "small"
components = ["nose", "wing", "leg"]
tags = ["bird", "captioned"]
weights = { presence = 0.35, spatial = 0.25, relational = 0.25, caption = 0.15 }
minimum_rules = 1
[aliases]
torso = "union(wing, leg)"
span_all = "span(nose, wing)"
[said]
facts = [["leg", "below", "wing"]]
"""
NAMES = ("nose", "wing", "leg", "other")
Box = tuple[str, float, float, float, float]


def pack_of(*rules: str, extra: str = "", top: str = "") -> Pack:
    """A pack with these spatial rules; `extra` is added to each, `top` to the head."""
    text = top + HEAD
    for k, rule in enumerate(rules):
        text += f'[[spatial]]\nid = "R{k}"\nsays = "rule {k}"\nrule = "{rule}"\n{extra}\n'
    return parse_pack(text.encode(), "small.toml")


def image(*boxes: Box, score: float = 1.0) -> PackedBoxes:
    """One image with these boxes."""
    return images([list(boxes)], score)


def images(content: list[list[Box]], score: float = 1.0) -> PackedBoxes:
    """Several images."""
    flat = [box for boxes in content for box in boxes]
    n = len(flat)
    return PackedBoxes(
        np.array([box[1:] for box in flat], np.float32).reshape(n, 4),
        np.full(n, score, np.float32),
        np.array([NAMES.index(box[0]) for box in flat], np.int16),
        np.cumsum([0] + [len(boxes) for boxes in content], dtype=np.int64),
    )


def observed(pack: Pack, count: int = 1, **changes: Any) -> ObservedArrays:
    """Nothing known of `count` images of 100 x 80 px, but for the given fields."""
    blank = pack.blank(np.array([[100, 80]] * count, np.float32))
    fields = {name: getattr(blank, name) for name in vars(blank)}
    for name, value in changes.items():
        fields[name] = np.array(value, fields[name].dtype).reshape(fields[name].shape)
    return ObservedArrays(**fields)
