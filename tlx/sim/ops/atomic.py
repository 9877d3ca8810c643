"""Atomic read-modify-write in global memory. Lanes act in row-major order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..values import unsigned
from .floating import maximum_number, minimum_number
from .pointer import pointee_dtype, reported
from .registry import simulates


def _as_unsigned(function):
    return lambda old, value: function(unsigned(old), unsigned(value)).view(old.dtype)


UPDATES = {
    "add": np.add,
    "fadd": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": lambda old, value: np.maximum(old, value) if old.dtype.kind == "i" else maximum_number(old, value),
    "min": lambda old, value: np.minimum(old, value) if old.dtype.kind == "i" else minimum_number(old, value),
    "umax": _as_unsigned(np.maximum),
    "umin": _as_unsigned(np.minimum),
    "exch": lambda old, value: value,
}


@simulates("tt.atomic_rmw")
def atomic_rmw(group, op, pointers, value, mask=None):
    """Updates where the mask holds and gives the old values; 0 where it doesn't."""
    return _atomic(group, op, pointers, UPDATES[op.attributes["kind"]], (value,), mask)


@simulates("tt.atomic_cas")
def atomic_cas(group, op, pointers, expected, value):
    """Stores `value` where memory holds the same bits as `expected`, and gives the old values."""

    def swap(old, expected, value):
        bits = f"u{old.dtype.itemsize}"
        return np.where(old.view(bits) == expected.view(bits), value, old)

    return _atomic(group, op, pointers, swap, (expected, value), None)


@simulates("tt.atomic_poll")
def atomic_poll(group, op, pointers, expected, timeout=None):
    """Waits until memory holds `expected`, element by element, then gives true. Time doesn't pass here: no timeout."""
    addresses = np.asarray(pointers.addresses)
    with reported(group, op):
        while (group.launch.memory.read(pointers.argument, addresses, expected.dtype) != expected).any():
            yield None
    return np.ones(addresses.shape, bool)[()]


def _atomic(group, op, pointers, update: Callable, values: tuple, mask):
    addresses = np.asarray(pointers.addresses)
    kept = np.ones(addresses.shape, bool) if mask is None else np.broadcast_to(mask, addresses.shape)
    values = [np.broadcast_to(v, addresses.shape)[kept] for v in values]
    old = np.zeros(addresses.shape, pointee_dtype(op.operands[0].type))
    with reported(group, op), np.errstate(all="ignore"):
        old[kept] = _update_in_order(group.launch.memory, pointers.argument, addresses[kept], update, values, old.dtype)
    return old[()]


def _update_in_order(memory, argument, addresses, update, values, dtype):
    """Lanes of distinct addresses go together; the lanes of one address take turns."""
    old = np.empty(addresses.shape, dtype)
    turns = _occurrence(addresses)
    for turn in range(turns.max(initial=-1) + 1):
        lanes = np.flatnonzero(turns == turn)
        old[lanes] = memory.read(argument, addresses[lanes], dtype)
        memory.write(argument, addresses[lanes], update(old[lanes], *(v[lanes] for v in values)).astype(dtype))
    return old


def _occurrence(addresses):
    """For each lane, how many lanes before it have the same address."""
    order = np.argsort(addresses, kind="stable")
    ranked = addresses[order]
    first = np.searchsorted(ranked, ranked, side="left")
    occurrence = np.empty(len(addresses), np.int64)
    occurrence[order] = np.arange(len(addresses)) - first
    return occurrence
