"""The record of where a run stands: `report.json` at its end, `physgauge status --json` at any time.

Numbers are numbers or null, never NaN. The published JSON schema is ``docs/report.schema.json``
(`physgauge schema report` prints it). Fields are only ever added, with defaults.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from physgauge import __version__
from physgauge.bulk.watch.money import Costs
from physgauge.bulk.watch.session import SessionState

FORMAT = 1
LOW = 0.6
"""The threshold of TerraVis that is counted unless another one is asked for."""
Status = Literal["done", "running", "draining", "unfinished"]


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """Verdicts and scores of a group of rows."""

    rows: int
    errors: int
    """Rows with an error code."""
    error_share: float | None
    """Of the rows; None: no row."""
    verdicts: dict[str, int]
    """PCMDE's PASS and FAIL, or the status of rows without one."""
    pass_share: float | None
    """PASS of PASS and FAIL; None: neither."""
    s_final_mean: float | None
    """Points 0..100, over the rows that have one."""
    terravis_scored: int
    """Rows with a TerraVis score."""
    terravis_mean: float | None
    """0..1, over those."""
    terravis_below: int
    """Those below the threshold (`threshold` of the report)."""
    terravis_below_share: float | None
    """Of `terravis_scored`."""


class ErrorCount(msgspec.Struct, frozen=True, kw_only=True):
    """Rows with one error code."""

    rows: int
    means: str
    hint: str | None
    """What to do about it."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe or a rule has found."""

    asked: int
    """Rows on which the probe was answered, or to which the rule applied."""
    found: int
    """Rows with a finding, or that violate the rule."""
    major: int | None = None
    """Of a probe: findings that are major."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage took."""

    images: int
    seconds: float
    """Over all of them."""
    mean_s: float | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands."""

    format: int = FORMAT
    physgauge: str = __version__
    """Version that wrote this."""
    output: str
    """Address of the run folder."""
    status: Status
    """`done`: every row is there. `unfinished`: rows are missing and nobody works on them."""
    why: str | None = None
    """What the last session said about its end."""
    generation: int
    """Of the run's newest record: 0, plus one for each `--update` and `retry`."""
    reason: str
    """Of that record: `score`, `update` or `retry`."""
    fingerprint: dict[str, str]
    """What rows depend on, part by part."""
    started: str | None = None
    """When the first session began, UTC by its host's clock."""
    entries: int | None = None
    """Of the run's input; None: archives are in it that nobody has read yet."""
    missing: int | None = None
    """Entries without a row; None where `entries` is."""
    units: int | None = None
    units_committed: int
    units_pending: int | None = None
    """Units without rows, or whose rows are to be made again; None: `units` is not known."""
    rows: int
    """That are there, as the folder's listing says."""
    rows_counted: int
    """Of these in all the counts below; fewer where time was too short to count anew from rows."""
    session_rows: int = 0
    """Rows that sessions have made or copied, replaced ones too."""
    session_scored: int = 0
    """... of which a pipeline made."""
    worked_s: float
    """Seconds in which at least one session worked."""
    images_per_s: float | None = None
    """Over that time."""
    images_per_s_now: float | None = None
    """Of the sessions that live; None: none does, or too early to say."""
    left_s: float | None = None
    """At that rate; None: can't say."""
    threshold: float = LOW
    total: Scores
    errors: dict[str, ErrorCount] = {}
    quarantined: int = 0
    """Rows of images that killed their worker twice."""
    copied: int = 0
    """Rows copied from an equal image of the run."""
    warned: int = 0
    """Rows with a warning."""
    terravis: dict[str, int] = {}
    """Status of TerraVis to rows."""
    probes: dict[str, Found] = {}
    rules: dict[str, Found] = {}
    """By "domain rule"."""
    stages: dict[str, Stage] = {}
    """Of rows that were made in this run, replaced ones too."""
    by: dict[str, dict[str, Scores] | None] = {}
    """Carried column to value to the rows with it, and `pcmde.domain`; None: too many values."""
    costs: Costs = Costs()
    sessions: list[SessionState] = []
    """In the order in which they began."""
    living: list[str] = []
    """Tokens of those that work on it now."""
    damaged: list[str] = []
    """What cannot be read."""


def report_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the report."""
    schema = msgspec.json.schema(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "physgauge report of a bulk run",
        **schema,
    }
