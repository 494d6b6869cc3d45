"""The look stage of a pipeline: a profile's judge in its runner, and what its looks come to in rows."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import msgspec

from physgauge import wire
from physgauge.cascade_settings import CascadeSettings
from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.ensemble.judge.load import load_judge
from physgauge.ensemble.judge.look import Crop, Judge, Look, Reasoner
from physgauge.ensemble.judge.reason_input import ReasonInput, ReasonResult, unanswered
from physgauge.ensemble.judge.runner import Runner
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.ensemble.judge.views import Boxes, around, tiles
from physgauge.ensemble.observations import Sight, counts
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.types import U8


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """What rows say of the judge."""

    name: str
    models: dict[str, str]
    probe_version: str
    counting: Counting
    decides: dict[str, float] = field(default_factory=dict)
    """Numbers that decide what is asked: gate, bands of a cascade."""

    @classmethod
    def of(
        cls, judge: Judge, settings: JudgeSettings, cascade: CascadeSettings | None = None
    ) -> JudgeCard:
        """Of a judge and the settings its answers count by."""
        decides = {} if settings.gate is None else {"gate": settings.gate}
        if cascade is not None:
            decides |= Bands.of(cascade).thresholds()
        models = dict(judge.models)
        return cls(judge.name, models, judge.probe_version, Counting.of(settings), decides)

    def sign(self, provenance: wire.Provenance) -> wire.Provenance:
        """With the judge in it."""
        return msgspec.structs.replace(
            provenance,
            models=provenance.models | {f"judge_{n}": sha for n, sha in self.models.items()},
            probe_version=self.probe_version,
            lambda_=self.counting.lambda_,
            alpha=self.counting.alpha,
            engine=self.name,
            settings=provenance.settings | self.counting.thresholds() | self.decides,
        )


class Looking:
    """Looks at images while the other stages work; use as a context manager.

    Args:
        settings: the profile's.
        runner: runs the judge; closed with this.
        cascade: the profile's, where the judge is one.
    """

    def __init__(
        self, settings: JudgeSettings, runner: Runner, cascade: CascadeSettings | None = None
    ) -> None:
        self.settings, self._runner = settings, runner
        self.card = JudgeCard.of(runner.judge, settings, cascade)
        self.max_in_flight = settings.max_in_flight
        self.after_detection = settings.after_detection
        """Whether a look needs to know first where the image's subjects are."""

    @classmethod
    def of(cls, loaded: LoadedProfile) -> Looking | None:
        """The look stage of a profile; None where nobody looks.

        Raises:
            ConfigError: as `load_judge`.
            EnvironmentProblem: as `load_judge`.
        """
        settings = loaded.profile.judge
        if settings is None:
            return None
        runner = Runner(lambda: load_judge(loaded), settings.max_in_flight)
        return cls(settings, runner, loaded.profile.cascade)

    def begin(
        self,
        image: U8,
        boxes: Boxes = (),
        deadline_s: float | None = None,
        method: wire.Method = "both",
    ) -> Future[Look]:
        """Look at an image; `boxes` are around its subjects, where that decides how to look. Deadline and
        method are as of :meth:`physgauge.ensemble.judge.look.Watcher.look_for`."""
        height, width = image.shape[:2]
        return self._runner.submit(image, self._crops(width, height, boxes), deadline_s, method)

    def begin_reasoning(self, given: ReasonInput) -> Future[ReasonResult]:
        """Reason about a record.

        Raises:
            ConfigError: this judge does not reason.
        """
        judge = self._runner.judge
        if not isinstance(judge, Reasoner):
            raise ConfigError(
                'reason.engine: expected a judge that reasons for "judge", got one that '
                f"does not ({judge.name})"
            )

        async def work() -> ReasonResult:
            try:
                return await judge.reason(given)
            except Exception as error:  # a reasoner's fault is its image's, and not the run's
                return unanswered(f"the reasoner failed ({type(error).__name__})")

        return self._runner.run(work)

    def _crops(self, width: int, height: int, boxes: Boxes) -> tuple[Crop, ...]:
        views = self.settings.views
        if views.kind == "tiles":
            return tiles(width, height, views)
        return around(boxes, width, height, views) if views.kind == "subjects" else ()

    def close(self) -> None:
        """Stop what runs, and close the judge."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def with_looks(
    rows: list[wire.Row], looks: list[Look], counting: Counting | None
) -> list[wire.Row]:
    """Rows with TerraVis' part in them, what observers saw, and what it took. Without `counting`, where
    nobody was asked for TerraVis, that part stays as it is."""
    parts = [row.terravis for row in rows] if counting is None else terravis_of(looks, counting)
    return [
        msgspec.structs.replace(
            row,
            terravis=part,
            pcmde=_observed(row.pcmde, look),
            cost=_cost(row.cost, look),
            warnings=[*row.warnings, *([part.abstained] if part.abstained else [])],
        )
        for row, part, look in zip(rows, parts, looks, strict=True)
    ]


def _observed(pcmde: wire.Pcmde, look: Look) -> wire.Pcmde:
    """With all that observers said, whether it counted or not."""
    if not look.sights:
        return pcmde
    return msgspec.structs.replace(
        pcmde,
        observations=[one for sight in look.sights for one in sight.observations],
        observers=[
            wire.Observer(
                source=s.source, outcome=s.outcome, domain=s.domain, rejected=s.rejected,
                reason=s.reason or _unheard(s, pcmde),
            )
            for s in look.sights
        ],
    )  # fmt: skip


def _unheard(sight: Sight, pcmde: wire.Pcmde) -> str | None:
    """Why what an observer said did not count."""
    if not sight.observations:
        return None
    if pcmde.domain is None:
        return "nothing known was detected"
    if not counts(sight, pcmde.domain):
        return f"the picture is judged as one of: {pcmde.domain}"
    return "several subjects: nobody knows whose parts these are" if pcmde.subjects else None


def _cost(cost: wire.Cost, look: Look) -> wire.Cost:
    return wire.Cost(
        calls=cost.calls + look.spent.calls,
        tokens=cost.tokens + look.spent.tokens,
        cached_tokens=cost.cached_tokens + look.spent.cached_tokens,
        usd=look.spent.usd if cost.usd is None else cost.usd + (look.spent.usd or 0.0),
        ms=cost.ms | {"look": look.ms},
    )
