"""Part detectors: ONNX models with one contract (docs/detector.md), run by onnxruntime.

The only file that imports onnxruntime. A detector that breaks its contract stops the run with what was
expected and what was got; it never yields fewer boxes quietly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from physgauge.config import DetectorSettings, LoadedProfile
from physgauge.ensemble.detections import headless_domain, merge, pack, unknown_view
from physgauge.ensemble.detector_contract import read_contract, read_rescorer
from physgauge.ensemble.letterbox import letterbox, place, to_image
from physgauge.ensemble.rescore import CANDIDATE, Rescorer, feature_names
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.types import F32, U8, VIEWS, Boxes, Detections

__all__ = ["OnnxDetector", "merge"]


class OnnxDetector:
    """One detector, loaded and checked.

    Args:
        path: the ``.onnx`` file.
        settings: its table of the profile.
        threads: threads of one call; 0 = onnxruntime's choice.
        rescorer: the ``.onnx`` file that rescores its boxes; None: none does.

    Raises:
        EnvironmentProblem: a file or onnxruntime is missing, or a provider is not in this build.
        ConfigError: not an ONNX model, or one that breaks the contract; says what was expected.
    """

    def __init__(
        self,
        path: Path,
        settings: DetectorSettings,
        threads: int = 0,
        rescorer: Path | None = None,
    ) -> None:
        self.settings = settings
        self.where = f"detector {settings.name!r} ({path.name})"
        data = read_model(path, self.where)
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._session = open_session(data, settings.providers, threads, self.where)
        self.contract = read_contract(self._session, self.where)
        self._outputs = list(self.contract.outputs)
        self.rescorer = self._load_rescorer(rescorer) if rescorer else None
        if self.rescorer and settings.min_score < CANDIDATE:
            raise ConfigError(
                f"{self.where}: min_score: expected at least {CANDIDATE} with a rescorer, which knows no "
                f"fainter boxes, got {settings.min_score:g}"
            )

    @classmethod
    def of(cls, loaded: LoadedProfile, settings: DetectorSettings, threads: int = 0) -> Self:
        """A detector of a profile."""
        rescorer = loaded.path(settings.rescorer) if settings.rescorer else None
        return cls(loaded.path(settings.model), settings, threads, rescorer)

    def detect(self, images: Sequence[U8], min_score: float | None = None) -> Detections:
        """Parts of decoded images.

        Args:
            images: each [H, W, 3] uint8 RGB, any sizes.
            min_score: boxes below are dropped; the profile's `min_score` by default.

        Returns:
            Detections with boxes in px of each image, best first. Class-wise suppression of duplicates is
            the fusion's, unless there is a rescorer, which suppresses them first.

        Raises:
            ConfigError: the model gave something that is not a number, or a label it does not have.
        """
        squares = self.squares(images)
        sizes = [(image.shape[1], image.shape[0]) for image in images]
        return self.finish(self.infer(squares), sizes, min_score)

    def squares(self, images: Sequence[U8]) -> U8:
        """What the network sees of B images [H, W, 3]: [B, S, S, 3] uint8."""
        size = self.contract.size
        out = np.empty((len(images), size, size, 3), np.uint8)
        for image, square in zip(images, out, strict=True):
            letterbox(image, size, square)
        return out

    def infer(self, squares: U8) -> dict[str, NDArray[Any]]:
        """The network's outputs, as they come, for squares [B, S, S, 3]."""
        if not len(squares):
            k, v = len(self.contract.domains) + 1, len(VIEWS)
            shapes: dict[str, tuple[int, ...]] = {
                "boxes": (0, 0, 4),
                "domain": (0, k),
                "view": (0, v),
            }
            return {n: np.zeros(shapes.get(n, (0, 0)), np.float32) for n in self._outputs}
        values = self._session.run(self._outputs, {"images": squares})
        return dict(zip(self._outputs, values, strict=True))

    def finish(
        self,
        raw: Mapping[str, NDArray[Any]],
        sizes: Sequence[tuple[int, int]],
        min_score: float | None = None,
    ) -> Detections:
        """Detections from the network's outputs.

        Args:
            raw: what `infer` gave for B squares.
            sizes: width and height of the B images, px.
            min_score: as in `detect`.

        Raises:
            ConfigError: as `detect`.
        """
        least = self.settings.min_score if min_score is None else min_score
        floor = CANDIDATE if self.rescorer else least
        c = self.contract
        self._check(raw, len(sizes))
        # One step of float32 noise must not move a box across a rule's bound.
        xyxy, scores = np.round(raw["boxes"], 3), np.round(raw["scores"], 4)
        found = [
            _kept(to_image(xyxy[i], place(*size, c.size)), scores[i], raw["labels"][i], floor)
            for i, size in enumerate(sizes)
        ]
        boxes = pack(found)
        view_p = raw["view"] if c.has_view else unknown_view(len(sizes))
        if self.rescorer:
            extent = np.array(sizes, np.float32).reshape(-1, 2)
            boxes = self.rescorer(boxes, c, self._domain_p(raw, boxes), view_p, extent)
            boxes = boxes.where(boxes.score >= least)
        return Detections(
            boxes=boxes,
            classes=c.classes,
            domains=c.domains,
            domain_p=self._domain_p(raw, boxes),
            view_p=view_p,
        )

    def _domain_p(self, raw: Mapping[str, NDArray[Any]], boxes: Boxes) -> F32:
        """[B, D+1] by the domain head, or by the boxes that reach the threshold."""
        if self.contract.has_domain:
            head: F32 = raw["domain"]
            return head
        clear = boxes.where(boxes.score >= self.settings.min_score)
        return headless_domain(clear, len(self.contract.domains))

    def _load_rescorer(self, path: Path) -> Rescorer:
        """Trees are small: one thread, so that a row's score does not depend on the other rows."""
        where = f"{self.where}: rescorer {path.name}"
        data = read_model(path, where)
        session = open_session(data, ["CPUExecutionProvider"], 1, where)
        classes = self.contract.classes
        read_rescorer(session, classes, feature_names(classes), self.sha256, where)

        def score(table: F32) -> F32:
            values: F32 = session.run(["score"], {"features": table})[0]
            if values.shape != (len(table),) or not bool(np.all((values >= 0) & (values <= 1))):
                raise ConfigError(
                    f"{where}: score: expected [{len(table)}] numbers in 0..1, got {list(values.shape)} "
                    f"in {values.min(initial=1):.4g}..{values.max(initial=0):.4g}"
                )
            return values

        return Rescorer(score, hashlib.sha256(data).hexdigest())

    def _check(self, raw: Mapping[str, NDArray[Any]], count: int) -> None:
        k = raw["scores"].shape[-1]
        c = self.contract
        shapes = {
            "boxes": (count, k, 4), "scores": (count, k), "labels": (count, k),
            "domain": (count, len(c.domains) + 1), "view": (count, len(VIEWS)),
        }  # fmt: skip
        for name, value in raw.items():
            if value.shape != shapes[name]:
                raise ConfigError(
                    f"{self.where}: {name}: expected shape {shapes[name]}, got {value.shape}"
                )
            if name != "labels" and not np.isfinite(value).all():
                image = int(np.argwhere(~np.isfinite(value))[0][0])
                raise ConfigError(
                    f"{self.where}: {name}: expected finite numbers, got NaN or infinity for image "
                    f"{image} of its batch"
                )
            if (
                name in ("scores", "domain", "view")
                and value.size
                and not (0 <= value.min() <= value.max() <= 1)
            ):
                raise ConfigError(
                    f"{self.where}: {name}: expected 0..1, got {value.min():.4g}..{value.max():.4g}"
                )
        labels = raw["labels"]
        if labels.size and not (labels.min() >= 0 and labels.max() < len(c.classes)):
            raise ConfigError(
                f"{self.where}: labels: expected 0..{len(c.classes) - 1}, "
                f"got {labels.min()}..{labels.max()}"
            )


def providers() -> list[str]:
    """What this onnxruntime can run on."""
    import onnxruntime as ort

    return list(ort.get_available_providers())


def read_model(path: Path, where: str) -> bytes:
    """The bytes of a model's file.

    Raises:
        EnvironmentProblem: it cannot be read; `where` says whose it is.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise EnvironmentProblem(
            f"{where}: the model file cannot be read ({error.strerror}): {path}"
        ) from None


def open_session(data: bytes, providers: Sequence[str], threads: int, where: str) -> Any:
    """An onnxruntime session over a model's bytes.

    Args:
        data: the file.
        providers: what it may run on, the first that there is.
        threads: of one call; 0 = onnxruntime's choice.
        where: whose it is, for errors.

    Raises:
        EnvironmentProblem: onnxruntime or a provider is missing.
        ConfigError: not an ONNX model.
    """
    try:
        import onnxruntime as ort
    except ImportError:
        raise EnvironmentProblem(
            f"{where} needs onnxruntime, which is not installed: pip install 'physgauge[local]'"
        ) from None
    missing = [p for p in providers if p not in ort.get_available_providers()]
    if missing:
        raise EnvironmentProblem(
            f"{where}: providers: expected some of {ort.get_available_providers()}, got {missing[0]!r}"
        )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = True
    # Decode workers share the cores: threads that wait must sleep, not spin.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(data, options, providers=list(providers))
    except Exception as error:  # onnxruntime's own exceptions share no public base
        kind = type(error).__name__
        raise ConfigError(
            f"{where}: expected an ONNX model, got a file onnxruntime refuses ({kind})"
        ) from None


def _kept(
    xyxy: F32, score: F32, label: NDArray[np.int64], least: float
) -> tuple[F32, F32, NDArray[np.int64]]:
    """Boxes of one image that reach the threshold and have an area, best first."""
    good = (score >= least) & (xyxy[:, 2] > xyxy[:, 0]) & (xyxy[:, 3] > xyxy[:, 1])
    order = np.flatnonzero(good)
    order = order[np.argsort(-score[order], kind="stable")]
    return xyxy[order], score[order], label[order]
