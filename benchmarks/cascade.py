"""``python -m benchmarks.cascade --first PROFILE --second PROFILE --pairs SET``: a cascade against its
second judge alone.

Both judges look at every other pair of the set (or at all of ``--calibration SET``); there the bands are
fitted for ``--disagreement``. On the rest the cascade and the second judge alone are timed in turn. The
last line is ``RESULT {json}``:

- `disagreement`: share of these images that the cascade decides otherwise than the second judge;
- `share`: of them, those that reached the second judge;
- `images_per_s` and its `ratio` to the second judge alone;
- `promise`: what was asked for, and the bound on the calibration set.

Any two profiles with a judge will do. No trained multimodal model ships: with ``onepass-tiny`` as the
second (random weights) the figures say what the machinery does, and nothing about a judge.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from physgauge import wire
from physgauge.cascade_settings import CascadeSettings, FirstSettings
from physgauge.config import LoadedProfile, load_profile
from physgauge.ensemble.judge.cascade.bands import Glance
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.terravis.result import terravis_of
from physgauge.errors import ConfigError
from physgauge.evaluate.cascade_fit import Fit, fit
from physgauge.evaluate.cascade_rows import Judged
from physgauge.gate.bounds import decision
from physgauge.judge_settings import JudgeSettings
from physgauge.selftest.looks import decoded, open_judge, pictures
from physgauge.selftest.pairs import PairSet, Truth, read_pairs
from physgauge.types import U8


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one run over images."""

    said: list[wire.TerraVis]
    costs: list[wire.Cost]
    seconds: float


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=__doc__)
    parser.add_argument("--first", required=True, help="profile whose judge looks first")
    parser.add_argument("--second", required=True, help="profile whose judge decides")
    parser.add_argument("--pairs", type=Path, required=True, help="held-out pairs")
    parser.add_argument("--calibration", type=Path, help="other pairs, for the bands")
    parser.add_argument("--gate", type=float, default=0.6)
    parser.add_argument("--disagreement", type=float, default=0.01)
    parser.add_argument("--confidence", type=float, default=0.95)
    arguments = parser.parse_args(argv)
    first, second = load_profile(arguments.first), load_profile(arguments.second)
    fitted_on, held_out = sets(arguments.pairs, arguments.calibration)
    gate = arguments.gate
    calibration = images_of(fitted_on, second)
    before, alone = seen(_judged_as(first, second), calibration), seen(second, calibration)
    judged = [
        Judged(Glance.of(a, gate), decision(b, gate), cost_a, cost_b)
        for a, b, cost_a, cost_b in zip(
            before.said, alone.said, before.costs, alone.costs, strict=True
        )
    ]
    fitted = fit(judged, gate, arguments.disagreement, arguments.confidence)
    images = images_of(held_out, second)
    both, single = seen(cascade(first, second, fitted), images), seen(second, images)
    print("RESULT", json.dumps(result(both, single, fitted, gate) | {
        "asked": arguments.disagreement, "first": arguments.first, "second": arguments.second,
    }))  # fmt: skip


def result(both: Seen, single: Seen, fitted: Fit, gate: float) -> dict[str, Any]:
    """The figures of a cascade against its second judge alone."""
    words = [
        (decision(a, gate), decision(b, gate)) for a, b in zip(both.said, single.said, strict=True)
    ]
    known = [pair for pair in words if pair[1] is not None]
    reached = sum(one.mode == "cascade:second" for one in both.said)
    rate, alone = (len(one.said) / one.seconds for one in (both, single))
    return {
        "disagreement": round(sum(a != b for a, b in known) / max(1, len(known)), 5),
        "share": round(reached / len(words), 4),
        "images_per_s": round(rate, 2),
        "ratio": round(rate / alone, 3),
        "images": len(words),
        "promise": {
            "bound": round(fitted.bound, 5),
            "images": fitted.compared,
            "second_share": round(fitted.reached / fitted.images, 4),
        },
    }


def sets(pairs: Path, calibration: Path | None) -> tuple[PairSet, PairSet]:
    """What the bands are fitted on, and what they are tried on: other pairs."""
    whole = read_pairs(pairs)
    if calibration is not None:
        return read_pairs(calibration), whole
    even, odd = list[Truth](), list[Truth]()
    units: dict[object, int] = {}
    for one in whole.pictures:
        unit = units.setdefault(one.image_id if one.pair is None else one.pair, len(units))
        (odd if unit % 2 else even).append(one)
    return PairSet(pairs, tuple(even)), PairSet(pairs, tuple(odd))


def images_of(pairs: PairSet, loaded: LoadedProfile) -> list[U8]:
    """Decoded once: judges are compared here, not decoders."""
    return list(decoded(pictures(pairs), loaded.profile))


def cascade(first: LoadedProfile, second: LoadedProfile, fitted: Fit) -> LoadedProfile:
    """The second's profile with the first's judge before it."""
    bands = fitted.bands
    settings = CascadeSettings(
        first=_first(first), **{name: getattr(bands, name) for name in bands.__slots__}
    )
    return _with(second, cascade=settings)


def _first(loaded: LoadedProfile) -> FirstSettings:
    judge = _judge(loaded)
    table = _absolute(getattr(judge, judge.engine), loaded)
    return FirstSettings(engine=judge.engine, probes=judge.probes, **{judge.engine: table})  # type: ignore[arg-type]


def _judged_as(first: LoadedProfile, second: LoadedProfile) -> LoadedProfile:
    """The first's judge alone, counted as the second's answers are."""
    return _with(second, judge=_first(first).as_judge(_judge(second)), cascade=None)


def _judge(loaded: LoadedProfile) -> JudgeSettings:
    if loaded.profile.judge is None:
        raise ConfigError(f"profile {loaded.profile.name}: expected one with a judge, got none")
    return loaded.profile.judge


def _absolute(table: Mapping[str, Any], loaded: LoadedProfile) -> dict[str, Any]:
    """An engine's settings, its model's path no longer relative to the profile."""
    model = table.get("model")
    there = isinstance(model, str) and loaded.path(model).exists()
    return {**table, "model": str(loaded.path(str(model)))} if there else dict(table)


def _with(loaded: LoadedProfile, **changes: Any) -> LoadedProfile:
    profile = msgspec.structs.replace(loaded.profile, observers=[], **changes)
    return msgspec.structs.replace(loaded, profile=profile)


def seen(loaded: LoadedProfile, images: Iterable[U8]) -> Seen:
    """A profile's judge over images; loading is not timed, nor the first image."""
    images = list(images)
    with open_judge(loaded) as looking:
        looking.begin(images[0]).result()
        start = time.monotonic()
        looks = _looks(looking, images)
        seconds = time.monotonic() - start
        said = terravis_of(looks, looking.card.counting)
    costs = [
        wire.Cost(calls=one.spent.calls, tokens=one.spent.tokens, ms={"look": one.ms})
        for one in looks
    ]
    return Seen(said, costs, seconds)


def _looks(looking: Looking, images: Sequence[U8]) -> list[Look]:
    done, hands = [], deque[Future[Look]]()
    for image in images:
        hands.append(looking.begin(image))
        if len(hands) > 2 * looking.max_in_flight:
            done.append(hands.popleft().result())
    return [*done, *(one.result() for one in hands)]


if __name__ == "__main__":
    main()
