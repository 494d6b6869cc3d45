"""The examples of docs/client.md do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.serving.server import ROOT, Server

EXAMPLES = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs/client.md").read_text("utf-8"), re.DOTALL
)


def output(code: str, server: Server) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code.replace("127.0.0.1:8001", server.address)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_examples(server: Server) -> None:
    asynchronous, blocking, refused, again = EXAMPLES
    assert sorted(line.split()[0] for line in output(asynchronous, server)) == [
        "examples/scenes/car_01.jpg", "my-id",
    ]  # fmt: skip
    first, second, third = output(blocking, server)
    assert re.fullmatch(r"examples/scenes/car_01\.jpg (PASS|FAIL)", first)
    assert second == "no/such.jpg no/such.jpg: cannot be read (No such file or directory)"
    assert re.fullmatch(r"\d+\.\d+ 8", third)
    (line,) = output(refused, server)
    assert line.startswith("unavailable expected a server within 1 s, got none: 127.0.0.1:1: ")
    assert output(again, server) == ["prompt-17 True 2"]
