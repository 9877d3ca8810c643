"""Writes what the cases' tests found to the file that TL_RESULTS names, for `tools/make_tl_table.py`."""

import json
import os
from pathlib import Path

import triton

from tests.tl.cases import CASES
from tests.tl.names import public_names, reason_without_case, uses

RESULTS: dict[str, dict[str, str]] = {}


def pytest_runtest_logreport(report):
    """Notes each case's outcome; with several processes it is called in the one that gathers their reports."""
    found = dict(report.user_properties)
    if "case" not in found or report.when != "call" or report.skipped:
        return
    outcome = "ok" if report.passed else f"failed: {_first_line(report)}"
    if report.passed and "refused" in found:
        outcome = f"refused: {found['refused']}"
    elif "not simulated" in found or (report.failed and "compiled" in found):
        outcome = f"compiles; {found.get('not simulated', outcome)}"
    RESULTS.setdefault(found["case"], {})[found["form"]] = outcome


def _first_line(report) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)).split("\n")[0][:200]


def pytest_sessionfinish(session):
    target = os.environ.get("TL_RESULTS")
    if not target or hasattr(session.config, "workerinput") or not RESULTS:
        return
    content = {
        "triton": triton.__version__,
        "device": _device(),
        "names": {name: reason_without_case(name) for name in public_names()},
        "uses": {name: sorted(uses(CASES[name].function)) for name in RESULTS},
        "results": RESULTS,
    }
    Path(target).write_text(_lines(content) + "\n")


def _lines(content: dict) -> str:
    """JSON with a line for each name and case."""
    parts = []
    for key, value in content.items():
        if isinstance(value, dict):
            entries = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(value.items())]
            value = "{\n" + ",\n".join(entries) + "\n }"
        else:
            value = json.dumps(value)
        parts.append(f" {json.dumps(key)}: {value}")
    return "{\n" + ",\n".join(parts) + "\n}"


def _device() -> str:
    try:
        import torch

        return torch.cuda.get_device_name() if torch.cuda.is_available() else "simulator"
    except ImportError:
        return "simulator"
