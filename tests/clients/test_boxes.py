from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from physgauge.clients.boxes import BoxRecord, PartBox, read_boxes
from physgauge.errors import BoxesError, ConfigError

EXPECTED = [
    BoxRecord(
        image_id="1.jpg", width=100, height=80, caption="a car", domain="car",
        boxes=[PartBox(label="car.wheel", box=[1, 2, 11, 22], score=0.5),
               PartBox(label="car.roof", box=[5, 5, 50, 20], score=1.0)],
    ),
    BoxRecord(image_id="2.jpg", width=64, height=64),
]  # fmt: skip


def write(tmp_path: Path, name: str, data: Any) -> Path:
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def coco() -> dict[str, Any]:
    return {
        "images": [
            {
                "id": 7,
                "file_name": "1.jpg",
                "width": 100,
                "height": 80,
                "caption": "a car",
                "domain": "car",
            },
            {"id": 8, "file_name": "2.jpg", "width": 64, "height": 64},
        ],
        "categories": [
            {"id": 1, "name": "wheel", "supercategory": "car"},
            {"id": 2, "name": "car.roof", "supercategory": "car"},
        ],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 10, 20], "score": 0.5},
            {"id": 2, "image_id": 7, "category_id": 2, "bbox": [5, 5, 45, 15]},
        ],
    }


def records() -> list[dict[str, Any]]:
    return [
        {"image_id": "1.jpg", "width": 100, "height": 80, "caption": "a car", "domain": "car",
         "boxes": [{"label": "car.wheel", "box": [1, 2, 11, 22], "score": 0.5},
                   {"label": "car.roof", "box": [5, 5, 50, 20]}]},
        {"image_id": "2.jpg", "width": 64, "height": 64},
    ]  # fmt: skip


def test_coco_list_lines_and_parquet_say_the_same(tmp_path: Path) -> None:
    assert read_boxes(write(tmp_path, "coco.json", coco())) == EXPECTED
    assert read_boxes(write(tmp_path, "list.json", records())) == EXPECTED
    lines = "\n".join(json.dumps(r) for r in records())
    assert read_boxes(write(tmp_path, "list.jsonl", lines)) == EXPECTED
    pq.write_table(pa.Table.from_pylist(records()), tmp_path / "nested.parquet")
    assert read_boxes(tmp_path / "nested.parquet") == EXPECTED
    flat = [
        {"image_id": r["image_id"], "width": r["width"], "height": r["height"], "caption": r["caption"],
         "domain": r["domain"], "label": b["label"], "score": b.get("score"),
         **dict(zip(("x0", "y0", "x1", "y1"), map(float, b["box"]), strict=True))}
        for r in records()[:1] for b in r["boxes"]
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(flat), tmp_path / "flat.parquet")
    assert read_boxes(tmp_path / "flat.parquet") == EXPECTED[:1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"width": 0}, "expected a size of at least 1x1 px, got 0x80"),
        ({"boxes": [{"label": "a", "box": [1, 2, 1, 4]}]}, r"boxes\[0\]: expected x1 > x0"),
        (
            {"boxes": [{"label": "a", "box": [1, 2, 3]}]},
            r"boxes\[0\]: expected \[x0, y0, x1, y1\], got 3",
        ),
        ({"boxes": [{"label": "a", "box": [0, 0, 1e9, 4]}]}, "expected finite coordinates"),
        (
            {"boxes": [{"label": "a", "box": [9, 9, 9.0000001, 20]}]},
            r"boxes\[0\]: expected x1 > x0",
        ),
        (
            {"boxes": [{"label": "a", "box": [100, 0, 120, 9]}]},
            "within the image of 100x80 px, got",
        ),
        ({"boxes": [{"label": "a", "box": [0, -9, 20, 0]}]}, "within the image of 100x80 px, got"),
        (
            {"boxes": [{"label": "a", "box": [0, 0, 1, 1]}] * 1025},
            "expected at most 1024 boxes, got 1025",
        ),
        ({"width": 10**30}, "expected a size of at most 1000000 px a side, got 1000000000"),
        (
            {"boxes": [{"label": "a", "box": [0, 0, 1, 4], "score": 1.5}]},
            "expected a score in 0..1, got 1.5",
        ),
        ({"boxes": [{"label": 5, "box": [0, 0, 1, 4]}]}, "Expected `str`, got `int`"),
        ({"width": "wide"}, "Expected `int`, got `str`"),
    ],
)
def test_a_faulty_record_is_that_images_entry(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    one, two = records()
    first, second = read_boxes(write(tmp_path, "list.json", [{**one, **change}, two]))
    assert isinstance(first, tuple)
    name, error = first
    assert name == "1.jpg"
    assert isinstance(error, BoxesError)
    assert error.code == "boxes_invalid"
    with pytest.raises(BoxesError, match=says):
        raise error
    assert second == EXPECTED[1]


def test_nan_boxes_from_parquet(tmp_path: Path) -> None:
    row = {"image_id": "a", "width": 9, "height": 9, "label": "x.y", "x0": float("nan"), "y0": 0.0,
           "x1": 2.0, "y1": 2.0}  # fmt: skip
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "flat.parquet")
    (entry,) = read_boxes(tmp_path / "flat.parquet")
    assert isinstance(entry, tuple)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("x.json", "5", "expected a COCO object or a list"),
        ("x.json", "{", "not JSON"),
        ("x.json", '[{"width": NaN}]', "not JSON"),
        ("x.json", {"images": [], "annotations": []}, "expected a COCO object with a list 'categories'"),
        ("x.json", [{"image_id": "a", "width": 9, "height": 9}] * 2, "expected each image once, got 'a' again"),
        ("x.json", {**coco(), "annotations": [{"image_id": 99, "category_id": 1, "bbox": [0, 0, 1, 1]}]},
         r"annotations\[0\]: image_id: expected an id of 'images', got 99"),
        ("x.json", {**coco(), "annotations": [{"image_id": [7], "category_id": 1, "bbox": [0, 0, 1, 1]}]},
         r"annotations\[0\]: image_id: expected an id of 'images', got \[7\]"),
        ("x.json", {**coco(), "annotations": [None]}, r"annotations\[0\]: image_id: expected an id"),
        ("x.json", {**coco(), "images": [{"id": [7]}]}, r"images\[0\]: Expected `int \| str`, got `array`"),
        ("x.json", {**coco(), "images": [None]}, r"images\[0\]: Expected `object`, got `null`"),
        ("x.json", {**coco(), "images": [{"id": 7, "file_name": ["a"]}]}, r"images\[0\]: Expected `str \| null`"),
        ("x.json", {**coco(), "images": [{"id": 7}, {"id": 7}]}, r"images\[1\]: expected each id once, got 7"),
        ("x.json", {**coco(), "categories": [{"id": 1}]}, r"categories\[0\]: .* required field `name`"),
        ("x.csv", "a", r"expected \.parquet, \.json, \.jsonl or the folder of a run"),
        ("x.parquet", "no parquet", "expected a readable Parquet file"),
    ],
)  # fmt: skip
def test_bad_files_say_where(tmp_path: Path, name: str, data: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read_boxes(write(tmp_path, name, data))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bbox": "1234"}, "Expected `array`, got `str`"),
        ({"bbox": [0, 0, 1]}, "Expected `array` of length >= 4"),
        ({"bbox": [True, 0, 1, 1]}, "Expected `float`, got `bool`"),
        ({"bbox": ["1", 0, 1, 1]}, "Expected `float`, got `str`"),
        ({"bbox": [10**400, 0, 1, 1]}, "Number out of range"),
        ({"bbox": None}, "Expected `array`, got `null`"),
        ({"category_id": {}}, r"Expected `int \| str`, got `object`"),
        ({"category_id": 99}, "category_id: expected an id of 'categories', got 99"),
        ({"score": "high"}, "Expected `float`, got `str`"),
    ],
)
def test_a_faulty_annotation_is_its_images_entry(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    data = coco()
    data["annotations"][1].update(change)
    first, second = read_boxes(write(tmp_path, "coco.json", data))
    assert isinstance(first, tuple)
    name, error = first
    assert (name, error.code) == ("1.jpg", "boxes_invalid")
    with pytest.raises(BoxesError, match=r"1\.jpg: annotations\[1\]: .*" + says):
        raise error
    assert second == EXPECTED[1]


@pytest.mark.parametrize("boxes", [[1, 2], "text", [[1.0]]])
def test_boxes_of_another_kind_in_parquet(tmp_path: Path, boxes: Any) -> None:
    row = {"image_id": "a", "width": 9, "height": 9, "boxes": boxes}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "x.parquet")
    (entry,) = read_boxes(tmp_path / "x.parquet")
    assert isinstance(entry, tuple)
    assert entry[1].code == "boxes_invalid"


def test_parquet_that_no_record_can_be_read_from(tmp_path: Path) -> None:
    flat = {"image_id": ["a"], "label": "x.y", "x0": 0.0, "y0": 0.0, "x1": 2.0, "y1": 2.0}
    pq.write_table(pa.Table.from_pylist([flat]), tmp_path / "flat.parquet")
    with pytest.raises(ConfigError, match=r"row 0: image_id: expected text, got \['a'\]"):
        read_boxes(tmp_path / "flat.parquet")
    twice = pa.array([[("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table({"image_id": ["a"], "boxes": twice}), tmp_path / "map.parquet")
    with pytest.raises(ConfigError, match="expected a readable Parquet file"):
        read_boxes(tmp_path / "map.parquet")
