"""Where PHYSGAUGE_TEST_NO_SKIP is set (CI), a test that would be skipped for something missing fails."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

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
