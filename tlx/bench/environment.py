"""What a number was measured on: versions, device, clocks."""

from __future__ import annotations

import importlib
import importlib.util
import platform
import shutil
import subprocess
from typing import Any

import triton

from ..version import __version__

__all__ = ["clocks", "environment"]

_CLOCK_FIELDS = {"clocks.sm": "sm_mhz", "clocks.mem": "memory_mhz", "power.draw": "watts", "temperature.gpu": "celsius"}


def environment() -> dict[str, Any]:
    """Versions of Python, tlx, Triton, torch and CUDA, and the current GPU; None for what is not there."""
    return {
        "python": platform.python_version(),
        "tlx": __version__,
        "triton": triton.__version__,
        **_torch(),
    }


def clocks() -> dict[str, float] | None:
    """SM and memory clock (MHz), power (W) and temperature (C) of the current GPU; None without nvidia-smi."""
    line = _query_gpu(",".join(_CLOCK_FIELDS))
    return None if line is None else _parse_clocks(line)


def _parse_clocks(line: str) -> dict[str, float] | None:
    try:
        return dict(zip(_CLOCK_FIELDS.values(), map(float, line.split(",")), strict=True))
    except ValueError:  # a field the GPU does not report reads "[N/A]"
        return None


def _find_torch() -> Any | None:
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def _torch() -> dict[str, Any]:
    torch = _find_torch()
    if torch is None or not torch.cuda.is_available():
        return {"torch": getattr(torch, "__version__", None), "gpu": None, "driver": None, "cuda": None}
    return {
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name(),
        "driver": _query_gpu("driver_version"),
        "cuda": torch.version.cuda,
    }


def _query_gpu(fields: str) -> str | None:
    """nvidia-smi's line about torch's current GPU; None where there is no such GPU or no nvidia-smi."""
    smi, torch = shutil.which("nvidia-smi"), _find_torch()
    if smi is None or torch is None or not torch.cuda.is_available():
        return None
    gpu = f"--id=GPU-{torch.cuda.get_device_properties(torch.cuda.current_device()).uuid}"
    command = [smi, gpu, f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else None
