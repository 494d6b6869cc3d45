"""What a row of a manifest names: a path or an address, looked at before anything is read."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from physgauge.clients.sources.arrow import Table, plan_table
from physgauge.clients.sources.hosts import Hosts
from physgauge.clients.sources.places import Place, bucket_of, file_states, kind_of, local, raw_of
from physgauge.clients.storage.address import REMOTE
from physgauge.errors import ImageError

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class Refs:
    """Paths and addresses as the rows of one manifest may give them.

    Args:
        base: folder that relative paths start from: local, or of a store.
        hosts: who else may be named.
        any_bucket: every bucket may be named: what the user listed, not what data say.
    """

    def __init__(self, base: str, hosts: Hosts, any_bucket: bool = False) -> None:
        self._hosts = hosts
        self._any_bucket = any_bucket
        self._remote = kind_of(base) == "object"
        self._bucket = bucket_of(base) if self._remote else ""
        self._base = base if not base or base.endswith("/") else base + "/"
        self.quick = None if self._remote or raw_of(base) else self._base
        """What comes before a relative path, where that is all there is to a row's local file."""

    def place(self, text: str) -> Place:
        """Where the image lies that a row names; with size and mtime if it is local.

        Raises:
            ImageError: nothing is named, or what the row has no right to name.
        """
        if not text:
            raise ImageError("manifest_invalid", "expected the image's path, got none")
        if _SCHEME.match(text):
            return self._address(text)
        if not self._remote:
            return local(text if text.startswith("/") else self._base + text)
        if text.startswith("/") or ".." in text.split("/"):
            raise ImageError(
                "source_refused",
                f"expected a path below {self._base}, got {text!r:.300}: a manifest in a store names no "
                "local files (--root says otherwise)",
            )
        return Place("object", self._base + text.removeprefix("./"))

    def _address(self, text: str) -> Place:
        scheme = text.partition("://")[0].lower()
        if scheme in ("http", "https"):
            self._hosts.check_url(text)
            return Place("web", text)
        if scheme not in REMOTE:
            raise ImageError(
                "source_refused",
                f"expected a path, or an address in a store or of an allowed host; got {text!r:.300}",
            )
        own = self._any_bucket or bucket_of(text) == self._bucket
        if not own and not self._hosts.allows_bucket(text):
            raise ImageError(
                "source_refused",
                f"expected a bucket that --allow-host names ({bucket_of(text)}), got {text!r:.300}",
            )
        if not text.partition("://")[2].partition("/")[2].strip("/"):
            raise ImageError(
                "manifest_invalid", f"expected {scheme}://BUCKET/KEY, got {text!r:.300}"
            )
        return Place("object", text)


@dataclass(slots=True)
class Batch:
    """Rows of a manifest, column by column, before their images are looked for."""

    where: str
    """The manifest, for messages."""
    container: int
    lines: list[int]
    paths: Sequence[str | None]
    ids: Sequence[str | None] | None = None
    caption: Any = None
    """Lists or Arrow columns; None = no such column."""
    domain: Any = None
    extra: Any = None
    faults: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Place in the batch -> code and message of rows that are wrong already."""


def listed(batch: Batch, refs: Refs) -> Table:
    """A manifest's rows as a table of the plan; a row that is wrong has its fault in it."""
    count = len(batch.lines)
    kinds, places = ["none"] * count, [""] * count
    raws: list[bytes | None] = [None] * count
    sizes, versions = [-1] * count, [""] * count
    codes: list[str | None] = [None] * count
    faults: list[str | None] = [None] * count
    ids: list[str | None] = [None] * count if batch.ids is None else list(batch.ids)
    quick = refs.quick
    looked_at: list[int] = []
    for row, text in enumerate(batch.paths):
        if quick is not None and text and not batch.faults and "://" not in text:
            kinds[row], places[row] = "file", text if text[0] == "/" else quick + text
            looked_at.append(row)
            ids[row] = ids[row] or text
            continue
        known = batch.faults.get(row)
        if known is None or known[0] == "caption_invalid":
            try:
                place = refs.place(text or "")
                kinds[row], places[row] = place.kind, place.name
                raws[row] = raw_of(place.text) or None if place.kind == "file" else None
                sizes[row], versions[row] = place.size, place.version
            except ImageError as error:
                known = (error.code, error.message)
        if known is not None:
            codes[row] = known[0]
            faults[row] = f"{batch.where}:{batch.lines[row]}: {known[1]}"
        if not ids[row]:
            ids[row] = os.fspath(text or f"{batch.where}:{batch.lines[row]}")
    size, mtime_ns = file_states([places[row] for row in looked_at])
    for row, now, at in zip(looked_at, size.tolist(), mtime_ns.tolist(), strict=True):
        sizes[row], versions[row] = now, str(at) if at >= 0 else ""
    columns = {
        "image_id": ids, "kind": kinds, "place": places, "raw": raws, "size": sizes,
        "version": versions, "line": batch.lines, "container": [batch.container] * count,
        "caption": batch.caption, "domain": batch.domain, "extra": batch.extra,
        "code": codes, "fault": faults,
    }  # fmt: skip
    return plan_table(count, columns)
