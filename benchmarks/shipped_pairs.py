"""``python -m benchmarks.shipped_pairs SET``: the small set of pairs that the package ships.

    python -m benchmarks.scenes pairs --split held_out --count 200 --seed S --out SET
    python -m benchmarks.shipped_pairs SET

The first pairs of every category and the first other pictures of every family, their files as they are
(twins went through one JPEG encoder; another one would add traces of its own). The last line is
``RESULT {json}``: pairs, other pictures, bytes.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.scenes.pairs.truth import write_truth
from physgauge.clients.table import read_records
from physgauge.errors import ConfigError
from physgauge.selftest.pairs import SHIPPED, TRUTH, read_pairs

MOST_BYTES: Final = 3 * 2**20


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shipped_pairs", description=__doc__)
    parser.add_argument("set", type=Path, help="a folder that `benchmarks.scenes pairs` has made")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="it is replaced")
    parser.add_argument("--pairs", type=int, default=5, help="of each category, at most")
    parser.add_argument("--others", type=int, default=4, help="of each family, at most")
    arguments = parser.parse_args(argv)
    size = ship(arguments.set, arguments.out, arguments.pairs, arguments.others)
    made = read_pairs(arguments.out)
    others = sum(not one.eligible for one in made.pictures)
    print("RESULT", json.dumps({"pairs": made.pairs, "others": others, "bytes": size}))


def ship(source: Path, out: Path, pairs: int, others: int) -> int:
    """Write the small set; its size in bytes.

    Raises:
        ConfigError: the source is no set, is not held out, or too much is taken of it.
    """
    read_pairs(source)  # whatever is wrong with it is said
    chosen = chosen_of(read_records(source / TRUTH), pairs, others)
    size = sum((source / str(one["file"])).stat().st_size for one in chosen)
    if size > MOST_BYTES:
        raise ConfigError(
            f"{source}: expected at most {MOST_BYTES:,} bytes of pictures, got {size:,}: take fewer "
            "(--pairs, --others)"
        )
    shutil.rmtree(out, ignore_errors=True)
    for one in chosen:
        (out / str(one["file"])).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / str(one["file"]), out / str(one["file"]))
    write_truth([one | {"mask": None} for one in chosen], out / TRUTH)
    return sum(f.stat().st_size for f in out.rglob("*") if f.is_file())


def chosen_of(records: Sequence[dict[str, Any]], pairs: int, others: int) -> list[dict[str, Any]]:
    """The first pairs of every category, on held-out scenes, and the first others of every family."""
    counted: Counter[Any] = Counter()
    kept, chosen = set(), []
    for one in records:
        if one["split"] != "held_out":
            raise ConfigError(
                f"expected a held-out set, got a picture of the split {one['split']!r}"
            )
        if one["pair"] is None:
            counted[one["family"]] += 1
            if counted[one["family"]] <= others:
                chosen.append(one)
            continue
        if one["pair"] not in kept:
            counted[one["pair_category"]] += 1
            if counted[one["pair_category"]] > pairs:
                continue
            kept.add(one["pair"])
        chosen.append(one)
    return chosen


if __name__ == "__main__":
    main()
