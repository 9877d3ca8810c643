"""The GPU that is simulated, as data."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.targets import TARGETS, Target

__all__ = ["HOPPER", "Device"]


@dataclass(frozen=True)
class Device:
    """What a launcher can ask about a GPU.

    Args:
        target: its architecture's budgets.
        name: for reports.
        multiprocessors: number of SMs.
        sm_clock_khz, memory_clock_khz, memory_bus_bits: for peak rates.
    """

    target: Target
    name: str
    multiprocessors: int
    sm_clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int

    def properties(self) -> dict[str, int]:
        """As Triton's `driver.active.utils.get_device_properties` gives them."""
        return {
            "max_shared_mem": self.target.shared_bytes,
            "max_num_regs": self.target.registers,
            "multiprocessor_count": self.multiprocessors,
            "warpSize": self.target.warp_size,
            "sm_clock_rate": self.sm_clock_khz,
            "mem_clock_rate": self.memory_clock_khz,
            "mem_bus_width": self.memory_bus_bits,
        }


HOPPER = Device(
    target=TARGETS[90],
    name="H100 SXM5",
    multiprocessors=132,
    sm_clock_khz=1_980_000,
    memory_clock_khz=2_619_000,
    memory_bus_bits=5_120,
)
"""NVIDIA H100 SXM5 (NVIDIA H100 Tensor Core GPU Architecture, table "H100 GPU specifications")."""
