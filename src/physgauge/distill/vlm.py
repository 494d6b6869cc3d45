"""A head on a multimodal language model, taught by stored rows.

The model stays as it is: what it holds at the ends of all questions is computed once an image and kept on
disk, so a run that was stopped goes on, and the head itself is trained in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from physgauge.distill.order import Order
from physgauge.distill.report import write_report
from physgauge.distill.rows import read_taught
from physgauge.distill.work import Parts, parts_of
from physgauge.ensemble.judge.engines.onepass.build import reader
from physgauge.ensemble.judge.engines.onepass.reader import Reader
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.student import vlm
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.errors import ConfigError
from physgauge.train.student import calibrate, known
from physgauge.train.student.answering import Logits
from physgauge.train.student.cache import pixels, read
from physgauge.train.student.layout import FAMILIES
from physgauge.train.student.metrics import Answers
from physgauge.train.student.records import Records, Targets
from physgauge.types import F32

CHUNK: Final = 8
STEPS: Final = 400
KNOWN_FROM: Final = 0.5


@dataclass(frozen=True)
class Questions:
    """What the model reads about every image."""

    preamble: str
    texts: tuple[str, ...]
    """Eligibility, then the probes in the order of the rows."""

    @staticmethod
    def of(probes: Sequence[str]) -> Questions:
        """Of the shipped probe set.

        Raises:
            ConfigError: rows with probes that it does not have.
        """
        shipped = load_probes("terravis")
        words = {one.id: one.text for one in shipped.probes}
        unknown = [name for name in probes if name not in words]
        if unknown:
            raise ConfigError(
                f"distill: a head on a language model needs the words of its probes: expected shipped "
                f"ones, got {unknown[0]!r}"
            )
        return Questions(shipped.preamble, (shipped.eligible, *(words[name] for name in probes)))


@dataclass(frozen=True)
class Source:
    """The model, and what it reads."""

    reader: Reader
    questions: Questions

    def states(self, images: Sequence[Any]) -> F32:
        """[B, 1 + Q, hidden] of images [H, W, 3]."""
        return self.reader.read(images, self.questions.preamble, self.questions.texts)


def distill_vlm(order: Order) -> dict[str, Any]:
    """As `physgauge.distill.work.distill`; the student is a folder.

    Raises:
        ConfigError: a model that cannot be packed, rows of other probes, or what `distill` raises.
    """
    taught = read_taught(order.folders, order.images)
    parts = parts_of(taught.records, order.aside)
    name = order.backbone.partition(":")[2]
    model = name if name.startswith("tiny:") else str(Path(name).resolve())
    threads = order.config.threads
    settings = OnePassSettings(model=model, threads=threads, dtype="float32", check=False)
    made = reader(settings, Path.cwd(), "--backbone")
    source = Source(made, Questions.of(taught.probes))
    order.run.mkdir(parents=True, exist_ok=True)
    training, calibration, held_out = (
        _states(source, part, order.run / f"states-{name}.npy")
        for name, part in (
            ("training", parts.training), ("calibration", parts.calibration), ("held", parts.held_out)
        )
    )  # fmt: skip
    torch.manual_seed(order.config.seed)
    head = vlm.Head(training.shape[2], len(taught.probes), len(FAMILIES))
    _train(head, training, parts.training.targets, order.config.rate)
    _calibrate(head, calibration, parts.calibration.targets)
    _limit(head, source, training, calibration, parts, order)
    (digest,) = made.models.values()
    about = vlm.About(
        version="distilled", model=model, model_sha256=digest, preamble=source.questions.preamble,
        questions=list(source.questions.texts), probes=list(taught.probes), families=list(FAMILIES),
        known_threshold=KNOWN_FROM, hidden=training.shape[2],
        trained_on={"images": len(parts.training), "teachers": list(taught.teachers)},
    )  # fmt: skip
    vlm.write(order.output, head, about)
    return write_report(order, taught, parts.held_out, _answers(head, held_out), {})


def _states(source: Source, records: Records, path: Path) -> F32:
    """[N, 1 + Q, hidden], computed from where an earlier run stopped."""
    told_path = path.with_suffix(".json")
    key = [
        *(str(f.resolve()) for f in records.files), *source.questions.texts,
        *source.reader.models.values(),
    ]  # fmt: skip
    done = 0
    if told_path.is_file() and path.is_file():
        told = json.loads(told_path.read_text("utf-8"))
        done = told["done"] if told["key"] == key else 0
    kept: Any = np.load(path, mmap_mode="r+") if done else None
    while done < len(records):
        some = source.states([read(file) for file in records.files[done : done + CHUNK]])
        if kept is None:
            shape = (len(records), *some.shape[1:])
            kept = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        kept[done : done + len(some)] = some
        kept.flush()
        done += len(some)
        told_path.write_text(json.dumps({"done": done, "key": key}), "utf-8")
        print(json.dumps({"states": path.stem, "done": done, "of": len(records)}), flush=True)
    return np.array(kept)


def _train(head: vlm.Head, states: F32, targets: Targets, rate: float) -> None:
    """Least log loss against the teacher's probabilities, with weight decay: there are more weights than
    images."""
    x = torch.from_numpy(states)
    head.centre.copy_(x.mean(0))
    head.spread.copy_(x.std(0) + 1e-3)
    goals = [torch.from_numpy(t) for t in (targets.eligible, targets.yes, targets.major)]
    family = torch.from_numpy(targets.family)
    optimizer = torch.optim.AdamW(head.parameters(), lr=rate, weight_decay=0.1)
    for _ in range(STEPS):
        *answers, kinds = head.logits(x)
        loss = torch.stack([_binary(a, goal) for a, goal in zip(answers, goals, strict=True)]).sum()
        if bool((family >= 0).any()):
            loss = loss + F.cross_entropy(kinds[family >= 0], family[family >= 0])
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()


def _binary(logits: Tensor, goal: Tensor) -> Tensor:
    there = ~goal.isnan()
    if not bool(there.any()):
        return logits.sum() * 0
    return F.binary_cross_entropy_with_logits(logits[there], goal[there])


@torch.no_grad()
def _calibrate(head: vlm.Head, states: F32, targets: Targets) -> None:
    eligible, yes, major, family = (x.numpy() for x in head.logits(torch.from_numpy(states)))
    nowhere = np.zeros((*yes.shape, 1, 1), np.float32)
    fitted = calibrate.fit(Logits(eligible, yes, major, family, nowhere, states[:, 0]), targets)
    maps = np.concatenate([np.array([fitted.eligible]), fitted.yes, fitted.major])
    head.maps.copy_(torch.from_numpy(maps).float())


@torch.no_grad()
def _limit(
    head: vlm.Head, source: Source, training: F32, calibration: F32, parts: Parts, order: Order
) -> None:
    """Where what is known ends: from images kept aside, as they are and changed."""
    x = head.scaled(torch.from_numpy(training))[:, 0].double()
    values, vectors = torch.linalg.eigh(torch.cov(x.T))
    k = head.axes.shape[1]
    head.axes.copy_(vectors.flip(1)[:, :k])
    head.size.copy_(values.flip(0)[:k].clamp(min=1e-2).sqrt())
    squares = np.array(pixels(parts.calibration.files, 320, order.run / "cache"))
    others = known.changed(squares, np.random.default_rng(0))
    more = [source.states(list(others[i : i + CHUNK])) for i in range(0, len(others), CHUNK)]
    own = torch.from_numpy(np.concatenate([calibration, *more]))
    limit = torch.quantile(head.strangeness(own), 1 - order.false_rejection) + 1e-4
    head.limit.copy_(limit)


@torch.no_grad()
def _answers(head: vlm.Head, states: F32) -> Answers:
    eligible, yes, major, _, usual = (x.double().numpy() for x in head(torch.from_numpy(states)))
    for one in (eligible, yes, major):
        one[usual < KNOWN_FROM] = np.nan
    return Answers(eligible, yes, major)
