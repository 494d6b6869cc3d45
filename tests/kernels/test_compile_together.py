"""Several packs are compiled side by side, and found in the cache by whoever asks next."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from physgauge.ensemble.compile import compile_together
from physgauge.rules_kernel import Pack, load_pack
from physgauge.rules_kernel.kernels import is_cached

from .small import HEAD

RULE = '\n[[spatial]]\nid = "R1"\nsays = "r"\nrule = "width(nose) < {} * width(wing)"\n'


FRESH = count(1)
"""For packs that this process has not compiled before: those it would not look for in the cache."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("PHYSGAUGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    places = {}
    for name in ("one", "two", "three"):
        path = tmp_path / f"{name}.toml"
        path.write_text(HEAD.replace('"small"', f'"{name}"') + RULE.format(next(FRESH)))
        places[name] = str(path)
    return places


def packs(files: dict[str, str]) -> dict[str, Pack]:
    return {name: load_pack(Path(place)) for name, place in files.items()}


def test_children_leave_their_packs_in_the_cache(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    real = subprocess.Popen

    def watched(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        started.append(command)
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("subprocess.Popen", watched)
    known = packs(files)
    assert not any(is_cached(pack) for pack in known.values())
    kernels = compile_together(known, files)
    assert list(kernels) == ["one", "two", "three"]
    assert [k.pack.name for k in kernels.values()] == ["one", "two", "three"]
    assert len(started) == 1
    assert [Path(name).stem for name in started[0][3:]] == ["two", "three"]
    assert all(is_cached(pack) for pack in known.values())
    compile_together(known, files)
    assert len(started) == 1
    ask = "import sys; from pathlib import Path\n" + (
        "from physgauge.rules_kernel import load_pack\n"
        "from physgauge.rules_kernel.kernels import is_cached\n"
        "print([is_cached(load_pack(Path(name))) for name in sys.argv[1:]])"
    )
    told = subprocess.check_output([sys.executable, "-c", ask, *files.values()], text=True)
    assert told.strip() == "[True, True, True]"


def test_a_child_that_fails_costs_time_and_nothing_else(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {name: f"{place}.gone" for name, place in files.items()}
    assert list(compile_together(packs(files), wrong)) == ["one", "two", "three"]


def test_without_a_cache_nobody_compiles_in_vain(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHYSGAUGE_CACHE_DIR", "/proc/nowhere")

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("expected no child process")

    monkeypatch.setattr("subprocess.Popen", forbidden)
    assert len(compile_together(packs(files), files)) == 3
