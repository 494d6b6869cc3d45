"""Ways in which things of `things/` can be wrongly joined: what to remake them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Way = tuple[dict[str, Any], str]
"""Keywords of `remake`, and what is wrong then."""

VESSELS: Final[Mapping[str, Sequence[Way]]] = {
    "mug": (
        ({"handle": "inside"}, "has its handle inside"),
        ({"handle": "top"}, "has its handle across the mouth"),
        ({"handle": "below"}, "has its handle under the bottom"),
    ),
    "jug": (
        ({"handle": "low"}, "has its handle at the foot"),
        ({"handle": "mouth"}, "has its handle on the rim"),
    ),
    "pan": (({"handle": "middle"}, "has its handle upright in the middle"),),
    "kettle": (
        ({"handle": "below"}, "has its handle inside the body"),
        ({"handle": "front"}, "has its handle on the spout"),
        ({"spout": "two"}, "has two spouts"),
        ({"spout": "back", "handle": "front"}, "has spout and handle crossed"),
    ),
    "teapot": (
        ({"handle": "spout"}, "has its handle on the spout's side"),
        ({"spout": "two", "handle": "spout"}, "has two spouts"),
        ({"spout": "low"}, "has a spout that ends below"),
    ),
    "pot": (({"lid_at": "below"}, "stands on its lid"),),
    "bottle": (({"neck": "side"}, "has its neck on the side"), ({"neck": "two"}, "has two necks")),
    "toolbox": (({"handle": "bottom"}, "has its handle at the side's foot"),),
}

TOOLS: Final[Mapping[str, Sequence[Way]]] = {
    "hammer": (
        ({"head": "middle"}, "has its head half way down the handle"),
        ({"heads": 2}, "has a head at either end"),
    ),
    "screwdriver": (
        ({"handle": "both"}, "has a handle at either end"),
        ({"bent": True}, "has a folded blade"),
    ),
    "saw": (
        ({"handle": "middle"}, "has its handle on the blade"),
        ({"handle": "both"}, "has a handle at either end"),
    ),
    "scissors": (
        ({"blades": "apart"}, "has halves that never meet"),
        ({"blades": "swapped"}, "has loops on the blades"),
    ),
    "pliers": (({"arms": 1}, "has one arm"), ({"arms": 3}, "has three arms")),
    "fork": (({"bent": True}, "has its handle folded up"), ({"tines": 1}, "has a single tine")),
    "spoon": (({"bowls": 2}, "has a bowl at either end"),),
    "knife": (({"handle": "side"}, "has its handle across the blade"),),
    "umbrella": (({"shaft": "off"}, "has its shaft beside the canopy"),),
    "bicycle pump": (
        ({"handle": "foot"}, "has its handle at the foot"),
        ({"handle": "middle"}, "has its handle on the cylinder"),
    ),
}

FURNITURE: Final[Mapping[str, Sequence[Way]]] = {
    "chair": (
        ({"back": "under"}, "has its back below the seat"),
        ({"back": "seat"}, "has its back in the seat's middle"),
        ({"leg_misplaced": True}, "has a leg on its back"),
    ),
    "ladder": (
        ({"rungs_at": "outside"}, "has its rungs outside the rails"),
        ({"rungs": 0}, "has no rungs"),
    ),
    "desk lamp": (({"head": "foot"}, "has its shade on the foot"),),
    "table lamp": (({"shade": "below"}, "has its shade on the foot"),),
    "floor lamp": (({"shade": "middle"}, "has its shade half way down"),),
    "laptop": (({"hinge": "front"}, "has its lid before the keys"),),
}
