"""The wheel holds real copies of the linked folders and the embedded model."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_wheel_contents(tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
            "--wheel-dir", str(tmp_path), str(ROOT),
        ],
        check=True,
        timeout=300,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    packages = {name.rpartition("/")[0] for name in names if name.endswith("/__init__.py")}
    assert {
        "physgauge", "physgauge/cli", "physgauge/cli/rules", "physgauge/clients", "physgauge/clients/remote", "physgauge/ensemble",
        "physgauge/ensemble/captions", "physgauge/ensemble/judge", "physgauge/ensemble/judge/engines",
        "physgauge/ensemble/judge/terravis", "physgauge/ensemble/specifications",
        "physgauge/ensemble/served", "physgauge/gateway", "physgauge/v1", "physgauge/report", "physgauge/rules_kernel", "physgauge/serving",
        "physgauge/ensemble/judge/cascade", "physgauge/selftest",
    } <= packages  # fmt: skip
    assert not any(p.startswith(("benchmarks", "tests")) for p in packages)
    for needed in (
        "physgauge/py.typed",
        "physgauge/profiles/tiny.toml",
        "physgauge/profiles/onepass-tiny.toml",
        "physgauge/ensemble/judge/terravis/terravis.toml",
        "physgauge/selftest/attempts.toml",
        "physgauge/selftest/pairs/truth.parquet",
        "physgauge/v1/gateway.proto",
        "physgauge/v1/gateway_pb2.pyi",
        "physgauge/profiles/models/part_detector.onnx",
        "physgauge/rules_kernel/packs/aircraft.toml",
        "physgauge/rules_kernel/packs/car.toml",
        "physgauge/rules_kernel/packs/animal.toml",
        "physgauge/rules_kernel/packs/aircraft@paper.toml",
        "physgauge/rules_kernel/packs/car@paper.toml",
        "physgauge/rules_kernel/packs/animal@paper.toml",
        "physgauge/ensemble/specifications/aircraft.toml",
        "physgauge/model_repository/decode/config.pbtxt",
        "physgauge/model_repository/decode/1/model.py",
        "physgauge/model_repository/detect/configs/h100.pbtxt",
        "physgauge/model_repository/score/config.pbtxt",
        "physgauge/model_repository/score/1/README",
        "physgauge/ensemble/specifications/animal.toml",
        "physgauge/ensemble/specifications/car.toml",
    ):
        assert needed in names, needed
