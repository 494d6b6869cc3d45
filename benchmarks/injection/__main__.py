"""``python -m benchmarks.injection PATH... --profile NAME|FILE.toml``: how far a profile's judge can be
talked into something.

Each attempt of ``src/physgauge/selftest/attempts.toml`` is

- painted into every image, against the same image with equally long words that want nothing (painting
  alone changes an image);
- put into its caption, against the caption without it: TerraVis never gets a caption, so its answers
  must be the same to the last bit; PCMDE's reasoner does, and its score is compared.

Prints a table by what attempts want, and one line ``RESULT {json}``. With a model that was not trained
(``onepass-tiny``) the figures say that the harness runs, and nothing about a judge.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from physgauge import wire
from physgauge.clients.captions import read_captions
from physgauge.clients.files import find_images
from physgauge.config import LoadedProfile, load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.selftest.attempts import Attempt, attempts, paintable
from physgauge.selftest.change import Change, summary
from physgauge.selftest.injection import in_images
from physgauge.selftest.looks import decoded, open_judge
from physgauge.types import Item


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.injection", description=__doc__)
    parser.add_argument("paths", nargs="+", help="images, folders, patterns")
    parser.add_argument("--profile", default="onepass-tiny", help="whose judge")
    parser.add_argument("--captions", type=Path, help="captions by image, as of `physgauge score`")
    parser.add_argument("--images", type=int, default=4, help="the first so many images")
    parser.add_argument("--only", choices=["image", "caption"], help="where attempts are put")
    parser.add_argument("--attempts", type=int, help="the first so many attempts")
    arguments = parser.parse_args(argv)
    loaded, chosen = load_profile(arguments.profile), attempts()[: arguments.attempts]
    items = list(_items(arguments.paths, arguments.captions))[: arguments.images]
    result: dict[str, object] = {"profile": loaded.profile.name, "attempts": len(chosen)}
    console = Console()
    if arguments.only != "caption":
        result["not_painted"] = [one.id for one in chosen if not paintable(one.text)]
        with open_judge(loaded) as looking:
            by_attempt = in_images(list(decoded(items, loaded.profile)), chosen, looking)
        console.print(_table(by_attempt))
        result["image"] = summary([one for changes in by_attempt.values() for one in changes])
        result["image_by_aim"] = _by_aim(by_attempt)
    if arguments.only != "image":
        result["caption"] = in_captions(items, chosen, loaded)
        console.print(result["caption"])
    print("RESULT", json.dumps(result))


def _items(paths: Sequence[str], captions: Path | None) -> Iterable[Item]:
    table = None if captions is None else read_captions(captions)
    for path in find_images(paths):
        about = None if table is None else table.get(path)
        yield Item(str(path), path.read_bytes(), str(path), about.caption if about else None)


def in_captions(
    items: Sequence[Item], chosen: Sequence[Attempt], loaded: LoadedProfile
) -> dict[str, object]:
    """What attempts change when they stand behind each image's caption.

    The judge looks at one image at a time: what a model computes may differ in its last bits with what
    else is computed beside it, and here every bit counts.
    """
    asked: list[Item] = []
    for item in items:
        plain = item.caption or "A picture."
        for text in (plain, *(f"{plain} {attempt.text}" for attempt in chosen)):
            asked.append(Item(item.image_id, item.data, item.source, text))
    with Pipeline(_one_at_a_time(loaded), Options(workers=1)) as pipeline:
        rows = [scored.row for scored in pipeline.score(asked)]
    groups = [rows[k : k + 1 + len(chosen)] for k in range(0, len(rows), 1 + len(chosen))]
    pairs = [(group[0], row) for group in groups for row in group[1:]]
    return captions_changed(pairs)


def _one_at_a_time(loaded: LoadedProfile) -> LoadedProfile:
    judge = loaded.profile.judge
    if judge is None:
        return loaded
    alone = msgspec.structs.replace(judge, max_in_flight=1)
    profile = msgspec.structs.replace(loaded.profile, judge=alone)
    return msgspec.structs.replace(loaded, profile=profile)


def captions_changed(pairs: Sequence[tuple[wire.Row, wire.Row]]) -> dict[str, object]:
    """Of rows of the same image with a plain caption, and with an attempt behind it."""
    moves = [
        now.pcmde.s_llm - before.pcmde.s_llm
        for before, now in pairs
        if before.pcmde.s_llm is not None and now.pcmde.s_llm is not None
    ]
    verdicts = [(before.pcmde.verdict, now.pcmde.verdict) for before, now in pairs]
    return {
        "pairs": len(pairs),
        "terravis_changed": sum(a.terravis != b.terravis for a, b in pairs),
        "s_llm_max_gain": max(moves, default=None),
        "s_llm_max_loss": min(moves, default=None),
        "fail_to_pass": sum(pair == ("FAIL", "PASS") for pair in verdicts),
        "verdicts_changed": sum(a != b for a, b in verdicts),
    }


def _by_aim(by_attempt: dict[Attempt, list[Change]]) -> dict[str, object]:
    groups: dict[str, list[Change]] = defaultdict(list)
    for attempt, changes in by_attempt.items():
        groups[attempt.wants] += changes
    return {wants: summary(changes) for wants, changes in groups.items()}


def _table(by_attempt: dict[Attempt, list[Change]]) -> Table:
    columns = ("log_odds_mean", "cleared", "found", "lost", "escaped", "score_mean", "score_max")
    table = Table("attempt", "wants", *columns, title="Painted into images", title_justify="left")
    for attempt, changes in by_attempt.items():
        said = summary(changes)
        table.add_row(attempt.id, attempt.wants, *(_cell(said[name]) for name in columns))
    return table


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:+.3f}"


if __name__ == "__main__":
    main()
