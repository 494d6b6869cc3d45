"""An installed tritonserver, as NVIDIA's container has one: laid out here from the wheel's parts."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from physgauge.errors import EnvironmentProblem
from physgauge.serving import triton as module
from physgauge.serving.assemble import assemble
from physgauge.serving.triton import Triton, check_numpy, find_triton
from tests.serving.server import Server, image, score


@pytest.fixture
def installed(wheel: None, tmp_path: Path) -> Path:
    """Backend and stub in one folder, a file with the version; the libraries are elsewhere."""
    parts = find_triton()
    folder = tmp_path / "tritonserver"
    backend = folder / "backends" / "python"
    backend.mkdir(parents=True)
    for path in (parts.folder / "backends" / "python").iterdir():
        if path.is_file():
            (backend / path.name).symlink_to(path)
    (backend / "triton_python_backend_stub").symlink_to(parts.stub)
    for name in ("bin", "caches"):
        (folder / name).symlink_to(parts.folder / name)
    (folder / "TRITON_VERSION").write_text("2.51.0\n", encoding="ascii")
    return folder


def test_it_is_found_where_it_is_said_to_be(installed: Path) -> None:
    found = find_triton(str(installed))
    assert found == Triton(installed, "2.51.0")
    assert found.name == f"tritonserver 2.51.0 in {installed}"
    assert found.binary.is_file()
    assert found.libraries is None


def test_it_is_found_in_its_usual_place(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PHYSGAUGE_TRITON", raising=False)
    monkeypatch.setattr(module, "INSTALLED", installed)
    monkeypatch.setattr(module, "_wheel_here", lambda: None)
    assert find_triton().folder == installed


def test_its_numpy_is_taken_as_it_is(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_version", lambda name, site: "2.9.0")
    assert check_numpy(find_triton(str(installed))) == "2.9.0"
    with pytest.raises(EnvironmentProblem, match="expected numpy below 2"):
        check_numpy(Triton.of_wheel(installed, "0.7.0"))


def test_a_stub_of_another_python_is_said(installed: Path) -> None:
    stub = installed / "backends" / "python" / "triton_python_backend_stub"
    stub.unlink()
    with pytest.raises(EnvironmentProblem, match=f"Python backend, got none at {stub}"):
        find_triton(str(installed))
    stub.write_bytes(b"\x7fELF\0libpython3.99.so.1.0\0")
    with pytest.raises(EnvironmentProblem, match=r"expected Python 3\.99, which .* is linked to"):
        find_triton(str(installed))


def test_its_own_backends_and_library_path_are_used(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/hpcx/lib:/usr/local/cuda/compat/lib")
    (tmp_path / "made").mkdir()
    made = assemble(find_triton(str(installed)), tmp_path / "made")
    assert made.backends == installed / "backends"
    assert not (tmp_path / "made" / "backends").exists()
    path = made.environment()["LD_LIBRARY_PATH"].split(":")
    assert path == [
        str(tmp_path / "made" / "lib"),
        "/opt/hpcx/lib",
        "/usr/local/cuda/compat/lib",
    ]


def test_it_serves(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started, a canary through all steps, drained; with the packages of the Python that starts it."""
    parts = find_triton()
    # The wheel's stub needs its numpy: an environment where it comes first, as the container has its own.
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True, timeout=120)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = env / "lib" / version / "site-packages"
    lines = [str(parts.site), f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"]
    (packages / "all.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.delenv("PHYSGAUGE_TRITON", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(parts.libraries))
    monkeypatch.setattr(sys, "executable", str(env / "bin" / "python"))
    with Server("--triton", str(installed)) as server:
        assert server.wait_for("starting")["triton"] == "2.51.0"
        client = server.client()
        assert score(client, image("car_01.jpg")).error_code is None
        client.close()
        command = Path(f"/proc/{server.pid}/cmdline").read_bytes().decode().split("\0")
        assert command[0] == str(installed / "bin" / "tritonserver")
        assert f"--backend-directory={installed / 'backends'}" in command
        assert server.stop() == 0
    assert os.path.isdir(installed / "backends")
