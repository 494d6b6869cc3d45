"""English words that captions are read with; names of parts and types are in the specification files."""

from __future__ import annotations

from typing import Final

NUMBERS: Final[dict[str, int]] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "single": 1, "lone": 1, "sole": 1, "solitary": 1, "both": 2, "twin": 2, "double": 2, "dual": 2,
    "triple": 3, "quadruple": 4, "quad": 4, "dozen": 12,
}  # fmt: skip
PREFIXES: Final[dict[str, int]] = {"mono": 1, "uni": 1, "bi": 2, "tri": 3, "quadri": 4}
"""Numbers only when hyphenated or glued to what they count ("tri-tail")."""
SETS: Final[dict[str, int]] = {
    "pair": 2, "pairs": 2, "couple": 2, "couples": 2, "trio": 3, "trios": 3, "quartet": 4,
    "dozen": 12,
}  # fmt: skip
"""Counting nouns before "of" ("two pairs of wings")."""
SEVERAL: Final = frozenset({"several", "multiple", "many", "numerous", "multi", "various", "few"})
"""At least two."""
GATHERINGS: Final = frozenset({
    "herd", "flock", "pack", "group", "row", "line", "formation", "crowd", "convoy", "litter", "swarm",
    "school", "pride", "lots", "bunch", "collection", "team", "family", "parade", "gaggle", "squadron",
    "fleet", "murder", "colony", "pod", "drove", "caravan", "dozens", "hundreds", "thousands", "plenty",
    "queue", "stack", "cluster", "mob", "brood", "bevy",
})  # fmt: skip
"""Words that make a subject many: "a herd of elephants"."""

INDEFINITE: Final = frozenset({"a", "an", "another", "some", "any"})
DEFINITE: Final = frozenset({
    "the", "its", "his", "her", "their", "this", "that", "these", "those", "each", "every", "all",
    "my", "our", "your", "either",
})  # fmt: skip
DETERMINERS: Final = INDEFINITE | DEFINITE
EACH: Final = frozenset({"each", "every", "either"})
OTHERS: Final = frozenset({"another", "other", "second", "third"})
"""They tell a new subject from one named before."""

NEGATORS: Final = frozenset({
    "no", "without", "not", "lacking", "lacks", "lack", "sans", "zero", "never", "neither", "nor",
    "minus", "devoid",
})  # fmt: skip
MISSING: Final = frozenset({"missing", "lost", "losing", "minus"})
"""They take away a stated number from what the type has: "missing a wheel"."""
GONE: Final = frozenset({"missing", "removed", "absent", "gone", "amputated"})
"""The same behind the part: "a wheel is missing", "horns removed"."""
SIDES: Final = frozenset(
    {"left", "right", "front", "rear", "back", "hind", "inner", "outer", "other"}
)
"""Attributes that single one part out: "lacking its right engine" takes one away."""
ALL: Final = frozenset({"all", "both"})
"""A number with one of these is that of all there are, whatever follows."""

POSSESSING: Final = frozenset({
    "with", "has", "have", "having", "had", "featuring", "features", "sporting", "boasting",
    "including", "includes", "showing", "shows", "displaying", "bearing", "and", "plus",
    "of", "but", "or", "exactly", "only", "just", "about", "around", "at", "least", "most", "equipped",
    "fitted", "powered", "by", "whose", "got", "possesses", "possessing",
})  # fmt: skip
"""A counted part right behind these is the subject's own number of it."""
PLACING: Final = frozenset({
    "on", "near", "beside", "behind", "against", "from", "through", "into", "onto", "under", "below",
    "beneath", "underneath", "above", "over", "between", "to", "towards", "toward", "inside", "in",
    "within", "across", "along", "off", "upon", "atop", "next", "by", "at", "past",
})  # fmt: skip
"""A part right behind these is a place ("standing on two legs"), no number of parts."""

OWN: Final = frozenset({"its", "his", "her", "their"})
OWNING: Final = frozenset({
    "with", "has", "have", "having", "had", *OWN, "featuring", "features",
    "sporting", "boasting", "showing",
})  # fmt: skip
"""A list of adjectives that starts behind these may go on over commas: "with long, curved horns"."""

CARRYING: Final = frozenset({
    "wearing", "holding", "carrying", "dressed", "riding", "pulling", "towing", "wears", "holds",
    "carries", "pulls",
})  # fmt: skip
"""A part behind these is of the thing carried."""

COMPARING: Final = frozenset({"like", "as", "than", "resembling", "for", "resembles"})
"""A subject behind these is not in the picture: "shaped like a dog"."""
SHAPES: Final = frozenset({"shape", "form", "outline", "shadow"})
"""The same before "of": "a cake in the shape of a car"."""
DRESSED: Final = frozenset({"with", "wearing", "wears", "has", "having"})
"""Behind these a subject's bare name before a part only modifies it: "a girl with cat ears"."""
LIKENESSES: Final = frozenset({
    "statue", "statues", "sculpture", "sculptures", "figurine", "figurines", "statuette", "carving",
    "replica", "plushie", "plush", "effigy", "bust", "miniature", "model",
})  # fmt: skip
"""Things made to look like a subject: "a statue of a dog", "a dog statue"."""
LIKE_MADE: Final = frozenset({
    "toy", "plush", "stuffed", "origami", "lego", "wooden", "marble", "bronze", "stone", "cardboard",
    "miniature", "inflatable", "balloon", "porcelain", "ceramic", "carved", "knitted", "felt", "clay",
    "robot", "robotic", "mechanical", "animatronic", "clockwork", "scale", "gingerbread", "papier",
    "model",
})  # fmt: skip
"""Adjectives that make a subject such a thing: "a toy car"."""
MODIFIED: Final = frozenset({
    "eared", "drawn", "like", "shaped", "sized", "themed", "style", "styled", "inspired", "print",
    "printed", "patterned", "free", "friendly", "powered", "pattern", "stripes", "spots", "house",
    "houses", "food", "bowl", "leash", "collar", "bed", "toy", "toys", "key", "keys", "park", "parking",
    "dealership", "dealer", "insurance", "licence", "license", "soup", "salad", "nugget", "nuggets",
    "sandwich", "curry", "meat", "milk", "cheese", "egg", "eggs", "leather", "skin", "fur", "dinner",
    "lunch", "burger", "burgers", "steak", "stew", "broth", "roast", "noodles", "costume", "mask",
    "sticker", "logo", "emoji", "tattoo", "track", "tracks", "footprint", "footprints", "ticket",
    "tickets", "hangar", "trailer", "stall", "stable", "wash", "walker", "owner", "trainer", "feeder",
    "bath", "nest", "cage", "coop", "pen", "barn", "farm", "pond", "lover", "days", "whisperer", "port",
    "pilot", "pilots", "driver", "drivers", "doctor", "shelter", "jacket", "coat", "dress", "boots",
    "bag", "hat", "shirt", "onesie", "pajamas", "pillow", "blanket", "rug", "cake", "cookie", "cookies",
    "mug", "pendant", "necklace", "keychain", "plant", "ornament", "emblem", "badge", "icon", "symbol",
    "sign", "flag", "crest", "treat", "treats", "biscuit", "biscuits", "hunter", "trap", "market",
    "alarm", "battery", "charger", "radio", "rental", "salesman", "loan", "simulator", "whistle",
    "groomer", "carrier",
})  # fmt: skip
"""A subject's name right before these only modifies them: "dog house", "horse drawn"."""
VERBAL: Final = frozenset({"by", "in", "with", "on", "from", "the", "a"})
"""Behind one of MODIFIED these make it a verb: "a plane powered by", "a horse drawn in ink"."""
SETTING: Final = frozenset({
    "in", "inside", "from", "through", "near", "behind", "under", "beside", "on", "to", "by", "above",
    "over", "below", "against", "at", "into", "onto", "towards", "toward", "past", "atop", "driving",
    "piloting", "boarding",
})  # fmt: skip
"""A subject behind these is where the main one is: "a dog in a car"."""
JOINING: Final = SETTING | {"and", "or", "with", "plus", "alongside"}
"""A subject with an indefinite article behind these is a further one."""

UNITS: Final = frozenset({
    "inch", "inches", "in", "foot", "feet", "ft", "cm", "mm", "m", "meter", "meters", "metre", "metres",
    "km", "kg", "ton", "tons", "tonne", "tonnes", "hp", "bhp", "kw", "horsepower", "liter", "litre",
    "liters", "litres", "cc", "cylinder", "cylinders", "valve", "speed", "stroke", "blade", "blades",
    "bladed", "spoke", "spokes", "spoked", "toe", "toed", "seat", "seater", "seats", "row", "tone",
    "toned", "lane", "star", "color", "colour", "colored", "coloured", "year", "years", "month",
    "months", "week", "weeks", "day", "days", "hour", "hours", "minute", "minutes", "percent", "degree",
    "degrees", "x", "k", "fps", "mph", "kmh", "piece", "point", "pointed", "times", "way", "d",
})  # fmt: skip
"""A number before one of these counts it, not the part behind."""

COUNTABLE: Final = frozenset({
    "people", "persons", "guests", "passengers", "miles", "dollars", "euros", "pounds", "pieces",
    "items", "copies", "votes", "students", "pages", "pixels", "px",
})  # fmt: skip
"""A bare number before one of these is no type's name ("747 people")."""

BEARERS: Final = frozenset({
    "man", "men", "woman", "women", "boy", "boys", "girl", "girls", "person", "people", "child",
    "children", "kid", "kids", "baby", "toddler", "lady", "guy", "farmer", "rider", "riders", "pilot",
    "driver", "soldier", "soldiers", "pirate", "knight", "warrior", "king", "queen", "princess",
    "wizard", "witch", "character", "samurai", "monk", "nun", "ninja", "hunter", "chef", "nurse",
    "doctor", "student", "teacher", "artist", "elf", "orc", "goblin", "vampire", "zombie", "skeleton",
    "viking", "clown", "superhero", "hero", "heroine", "goddess", "god", "deity", "ghost", "mutant",
    "cosplayer", "dancer", "astronaut", "mechanic", "robot", "robots", "android",
    "cyborg", "alien", "monster", "demon", "angel", "fairy", "dragon", "dragons", "unicorn", "mermaid",
    "centaur", "griffin", "phoenix", "dinosaur", "doll", "snowman", "scarecrow", "house", "houses",
    "building", "buildings", "hospital", "hotel", "museum", "palace", "castle", "church", "temple",
    "mansion", "cottage", "cabin", "barn", "shed", "garage", "tower", "factory", "school", "shop",
    "store", "station", "airport", "bridge", "table", "chair", "sofa", "couch", "desk", "bed", "bench",
    "stool", "piano", "guitar", "wardrobe", "fridge", "oven", "tree", "trees", "comet", "rocket",
    "rockets", "spaceship", "spacecraft", "shuttle", "satellite", "drone", "drones", "helicopter",
    "helicopters", "airship", "zeppelin", "boat", "boats", "ship", "ships", "yacht", "submarine",
    "train", "trains", "locomotive", "tram", "bus", "buses", "motorcycle", "motorcycles", "motorbike",
    "motorbikes", "bicycle", "bicycles", "bike", "bikes", "scooter", "tractor", "tank", "carriage",
    "cart", "chariot", "wheelbarrow", "sled", "sleigh", "trailer", "caravan", "skateboard", "stroller",
    "octopus", "squid", "crab", "lobster", "snail", "worm", "jellyfish", "starfish",
})  # fmt: skip
"""Things of no domain that have parts of their own: "a man with blue eyes leading a horse"."""
PERSONS: Final = ("man", "men", "woman", "women")
"""Endings of more of them: "fisherman"."""
NO_PERSONS: Final = frozenset(
    {"german", "roman", "norman", "ottoman", "talisman", "specimen", "stamen"}
)

STOPWORDS: Final = DETERMINERS | NEGATORS | POSSESSING | PLACING | COMPARING | frozenset({
    "is", "are", "was", "were", "be", "being", "been", "it", "he", "she", "they", "which", "who", "that",
    "while", "where", "when", "there", "here", "then", "also", "very", "so", "if", "up", "down", "out",
    "photo", "image", "picture", "view", "closeup", "shot", "parked", "standing", "flying", "running",
    "sitting", "walking", "lying", "does", "do", "did", "can", "will", "would", "could", "should",
})  # fmt: skip
"""Words that are no attribute of a part."""

ENDINGS: Final = frozenset({
    "and", "or", "but", "with", "without", "near", "beside", "while", "which", "that", "as", "for",
    "from", "are", "per", "each", "standing", "parked", "flying", "sitting", "running", "walking",
    "driving", "grazing", "next", "by", "of", "seen", "visible", "total", "only", "instead", "mounted",
    "positioned", "attached", "located", "placed", "configuration", "no", "has", "have", "at", "missing",
    "in", "on", "under", "over", "above", "below", "through", "into", "to", "against", "behind",
})  # fmt: skip
"""What may follow a counted part and leaves the number whole; "one ear folded" leaves the others open."""
OPENING: Final = frozenset({
    "in", "on", "off", "up", "down", "out", "over", "under", "above", "below", "through", "into", "to",
    "against", "is", "behind",
})  # fmt: skip
"""Behind a counted part these leave the others open ("one engine on fire"), unless "a" follows."""

VISIBLE: Final = frozenset({"visible", "seen", "showing"})
COPULAS: Final = frozenset({"is", "are", "was", "were", "being"})
STATES: Final = frozenset({
    "open", "wide", "held", "outstretched", "spread", "broken", "torn", "bent", "up", "down", "raised",
    "lit", "aglow", "askew", "ajar", "half", "fully", "slightly", "low", "high", "apart", "flat",
    "upright", "shut", "burnt", "split", "backwards", "backward", "forward", "sideways", "upwards",
    "downwards",
})  # fmt: skip
"""Attributes that stand behind their part: "wings spread wide", "one ear up"."""
PLACED: Final = frozenset({
    "positioned", "mounted", "attached", "located", "placed", "hanging", "slung", "set", "fixed",
    "installed", "are", "is", "sitting", "connected", "sit", "sits", "hang", "hangs", "visible",
    "seen", "arranged", "found", "joined", "directly", "right", "just", "correctly", "all", "both",
    "firmly", "symmetrically", "fitted", "embedded", "buried", "resting", "perched", "growing",
})  # fmt: skip
"""Fillers between a part and its relation."""

RELATIONS: Final[dict[tuple[str, ...], str]] = {
    ("below",): "below", ("under",): "below", ("beneath",): "below", ("underneath",): "below",
    ("above",): "above", ("over",): "above", ("on", "top", "of"): "above", ("atop",): "above",
    ("on",): "at", ("at",): "at", ("near",): "at", ("to",): "at", ("along",): "at", ("onto",): "at",
    ("by",): "at", ("beside",): "beside", ("next", "to"): "beside", ("alongside",): "beside",
    ("on", "each", "side", "of"): "beside", ("on", "either", "side", "of"): "beside",
    ("on", "both", "sides", "of"): "beside", ("between",): "between", ("behind",): "behind",
    ("in", "front", "of"): "in_front_of", ("ahead", "of"): "in_front_of",
    ("inside",): "inside", ("in",): "inside", ("within",): "inside", ("embedded", "in"): "inside",
    ("left", "of"): "left_of", ("to", "the", "left", "of"): "left_of",
    ("right", "of"): "right_of", ("to", "the", "right", "of"): "right_of",
}  # fmt: skip
"""Prepositions to relation names, longest first when matched."""
ENDS: Final[dict[str, str]] = {
    "bottom": "at_bottom", "underside": "at_bottom", "base": "at_bottom", "top": "at_top",
    "front": "at_front", "rear": "at_rear", "back": "at_rear",
}  # fmt: skip
"""Nouns behind "at the", "on the", "in the" that make a relation of their own."""
OPPOSITES: Final = frozenset({
    ("above", "below"), ("above", "at_bottom"), ("below", "above"), ("below", "at_top"),
    ("at_top", "below"), ("at_top", "at_bottom"), ("at_bottom", "above"), ("at_bottom", "at_top"),
    ("at_front", "at_rear"), ("at_rear", "at_front"),
})  # fmt: skip
"""Relations that can't both be true of one part and one reference."""

IRREGULAR: Final[dict[str, str]] = {
    "goose": "geese", "mouse": "mice", "ox": "oxen", "wolf": "wolves", "calf": "calves",
    "hoof": "hooves", "foot": "feet", "tooth": "teeth", "chassis": "chassis", "aircraft": "aircraft",
    "sheep": "sheep", "deer": "deer", "moose": "moose", "elk": "elk", "bison": "bison", "fish": "fish",
    "swine": "swine", "antelope": "antelope", "leaf": "leaves", "half": "halves", "roof": "roofs",
    "cattle": "cattle", "reindeer": "reindeer", "cockpit": "cockpits",
}  # fmt: skip


ALSO: Final[dict[str, tuple[str, ...]]] = {
    "antelope": ("antelopes",), "elk": ("elks",), "fish": ("fishes",), "deer": ("deers",),
    "hippopotamus": ("hippopotami",), "platypus": ("platypi",), "rhinoceros": ("rhinoceros",),
    "roof": ("rooves",), "hoof": ("hoofs",), "aircraft": ("aircrafts",), "cactus": ("cacti",),
} | dict.fromkeys(
    ("buffalo", "salmon", "trout", "carp", "tuna", "koi", "quail", "grouse", "caribou", "wildebeest",
     "squid", "waterfowl", "fowl", "livestock", "boar", "impala", "kudu", "gazelle", "shrimp"), (),
)  # fmt: skip
"""Further plurals; those with none here are their own plural, too."""


def plurals(word: str) -> tuple[str, ...]:
    """All plurals of a folded English noun, the usual one first."""
    also = ALSO.get(word, ())
    own = (word,) if word in ALSO and not also else ()
    return (plural(word), *also, *own, *((word + "es",) if word.endswith("o") else ()))


def plural(word: str) -> str:
    """The plural of a folded English noun."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in ("", "a", "e", "i", "o", "u"):
        return word[:-1] + "ies"
    return word + "s"
