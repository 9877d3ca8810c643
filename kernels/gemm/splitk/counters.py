"""Counts of arrived parts: zeros on the device that every launch leaves zero, so that none has to clear them."""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["counters"]

POOL = 2**18  # counts of a device, 1 MiB


def counters(count: int, device: torch.device) -> torch.Tensor:
    """At least `count` int32 zeros that no other launch uses at the same time.

    Launches on one stream share theirs. A captured launch gets its own for good, since its graph may be replayed beside
    anything; where there are none left, and on the CPU, they are made and cleared for this launch alone.
    """
    import torch

    if device.type != "cuda":
        return torch.zeros(count, dtype=torch.int32, device=device)
    captured = torch.cuda.is_current_stream_capturing()
    if (
        captured and _pool.cache_info().currsize == 0
    ):  # a pool that is cleared by a graph is not clear before its replay
        return torch.zeros(count, dtype=torch.int32, device=device)
    stream = None if captured else torch.cuda.current_stream(device).cuda_stream
    return _pool(device).take(count, stream)


class _Pool:
    """The counts of a device."""

    def __init__(self, device: torch.device):
        import torch

        self.zeros = torch.zeros(POOL, dtype=torch.int32, device=device)
        torch.cuda.current_stream(device).synchronize()  # other streams use them too
        self.taken = 0
        self.of_stream: dict[int, torch.Tensor] = {}
        self.lock = threading.Lock()

    def take(self, count: int, stream: int | None) -> torch.Tensor:
        """The counts of a stream, or fresh ones for None."""
        with self.lock:
            if stream is not None and stream in self.of_stream and len(self.of_stream[stream]) >= count:
                return self.of_stream[stream]
            if self.taken + count > POOL:
                return self.zeros.new_zeros(count)
            found = self.zeros[self.taken : self.taken + count]
            self.taken += count
            if stream is not None:
                self.of_stream[stream] = found
            return found


@functools.cache
def _pool(device: torch.device) -> _Pool:
    return _Pool(device)
