"""From folders of pair sets to what a run trains on, checks with, and is calibrated with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from physgauge.train.student.cache import pixels
from physgauge.train.student.layout import probe_ids
from physgauge.train.student.loop import Data
from physgauge.train.student.records import Records, read_pairs

SIZE = 320
"""Side of cached images, px."""


def folders_of(names: str) -> tuple[Path, ...]:
    """Of a list with commas."""
    return tuple(Path(name) for name in names.split(",") if name)


@dataclass(frozen=True)
class Pairs:
    """Pair sets on disk; callable, and picklable for the processes of a run."""

    folders: tuple[Path, ...]
    held: tuple[Path, ...]
    """Sets to check with; none: what is kept aside."""
    aside: float
    """Share of `folders` that nothing is trained on: calibration needs it."""
    check_images: int
    """At most so many images in a check; 0 = all."""
    out: Path
    """The run's folder, for cached pixels."""

    def __call__(self) -> tuple[Data, Data | None]:
        """What is trained on, and what is checked with."""
        kept, aside = self.parts()
        check = read_pairs(self.held, probe_ids()) if self.held else aside
        check = check.first(self.check_images)
        return self.data(kept), self.data(check) if len(check) else None

    def parts(self) -> tuple[Records, Records]:
        """What is trained on, and what is kept aside; the same in every call."""
        return read_pairs(self.folders, probe_ids()).parted(self.aside, seed=0)

    def data(self, records: Records) -> Data:
        """With pixels."""
        return Data(records, pixels(records.files, SIZE, self.out / "cache"))
