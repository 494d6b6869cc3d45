"""Reading pack files: every problem is a PackError or ExpressionError that says where."""

from __future__ import annotations

import hashlib
import math
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, get_args

import numpy as np

from physgauge.rules_kernel import tree
from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.check import RESERVED, Names, check_alias, check_rule
from physgauge.rules_kernel.errors import ExpressionError, PackError, did_you_mean, quoted
from physgauge.rules_kernel.pack import (
    CATEGORIES,
    OTHER,
    Absence,
    Alias,
    Category,
    Evidence,
    Pack,
    Rule,
)
from physgauge.rules_kernel.positions import Positions, line_column, scan
from physgauge.rules_kernel.syntax import Node, SyntaxProblem, parse

MAX_BYTES = 256 * 1024
MAX_RULES = 256
MAX_NAMES = 64
"""Components, tags, aliases, facts: at most this many of each."""

_PACKS = Path(__file__).parent / "packs"
_PACK_NAME = re.compile(r"[a-z0-9_]+(@[a-z0-9_]+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_ID = re.compile(r"[A-Za-z0-9_.-]{1,32}", re.ASCII)
_TOML_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)|\s*\(at end of document\)")
_TOP = {
    "name", "version", "domain", "components", "tags", "weights", "missing", "vacuous",
    "minimum_rules", "aliases", "said", "evidence", "visibility", *CATEGORIES,
}  # fmt: skip
_RULE = {"id", "says", "rule", "missing", "vacuous", "views", "reference"}


def shipped_packs() -> tuple[str, ...]:
    """Names of the packs that come with physgauge, `NAME@FLAVOUR` included."""
    return tuple(sorted(path.stem for path in _PACKS.glob("*.toml")))


def load_pack(name_or_path: str | os.PathLike[str]) -> Pack:
    """Read and check a pack: a shipped one by name ("car", "car@paper") or a file by path.

    Raises PackError (file, structure) or ExpressionError (a rule's text).
    """
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
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a usable path"
        raise PackError(f"cannot read the pack: {reason}", file=quoted(given, 200)) from None
    return parse_pack(data, path.name if by_name else given)


def parse_pack(data: bytes, file: str = "<pack>") -> Pack:
    """Check the bytes of a pack file; `file` is the name used in messages."""
    text = _decode(data, file)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (None, None)
        problem = _TOML_PLACE.sub("", str(error))
        raise PackError(f"not TOML: {problem}", file=file, line=line, column=column) from None
    except RecursionError:
        raise PackError("not TOML: nested too deeply", file=file) from None
    return _Reader(table, scan(text), file, text).pack()


def _decode(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        rules = sum(data.count(b"[[" + c.encode()) for c in CATEGORIES)
        raise PackError(
            "the pack is too big",
            file=file,
            expected=f"at most {MAX_BYTES} bytes and {MAX_RULES} rules",
            got=f"more than {MAX_BYTES} bytes, {rules} rules up to there",
        )
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PackError(
            "not UTF-8", file=file, line=line, got=f"byte 0x{data[error.start]:02x}"
        ) from None
    if "\0" in text:
        line, column = line_column(text, text.index("\0"))
        raise PackError("a NUL character", file=file, line=line, column=column)
    return text


class _Reader:
    """Walks one parsed TOML table. Methods raise at the first problem, with its position."""

    def __init__(self, table: dict[str, Any], at: Positions, file: str, text: str) -> None:
        self.table, self.at, self.file, self.text = table, at, file, text

    # ---- plumbing

    def fail(
        self,
        problem: str,
        place: tuple[str, int, str] = ("", 0, ""),
        *,
        rule: str | None = None,
        expected: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> NoReturn:
        where = self.at.of(*place)
        line, column = where or (None, None)
        raise PackError(
            problem, file=self.file, rule=rule, line=line, column=column,
            expected=expected, got=got, hint=hint,
        )  # fmt: skip

    def keys(self, table: dict[str, Any], known: set[str], name: str, index: int = 0) -> None:
        for key in table:
            if key not in known:
                what = f"unknown key {key[:40]!r}" + (f" in [{name}]" if name else "")
                self.fail(
                    what, (name, index, key),
                    expected=f"one of {', '.join(sorted(known))}", hint=did_you_mean(key, known),
                )  # fmt: skip

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        if key not in self.table:
            if default is None:
                self.fail(f"the key {key!r} is missing", expected=f"{key} = ...")
            return default
        return self.typed(self.table[key], kind, ("", 0, key), key)

    def typed(self, value: Any, kind: type, place: tuple[str, int, str], what: str) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"wrong type of {what!r}", place, expected=_KINDS[kind], got=quoted(value))
        return value

    def words(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        """A list of distinct names."""
        values = self.get(key, list, [])
        place = ("", 0, key)
        if not least <= len(values) <= MAX_NAMES:
            self.fail(
                f"wrong number of {key}", place,
                expected=f"{least} to {MAX_NAMES}", got=str(len(values)),
            )  # fmt: skip
        for value in values:
            if not isinstance(value, str) or not _NAME.fullmatch(value):
                self.fail(
                    f"{key}: not a name", place,
                    expected="letters, digits and _, not starting with a digit", got=quoted(value),
                )  # fmt: skip
            if values.count(value) > 1:
                self.fail(f"{key}: {value!r} appears twice", place)
        return tuple(values)

    # ---- the parts of a pack

    def pack(self) -> Pack:
        self.keys(self.table, _TOP, "")
        components = self.words("components", least=1)
        for name in components:
            if name in RESERVED:
                self.fail(f"component {name!r} is a word of the language", ("", 0, "components"))
        names = Names((*components, OTHER), self.words("tags"), self.facts())
        aliases = self.aliases(names)
        rules = self.rules(names)
        domain = self.get("domain", str)
        return Pack(
            name=self.get("name", str),
            version=self.get("version", int),
            domain=domain,
            components=names.components,
            tags=names.tags,
            facts=names.facts,
            weights=self.weights(),
            minimum_rules=self.minimum(),
            evidence=self.evidence(components),
            hidden=self.hidden(names.components),
            aliases=aliases,
            rules=rules,
            content_hash=hashlib.sha256(self.text.encode()).hexdigest(),
            path=self.file,
        )

    def minimum(self) -> int:
        least: int = self.get("minimum_rules", int, 4)
        if least < 1:
            self.fail("minimum_rules is too small", ("", 0, "minimum_rules"), expected=">= 1")
        return least

    def weights(self) -> np.ndarray[Any, np.dtype[np.float64]]:
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
            if not good or not all(isinstance(w, str) and _NAME.fullmatch(w) for w in fact):
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

    def component(self, name: Any, components: tuple[str, ...], place: tuple[str, int, str]) -> int:
        if name not in components:
            self.fail(
                f"unknown component {quoted(name)}", place,
                expected=f"one of {', '.join(components)}",
                hint=did_you_mean(name, components) if isinstance(name, str) else None,
            )  # fmt: skip
        return components.index(name)

    def hidden(self, components: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
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

    # ---- expressions

    def expression(
        self, source: Any, place: tuple[str, int, str], rule: str | None
    ) -> tuple[str, Node]:
        if not isinstance(source, str):
            self.fail("no expression", place, rule=rule, expected="text", got=quoted(source))
        return source, self.guarded(lambda: parse(source), place, rule)

    def guarded(
        self, work: Callable[[], Any], place: tuple[str, int, str], rule: str | None
    ) -> Any:
        """Run a parser or checker; give its problem the file's position."""
        try:
            return work()
        except SyntaxProblem as problem:
            line, column = self.at.of(*place, problem.at) or (1, problem.at + 1)
            raise ExpressionError(
                problem.problem, file=self.file, rule=rule, line=line, column=column,
                expected=problem.expected, got=problem.got, hint=problem.hint,
            ) from None  # fmt: skip

    def aliases(self, names: Names) -> dict[str, Alias]:
        table = self.get("aliases", dict, {})
        if len(table) > MAX_NAMES:
            self.fail("too many aliases", expected=f"at most {MAX_NAMES}", got=str(len(table)))
        parsed: dict[str, tuple[str, Node]] = {}
        for name, source in table.items():
            place = ("aliases", 0, name)
            if not _NAME.fullmatch(name) or name in RESERVED or name in names.components:
                self.fail(f"alias {name[:40]!r} already means something else or is no name", place)
            parsed[name] = self.expression(source, place, f"alias {name}")
        done: dict[str, Alias] = {}
        for name in parsed:
            self._alias(name, parsed, done, names, ())
        return done

    def _alias(
        self,
        name: str,
        parsed: dict[str, tuple[str, Node]],
        done: dict[str, Alias],
        names: Names,
        path: tuple[str, ...],
    ) -> None:
        place = ("aliases", 0, name)
        if name in path:
            cycle = " -> ".join([*path[path.index(name) :], name])
            self.fail("aliases go in a circle", place, got=cycle)
        if name in done:
            return
        source, node = parsed[name]
        for used in _mentioned(node):
            if used in parsed:
                self._alias(used, parsed, done, names, (*path, name))
        kind, value = self.guarded(lambda: check_alias(node, source, names), place, f"alias {name}")
        names.aliases[name], names.alias_types[name] = value, kind
        done[name] = Alias(kind, source, value)

    def rules(self, names: Names) -> tuple[Rule, ...]:
        tables = [(c, self.get(c, list, [])) for c in CATEGORIES]
        total = sum(len(rules) for _, rules in tables)
        if not 1 <= total <= MAX_RULES:
            self.fail("wrong number of rules", expected=f"1 to {MAX_RULES}", got=str(total))
        policy = self.absence(self.table.get("missing", "exclude"), ("", 0, "missing"), None)
        vacuous = self.vacuous(self.table.get("vacuous", policy != "exclude"), ("", 0, "vacuous"))
        rules: list[Rule] = []
        lines: dict[str, int | None] = {}
        for category, entries in tables:
            for index, entry in enumerate(entries):
                place = (category, index, "id")
                self.typed(entry, dict, place, category)
                rule = self.rule(entry, category, index, names, policy, vacuous)
                if rule.id in lines:
                    self.fail(
                        f"the id {rule.id!r} appears twice", place,
                        hint=f"first on line {lines[rule.id]}",
                    )  # fmt: skip
                lines[rule.id] = rule.line
                rules.append(rule)
        return tuple(rules)

    def rule(
        self,
        entry: dict[str, Any],
        category: Category,
        index: int,
        names: Names,
        missing: Absence,
        vacuous: bool,
    ) -> Rule:
        self.keys(entry, _RULE, category, index)
        for key in ("id", "says", "rule"):
            if not isinstance(entry.get(key), str):
                self.fail(
                    f"a {category} rule without {key!r}", (category, index, key),
                    rule=entry["id"] if isinstance(entry.get("id"), str) else None,
                    expected="text", got=quoted(entry.get(key)),
                )  # fmt: skip
        name = entry["id"]
        if not _ID.fullmatch(name):
            self.fail(
                "a rule id is malformed", (category, index, "id"),
                expected="1 to 32 letters, digits, or _ . -", got=quoted(name),
            )  # fmt: skip
        place = (category, index, "rule")
        source, node = self.expression(entry["rule"], place, name)
        checked = self.guarded(lambda: check_rule(node, source, names), place, name)
        where = self.at.of(category, index, "id")
        return Rule(
            id=name,
            category=category,
            says=entry["says"],
            source=source,
            tree=checked,
            bound=tree.bound_text(checked),
            components=_components(node, names),
            subjects=tree.subjects(checked, names.aliases),
            missing=self.absence(entry.get("missing", missing), (category, index, "missing"), name),
            vacuous=self.vacuous(entry.get("vacuous", vacuous), (category, index, "vacuous")),
            views=self.views(entry.get("views"), (category, index, "views"), name),
            reference=self.typed(
                entry.get("reference", ""), str, (category, index, "reference"), "reference"
            ),
            line=where[0] if where else None,
        )

    def absence(self, value: Any, place: tuple[str, int, str], rule: str | None) -> Absence:
        if value not in get_args(Absence):
            self.fail(
                "missing", place, rule=rule,
                expected="exclude, satisfied or violated", got=quoted(value),
            )  # fmt: skip
        return value  # type: ignore[no-any-return]

    def vacuous(self, value: Any, place: tuple[str, int, str]) -> bool:
        return bool(self.typed(value, bool, place, "vacuous"))

    def views(self, value: Any, place: tuple[str, int, str], rule: str) -> tuple[int, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            self.fail("views", place, rule=rule, expected="a list of views", got=quoted(value))
        for view in value:
            if view not in VIEWS:
                self.fail(
                    f"unknown view {quoted(view)}", place, rule=rule, expected=", ".join(VIEWS),
                    hint=did_you_mean(view, VIEWS) if isinstance(view, str) else None,
                )  # fmt: skip
        return tuple(sorted({VIEWS.index(view) for view in value}))


_KINDS: dict[Any, str] = {
    str: "text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false",
    float | int: "a number",
}  # fmt: skip


def _mentioned(node: Node) -> list[str]:
    own = [node.text] if node.kind in {"name", "call"} else []
    return own + [name for arg in node.args for name in _mentioned(arg)]


def _components(node: Node, names: Names) -> tuple[str, ...]:
    """Components mentioned in an expression, through aliases too."""
    found: set[str] = set()
    todo = [node.text] if node.kind == "name" else []
    todo = _mentioned(node)
    for name in todo:
        if name in names.aliases:
            for part in tree.walk(names.aliases[name]):
                for group in tree.groups(part):
                    found.update(names.components[c] for c in group.members)
                if isinstance(part, tree.AliasUse):
                    todo.append(part.name)
        found.update({name} & {*names.components, "foreign"})
    order = [*names.components, "foreign"]
    return tuple(sorted(found, key=order.index))
