"""torch and transformers stay where they are needed, and come only when a profile asks for them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ENSEMBLE = Path(__file__).parents[3] / "ensemble"
FOLDER = ENSEMBLE / "judge" / "engines" / "onepass"
TRANSFORMERS = {"cached.py", "load.py", "tiny_models.py", "tiny_parts.py"}


def users(library: str) -> set[Path]:
    found = set()
    for path in ENSEMBLE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            if any(name.partition(".")[0] == library for name in names):
                found.add(path)
    return found


def test_transformers() -> None:
    assert users("transformers") == {FOLDER / name for name in TRANSFORMERS}


def test_torch() -> None:
    head = ENSEMBLE / "judge/student/vlm.py"  # of a student that reads a language model's states
    assert {path for path in users("torch") if path.parent != FOLDER} == {head}


def test_nothing_heavy_before_it_is_asked_for() -> None:
    code = (
        "import sys, physgauge.ensemble.judge.engines.onepass as engine, "
        "physgauge.ensemble.judge.engines.onepass.tiny; engine.Settings(model='m'); "
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
