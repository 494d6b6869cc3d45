"""Reading pack files: every problem is a PackError or ExpressionError that says where."""

from __future__ import annotations

import hashlib
import math
import os
import re
import stat
from pathlib import Path
from typing import Any, get_args

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, VIEWS
from physgauge.rules_kernel.errors import PackError, RuleError, did_you_mean, quoted
from physgauge.rules_kernel.language import RESERVED, Names
from physgauge.rules_kernel.load_rules import MAX_RULES, RuleReader
from physgauge.rules_kernel.pack import (
    CATEGORIES,
    NAMED,
    OTHER,
    Alias,
    Evidence,
    Expect,
    Pack,
    Single,
)
from physgauge.rules_kernel.positions import Key, scan
from physgauge.rules_kernel.toml_reader import MAX_NAMES, NAME, Enough
from physgauge.rules_kernel.toml_text import MAX_BYTES, decode, read_table

_PACKS = Path(__file__).parent / "packs"


_NAME = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9_-]+(@[A-Za-z0-9_-]+)?", re.ASCII)
_PACK_NAME = re.compile(r"[a-z0-9_]+(@[a-z0-9_]+)?")


_TOP = {
    "name", "version", "domain", "components", "tags", "weights", "missing", "vacuous",
    "minimum_rules", "expect", "min_score", "aliases", "said", "evidence", "subject", "visibility",
    "view",
    *CATEGORIES,
}  # fmt: skip


def shipped_packs() -> tuple[str, ...]:
    """Names of the packs that come with physgauge, `NAME@FLAVOUR` included."""
    return tuple(sorted(path.stem for path in _PACKS.glob("*.toml")))


def load_pack(name_or_path: str | os.PathLike[str]) -> Pack:
    """Read and check a pack: a shipped one by name ("car", "car@paper") or a file by path.

    Raises PackError (file, structure) or ExpressionError (a rule's text).
    """
    return parse_pack(*read_pack(name_or_path))


def read_pack(name_or_path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """The bytes of a pack's file and the name used for it in messages. Raises PackError."""
    given = os.fspath(name_or_path)
    by_name = isinstance(name_or_path, str) and _PACK_NAME.fullmatch(given) is not None
    path = _PACKS / f"{given}.toml" if by_name else Path(given)
    if by_name and not path.is_file():
        known = shipped_packs()
        raise PackError(
            f"no pack named {given!r}",
            expected=f"one of {', '.join(known)}, or the path of a .toml file",
            hint=did_you_mean(given, known),
        )
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            # A pipe would wait for ever for somebody to write.
            raise PackError("cannot read the pack: not a regular file", file=quoted(given, 200))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except PackError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a usable path"
        raise PackError(f"cannot read the pack: {reason}", file=quoted(given, 200)) from None
    return data, path.name if by_name else given


def parse_pack(data: bytes, file: str = "<pack>") -> Pack:
    """Check the bytes of a pack file; `file` is the name used in messages."""
    text = _decode(data, file)
    return _PackReader(read_table(text, file), scan(text), file, text).pack()


def check_pack(data: bytes, file: str = "<pack>") -> list[RuleError]:
    """All problems of a pack file, in the order of its lines: what `parse_pack` would raise, and what it
    would raise next. A problem that follows from another one is left out, and all beyond a hundred."""
    found: list[RuleError] = []
    try:
        text = _decode(data, file)
        _PackReader(read_table(text, file), scan(text), file, text, found).pack()
    except Enough:
        pass
    except RuleError as error:
        found.append(error)
    return sorted(found, key=lambda error: (error.line or 0, error.column or 0))


def _decode(data: bytes, file: str) -> str:
    headers = rb"\[\[(?:" + b"|".join(category.encode() for category in CATEGORIES) + rb")\]\]"
    return decode(data, file, rules=headers, most_rules=MAX_RULES)


class _PackReader(RuleReader):
    """Reads the parts of a pack."""

    def pack(self) -> Pack:
        self.keys(self.table, _TOP, "")
        components = self.words("components", least=1)
        for name in components:
            if name in RESERVED:
                self.fail(f"component {name!r} is a word of the language", ("", 0, "components"))
        names = Names(
            (*components, OTHER),
            *self.attempt(lambda: (self.words("tags"), self.facts()), ((), ())),
        )
        nothing: dict[str, Alias] = {}
        aliases = self.attempt(lambda: self.aliases(names), nothing)
        no_shares = np.zeros((len(names.components), len(VIEWS)), np.float32)
        expect = self.attempt(self.expect, None)
        return Pack(
            name=self.attempt(lambda: self.called("name", _NAME), ""),
            version=self.attempt(lambda: self.get("version", int), 0),
            domain=self.attempt(lambda: self.called("domain", NAME), ""),
            components=names.components,
            facts=names.facts,
            weights=self.attempt(self.weights, np.zeros(4)),
            minimum_rules=self.attempt(self.minimum, 1),
            evidence=self.attempt(lambda: self.evidence(components), Evidence()),
            single=self.attempt(lambda: self.single(components), None),
            hidden=self.attempt(lambda: self.hidden(names.components), no_shares),
            aliases=aliases,
            rules=self.attempt(lambda: self.rules(names), ()),
            views=self.attempt(lambda: self.view_rules(names), ()),
            tags=(*names.tags, *(NAMED + name for name in names.named)),
            expect=expect or "type",
            min_score=self.attempt(self.min_score, 0.0),
            content_hash=hashlib.sha256(self.text.encode()).hexdigest(),
            path=self.file,
        )

    def called(self, key: str, pattern: re.Pattern[str]) -> str:
        """A name that goes into rows and into names of files."""
        name: str = self.get(key, str)
        if not pattern.fullmatch(name):
            self.fail(
                f"{key!r} is no name", ("", 0, key), got=quoted(name),
                expected="1 to 64 letters, digits and _"
                + (", as NAME or NAME@FLAVOUR" if key == "name" else ", not starting with a digit"),
            )  # fmt: skip
        return name

    def minimum(self) -> int:
        least: int = self.get("minimum_rules", int, 4)
        if least < 1:
            self.fail("minimum_rules is too small", ("", 0, "minimum_rules"), expected=">= 1")
        return least

    def expect(self) -> Expect:
        value = self.table.get("expect", "type")
        if value not in get_args(Expect):
            self.fail("expect", ("", 0, "expect"), expected="type or caption", got=quoted(value))
        return value  # type: ignore[no-any-return]

    def min_score(self) -> float:
        place = ("", 0, "min_score")
        value = self.typed(self.table.get("min_score", 0), float | int, place, "min_score")  # type: ignore[arg-type]
        if not 0 <= value <= 1:
            self.fail("min_score", place, expected="0 to 1", got=str(value))
        return float(value)

    def weights(self) -> F64:
        table = self.get("weights", dict)
        place = ("", 0, "weights")
        self.keys(table, {*CATEGORIES}, "weights")
        values = []
        for category in CATEGORIES:
            value = self.typed(table.get(category), float | int, place, category)  # type: ignore[arg-type]
            if not 0 <= value <= 1:
                self.fail(f"weight of {category}", place, expected="0 to 1", got=str(value))
            values.append(float(value))
        if not math.isclose(sum(values), 1.0, abs_tol=1e-6):
            self.fail("the weights do not sum to 1", place, got=f"{sum(values):g}")
        return np.array(values, np.float64)

    def facts(self) -> tuple[tuple[str, str, str], ...]:
        table = self.get("said", dict, {})
        self.keys(table, {"facts"}, "said")
        place = ("said", 0, "facts")
        facts = self.typed(table.get("facts", []), list, place, "facts")
        if len(facts) > MAX_NAMES:
            self.fail("too many facts", place, expected=f"at most {MAX_NAMES}", got=str(len(facts)))
        for fact in facts:
            good = isinstance(fact, list) and len(fact) == 3
            if not good or not all(isinstance(w, str) and NAME.fullmatch(w) for w in fact):
                self.fail(
                    "a fact is malformed", place,
                    expected='["component", "relation", "reference"]', got=quoted(fact),
                )  # fmt: skip
            if facts.count(fact) > 1:
                self.fail(f"the fact {' '.join(fact)!r} appears twice", place)
        return tuple((fact[0], fact[1], fact[2]) for fact in facts)

    def evidence(self, components: tuple[str, ...]) -> Evidence:
        table = self.get("evidence", dict, {})
        self.keys(table, {"components", "boxes", "any_of"}, "evidence")
        numbers = {}
        for key in ("components", "boxes"):
            numbers[key] = self.typed(table.get(key, 1), int, ("evidence", 0, key), key)
            if numbers[key] < 1:
                self.fail(f"evidence {key}", ("evidence", 0, key), expected=">= 1")
        place = ("evidence", 0, "any_of")
        any_of = self.typed(table.get("any_of", []), list, place, "any_of")
        for name in any_of:
            self.component(name, components, place)
        return Evidence(numbers["components"], numbers["boxes"], tuple(any_of))

    def single(self, components: tuple[str, ...]) -> Single | None:
        if "subject" not in self.table:
            return None
        table = self.get("subject", dict)
        self.keys(table, {"most", "least"}, "subject")
        place = ("subject", 0, "most")
        most = self.typed(table.get("most", {}), dict, place, "most")
        for name, number in most.items():
            self.component(name, components, place)
            self.typed(number, int, place, name)
            if number < 1:
                self.fail(f"subject most: {name}", place, expected=">= 1", got=str(number))
        place = ("subject", 0, "least")
        least = self.typed(table.get("least", 2), int, place, "least")
        if not 1 <= least <= len(most):
            self.fail(
                "subject least", place,
                expected=f"1 to the {len(most)} components of most", got=str(least),
            )  # fmt: skip
        return Single(dict(most), least)

    def component(self, name: Any, components: tuple[str, ...], place: Key) -> int:
        if name not in components:
            self.fail(
                f"unknown component {quoted(name)}", place,
                expected=f"one of {', '.join(components)}",
                hint=did_you_mean(name, components) if isinstance(name, str) else None,
            )  # fmt: skip
        return components.index(name)

    def hidden(self, components: tuple[str, ...]) -> F32:
        shares = np.zeros((len(components), len(VIEWS)), np.float32)
        for name, per_view in self.get("visibility", dict, {}).items():
            place = ("visibility", 0, name)
            row = self.component(name, components, place)
            for view, share in self.typed(per_view, dict, place, name).items():
                if view not in VIEWS:
                    self.fail(
                        f"unknown view {view[:40]!r}", place,
                        expected=", ".join(VIEWS), hint=did_you_mean(view, VIEWS),
                    )  # fmt: skip
                self.typed(share, float | int, place, view)  # type: ignore[arg-type]
                if not 0 <= share <= 1:
                    self.fail(f"{name}.{view}", place, expected="a share 0 to 1", got=str(share))
                shares[row, VIEWS.index(view)] = share
        return shares
