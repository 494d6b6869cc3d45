"""What the tests of bulk runs share: a small real deployment, images, runs as processes, and what is in hand.

The detector is a real ONNX model without weights: one box whose place depends on the image's mean colour, so
that rows of different images differ. It can have a poison: a picture all of whose pixels are 255 makes it fail
inside onnxruntime, as a broken kernel does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from physgauge import wire
from physgauge.clients.runs import read_run

RUN = (sys.executable, "-c", "from physgauge.cli.main import main; main()")
SIZE = 16
WHITE = np.full((SIZE, SIZE, 3), 255, np.uint8)


def profile(folder: Path, *, poison: bool = False, name: str = "bench", batch: int = 4) -> Path:
    """A profile with that detector; no packs, so that nothing is compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    detector(folder / "boxes.onnx", poison=poison)
    text = (
        f'name = "{name}"\n[run]\nbatch_size = {batch}\nworkers = 1\nthreads = 1\n'
        '[[detectors]]\nname = "boxes"\nmodel = "boxes.onnx"\n'
    )
    path = folder / "bench.toml"
    path.write_text(text, "utf-8")
    return path


def detector(path: Path, *, poison: bool) -> None:
    """Write the model: images [B, 16, 16, 3] uint8 to one box an image."""
    node, tensor = helper.make_node, numpy_helper.from_array
    nodes = [
        node("Cast", ["images"], ["pixels"], to=TensorProto.FLOAT),
        node("ReduceMean", ["pixels"], ["mean"], axes=[1, 2, 3], keepdims=0),
        node("Div", ["mean", "k512"], ["place"]),
        node("Unsqueeze", ["place", "axes12"], ["place3"]),
        node("Mul", ["place3", "grow"], ["moved"]),
        node("Add", ["moved", "box"], ["boxes"]),
        node("Unsqueeze", ["mean", "axis1"], ["mean1"]),
        node("Mul", ["mean1", "zero"], ["nothing"]),
        node("Add", ["nothing", "sure"], ["scores"]),
        node("Cast", ["nothing"], ["labels"], to=TensorProto.INT64),
    ]
    constants = [
        tensor(np.array(512, np.float32), "k512"),
        tensor(np.array([1, 2], np.int64), "axes12"),
        tensor(np.array([1], np.int64), "axis1"),
        tensor(np.array([[[1, 1, 2, 2]]], np.float32), "grow"),
        tensor(np.array([[[2, 2, 8, 8]]], np.float32), "box"),
        tensor(np.array([[0]], np.float32), "zero"),
        tensor(np.array([[0.9]], np.float32), "sure"),
    ]
    if poison:  # row 1 of a table of one row, where a mean is 255
        nodes[7:8] = [
            node("GreaterOrEqual", ["mean1", "white"], ["bad"]),
            node("Cast", ["bad"], ["which"], to=TensorProto.INT64),
            node("Gather", ["table", "which"], ["nothing"]),
        ]
        constants += [
            tensor(np.array(255, np.float32), "white"),
            tensor(np.array([0], np.float32), "table"),
        ]
    images = helper.make_tensor_value_info("images", TensorProto.UINT8, ["b", SIZE, SIZE, 3])
    outputs = [
        helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["b", 1, 4]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["b", 1]),
        helper.make_tensor_value_info("labels", TensorProto.INT64, ["b", 1]),
    ]
    graph = helper.make_graph(nodes, "bench", [images], outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"classes": '["car.wheel"]'})
    onnx.save(model, str(path))


def picture(number: int) -> np.ndarray[Any, Any]:
    """[16, 16, 3] uint8: another one for each number."""
    return np.random.default_rng(number).integers(0, 250, (SIZE, SIZE, 3), np.uint8)


def save(path: Path, pixels: np.ndarray[Any, Any]) -> None:
    """As ``.npy``: nothing is quicker to decode."""
    np.save(path, pixels)


def images(folder: Path, numbers: Iterable[int]) -> None:
    """``NNNNN.npy`` for each number."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        save(folder / f"{number:05}.npy", picture(number))


def command(*arguments: str | Path) -> list[str]:
    """`physgauge` with arguments, as a command line."""
    return [*RUN, *map(str, arguments)]


def run(
    folder: Path, *arguments: str | Path, code: int = 0, timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run `physgauge` in a folder to its end."""
    done = subprocess.run(
        command(*arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == code, f"{done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    assert "Traceback" not in done.stdout + done.stderr, done.stderr[-4000:]
    return done


@contextmanager
def running(folder: Path, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """`physgauge` in a folder, with signals as in a terminal; killed at the end if it still runs."""
    process = subprocess.Popen(
        command(*arguments), cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Started in a shell's background, tests inherit an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def rows(output: Path) -> list[wire.Row]:
    """All rows of a run."""
    return list(read_run(output))


def plain(found: Sequence[wire.Row]) -> list[wire.Row]:
    """Without what differs between equal runs."""
    return [msgspec.structs.replace(row, cost=wire.Cost()) for row in found]


def children(pid: int) -> list[int]:
    """Processes that a process has started, and those that these have started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            own = [int(one) for one in task.read_text().split()]
        except OSError:
            continue
        found += own + [inner for one in own for inner in children(one)]
    return found


def alive(pid: int) -> bool:
    """Whether a process runs (zombies don't)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def workers(pid: int) -> list[int]:
    """Worker processes of a coordinator: its children that run our worker."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for one in task.read_text().split():
            try:
                words = Path(f"/proc/{one}/cmdline").read_bytes()
            except OSError:
                continue
            if b"bulk.worker" in words:
                found.append(int(one))
    return found


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal; nothing if the process has gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
