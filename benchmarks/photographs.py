"""Photographs and pictures of neither aircraft, cars nor animals, from installed packages.

Only for measuring: nothing is trained on them. scikit-image's cat, horse, cat animation and
logo (a snake) are left out; everything else that it installs (it could fetch more from the network,
which is not tried) and scikit-learn's two photographs count.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SKIMAGE = (
    "astronaut.png", "brick.png", "camera.png", "cell.png", "clock_motion.png", "coffee.png", "coins.png",
    "color.png", "grass.png", "gravel.png", "hubble_deep_field.jpg", "ihc.png",
    "microaneurysms.png", "moon.png", "motorcycle_left.png", "motorcycle_right.png", "page.png",
    "phantom.png", "retina.jpg", "rocket.jpg", "text.png",
)  # fmt: skip
_SKLEARN = ("china.jpg", "flower.jpg")


@cache
def load() -> tuple[tuple[str, NDArray[np.uint8]], ...]:
    """(name, [H, W, 3] uint8) of those that are installed."""
    return tuple((p.name, _rgb(p)) for p in _paths() if p.is_file())


def _paths() -> list[Path]:
    import skimage.data
    import sklearn.datasets

    shown = Path(skimage.data.__file__).parent
    learned = Path(sklearn.datasets.__file__).parent / "images"
    return [*(shown / name for name in _SKIMAGE), *(learned / name for name in _SKLEARN)]


def _rgb(path: Path) -> NDArray[np.uint8]:
    with Image.open(path) as file:
        image = file if file.mode in ("RGB", "L") else file.convert("RGBA")
        if image.mode == "RGBA":
            white = Image.new("RGBA", image.size, (255, 255, 255, 255))
            image = Image.alpha_composite(white, image)
        return np.asarray(image.convert("RGB"))
