"""The base install is the light client: nothing heavy is imported by it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "numba",
    "onnxruntime",
    "torch",
    "PIL",
    "pyarrow",
    "mujoco",
    "scipy",
    "transformers",
    "obstore",
    "duckdb",
)


def imported_by(code: str) -> set[str]:
    probe = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import physgauge",
        "import physgauge.wire, physgauge.errors, physgauge.config, physgauge.types",
        "import physgauge.clients, physgauge.clients.files, physgauge.clients.captions",
        "import physgauge.clients.table",
        "import physgauge.clients.storage, physgauge.clients.runs",
        "from physgauge.clients import AsyncClient, Client, Input, Stats, Tls",
        "import physgauge.cli.main",
        "import physgauge.rules_kernel",
        "from physgauge.cli.main import main\n"
        "try:\n    main(['score', '--help'])\nexcept SystemExit:\n    pass",
        "from physgauge.cli.main import main\n"
        "try:\n    main(['rules', 'explain', '--help'])\nexcept SystemExit:\n    pass",
        "from physgauge.cli.main import main\n"
        "try:\n    main(['rules', 'show', 'car'])\nexcept SystemExit:\n    pass",
        "from physgauge.config import load_profile\nload_profile('tiny')",
        "import physgauge.ensemble.judge.looking",
        "from physgauge.config import load_profile\nload_profile('onepass-tiny')",
        "import physgauge.gateway.client",
        "import physgauge.gateway.server",
    ],
)
def test_imports_nothing_heavy(code: str) -> None:
    assert not imported_by(code) & set(HEAVY)


def test_the_clients_are_loaded_when_they_are_asked_for() -> None:
    light = imported_by("import physgauge.clients, physgauge.clients.files")
    assert not light & {"grpc", "tritonclient", "numpy", "asyncio"}


def test_what_the_base_install_lacks_is_named() -> None:
    code = (
        "import sys; sys.modules['numba'] = None\nfrom physgauge.cli.main import main\n"
        "main(['score', 'x.png', '--json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 3
    assert done.stderr == "physgauge: this command needs numba: pip install 'physgauge[local]'\n"


def test_the_probe_sees_a_heavy_import() -> None:
    assert "PIL" in imported_by("import PIL.Image")
