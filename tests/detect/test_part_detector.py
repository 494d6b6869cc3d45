"""The committed model keeps its promises on any image (how well it sees is benchmarks/detector.py's)."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.config import load_profile
from physgauge.ensemble.detect import OnnxDetector
from physgauge.types import DOMAINS, PART_CLASSES, U8

PROFILE = load_profile("tiny")
SETTINGS = PROFILE.profile.detectors[0]
PATH = PROFILE.path(SETTINGS.model)
LEAST = 0.02


@pytest.fixture(scope="module")
def detector() -> OnnxDetector:
    return OnnxDetector(PATH, SETTINGS, threads=1)


@pytest.fixture(scope="module")
def pictures() -> list[U8]:
    """Scenes of each domain and of none, at several sizes."""
    from benchmarks.scenes.compose import shoot
    from benchmarks.scenes.render import Stage
    from physgauge.ensemble.letterbox import letterbox

    stage = Stage(320)
    shots = [shoot(stage, 77, i, domain, 0.0, "png") for i, domain in enumerate((*DOMAINS, "none"))]
    scenes = [_decoded(shot.data) for shot in shots]
    cropped = [s[:, 40:280] for s in scenes]  # not square, so padding matters
    large = [letterbox(s, 512)[0] for s in scenes[:2]]
    return [*scenes, *cropped, *large]


def _decoded(data: bytes) -> U8:
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def test_size_and_contract(detector: OnnxDetector) -> None:
    assert PATH.stat().st_size <= 10_000_000
    assert detector.contract.classes == PART_CLASSES
    assert detector.contract.domains == DOMAINS
    assert detector.contract.has_domain
    assert detector.contract.has_view


def test_it_sees_parts_of_the_right_domain(detector: OnnxDetector, pictures: list[U8]) -> None:
    d = detector.detect(pictures[:4])
    assert d.domain_p.argmax(1).tolist() == [0, 1, 2, 3]
    for i, domain in enumerate(DOMAINS):
        labels = d.boxes.label[d.boxes.of(i)]
        assert len(labels) >= 3
        assert np.mean([d.classes[k].startswith(domain) for k in labels]) > 0.7


def test_the_mirror_image_has_the_mirrored_boxes(
    detector: OnnxDetector, pictures: list[U8]
) -> None:
    straight = detector.detect(pictures, min_score=LEAST)
    mirrored = detector.detect([p[:, ::-1] for p in pictures], min_score=LEAST)
    assert (straight.domain_p == mirrored.domain_p).all()
    assert (straight.view_p == mirrored.view_p).all()
    for i, picture in enumerate(pictures):
        a, b = straight.boxes.of(i), mirrored.boxes.of(i)
        order = [
            np.lexsort((-d.boxes.score[p], d.boxes.label[p]))
            for d, p in ((straight, a), (mirrored, b))
        ]
        assert (straight.boxes.score[a][order[0]] == mirrored.boxes.score[b][order[1]]).all()
        back = mirrored.boxes.xyxy[b][order[1]].copy()
        back[:, [0, 2]] = picture.shape[1] - back[:, [2, 0]]
        assert np.abs(back - straight.boxes.xyxy[a][order[0]]).max(initial=0) < 0.01


def test_an_image_alone_is_the_image_in_any_batch(
    detector: OnnxDetector, pictures: list[U8]
) -> None:
    alone = [detector.detect([p], min_score=LEAST) for p in pictures]
    two_threads = OnnxDetector(PATH, SETTINGS, threads=2)
    for many in (detector, two_threads):
        for size in (2, 3, 8):
            d = many.detect(pictures[:size], min_score=LEAST)
            for i in range(size):
                part = d.boxes.of(i)
                assert (d.boxes.xyxy[part] == alone[i].boxes.xyxy).all()
                assert (d.boxes.score[part] == alone[i].boxes.score).all()
                assert (d.boxes.label[part] == alone[i].boxes.label).all()
                assert (d.domain_p[i] == alone[i].domain_p[0]).all()
                assert (d.view_p[i] == alone[i].view_p[0]).all()


@pytest.mark.parametrize("shape", [(8, 8), (8, 1600), (1600, 8), (320, 320)])
def test_odd_shapes_and_flat_pictures_give_nothing(
    detector: OnnxDetector, shape: tuple[int, int]
) -> None:
    d = detector.detect([np.full((*shape, 3), 90, np.uint8)])
    assert len(d.boxes.score) == 0
    assert d.domain_p[0].argmax() == len(DOMAINS)


def test_photographs_of_neither_kind_are_none(detector: OnnxDetector) -> None:
    pytest.importorskip("skimage", reason="the photographs come with scikit-image and scikit-learn")
    pytest.importorskip("sklearn", reason="the photographs come with scikit-image and scikit-learn")
    from benchmarks import photographs

    least = PROFILE.profile.fuse.min_domain_p
    pictures = photographs.load()
    assert len(pictures) >= 15
    taken = [
        name for name, image in pictures if detector.detect([image]).domain_p[0, :-1].max() >= least
    ]
    assert taken == []
