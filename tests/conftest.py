"""Where PHYSGAUGE_TEST_NO_SKIP is set (CI), a test that would be skipped for something missing fails.

Tests marked `gpu` are left out, not skipped, where there is no GPU, and the summary says how many.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

from physgauge.rules_kernel.cuda.driver import gpu_count
from tests.serving.fixtures import client, local_rows, no_fault, server, wheel

__all__ = ["client", "local_rows", "no_fault", "server", "wheel"]
"""One server for all the folders that test with one: fixtures of a folder's own would each start theirs."""

NO_SKIP = bool(os.environ.get("PHYSGAUGE_TEST_NO_SKIP"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if NO_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        report.longrepr = f"every test must run here, this one was skipped: {report.longrepr}"
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if NO_SKIP and report.skipped:
        report.longrepr = f"every test must run here, this file was skipped: {report.longrepr}"
        report.outcome = "failed"
    return report


LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if gpu_count() > 0:
        return
    left_out = [item for item in items if item.get_closest_marker("gpu")]
    config.stash[LEFT_OUT] = len(left_out)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    count = config.stash.get(LEFT_OUT, 0)
    if count:
        terminalreporter.write_line(f"no GPU here: {count} tests that need one were left out")
