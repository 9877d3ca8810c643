"""A pytest plugin: the fixture `tlx_check`, in which every launch of a test is checked.

pytest_plugins = ["tlx.check.pytest_plugin"]  # in conftest.py

def test_my_kernel(tlx_check):
    my_kernel[(4,)](x, y)  # fails with the report if the check finds an error
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .api import SCHEDULES, checking
from .checker import Checker
from .errors import raise_errors

__all__ = ["tlx_check"]


def pytest_addoption(parser) -> None:
    """Adds `--tlx-schedules`."""
    parser.addoption(
        "--tlx-schedules", type=int, default=SCHEDULES, help="schedules that tlx_check runs each launch in"
    )


@pytest.fixture
def tlx_check(request) -> Iterator[Checker]:
    """Checks every launch of the test, in the simulator; the test fails at its end if one of them has an error.

    The value has the `findings` so far.
    """
    with checking(schedules=request.config.getoption("--tlx-schedules")) as checker:
        yield checker
    raise_errors(checker.findings)
