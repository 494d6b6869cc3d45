"""What a profile's judge says of pictures, as a run would have it in its rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future

import msgspec

from physgauge import wire
from physgauge.config import LoadedProfile, Profile
from physgauge.ensemble.feed import Feed, Pixels
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.terravis.result import terravis_of
from physgauge.errors import ConfigError
from physgauge.selftest.pairs import PairSet
from physgauge.types import U8, Item


def open_judge(loaded: LoadedProfile) -> Looking:
    """The profile's judge, ready.

    Raises:
        ConfigError: it has none, or one who has to be told where to look.
        EnvironmentProblem: something it needs is missing.
    """
    profile = loaded.profile
    if profile.judge is None:
        raise ConfigError(f"profile {profile.name}: expected one with a judge, got none")
    if profile.judge.after_detection:
        raise ConfigError(
            f'profile {profile.name}: judge.views.kind: expected "whole" or "tiles" for this, got '
            '"subjects"'
        )
    looking = Looking.of(loaded)
    assert looking is not None
    return looking


def decoded(items: Iterable[Item], profile: Profile) -> Iterator[U8]:
    """Pixels as the judge gets them.

    Raises:
        ConfigError: an image that cannot be decoded.
    """
    feed = Feed(profile, 1)
    try:
        for one in feed.decode(items):
            if not isinstance(one, Pixels):
                raise ConfigError(f"{one.item.source}: {one.error.message}")
            yield one.decoded.rgb
    finally:
        feed.close()


def asking_all(loaded: LoadedProfile) -> LoadedProfile:
    """The profile without early exit: what is left out has no score to rank by."""
    judge = loaded.profile.judge
    if judge is None or judge.gate is None:
        return loaded
    judge = msgspec.structs.replace(judge, gate=None)
    profile = msgspec.structs.replace(loaded.profile, judge=judge)
    return msgspec.structs.replace(loaded, profile=profile)


def pictures(pairs: PairSet, which: Collection[int] | None = None) -> Iterator[Item]:
    """The set's files, or those with these places in it; no captions: a judge gets none."""
    for place, one in enumerate(pairs.pictures):
        if which is not None and place not in which:
            continue
        path = pairs.folder / one.file
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
        yield Item(one.image_id, data, str(path))


def judged(
    images: Iterable[U8], looking: Looking, each: Callable[[], object] = lambda: None
) -> Iterator[wire.TerraVis]:
    """What the judge says of each image, in order; a bounded number is in his hands.

    Args:
        images: [H, W, 3] uint8 each.
        looking: the judge.
        each: called when one is done.
    """
    hands: deque[Future[Look]] = deque()
    for image in images:
        hands.append(looking.begin(image, method="terravis"))
        if len(hands) > 2 * looking.max_in_flight:
            yield _taken(hands, looking, each)
    while hands:
        yield _taken(hands, looking, each)


def _taken(
    hands: deque[Future[Look]], looking: Looking, each: Callable[[], object]
) -> wire.TerraVis:
    look = hands.popleft().result()
    each()
    return terravis_of([look], looking.card.counting)[0]
