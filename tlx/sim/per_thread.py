"""Scalars that differ from thread to thread, which `tlx.thread_id` makes.

A value of a scalar type is one number where all threads of a warp group agree, and else an array with a number for
each thread. Elementwise ops take either. Where one number is needed, the threads must agree; a store of a scalar is
done by the first thread of the group, as Triton's lowering has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import DivergentThreads

__all__ = ["agreed", "first_thread", "per_thread"]


def per_thread(values: np.ndarray) -> Any:
    """A scalar's value from its value in each thread: one number where they agree."""
    return values[0] if (values == values[0]).all() else values


def first_thread(value: Any) -> Any:
    """A scalar's value in the first thread of the group."""
    return value[0] if isinstance(value, np.ndarray) and value.ndim else value


def agreed(value: Any, where: str) -> Any:
    """A scalar's value where all threads must have the same.

    Raises:
        DivergentThreads: they don't.
    """
    if isinstance(value, np.ndarray) and value.ndim:
        if not (value == value[0]).all():
            raise DivergentThreads(
                f"the threads of the warp group disagree on {where}",
                hint="the code of a task runs in all its threads alike: use tl.arange and masks instead of thread_id",
            )
        return value[0]
    return value
