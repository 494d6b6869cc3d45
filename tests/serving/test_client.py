"""The client and the real server: rows as of a local run, whatever happens on the wire."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from physgauge import wire
from physgauge.clients import AsyncClient, Client, Stats
from tests.serving.proxy import Proxy
from tests.serving.server import CAPTIONS, EXAMPLES, NAMES, Server, image, plain

Images = list[tuple[str, bytes, str, dict[str, str]]]
RUN = [sys.executable, "-c", "from physgauge.cli.main import main; main()", "score"]


def examples(times: int = 1) -> Images:
    """The examples, several times over, each with an id of its own."""
    return [(f"{n}/{name}", image(name), CAPTIONS[name], {"source": name})
            for n in range(times) for name in NAMES]  # fmt: skip


def check(images: Images, rows: list[wire.Row], local_rows: dict[str, wire.Row]) -> None:
    """Each input has exactly one row, equal to that of the local run."""
    assert sorted(row.image_id for row in rows) == sorted(one[0] for one in images)
    for row in rows:
        assert row.error is None, (row.image_id, row.error_code, row.error)
        expected = msgspec.structs.replace(local_rows[row.source], image_id=row.image_id)
        assert plain(row) == expected


def run(
    servers: str,
    images: Any,
    ordered: bool = False,
    after: tuple[int, Callable[[], object]] | None = None,
    **options: Any,
) -> tuple[list[wire.Row], Stats]:
    """Rows; `after` that many of them, something happens."""

    async def work() -> tuple[list[wire.Row], Stats]:
        rows: list[wire.Row] = []
        async with AsyncClient(servers, **options) as client:
            async for row in client.score(images, ordered=ordered):
                rows.append(row)
                if after and len(rows) == after[0]:
                    await asyncio.to_thread(after[1])
            stats = client.stats
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return rows, stats

    return asyncio.run(work())


@pytest.mark.parametrize("ordered", [True, False])
def test_rows_equal_the_local_runs(
    server: Server, local_rows: dict[str, wire.Row], ordered: bool
) -> None:
    images = examples(2)
    rows, stats = run(server.address, images, ordered)
    check(images, rows, local_rows)
    assert [row.image_id for row in rows] == [one[0] for one in images] or not ordered
    assert (stats.rows, stats.retries, stats.errors) == (48, 0, 0)


def test_a_bad_one_among_good_ones(server: Server, local_rows: dict[str, wire.Row]) -> None:
    images: list[Any] = list(examples())
    images[5] = ("broken", image(NAMES[5])[:900])
    images[11] = Path("/nowhere/x.jpg")
    images[17] = ("shape", np.zeros((4, 4), np.uint8))
    rows, _ = run(server.address, images, ordered=True)
    assert len(rows) == 24
    assert {n: row.error_code for n, row in enumerate(rows) if row.error_code} == {
        5: "image_truncated", 11: "image_unreadable", 17: "image_format",
    }  # fmt: skip
    good = [n for n in range(24) if n not in (5, 11, 17)]
    check([images[n] for n in good], [rows[n] for n in good], local_rows)
    # The client's error rows name the same deployment as the server's.
    assert rows[11].provenance == rows[17].provenance == rows[5].provenance


def test_arrays_and_pil_images_score_as_their_files_do(
    server: Server, local_rows: dict[str, wire.Row]
) -> None:
    name = NAMES[0]
    with Image.open(EXAMPLES / name) as picture:
        pixels = np.asarray(picture.convert("RGB"))
        rows, _ = run(server.address, [pixels, picture, EXAMPLES / name], ordered=True)
    assert {row.pixel_sha256 for row in rows} == {local_rows[name].pixel_sha256}
    assert len({row.pcmde.s_final for row in rows}) == 1


def test_a_generator_is_read_as_there_is_room(server: Server) -> None:
    taken = 0

    def images() -> Iterator[tuple[str, bytes]]:
        nonlocal taken
        for n in range(100_000):
            taken = n + 1
            yield str(n), image(NAMES[n % 24])

    async def work() -> None:
        async with AsyncClient(server.address, max_window=16) as client:
            rows, seen = client.score(images()), 0
            async for _ in rows:
                seen += 1
                assert taken <= seen + 16 + 1
                if seen == 40:
                    break
            await rows.aclose()
            assert client.stats.endpoints[0].in_flight == 0

    asyncio.run(work())


def test_more_than_the_server_takes(server: Server, local_rows: dict[str, wire.Row]) -> None:
    """Several clients that together want more than its places: rejects, and then rows."""
    images, found = examples(2), []

    async def one() -> None:
        async with AsyncClient(server.address, timeout_s=300) as client:
            for endpoint in client._opened().dispatch._servers.all:  # start where others end
                endpoint.endpoint.window.limit = 40
            rows = [row async for row in client.score(images)]
            found.append((rows, client.stats))

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(3)))

    asyncio.run(all_of_them())
    for rows, _ in found:
        check(images, rows, local_rows)
    assert sum(stats.rejects for _, stats in found) > 0
    assert min(stats.window for _, stats in found) < 40


def test_blocking_in_threads_and_within_a_loop(
    server: Server, local_rows: dict[str, wire.Row]
) -> None:
    images = examples()
    with Client(server.address) as client:
        found: list[list[wire.Row]] = []
        threads = [
            threading.Thread(target=lambda: found.append(list(client.score(images))))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    for rows in found:
        check(images, rows, local_rows)
    assert len(found) == 2

    async def within_a_loop() -> list[wire.Row]:
        with Client(server.address) as client:
            return list(client.score(images[:3]))

    check(images[:3], asyncio.run(within_a_loop()), local_rows)


def test_leaving_early_frees_the_servers_places(server: Server) -> None:
    async def work() -> None:
        async with AsyncClient(server.address) as client:
            async for _ in client.score(examples(4)):
                break
            row = await client.row(image(NAMES[0]))
            assert row.error_code is None

    asyncio.run(work())


@pytest.mark.parametrize("what", ["delay", "reset", "cut", "stall"])
def test_bad_weather(server: Server, local_rows: dict[str, wire.Row], what: str) -> None:
    images = examples(2)
    with Proxy(server.address) as proxy:

        def happen() -> None:
            if what == "reset":
                assert proxy.reset()
            elif what == "cut":
                proxy.cut_after(100_000)
            elif what == "stall":
                proxy.stall(True)
                threading.Timer(4.0, proxy.stall, (False,)).start()

        if what == "delay":
            proxy.weather.delay_s = 0.05
        rows, stats = run(proxy.address, images, after=(7, happen), timeout_s=240, attempt_s=15)
        check(images, rows, local_rows)
        if what in ("reset", "cut"):
            assert proxy.connections >= 2
            assert stats.retries > 0
            assert stats.endpoints[0].ejections > 0


def test_a_connection_that_stays_silent_is_replaced(
    server: Server, local_rows: dict[str, wire.Row]
) -> None:
    """Nothing ever comes through one of two ways to the server: its images go the other."""
    images = examples(2)
    with Proxy(server.address) as proxy:
        rows, stats = run(
            f"{proxy.address},{server.address}",
            images,
            after=(5, lambda: proxy.stall(True)),
            timeout_s=240,
            attempt_s=8,
        )
        proxy.stall(False)
    check(images, rows, local_rows)
    assert [one.healthy for one in stats.endpoints] == [False, True]


def test_one_of_two_is_dead(server: Server, local_rows: dict[str, wire.Row]) -> None:
    images = examples()
    rows, stats = run(f"127.0.0.1:1,{server.address}", images)
    check(images, rows, local_rows)
    assert [one.healthy for one in stats.endpoints] == [False, True]


def score(server: Server, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    flags = [] if "--here" in arguments else ["--server", server.address]
    rest = [one for one in arguments if one != "--here"]
    return subprocess.run(
        [*RUN, ".", "--json", *flags, *rest],
        cwd=folder, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good and bad images, with captions good and bad."""
    made = tmp_path_factory.mktemp("images")
    for name in NAMES[::3]:
        (made / name).write_bytes(image(name))
    (made / "empty.png").write_bytes(b"")
    (made / "text.png").write_bytes(b"no image at all")
    (made / "gone.jpg").symlink_to(made / "missing")
    (made / "said.jpg").write_bytes(image(NAMES[1]))
    (made / "long.jpg").write_bytes(image(NAMES[1]))
    (made / "both.jpg").symlink_to(made / "missing")
    with open(os.fsencode(made) + b"/caf\xe9 \n.jpg", "wb") as file:
        file.write(image(NAMES[2]))
    records: list[dict[str, Any]] = [
        {"file": name, "caption": CAPTIONS[name], "seed": 7, "model": "m"} for name in NAMES[::3]
    ]
    records += [
        {"file": "said.jpg", "caption": 5},
        {"file": "both.jpg", "caption": 5},
        {"file": "long.jpg", "caption": "x" * 9000},
        {"file": "nobody.jpg", "caption": "y"},
    ]
    (made / "captions.json").write_text(json.dumps(records))
    return made


@pytest.mark.parametrize("domain", ["auto", "car"])
def test_the_command_gives_the_local_rows(server: Server, folder: Path, domain: str) -> None:
    arguments = ("--captions", "captions.json", "--domain", domain)
    here, there = score(server, folder, "--here", *arguments), score(server, folder, *arguments)
    assert here.returncode == there.returncode == 0, there.stderr
    local, remote = (
        [plain(wire.from_json(line.encode())) for line in done.stdout.splitlines()]
        for done in (here, there)
    )
    assert len(local) == 15
    assert len([row for row in local if row.error_code]) == 6
    for one, other in zip(local, remote, strict=True):
        assert other == one
    assert "1 captions name no image of this run: nobody.jpg" in there.stderr


def test_the_command_says_what_is_wrong(server: Server, folder: Path) -> None:
    done = score(server, folder, "--domain", "boat")
    assert done.returncode == 2
    assert "request_invalid: OPTIONS.domain: expected one of auto," in done.stderr
    for flag in (("--pack", "car"), ("--draw",), ("--profile", "tiny"), ("--threads", "1")):
        done = score(server, folder, *flag)
        assert done.returncode == 2
        assert f"with --server, not {flag[0]}: " in done.stderr
    done = subprocess.run(
        [*RUN, ".", "--json", "--server", "127.0.0.1:1", "--timeout", "1"],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "--server 127.0.0.1:1: unavailable: expected a server within 1 s" in done.stderr


def test_the_command_needs_nothing_heavy(server: Server, folder: Path) -> None:
    code = (
        "import sys\n"
        "heavy = ('numba', 'onnxruntime', 'pyarrow', 'PIL', 'torch')\n"
        "class Refused:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in heavy: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refused())\n"
        "from physgauge.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "score", ".", "--json", "--server", server.address],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 15


def test_the_command_stopped_in_the_middle(server: Server) -> None:
    with subprocess.Popen(
        [*RUN, str(EXAMPLES), "--json", "--server", server.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline().startswith('{"image_id"')
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 143, err
    assert "Traceback" not in err
