"""What a measured time depends on: device, software, kernel, problem. Where one differs, nothing is reused."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
from triton._C.libtriton import get_cache_invalidating_env_vars
from triton.runtime.driver import driver as drivers
from triton.runtime.jit import JITFunction

from ..bench.environment import environment
from ..compiler.jit import TLXFunction, package_hash
from ..sim import SimulatorDriver
from .configs import plain
from .revision import source_columns
from .work.compiling import Target
from .work.memory import is_array

__all__ = ["Subject", "argument_rows", "current_target", "launch_facts", "simulated", "subject_of"]

ALIGNMENT = 16  # bytes: what Triton specializes on, and TMA asks for


def simulated() -> bool:
    """Whether launches run in the simulator."""
    return isinstance(drivers.active, SimulatorDriver)


def current_target() -> Target:
    """The device that launches run on."""
    driver = drivers.active
    device = driver.get_current_device()
    limit = driver.utils.get_device_properties(device)["max_shared_mem"]
    return Target(driver.get_current_target(), limit, None if simulated() else device)


# --- of a launch ---


def launch_facts(
    arguments: Mapping[str, Any], options: Mapping[str, Any], keys: tuple[str, ...] | None = None
) -> tuple:
    """What a problem is, or with `keys`, what launches that share a config have in common; as a hashable value.

    Of each array: element type, alignment, shape and strides; of all else the value. With `keys`, an array that is not
    among them counts by its number of axes, and by their order where it is dense, else by its strides; a number that
    is not among them doesn't count. Constants that the caller gives and launch options always count.
    """
    facts = tuple(_fact(name, value, keys is None or name in keys) for name, value in arguments.items())
    return facts, tuple((name, plain(options[name])) for name in sorted(options))


def _fact(name: str, value: Any, whole: bool) -> tuple:
    base = getattr(value, "base", None)
    if is_array(base):
        layout = tuple(value.strides) if whole else _layout(tuple(value.shape), tuple(value.strides))
        shape = tuple(value.shape) if whole else len(value.shape)
        return (name, base.dtype, shape, layout, getattr(value, "padding", ""))
    if is_array(value):
        shape, strides = tuple(value.shape), tuple(value.stride())
        layout = strides if whole else _layout(shape, strides)
        return (name, value.dtype, shape if whole else len(shape), layout, _alignment(value.data_ptr()))
    if isinstance(value, tuple):
        return (name, tuple(_fact("", part, whole) for part in value))
    if whole or not isinstance(value, int | float) or isinstance(value, bool):
        return (name, plain(value) if not isinstance(value, list) else tuple(value))
    return (name, type(value).__name__)


@functools.lru_cache(maxsize=4096)
def _layout(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple:
    """("dense", axes from the outermost in) if it has no gaps, else the strides."""
    order = tuple(sorted((axis for axis, size in enumerate(shape) if size > 1), key=lambda axis: -strides[axis]))
    expected = 1
    for axis in reversed(order):
        if strides[axis] != expected:
            return strides
        expected *= shape[axis]
    return ("dense", *order)


def _alignment(address: int) -> int:
    return min(ALIGNMENT, address & -address) if address else ALIGNMENT


# --- as rows of the database ---


@dataclass(frozen=True)
class Subject:
    """What is tuned, where, with what: the rows that a sweep refers to.

    Args:
        device, software, kernel: columns of the tables of that name.
        key: of the problem: what launches have in common whose times may be compared.
        shared_key: what launches have in common that share a config.
        arguments: rows of table `argument`, without the problem.
        source: columns of table `sweep` that say which sources ran.
    """

    device: dict[str, Any]
    software: dict[str, Any]
    kernel: dict[str, Any]
    key: str
    shared_key: str
    arguments: tuple[dict[str, Any], ...]
    source: dict[str, Any]


def subject_of(kernel: JITFunction, shared: tuple, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> Subject:
    """The subject of a launch now; `shared` are the facts of launches that share its config."""
    return Subject(
        device=current_device(),
        software=current_software(),
        kernel={
            "module": kernel.fn.__module__,
            "name": kernel.fn.__qualname__,
            "source_hash": kernel.cache_key,
            "tlx_hash": package_hash() if isinstance(kernel, TLXFunction) else "",
        },
        key=_text(launch_facts(arguments, options)),
        shared_key=_text(shared),
        arguments=tuple(argument_rows(arguments)),
        source=source_columns(Path(kernel.fn.__code__.co_filename).parent),
    )


def _text(facts: tuple) -> str:
    return json.dumps(facts, default=_dtype_name)


def current_device() -> dict[str, Any]:
    """Columns of table `device`: where launches run now."""
    return _device(drivers.active, drivers.active.get_current_device())


@functools.cache
def _device(driver: Any, device: int) -> dict[str, Any]:
    arch = int(driver.get_current_target().arch)
    if isinstance(driver, SimulatorDriver):
        return {"name": f"simulated {driver.options.device.name}", "arch": arch, "driver": "", "unit": "ops"}
    facts = environment()
    return {"name": facts["gpu"] or "", "arch": arch, "driver": facts["driver"] or "", "unit": "us"}


def current_software() -> dict[str, str]:
    """Columns of table `software`: what kernels are compiled by now."""
    torch = sys.modules.get("torch")
    return {
        "triton": triton.__version__,
        "torch": getattr(torch, "__version__", ""),
        "cuda": (torch.version.cuda or "") if torch is not None else "",
        "flags": json.dumps(get_cache_invalidating_env_vars(), sort_keys=True),
    }


def argument_rows(arguments: Mapping[str, Any]):
    """Rows of table `argument`."""
    empty = {"dtype": "", "shape": "", "strides": "", "alignment": None, "value": ""}
    for position, (name, value) in enumerate(arguments.items()):
        row = {"position": position, "name": name, **empty}
        base = getattr(value, "base", None)
        if is_array(base):
            yield {**row, "kind": "descriptor", **_array_columns(base, value.shape, value.strides)}
        elif is_array(value):
            yield {**row, "kind": "pointer", **_array_columns(value, value.shape, value.stride())}
        else:
            yield {**row, "kind": "value", "value": str(plain(value))}


def _dtype_name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def _array_columns(array: Any, shape, strides) -> dict[str, Any]:
    return {
        "dtype": _dtype_name(array.dtype),
        "shape": json.dumps(list(shape)),
        "strides": json.dumps(list(strides)),
        "alignment": _alignment(array.data_ptr()),
    }
