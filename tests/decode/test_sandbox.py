"""The worker processes: same pixels, one outcome per image, whatever dies."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import Decoded, Decoder, decode_pixels
from physgauge.errors import ConfigError, EnvironmentProblem, ImageError
from tests.decode import build
from tests.decode.build import GRAY, RGB, RGBA

BOMB = build.scan_bomb()
PATIENT = DecodeLimits(
    base_s=300
)  # the bomb keeps a worker busy, so that tests can strike in mid-image
SLOW = build.scan_bomb(repeats=6000)


def files(count: int) -> list[bytes]:
    """Different images of different sizes and formats; some are broken."""
    made = []
    for seed in range(count):
        pixels = build.noise(8 + seed % 23, 9 + seed % 31, seed=seed)
        made.append(
            [
                build.png(pixels, RGB),
                build.save(pixels, "JPEG"),
                build.save(pixels, "WEBP"),
                build.npy(pixels),
                build.png(pixels, RGB)[:-5],
                b"nothing",
            ][seed % 6]
        )
    return made


def told(result: Decoded | ImageError) -> str:
    """What identifies an outcome."""
    return result.code if isinstance(result, ImageError) else result.sha256


def here(data: bytes) -> str:
    """The outcome in this process."""
    try:
        return told(decode_pixels(data))
    except ImageError as error:
        return told(error)


def until(condition: Callable[[], object], seconds: float = 120) -> None:
    """Wait for a condition of other processes."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def computed_s(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    with Decoder(workers=2) as shared:
        yield shared


def test_same_as_in_process_for_any_number_of_workers() -> None:
    images = files(60)
    expected = [here(data) for data in images]
    assert len(set(expected)) > 40
    for workers in (1, 2, 3):
        with Decoder(workers=workers) as decoder:
            assert [told(result) for result in decoder.decode_many(images)] == expected


@pytest.mark.parametrize("window", [1, 2, 7, 1000])
def test_order_is_kept_for_any_window(decoder: Decoder, window: int) -> None:
    images = files(40)
    results = list(decoder.decode_many(iter(images), window))
    assert [told(result) for result in results] == [here(data) for data in images]


def test_record_crosses_the_process_border(decoder: Decoder) -> None:
    pixels = build.noise(30, 40)
    extra = build.chunk(b"eXIf", build.exif(6)) + build.iccp(b"broken")
    data = build.png(pixels, RGB, extra=extra)
    image, same = decoder.decode(data), decode_pixels(data)
    np.testing.assert_array_equal(image.rgb, np.rot90(pixels, -1))
    assert (image.width, image.height) == (30, 40)
    assert image.rgb.flags.c_contiguous
    assert not image.rgb.flags.writeable
    for field in ("sha256", "format", "warnings", "decoder"):
        assert getattr(image, field) == getattr(same, field)


def test_pixels_stay_when_more_images_follow(decoder: Decoder) -> None:
    """Nothing handed out is overwritten later."""
    images = [build.png(build.noise(50, 60, seed=seed), RGB) for seed in range(50)]
    kept = [result for result in decoder.decode_many(images) if isinstance(result, Decoded)]
    for seed, image in enumerate(kept):
        np.testing.assert_array_equal(image.rgb, build.noise(50, 60, seed=seed))


def colourful(seed: int) -> bytes:
    """An image that takes its slot's place: all of these are of one size."""
    return build.png(build.noise(50, 60, seed=seed), RGB)


def test_pixels_stay_while_any_view_of_them_is_left() -> None:
    with Decoder(workers=1) as decoder:
        view = decoder.decode(colourful(0)).rgb[10:20, ::2].T
        for seed in range(1, 30):
            decoder.decode(colourful(seed))
        np.testing.assert_array_equal(view, build.noise(50, 60, seed=0)[10:20, ::2].T)


def test_pixels_outlive_the_decoder_and_take_their_memory_with_them() -> None:
    before = mapped()
    with Decoder(workers=2) as decoder:
        kept = list(decoder.decode_many(colourful(n) for n in range(20)))
    for seed, image in enumerate(kept):
        assert isinstance(image, Decoded)
        np.testing.assert_array_equal(image.rgb, build.noise(50, 60, seed=seed))
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
        kept[0].rgb.flags.writeable = True  # type: ignore[union-attr]
    assert mapped() > before
    del kept, image
    assert mapped() == before


def mapped() -> int:
    """Arenas that this process maps."""
    return Path("/proc/self/maps").read_text().count("physgauge-decode")


def test_forked_child_keeps_the_pixels_that_it_saw() -> None:
    told_r, told_w = os.pipe()
    with Decoder(workers=1) as decoder:
        image = decoder.decode(colourful(0))
        child = os.fork()
        if child == 0:
            os.read(told_r, 1)
            os._exit(int((image.rgb != build.noise(50, 60, seed=0)).any()))
        del image
        for seed in range(1, 30):
            decoder.decode(colourful(seed))
        os.write(told_w, b"x")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(told_r)
    os.close(told_w)


def test_worker_can_write_nothing_between_images() -> None:
    with Decoder(workers=1) as decoder:
        for seed in range(3):
            image = decoder.decode(colourful(seed))
        assert image.format == "png"
        (pid,) = decoder.worker_pids
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        rights = {line.split()[1] for line in maps if "physgauge-decode" in line}
        assert rights == {"r--s"}


def test_memory_of_the_slots_is_bounded() -> None:
    data = build.png(np.full((2000, 2500, 1), 90, dtype=np.uint8), GRAY)  # 14.3 MiB of pixels
    with Decoder(workers=1) as decoder:
        held = list(decoder.decode_many([data] * 12))
        assert {told(image) for image in held} == {here(data)}
        assert 80 * 2**20 < arena_bytes() < 120 * 2**20
        held.clear()
        for seed in range(3):
            decoder.decode(colourful(seed))
        assert arena_bytes() <= 33 * 2**20


def arena_bytes() -> int:
    """Memory that the largest arena of this process takes."""
    sizes = [0]
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if "physgauge-decode" in os.readlink(entry):
                sizes.append(512 * entry.stat().st_blocks)
    return max(sizes)


def test_bytes_like_input(decoder: Decoder) -> None:
    data = files(1)[0]
    for form in (bytearray(data), memoryview(data)):
        assert decoder.decode(form).sha256 == decode_pixels(data).sha256
    with pytest.raises(TypeError, match="expected bytes, got str"):
        decoder.submit("image.png")  # type: ignore[arg-type]


def test_scan_bomb_is_killed_and_the_others_go_on(decoder: Decoder) -> None:
    good = files(1)[0]
    assert len(BOMB) < 100_000
    before = set(decoder.worker_pids)
    results = list(decoder.decode_many([good, BOMB, good, good, BOMB, good]))
    assert [told(result) for result in results] == [
        here(good), "decode_timeout", here(good), here(good), "decode_timeout", here(good),
    ]  # fmt: skip
    assert str(results[1]) == (
        "expected a JPEG of 2048×2048 px to decode in 0.75 s, got no end of it"
    )
    assert set(decoder.worker_pids) != before


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_worker_killed_in_mid_image_costs_that_image_only(blow: signal.Signals) -> None:
    good = files(1)[0]
    with Decoder(PATIENT, workers=1) as decoder:
        first = decoder.decode(good)
        (pid,) = decoder.worker_pids
        before = computed_s(pid)
        futures = [decoder.submit(data) for data in (SLOW, good, good, good)]
        until(lambda: computed_s(pid) > before + 0.1)
        os.kill(pid, blow)
        error = futures[0].exception(60)
        assert isinstance(error, ImageError)
        assert error.code == "decode_crashed"
        assert f"signal {blow.name}" in error.message
        assert [future.result(60).sha256 for future in futures[1:]] == [first.sha256] * 3
        assert decoder.worker_pids != (pid,)


def test_worker_killed_while_idle_costs_nothing() -> None:
    good = files(1)[0]
    with Decoder(workers=1) as decoder:
        for _ in range(3):
            assert decoder.decode(good).format == "png"
            (pid,) = decoder.worker_pids
            os.kill(pid, signal.SIGKILL)
            until(lambda pid=pid: not alive(pid))  # type: ignore[misc]


def test_nothing_is_lost_or_doubled_under_random_kills(decoder: Decoder) -> None:
    images = [build.png(build.noise(120, 120, seed=seed), RGB) for seed in range(6)]
    expected = [here(data) for data in images]
    decoder.decode(images[0])
    results, kills, until_kill = [], 0, 50

    def source() -> Iterator[bytes]:
        for number in range(600):
            yield images[number % 6]

    for result in decoder.decode_many(source()):
        results.append(told(result))
        if len(results) % until_kill == 0 and (pids := decoder.worker_pids):
            os.kill(pids[kills % len(pids)], signal.SIGKILL)
            kills += 1
    assert kills > 5
    assert len(results) == 600
    assert results.count("decode_crashed") <= kills
    for number, got in enumerate(results):
        assert got in (expected[number % 6], "decode_crashed")


def test_memory_limit_is_an_error_of_the_image() -> None:
    tight = DecodeLimits(worker_memory_bytes=160 * 2**20)
    wide = build.png(np.zeros((3000, 6000, 4), dtype=np.uint16), RGBA, 16)
    good = files(1)[0]
    with Decoder(tight, workers=1) as decoder:
        results = list(decoder.decode_many([good, wide, good]))
    assert [told(result) for result in results] == [here(good), "decode_crashed", here(good)]
    assert str(results[1]) == (
        "expected PNG data of 6000×3000 px, got no memory left under the worker's limit"
    )


def test_large_image_passes_and_its_memory_is_given_back() -> None:
    pixels = np.zeros((5000, 5000, 1), dtype=np.uint8)
    pixels[::7, ::5] = 200
    data = build.png(pixels, GRAY)
    with Decoder(workers=1) as decoder:
        before = shared_kib()
        image = decoder.decode(data)
        assert (image.rgb[::7, ::5] == 200).all()
        assert int(image.rgb[1::7].max()) == 0
        assert shared_kib() - before < 20 * 1024


def shared_kib() -> int:
    """Shared memory that this process has in its page tables."""
    found = re.search(r"RssShmem:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def test_many_threads_submit_at_once(decoder: Decoder) -> None:
    images = files(60)
    expected = [here(data) for data in images]

    def work(start: int) -> list[str]:
        turned = images[start:] + images[:start]
        return [told(result) for result in decoder.decode_many(turned, 3)]

    with ThreadPoolExecutor(8) as pool:
        for start, got in enumerate(pool.map(work, range(8))):
            assert got == expected[start:] + expected[:start]


def test_leaving_early_and_failing_sources(decoder: Decoder) -> None:
    images = files(30)
    for count, _ in enumerate(decoder.decode_many(images)):
        if count == 3:
            break

    def source() -> Iterator[bytes]:
        yield images[0]
        yield images[1]
        raise OSError("disk gone")

    got: list[str] = []
    with pytest.raises(OSError, match="disk gone"):
        got.extend(told(result) for result in decoder.decode_many(source()))
    assert got == [here(images[0]), here(images[1])]  # what came before the failure is handed out


def test_source_is_read_no_further_than_the_window(decoder: Decoder) -> None:
    taken = 0

    def source() -> Iterator[bytes]:
        nonlocal taken
        for data in files(20):
            taken += 1
            yield data

    many = decoder.decode_many(source(), window=3)
    next(many)
    assert taken == 3
    many.close()  # type: ignore[attr-defined]


def test_cancelled_jobs_are_skipped() -> None:
    with Decoder(PATIENT, workers=1) as decoder:
        good = files(1)[0]
        decoder.decode(good)
        (pid,) = decoder.worker_pids
        before = computed_s(pid)
        slow = decoder.submit(SLOW)
        waiting = [decoder.submit(good) for _ in range(6)]
        assert [future.cancel() for future in waiting[2:4]] == [True, True]
        until(lambda: computed_s(pid) > before + 0.1)
        os.kill(pid, signal.SIGKILL)
        assert isinstance(slow.exception(60), ImageError)
        assert all(waiting[n].result(60).format == "png" for n in (0, 1, 4, 5))


def test_close() -> None:
    good = files(1)[0]
    decoder = Decoder(workers=2)
    futures = [decoder.submit(good) for _ in range(20)]
    decoder.close()
    assert all(future.done() and not future.cancelled() for future in futures)
    decoder.close()
    with pytest.raises(RuntimeError, match="expected an open Decoder, got a closed one"):
        decoder.submit(good)


def test_leaving_by_an_exception_does_not_wait_for_the_queue() -> None:
    futures = []
    good = files(1)[0]
    with contextlib.suppress(KeyError), Decoder(workers=1) as decoder:
        futures = [decoder.submit(good) for _ in range(2000)]
        raise KeyError
    assert all(future.done() for future in futures)
    assert sum(future.cancelled() for future in futures) > 1000


def test_cancelling_does_not_wait_for_the_image_in_hand() -> None:
    with Decoder(PATIENT, workers=1) as decoder:
        decoder.decode(files(1)[0])
        slow = [decoder.submit(SLOW) for _ in range(3)]
        until(slow[0].running)
        decoder.close(cancel=True)
        for future in slow:
            with pytest.raises(CancelledError):
                future.result(0)


def test_no_worker_hoards_while_another_is_idle() -> None:
    with Decoder(PATIENT, workers=2) as decoder:
        until(lambda: len(decoder.worker_pids) == 2)
        before = {pid: computed_s(pid) for pid in decoder.worker_pids}
        for _ in range(2):
            decoder.submit(SLOW)
        until(lambda: all(computed_s(pid) > used + 0.1 for pid, used in before.items()))
        decoder.close(cancel=True)


def test_settings_out_of_range(decoder: Decoder) -> None:
    with pytest.raises(ConfigError, match="workers: expected 0 to 256, got -1"):
        Decoder(workers=-1)
    with pytest.raises(ConfigError, match="window: expected 1 or more, got 0"):
        decoder.decode_many([], window=0)


def test_settings_the_machine_cannot_meet() -> None:
    for pixels in (10**15, 10**18):
        with pytest.raises(EnvironmentProblem, match="bytes of address space to share, got"):
            Decoder(DecodeLimits(max_pixels=pixels))


def test_closing_from_a_callback() -> None:
    decoder = Decoder(workers=1)
    future = decoder.submit(files(1)[0])
    closed = threading.Event()

    def close(_: object) -> None:
        decoder.close()
        closed.set()

    future.add_done_callback(close)
    assert closed.wait(60)


def test_forked_child_is_told(decoder: Decoder) -> None:
    child = os.fork()
    if child == 0:
        try:
            decoder.submit(b"x")
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_worker_that_cannot_start_is_a_problem_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = files(1)[0]
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Decoder(workers=1) as decoder:
        with pytest.raises(
            EnvironmentProblem, match="expected '/bin/false' to start one, got exit code 1"
        ):
            decoder.decode(good)
        with pytest.raises(EnvironmentProblem):
            list(decoder.decode_many([good]))
        monkeypatch.undo()
        assert decoder.decode(good).format == "png"


def test_worker_is_light_and_holds_little(decoder: Decoder) -> None:
    decoder.decode(files(1)[0])
    for pid in decoder.worker_pids:
        maps = Path(f"/proc/{pid}/maps").read_text()
        assert "_imaging" in maps
        assert not re.search("torch|numba|llvmlite|onnxruntime|pyarrow|mujoco", maps)
        targets = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
        kinds = {re.sub(r"[\[( ].*", "", target) for target in targets}
        assert kinds <= {"/dev/null", "socket:", "/memfd:physgauge-decode"}
        names = {
            line.split("=", 1)[0] for line in Path(f"/proc/{pid}/environ").read_text().split("\0")
        }
        assert not any("KEY" in name or "TOKEN" in name for name in names)


def test_descriptors_are_given_back() -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    for _ in range(3):
        with Decoder(PATIENT, workers=2) as decoder:
            for _ in range(2):
                decoder.decode(files(1)[0])
                for pid in decoder.worker_pids:
                    os.kill(pid, signal.SIGKILL)
                    until(lambda pid=pid: not alive(pid))  # type: ignore[misc]
    assert count() == before


PARENT = """
import sys, time
sys.path[:] = sys.argv[1:]
from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import Decoder
from tests.decode import build
decoder = Decoder(DecodeLimits(base_s=300), workers=2)
decoder.decode(build.npy(build.noise(8, 8)))
futures = [decoder.submit(build.scan_bomb(repeats=6000)) for _ in range(2)]
while len(decoder.worker_pids) < 2:
    time.sleep(0.01)
print(*decoder.worker_pids, flush=True)
"""


@pytest.mark.parametrize("end", ["kill -9", "exit"])
def test_no_orphans_and_no_shared_memory_when_the_parent_ends(end: str) -> None:
    before = set(os.listdir("/dev/shm"))
    tail = "sys.stdin.read()" if end == "kill -9" else "[future.cancel() for future in futures]"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT + tail, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout
    assert parent.stdin
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    if end == "kill -9":
        before_s = {pid: computed_s(pid) for pid in pids}
        # Deep in the decoder, where no code of ours runs.
        until(lambda: all(computed_s(pid) > before_s[pid] + 0.1 for pid in pids))
        parent.kill()
    until(lambda: not any(alive(pid) for pid in pids))
    parent.wait(60)
    parent.stdin.close()
    parent.stdout.close()
    assert set(os.listdir("/dev/shm")) <= before


PAUSED = """
import os, signal, sys
sys.path[:] = sys.argv[1:]
from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import Decoder
from tests.decode import build
image = build.save(build.noise(8, 8), "JPEG")
with Decoder(DecodeLimits(base_s=0.25), workers=1) as decoder:
    decoder.decode(image)
    (pid,) = decoder.worker_pids
    os.kill(pid, signal.SIGSTOP)
    future = decoder.submit(image)
    print(pid, flush=True)
    print(future.result().format, flush=True)
"""


def test_a_pause_of_all_processes_is_nobodys_fault() -> None:
    """A container that is paused, a suspended machine: no image has taken that long."""
    with subprocess.Popen(
        [sys.executable, "-c", PAUSED, *sys.path], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        worker = int(parent.stdout.readline())
        time.sleep(0.1)
        os.kill(parent.pid, signal.SIGSTOP)
        time.sleep(3)  # on the clock an image has eight times 0.25 s
        os.kill(parent.pid, signal.SIGCONT)
        time.sleep(0.05)
        os.kill(worker, signal.SIGCONT)
        assert parent.stdout.read() == "jpeg\n"
