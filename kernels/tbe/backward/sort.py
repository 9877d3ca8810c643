"""Sorting lookups by their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["sorted_by_key"]


def sorted_by_key(keys: torch.Tensor, *payloads: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
    """Keys in rising order, and what goes with them in the same order; equal keys keep theirs.

    Args:
        keys: [N] integers.
        payloads: [N] each, or None.
    """
    import torch

    ordered, positions = torch.sort(keys, stable=True)
    return ordered, *(None if payload is None else payload.index_select(0, positions) for payload in payloads)
