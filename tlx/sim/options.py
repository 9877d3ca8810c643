"""How launches are simulated: the schedules to try."""

from __future__ import annotations

from dataclasses import dataclass, field

from .agents import Observer
from .device import HOPPER, Device

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """What `tlx.simulating` sets.

    Args:
        seed: of the first schedule.
        schedules: how many schedules to run, with seeds `seed`, `seed + 1`, ...; each starts from the same memory, and
            the last one's results stay.
        device: the GPU to simulate.
        observer: sees every event of every launch.
    """

    seed: int = 0
    schedules: int = 1
    device: Device = HOPPER
    observer: Observer = field(default_factory=Observer)

    def __post_init__(self):
        if self.schedules < 1:
            raise ValueError(f"schedules must be at least 1, got {self.schedules}")

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.schedules)
