"""The data set folder: same bytes whatever the workers, formats, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

from benchmarks.scenes.__main__ import main
from benchmarks.scenes.dataset import Order, make
from physgauge.types import PART_CLASSES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scenes") / "one"
    summary = make(Order("all", 10, 42, out, size=128, workers=1), quiet=True)
    assert summary["images"] == 10
    return out


def test_same_seed_same_bytes_whatever_workers_and_count(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "two"
    make(Order("all", 17, 42, out, size=128, workers=2), quiet=True)
    for i in range(10):
        name = f"images/{i:06d}.jpg"
        assert (out / name).read_bytes() == (made / name).read_bytes(), name
    first = pq.read_table(made / "truth.parquet").to_pylist()
    assert pq.read_table(out / "truth.parquet").to_pylist()[:10] == first


def test_another_seed_gives_other_images(made: Path, tmp_path: Path) -> None:
    make(Order("all", 2, 43, tmp_path / "x", size=128, workers=1), quiet=True)
    a, b = ((p / "images/000000.jpg").read_bytes() for p in (made, tmp_path / "x"))
    assert a != b


def test_coco_and_table_say_the_same(made: Path) -> None:
    coco = json.loads((made / "annotations.json").read_text())
    rows = pq.read_table(made / "truth.parquet").to_pylist()
    assert [c["name"] for c in coco["categories"]] == list(PART_CLASSES)
    assert [c["id"] for c in coco["categories"]] == list(range(1, 31))
    for row, image in zip(rows, coco["images"], strict=True):
        assert row["file"] == image["file_name"]
        with Image.open(made / row["file"]) as picture:
            assert picture.size == (row["width"], row["height"]) == (128, 128)
        boxes = [a for a in coco["annotations"] if a["image_id"] == image["id"]]
        assert len(boxes) == len(row["parts"])
        for a, p in zip(boxes, row["parts"], strict=True):
            assert PART_CLASSES[a["category_id"] - 1] == p["cls"]
            x, y, w, h = a["bbox"]
            assert (x, y, x + w, y + h) == (p["x0"], p["y0"], p["x1"], p["y1"])
            assert x >= 0
            assert y >= 0
            assert x + w <= 128
            assert y + h <= 128


def test_a_png_has_the_pixels_before_compression(tmp_path: Path) -> None:
    make(Order("car", 1, 5, tmp_path / "png", size=96, workers=1, form="png"), quiet=True)
    with Image.open(tmp_path / "png/images/000000.png") as picture:
        assert picture.format == "PNG"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--domain", "boats"],
            "--domain: expected one of all, aircraft, car, animal, none, got 'boats'",
        ),
        (["--format", "gif"], "--format: expected jpeg or png, got 'gif'"),
        (["--size", "20"], "--size: expected 64 to 2048, got 20"),
        (["--violated", "1.5"], "--violated: expected 0 to 1, got 1.5"),
        (["--count", "0"], "--count: expected 1 to"),
    ],
)
def test_bad_options_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    base = {"--domain": "all", "--count": "1", "--seed": "1", "--out": str(tmp_path / "new")}
    options = base | dict(zip(arguments[::2], arguments[1::2], strict=True))
    code = main(["make", *(word for pair in options.items() for word in pair)])
    assert code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_used_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "note.txt").write_text("mine")
    assert main(["make", "--count", "1", "--seed", "1", "--out", str(tmp_path)]) == 2
    assert "--out: expected a new or empty folder" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["note.txt"]


def test_a_missing_osmesa_names_the_debian_package(tmp_path: Path) -> None:
    code = (
        "import ctypes, sys\n"
        "load = ctypes.CDLL.__init__\n"
        "def without(self, name, *a, **k):\n"
        "    if 'OSMesa' in str(name): raise OSError(name)\n"
        "    load(self, name, *a, **k)\n"
        "ctypes.CDLL.__init__ = without\n"
        "from benchmarks.scenes.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    options = ["make", "--count=1", "--seed=1", "--workers=2", f"--out={tmp_path / 'o'}"]
    done = subprocess.run(
        [sys.executable, "-c", code, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "libosmesa6" in done.stderr
    assert "Traceback" not in done.stderr
