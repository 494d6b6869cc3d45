"""`physgauge score` on a folder of good and bad files: one typed row each, and the run goes on."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from physgauge import wire
from physgauge.clients.runs import read_run
from physgauge.ensemble.decode import pixel_sha256
from tests.bulk.rig import alive, children
from tests.decode import build

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")
GOOD = np.concatenate(
    [
        build.blocks([(200, 40, 40), (40, 200, 40), (90, 90, 90)]),
        build.blocks([(40, 40, 200), (200, 200, 40), (10, 10, 10)]),
    ]
)


def save(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def files() -> dict[str, bytes]:
    """Every case of the bad-input list, and good files between them."""
    jpeg = build.save(GOOD, "JPEG", quality=95)
    good = Image.fromarray(GOOD)
    cases = {
        "00_good.jpg": jpeg,
        "01_truncated.jpg": jpeg[: len(jpeg) // 2],
        "02_empty.png": b"",
        "03_text.png": b"This is not a picture, whatever its name says.\n" * 10,
        "04_eps.png": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
        "05_16bit.png": build.png(np.full((16, 16, 1), 0x8000, np.uint16), colour=0, depth=16),
        "06_cmyk.jpg": save(good.convert("CMYK"), "JPEG"),
        "07_palette.png": save(good.quantize(8), "PNG", transparency=0),
        "08_one.png": build.save(np.zeros((1, 1, 3), np.uint8), "PNG"),
        "09_wide.png": save(Image.new("L", (60_000, 8)), "PNG"),
        "10_bomb.jpg": build.scan_bomb(),
        "11_good.npy": build.npy(GOOD),
        "12_good.webp": build.save(GOOD, "WEBP"),
        "13_good.png": build.save(GOOD, "PNG"),
    }
    for value in range(1, 9):
        cases[f"exif_{value}.jpg"] = save(good, "JPEG", exif=b"Exif\0\0" + build.exif(value))
    return cases


CODES = {
    "01_truncated.jpg": "image_truncated",
    "02_empty.png": "image_empty",
    "03_text.png": "image_format",
    "04_eps.png": "image_format",
    "08_one.png": "image_too_small",
    "09_wide.png": "image_side",
    "10_bomb.jpg": "decode_timeout",
    "13_good.png": "caption_too_long",
}


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, "score", *options],
        capture_output=True, text=True, timeout=300, check=False, cwd=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, wire.Row], str]:
    folder = tmp_path_factory.mktemp("score")
    (folder / "in").mkdir()
    for name, data in files().items():
        (folder / "in" / name).write_bytes(data)
    frames = [Image.fromarray(GOOD), Image.fromarray(255 - GOOD)]
    frames[0].save(folder / "in/14_animated.webp", save_all=True, append_images=frames[1:])
    (folder / "in" / "15_folder.png").mkdir()
    captions = {
        "00_good.jpg": "a dog 🐕‍🦺 with four legs",
        "11_good.npy": None,
        "12_good.webp": "",
        "13_good.png": "dog " * 25_000,
        "nowhere.png": "unused",
    }
    (folder / "captions.json").write_text(json.dumps(captions), encoding="utf-8")
    done = run(folder, "in", "--captions", "captions.json", "-o", "out", "--draw")
    assert done.returncode == 0, done.stderr
    rows = {Path(row.image_id).name: row for row in read_run(folder / "out")}
    return folder, rows, done.stdout + done.stderr


def test_one_row_for_every_file_in_order(scored: tuple[Path, dict[str, wire.Row], str]) -> None:
    folder, rows, _ = scored
    names = sorted(p.name for p in (folder / "in").iterdir() if p.is_file())
    assert list(rows) == names
    assert len(list(read_run(folder / "out"))) == len(names)


def test_error_codes(scored: tuple[Path, dict[str, wire.Row], str]) -> None:
    _, rows, _ = scored
    assert {n: r.error_code for n, r in rows.items() if r.error_code} == CODES
    for name in CODES:
        row = rows[name]
        assert row.error
        assert row.pcmde.status == "error"
        assert row.pcmde.s_final is None
        assert row.pcmde.verdict is None
        assert row.detections == []


def test_no_address_no_traceback_no_decoder_text(
    scored: tuple[Path, dict[str, wire.Row], str],
) -> None:
    folder, rows, output = scored
    text = output + "".join(wire.to_json(row).decode() for row in rows.values())
    assert not re.search(r"0x[0-9a-fA-F]{6,}|Traceback|PIL\.|cannot identify|object at", text)
    assert str(folder) not in text  # relative in, relative out


def test_good_files_have_pixels_and_no_error(
    scored: tuple[Path, dict[str, wire.Row], str],
) -> None:
    _, rows, _ = scored
    for name, row in rows.items():
        if name not in CODES:
            assert row.error is None, name
            assert row.pixel_sha256 is not None
            assert row.width is not None
            assert row.pcmde.status in ("ok", "partial", "not_applicable")
    assert rows["11_good.npy"].pixel_sha256 == pixel_sha256(GOOD)
    upright = {rows[f"exif_{value}.jpg"].pixel_sha256 for value in range(1, 9)}
    assert len(upright) == 8  # eight orientations of one file are eight pictures


def test_warnings_and_captions(scored: tuple[Path, dict[str, wire.Row], str]) -> None:
    _, rows, output = scored
    assert any(w.startswith("animated") for w in rows["14_animated.webp"].warnings)
    assert rows["00_good.jpg"].caption == "a dog 🐕‍🦺 with four legs"
    assert rows["11_good.npy"].caption is None
    assert rows["12_good.webp"].caption is None
    assert "1 captions name no image of this run: nowhere.png" in output


def test_annotated_pictures_for_what_was_scored(
    scored: tuple[Path, dict[str, wire.Row], str],
) -> None:
    folder, rows, _ = scored
    drawn = list((folder / "out/annotated").glob("*.jpg"))
    assert len(drawn) == len(rows) - len(CODES)
    with Image.open(drawn[0]) as picture:
        assert picture.width >= 480


def test_a_colourful_square_is_no_subject(scored: tuple[Path, dict[str, wire.Row], str]) -> None:
    _, rows, _ = scored
    pcmde = rows["00_good.jpg"].pcmde
    assert pcmde.status == "not_applicable"
    assert pcmde.reason is not None
    assert pcmde.s_final is None
    assert pcmde.verdict is None


def test_unreadable_file_and_odd_names(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/caf\xe9 \n.jpg"
    with open(odd, "wb") as file:
        file.write(build.save(GOOD, "JPEG"))
    (tmp_path / "gone.jpg").symlink_to(tmp_path / "missing.jpg")
    os.mkfifo(tmp_path / "pipe.jpg")
    done = run(tmp_path, ".", "pipe.jpg", "--json")
    assert done.returncode == 0, done.stderr
    rows = [wire.from_json(line.encode()) for line in done.stdout.splitlines()]
    # The pipe is named twice, by the folder and by itself: two entries, two rows.
    assert [row.image_id for row in rows] == ["caf\\xe9 \n.jpg", "gone.jpg", "pipe.jpg", "pipe.jpg"]
    assert [row.error_code for row in rows] == [None, *["image_unreadable"] * 3]
    assert [bool(row.warnings) for row in rows] == [False, False, False, True]
    assert rows[1].error == "gone.jpg: cannot be read (No such file or directory)"
    assert rows[2].error == "pipe.jpg: expected a regular file"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_in_the_middle(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Twice, so at once (once: tests/bulk/test_deaths.py). No half a file of rows, and no worker, is left."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/000.jpg").write_bytes(build.save(GOOD, "JPEG"))
    for name in range(1, 400):
        os.link(tmp_path / "in/000.jpg", tmp_path / f"in/{name:03}.jpg")
    with subprocess.Popen(
        [*RUN, "score", "in", "-o", "out", "--draw", "--workers", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        # Started in a shell's background, tests inherit an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:  # fmt: skip
        until = time.monotonic() + 120
        while not list((tmp_path / "out/annotated").glob("*")) and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.05)
        workers = children(process.pid)
        process.send_signal(number)
        time.sleep(1)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "Traceback" not in out + err
    assert "the same command goes on" in out
    assert not list((tmp_path / "out/rows").glob("*"))
    assert not list((tmp_path / "out/claims").glob("*"))
    assert len(workers) > 1
    assert not [pid for pid in workers if alive(pid)]
