"""`tlx info`: versions, the device, and why launches run there."""

from __future__ import annotations

import argparse
from pathlib import Path

import triton
from rich.console import Console
from rich.table import Table
from triton.runtime.driver import driver as drivers

from .backend import Backend, choose_backend
from .bench import environment
from .sim.device import HOPPER

__all__ = ["print_info"]


def print_info(_: argparse.Namespace) -> int:
    """Prints what there is, one fact a line."""
    backend = choose_backend("auto")
    table = Table.grid(padding=(0, 2))
    for name, fact in {**_versions(), **_device(backend)}.items():
        table.add_row(name, str(fact))
    Console().print(table)
    return 0


def _versions() -> dict[str, str]:
    facts = environment()
    return {
        "tlx": facts["tlx"],
        "triton": f"{facts['triton']} in {Path(triton.__file__).parent}",
        "torch": facts["torch"] or "not installed (the kernel library needs it)",
        "python": facts["python"],
    }


def _device(backend: Backend) -> dict[str, str]:
    driver = drivers.active
    properties = driver.utils.get_device_properties(driver.get_current_device())
    facts = environment()
    name = facts["gpu"] if backend.name == "gpu" else f"simulator of {HOPPER.name}"
    return {
        "launches run on": f"{name} ({backend.reason})",
        **({"driver": f"{facts['driver']}, CUDA {facts['cuda']}"} if backend.name == "gpu" else {}),
        "target": f"sm_{driver.get_current_target().arch}",
        "multiprocessors": f"{properties['multiprocessor_count']}",
        "shared memory": f"{properties['max_shared_mem']:,} B for each program",
        "registers": f"{properties['max_num_regs']:,} for each program",
    }
