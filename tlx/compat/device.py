"""What `torch.cuda` says about the device, where launches are simulated: the simulated device answers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from triton.runtime.driver import driver as drivers

from ..sim import SimulatorDriver

__all__ = ["answers"]


def answers() -> list[tuple[Any, str, Callable]]:
    """The functions of `torch.cuda` that answer for the simulated device: owner, name, new function."""
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    simulated = {
        "get_device_capability": lambda *_: divmod(_device().target.arch, 10),
        "get_device_name": lambda *_: f"{_device().name} (simulated)",
        "get_device_properties": lambda *_: properties(),
        "synchronize": lambda *_: None,
    }
    return [(torch.cuda, name, _answer(getattr(torch.cuda, name), said)) for name, said in simulated.items()]


def _device():
    return drivers.active.options.device


def _answer(stock: Callable, simulated: Callable) -> Callable:
    """Stock's function on a GPU, the other one where launches are simulated."""

    def answer(*args, **kwargs):
        running = simulated if isinstance(drivers.active, SimulatorDriver) else stock
        return running(*args, **kwargs)

    return answer


def properties() -> SimpleNamespace:
    """What torch tells about a device, as far as the simulator knows it of its own."""
    device = _device()
    major, minor = divmod(device.target.arch, 10)
    return SimpleNamespace(
        name=device.name,
        major=major,
        minor=minor,
        multi_processor_count=device.multiprocessors,
        warp_size=device.target.warp_size,
        regs_per_multiprocessor=device.target.registers,
        shared_memory_per_block_optin=device.target.shared_bytes,
    )
