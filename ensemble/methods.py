"""Which of the two methods an image is scored by, and why the other is left out.

A caller names one or both (`--method`, ``OPTIONS.method``); a profile may lack what one of them needs. A
method that is not carried out is `skipped` in the row, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from physgauge.config import Profile
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.wire import Method

NO_JUDGE = "this profile has no judge"
NO_DETECTOR = "this profile has no detector"
NOT_SEEN = "nobody looked at the image"


@dataclass(frozen=True, slots=True)
class Methods:
    """What is carried out for an image."""

    method: Method
    """As asked for, less what the profile lacks."""
    no_terravis: str | None
    """Why TerraVis is skipped; None: it is not."""
    no_pcmde: str | None
    looks: bool
    """Whether the judge, or an observer beside him, looks at the image."""
    judges: bool
    """Whether the judge is needed: to look, or to reason."""
    detects: bool
    """Whether detectors are: for PCMDE, or to know where the judge is to look."""

    @classmethod
    def of(
        cls,
        method: Method,
        profile: Profile,
        judge: JudgeSettings | None,
        word: str = "--method",
    ) -> Methods:
        """For images.

        Args:
            method: what the caller asks for.
            profile: the deployment.
            judge: the settings of who looks; None: nobody does.
            word: what the caller said it with, for errors.

        Raises:
            ConfigError: the profile lacks what a method needs that was asked for by name, or what both
                need.
        """
        where = f"profile {profile.name}"
        if judge is None and not profile.detectors:
            raise ConfigError(f"{where}: expected detectors, a judge, or both, got neither")
        for name, table, lacks in (
            ("terravis", "judge", judge is None),
            ("pcmde", "detectors", not profile.detectors),
        ):
            if method == name and lacks:
                raise ConfigError(f"{where}: {table}: expected a table for {word} {name}, got none")
        if method == "both" and (judge is None or not profile.detectors):
            left: Method = "pcmde" if judge is None else "terravis"
            return cls._of(left, profile, judge, NO_JUDGE if judge is None else NO_DETECTOR)
        return cls._of(method, profile, judge, f"only {method} was asked for")

    @classmethod
    def of_boxes(cls, profile: Profile) -> Methods:
        """For boxes from elsewhere: there is nothing to look at."""
        unseen = NO_JUDGE if profile.judge is None else NOT_SEEN
        return cls("pcmde", unseen, None, False, profile.reason.engine == "judge", False)

    @classmethod
    def _of(
        cls, method: Method, profile: Profile, judge: JudgeSettings | None, why: str
    ) -> Methods:
        terravis, pcmde = method != "pcmde", method != "terravis"
        looks = terravis or bool(profile.observers)
        first = judge is not None and judge.after_detection and looks
        return cls(
            method,
            None if terravis else why,
            None if pcmde else why,
            looks,
            looks or profile.reason.engine == "judge",
            pcmde or first,
        )
