"""What host entries share: the device of a launch, its facts, and the words for a tensor's shape."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from triton.runtime.driver import driver as drivers

from tlx.sim import SimulatorDriver

from .errors import ArgumentError

if TYPE_CHECKING:
    import torch

__all__ = ["device_facts", "device_of", "shape_text", "shares_elements"]


def device_of(tensor: torch.Tensor, operation: str, name: str = "A") -> Any:
    """A context in which a GPU tensor's device is the current one: Triton launches there.

    Args:
        tensor: an argument of the operation.
        operation: its name, for the error.
        name: the argument's name, for the error.

    Raises:
        ArgumentError: the tensor is in CPU memory, and Triton would launch on a GPU.
    """
    import torch

    if not tensor.is_cuda and not isinstance(drivers.active, SimulatorDriver):
        what = f"{operation}: {name} is on {tensor.device}"
        raise ArgumentError(what, "move it to the GPU, or run in tlx.simulating()")
    return torch.cuda.device_of(tensor)


def device_facts() -> dict[str, int]:
    """Properties of the current device, such as `multiprocessor_count` and `max_shared_mem` in bytes."""
    driver = drivers.active
    return _properties(driver, driver.get_current_device())


@functools.cache  # the driver takes about a millisecond to answer
def _properties(driver, device: int) -> dict[str, int]:
    return driver.utils.get_device_properties(device)


def shape_text(tensor: torch.Tensor) -> str:
    """The shape as "128x256"."""
    return "x".join(map(str, tensor.shape))


def shares_elements(tensor: torch.Tensor) -> bool:
    """Whether two elements may lie at one place: some stride does not step over a whole run of the shorter ones."""
    steps = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape) if size > 1)
    reach = 1
    for stride, size in steps:
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False
