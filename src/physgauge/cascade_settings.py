"""The table ``[cascade]`` of a profile: a quick first judge in front of the profile's own, who is asked
only where the first is unsure (docs/cascade.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from physgauge.errors import ConfigError
from physgauge.judge_settings import THRESHOLDS, EngineName, JudgeSettings
from physgauge.settings import Fraction, Positive, Settings
from physgauge.wire import Provenance

Gate = Annotated[float, msgspec.Meta(gt=0, le=1)]


class FirstSettings(Settings, frozen=True, kw_only=True):
    """``[cascade.first]``: who looks first. His answers count as those of ``[judge]`` do."""

    engine: EngineName = "student"
    probes: str = "terravis"
    """A shipped set of probes, or the path of a ``.toml`` relative to the profile."""
    timeout_s: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 30.0
    """For one image."""
    student: dict[str, Any] = msgspec.field(default_factory=dict)
    onepass: dict[str, Any] = msgspec.field(default_factory=dict)
    vllm: dict[str, Any] = msgspec.field(default_factory=dict)
    endpoint: dict[str, Any] = msgspec.field(default_factory=dict)

    def as_judge(self, second: JudgeSettings) -> JudgeSettings:
        """The settings of a judge; how answers count, and how many images are in hand, as with the
        second."""
        return JudgeSettings(
            engine=self.engine,
            probes=self.probes,
            lambda_=second.lambda_,
            alpha=second.alpha,
            yes_from=second.yes_from,
            eligible_from=second.eligible_from,
            major_from=second.major_from,
            grade_from=second.grade_from,
            timeout_s=self.timeout_s,
            max_in_flight=second.max_in_flight,
            student=self.student,
            onepass=self.onepass,
            vllm=self.vllm,
            endpoint=self.endpoint,
        )


class Promise(Settings, frozen=True, kw_only=True):
    """``[cascade.promise]``: what `physgauge cascade-fit` has found on its calibration set."""

    disagreement: Fraction
    """Share of images with another decision than the second judge's, at most ..."""
    confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    """... with this confidence."""
    images: Positive
    """That both judges had a decision for."""
    disagreed: Annotated[int, msgspec.Meta(ge=0)]
    """Of them, those whose decision was another one."""
    bound: Fraction
    """Upper bound of their share, at the confidence."""
    second_share: Fraction
    """Of all images, those that reached the second judge."""
    first: str
    """The judges' names, ..."""
    second: str
    mode: str
    """... how the second was asked, ..."""
    models: dict[str, str]
    """... their models, by name, and the rest as a cascade's rows have it: ..."""
    probes: str
    """... version of the probes, ..."""
    settings: dict[str, float]
    """... and whatever decides: see `conditions`."""
    date: str


class CascadeSettings(Settings, frozen=True, kw_only=True):
    """``[cascade]``: when the first judge's word stands."""

    gate: Gate
    """An image passes from this score: what the two should agree on."""
    low: Fraction
    """It fails by the first judge's word from this expected score down, ..."""
    high: Fraction
    """... and passes from this one up; between them the second judge is asked."""
    eligible_low: Fraction = 0.0
    """It is not eligible by the first judge's word from this P(eligible) down; above, and below ..."""
    eligible_high: Fraction = 1.0
    """... this one, the second judge is asked."""
    unsure_low: Fraction = 0.5
    """The second judge is asked, too, where any P(yes) lies between this ..."""
    unsure_high: Fraction = 0.5
    """... and this."""
    first: FirstSettings = FirstSettings()
    promise: Promise | None = None


def check_cascade(cascade: CascadeSettings, judge: JudgeSettings | None, where: str) -> None:
    """Checks that need several fields at once.

    Raises:
        ConfigError: settings that do not fit together.
    """
    if judge is None:
        raise ConfigError(f"{where}: judge: expected a table for the second of [cascade], got none")
    if judge.mode == "direct":
        raise ConfigError(
            f"{where}: judge.mode: expected one with probes in a cascade, got 'direct'"
        )
    if judge.after_detection:
        raise ConfigError(
            f'{where}: judge.views.kind: expected "whole" or "tiles" in a cascade, got "subjects"'
        )
    if judge.gate is not None and judge.gate != cascade.gate:
        raise ConfigError(
            f"{where}: judge.gate: expected that of [cascade] ({cascade.gate:g}) or none, got "
            f"{judge.gate:g}"
        )
    if not cascade.low <= cascade.gate <= cascade.high:
        raise ConfigError(
            f"{where}: cascade: expected low <= gate <= high, got {cascade.low:g}, {cascade.gate:g}, "
            f"{cascade.high:g}"
        )
    for low, high in (("eligible_low", "eligible_high"), ("unsure_low", "unsure_high")):
        if getattr(cascade, low) > getattr(cascade, high):
            raise ConfigError(
                f"{where}: cascade.{low}: expected at most {high} ({getattr(cascade, high):g}), got "
                f"{getattr(cascade, low):g}"
            )


def conditions(
    lambda_: float | None, alpha: float | None, stored: Mapping[str, float]
) -> dict[str, float]:
    """What a promise was made for, of a row's provenance: bands, and how answers count.

    Args:
        lambda_: of the provenance.
        alpha: of the provenance.
        stored: its `settings`.
    """
    names = [n for n in stored if n in THRESHOLDS or n.startswith("cascade.")]
    given = {"lambda": lambda_, "alpha": alpha} | {name: stored[name] for name in sorted(names)}
    return {name: value for name, value in given.items() if value is not None}


def kept(promise: Promise | None, mode: str, made: Provenance) -> str:
    """What may be said after a run.

    Args:
        promise: of the profile.
        mode: how the second judge is asked.
        made: of a row.
    """
    if promise is None:
        return (
            "cascade: nobody has checked how often it decides otherwise than the judge alone "
            "(physgauge cascade-fit)"
        )
    same = {
        "models": all(made.models.get(f"judge_{n}") == sha for n, sha in promise.models.items()),
        "probes": made.probe_version == promise.probes,
        "thresholds or bands": conditions(made.lambda_, made.alpha, made.settings)
        == promise.settings,
        "calls (judge.mode)": mode == promise.mode,
    }
    if other := [name for name, equal in same.items() if not equal]:
        names = ", ".join(other)
        return f"cascade: it was fitted with other {names}: its promise does not hold for these"
    return (
        f"cascade: at most {promise.disagreement:.1%} other decisions than the judge alone, at "
        f"{promise.confidence:.0%} confidence ({promise.disagreed} of {promise.images} images, "
        f"{promise.date})"
    )
