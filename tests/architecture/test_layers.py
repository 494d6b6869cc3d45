"""The house rules on imports hold (the contracts are in pyproject.toml)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
ONE_FILE = {
    "cuda": {"rules_kernel/cuda/driver.py"},
    "duckdb": {"src/physgauge/query/duck.py"},
    "fsspec": {"src/physgauge/query/files.py"},
    "httpx": {"ensemble/judge/engines/endpoint/transport.py"},
    "numba_cuda": {"rules_kernel/cuda/numba_target.py"},
    "obstore": {"clients/storage/objects.py"},
    "onnxruntime": {"ensemble/detect.py"},
    "pyarrow": {
        "clients/table.py",
        "clients/sources/arrow.py",
        "benchmarks/scenes/dataset.py",
        "benchmarks/scenes/pairs/truth.py",
    },
    "ray": {"src/physgauge/bulk/engines/ray.py"},
    "scipy": {"src/physgauge/evaluate/ranks.py", "benchmarks/scenes/pairs/morphology.py"},
    "triton_python_backend_utils": {"ensemble/triton_io.py"},
    "vllm": {"ensemble/judge/engines/vllm.py", "benchmarks/judge/vllm_side.py"},
}
"""A foreign API is imported in exactly one file (the benchmarks' own apart)."""


def test_import_contracts() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def sources() -> list[Path]:
    folders = (
        "ensemble",
        "rules_kernel",
        "clients",
        "benchmarks",
        "model_repository",
        "src/physgauge/bulk",
        "src/physgauge/cli",
        "src/physgauge/evaluate",
        "src/physgauge/report",
        "src/physgauge/serving",
        "src/physgauge/gateway",
        "src/physgauge/query",
    )
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def test_foreign_apis_have_one_home() -> None:
    for library, homes in ONE_FILE.items():
        users = {
            path.relative_to(ROOT).as_posix() for path in sources() if library in imports(path)
        }
        assert users <= homes, f"{library}: expected only in {sorted(homes)}"


def test_the_client_speaks_grpc_in_one_file_and_kserve_in_another() -> None:
    for library, home in (("grpc", "connection.py"), ("tritonclient", "kserve.py")):
        users = {p.name for p in (ROOT / "clients").rglob("*.py") if library in imports(p)}
        assert users == {home}, library


def test_numba_cuda_has_one_home() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if re.search(
            r"from numba import .*\bcuda\b|numba\.cuda\b.* import|import numba\.cuda",
            path.read_text("utf-8"),
        )
    }
    assert users == {"rules_kernel/cuda/numba_target.py"}
