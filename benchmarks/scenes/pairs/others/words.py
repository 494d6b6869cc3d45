"""Words, names and numbers that flat pictures are lettered with."""

from __future__ import annotations

from typing import Final

from numpy.random import Generator

_NOUNS: Final = (
    "sales", "budget", "profit", "growth", "north", "south", "energy", "water", "forest", "rain",
    "plan", "team", "cost", "index", "market", "orders", "export", "review", "online", "mobile",
    "quarter", "traffic", "users", "income", "carbon", "school", "health", "steel", "wheat",
    "coffee", "travel", "research", "safety", "design", "quality", "delivery", "harbour", "museum",
    "garden", "summer", "winter", "island", "summit", "signal", "report", "archive", "studio",
    "market", "bridge", "river", "station", "engine", "copper", "silver", "valley", "meadow",
)  # fmt: skip
_VERBS: Final = (
    "open", "save", "close", "send", "edit", "start", "stop", "share", "search", "print", "reply",
    "next", "back", "add", "copy",
)  # fmt: skip
_SYLLABLES: Final = (
    "ba", "ro", "lin", "tem", "qua", "sor", "vi", "da", "mel", "ko", "pra", "nu", "est", "ur", "ti",
    "gan", "fel", "os", "mar", "chi", "ren", "do", "lu", "ka", "sta", "pe", "vor", "en", "ha",
    "tri", "ma", "ne", "sol", "bi",
)  # fmt: skip
_MONTHS: Final = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip
_NAMES: Final = (
    "Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo", "Ines", "Jon", "Kim", "Lea", "Max",
    "Nora", "Omar", "Pia", "Rosa", "Sam", "Tara", "Udo",
)  # fmt: skip


def noun(rng: Generator) -> str:
    """An English word, capital first."""
    return str(rng.choice(_NOUNS)).capitalize()


def verb(rng: Generator) -> str:
    """What a button says."""
    return str(rng.choice(_VERBS)).capitalize()


def name(rng: Generator) -> str:
    """A first name."""
    return str(rng.choice(_NAMES))


def coined(rng: Generator, low: int = 1, high: int = 4) -> str:
    """A word of no language, as of another one."""
    return "".join(str(s) for s in rng.choice(_SYLLABLES, int(rng.integers(low, high + 1))))


def title(rng: Generator, count: int | None = None) -> str:
    """A heading of some words."""
    n = int(rng.integers(1, 4)) if count is None else count
    words = [noun(rng) if rng.random() < 0.7 else coined(rng, 2, 3).capitalize() for _ in range(n)]
    return " ".join(words)


def sentence(rng: Generator, count: int) -> str:
    """Running text."""
    words = [coined(rng) if rng.random() < 0.6 else noun(rng).lower() for _ in range(count)]
    return " ".join(words).capitalize()


def number(rng: Generator) -> str:
    """A figure as in a table: a count, an amount, a share or a date."""
    style = rng.integers(5)
    if style == 0:
        return str(rng.integers(1, 1000))
    if style == 1:
        return f"{rng.integers(1, 90)},{rng.integers(100, 999)}"
    if style == 2:
        return f"{rng.integers(1, 100)} %"
    if style == 3:
        return f"{rng.uniform(0, 30):.1f}"
    return f"{rng.integers(1, 29)} {rng.choice(_MONTHS)}"


def steps(rng: Generator, count: int) -> list[str]:
    """Labels of an axis: months, years, names or letters."""
    style = rng.integers(4)
    if style == 0:
        first = int(rng.integers(12))
        return [_MONTHS[(first + i) % 12] for i in range(count)]
    if style == 1:
        first = int(rng.integers(1950, 2020))
        return [str(first + i) for i in range(count)]
    if style == 2:
        return [noun(rng)[:7] for _ in range(count)]
    return [chr(ord("A") + i) for i in range(count)]
