"""The tables of docs/pairs.md: base scenes, violations and pictures that are not eligible."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from physgauge.errors import ConfigError

from .registry import BASES, CATEGORIES, FAMILIES, others_of, recipes_of

PAGE: Final = Path("docs/pairs.md")
_MARKS: Final = "<!-- pairs-table: {} -->"


def tables() -> dict[str, str]:
    """The tables by name: "bases", "recipes", "others"."""
    return {"bases": _bases(), "recipes": _recipes(), "others": _others()}


def filled(page: str) -> str:
    """The page with the tables between their markers renewed.

    Raises:
        ConfigError: a marker is missing.
    """
    for name, table in tables().items():
        start, end = _MARKS.format(name), _MARKS.format(f"end of {name}")
        if page.count(start) != 1 or page.count(end) != 1:
            raise ConfigError(f"{PAGE}: expected {start!r} and {end!r} once each")
        before, rest = page.split(start)
        page = f"{before}{start}\n{table}\n{end}{rest.split(end)[1]}"
    return page


def _held(held_out: bool) -> str:
    return "held out" if held_out else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _bases() -> str:
    rows = [
        f"| `{b.name}` | {_cell(b.says)} | {_held(b.held_out)} |"
        for b in sorted(BASES.values(), key=lambda one: (one.held_out, one.name))
    ]
    return "\n".join(["| base scene | shows | |", "|---|---|---|", *rows])


def _recipes() -> str:
    rows = [
        f"| {category} | `{r.name}` | {_cell(r.planted)} | {_cell(r.twin)} | {_held(r.held_out)} |"
        for category in CATEGORIES
        for r in recipes_of(category)
    ]
    head = "| category | violation | what is planted and how | what the clean twin shows | |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


def _others() -> str:
    rows = []
    for family in FAMILIES:
        train = ", ".join(f"`{o.name}`" for o in others_of(family, held_out=False))
        held = ", ".join(f"`{o.name}`" for o in others_of(family, held_out=True))
        rows.append(f"| {family} | {train} | {held} |")
    return "\n".join(["| family | trained on | held out |", "|---|---|---|", *rows])
