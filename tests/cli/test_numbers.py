"""Numbers on the command line: NaN passes no range check, so it is refused by name."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from physgauge.cli.main import group


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "command",
    [
        ["serve", "--drain"],
        ["serve", "--notice"],
        ["serve", "--start"],
        ["serve", "--check"],
        ["rescore", "nowhere", "-o", "elsewhere", "--alpha"],
        ["score", "nothing.png", "--server", "127.0.0.1:9", "--timeout"],
    ],
)
def test_no_number_is_refused(command: list[str], value: str) -> None:
    done = CliRunner().invoke(group, [*command, value])
    assert done.exit_code == 2
    assert "Invalid value" in done.output or "finite" in done.output
