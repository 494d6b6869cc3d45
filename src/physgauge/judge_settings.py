"""The table ``[judge]`` of a profile: who looks at the images, how he is asked, and how answers count
(docs/terravis.md)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from physgauge.errors import ConfigError
from physgauge.parity_record import ParityRecord
from physgauge.settings import Fraction, Settings

Mode = Literal["onepass", "paper", "single_prompt", "direct"]
EngineName = Literal["student", "onepass", "vllm", "endpoint"]
Part = Annotated[int, msgspec.Meta(ge=1, le=8)]
THRESHOLDS: Final = ("yes_from", "eligible_from", "major_from", "grade_from")
"""Settings by which answers count, and that rows keep by these names."""


class ViewSettings(Settings, frozen=True, kw_only=True):
    """``[judge.views]``: closer looks at parts of the same image."""

    kind: Literal["whole", "tiles", "subjects"] = "whole"
    """`whole`: the image and no more; `tiles`: cut into a grid; `subjects`: around what the detector
    found."""
    columns: Part = 2
    rows: Part = 2
    """Of the tiles."""
    margin: Fraction = 0.2
    """Added on each side of a crop, as a share of its own size."""
    most: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    """Crops around subjects, the largest first."""
    min_side_px: Annotated[int, msgspec.Meta(ge=8, le=4096)] = 64
    """Smaller crops aren't looked at: there is nothing to see in them."""


class JudgeSettings(Settings, frozen=True, kw_only=True):
    """``[judge]``."""

    engine: EngineName
    """What runs the model; its own settings are in the table of that name. `student` is no language
    model (docs/student.md): `mode` and `evidence` are for the others."""
    mode: Mode = "onepass"
    """`onepass`: the probes as yes/no questions behind one image; `paper`: the published calls, answered
    in text; `single_prompt` and `direct`: the baselines TerraVis-H and GPTScore."""
    paper_calls: Literal["serial", "together"] = "together"
    """Of `paper`: one call after the other, or an image's probes at once."""
    probes: str = "terravis"
    """A shipped set of probes, or the path of a ``.toml`` relative to the profile."""
    lambda_: Annotated[float, msgspec.Meta(gt=0, le=100)] = msgspec.field(
        name="lambda", default=1.0
    )
    """How hard a violation counts: S = exp(-lambda (N_major + alpha N_minor))."""
    alpha: Fraction = 0.5
    """What a minor violation counts beside a major one."""
    yes_from: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """A probe has found something from this P(yes)."""
    eligible_from: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """An image can be judged from this P(yes) of the eligibility question."""
    major_from: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    """What has been found is major from this P(major)."""
    grade_from: Fraction = 0.1
    """Severity is asked from this P(yes), and for all that has been found."""
    evidence: bool = False
    """Have the model name the object and what it sees, for what has been found (`onepass`; `paper` and
    `single_prompt` always do)."""
    timeout_s: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 120.0
    """For one image, from the start of its look to its last answer; what is not answered then is a
    `timeout`."""
    max_in_flight: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 16
    """Images looked at at a time."""
    views: ViewSettings = ViewSettings()
    parity: ParityRecord | None = None
    """What holding the mode against `paper` has shown; without it only speed may be claimed."""
    gate: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """An image passes from this score; as soon as that is certain, or out of reach, nothing more is asked
    about it. None: everything is asked."""
    student: dict[str, Any] = msgspec.field(default_factory=dict)
    """Settings of that engine, which reads them itself (so for the next three)."""
    onepass: dict[str, Any] = msgspec.field(default_factory=dict)
    vllm: dict[str, Any] = msgspec.field(default_factory=dict)
    endpoint: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def after_detection(self) -> bool:
        """Whether a look needs to know first where the image's subjects are."""
        return self.views.kind == "subjects"


def check_judge(judge: JudgeSettings, where: str) -> None:
    """Checks that need several fields at once.

    Raises:
        ConfigError: settings that do not fit together.
    """
    if judge.views.kind != "whole" and judge.mode != "onepass":
        raise ConfigError(
            f'{where}: judge.views.kind: expected "whole" in the mode {judge.mode!r}, '
            f"got {judge.views.kind!r}"
        )
    if judge.gate is not None and judge.mode in ("single_prompt", "direct"):
        raise ConfigError(
            f"{where}: judge.gate: expected none in the mode {judge.mode!r}, where all is asked at once, "
            f"got {judge.gate:g}"
        )
    if judge.engine == "student":
        _check_student(judge, where)
    if judge.grade_from > judge.yes_from:
        raise ConfigError(
            f"{where}: judge.grade_from: expected at most yes_from ({judge.yes_from:g}), "
            f"got {judge.grade_from:g}"
        )


def _check_student(judge: JudgeSettings, where: str) -> None:
    for name, plain in (("mode", "onepass"), ("evidence", False), ("views.kind", "whole")):
        got = judge.views.kind if name == "views.kind" else getattr(judge, name)
        if got != plain:
            raise ConfigError(
                f"{where}: judge.{name}: expected {plain!r} with a student, which looks once and writes "
                f"nothing, got {got!r}"
            )
