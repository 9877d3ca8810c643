"""Pointers, and loads and stores through them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...ir.model import PointerType, TensorType
from ..errors import MisalignedAccess, OutOfBounds
from ..per_thread import first_thread
from ..pointers import Pointers
from ..values import dtype_of, element_of
from .registry import simulates


@contextmanager
def reported(group, op) -> Iterator[None]:
    """Adds the program and the user's line to a bad access."""
    try:
        yield
    except (OutOfBounds, MisalignedAccess) as error:
        error.what += f", in program {tuple(map(int, group.cta.program_id))}"
        raise error.at(op.location) from None


def pointee_dtype(type) -> np.dtype:
    """The dtype of what a pointer type, or a tensor of it, points to."""
    return dtype_of(element_of(type).pointee)


@simulates("tt.addptr")
def addptr(group, op, pointers, offset):
    """Moves pointers by `offset` elements, a signed integer of any width."""
    size = pointee_dtype(op.operands[0].type).itemsize
    return Pointers(pointers.addresses + offset.astype(np.int64) * size, pointers.argument)


@simulates("tt.int_to_ptr")
def int_to_ptr(group, op, address):
    """A pointer of unknown origin: it must be into some argument's storage when it is used."""
    return Pointers(address)


@simulates("tt.ptr_to_int")
def ptr_to_int(group, op, pointers):
    """The address."""
    return pointers.addresses


@simulates("tt.load", "tt.atomic_load")
def load(group, op, pointers, mask=None, other=None):
    """Reads where the mask holds; elsewhere gives `other`, or 0, with which Triton initializes the registers."""
    dtype = pointee_dtype(op.operands[0].type)
    memory = group.launch.memory
    with reported(group, op):
        if mask is None or np.all(mask):
            result = memory.read(pointers.argument, pointers.addresses, dtype)
        else:
            mask, addresses = np.broadcast_arrays(mask, pointers.addresses)
            result = np.zeros(mask.shape, dtype)
            if other is not None:
                result[...] = getattr(other, "addresses", other)
            result[mask] = memory.read(pointers.argument, addresses[mask], dtype)
    is_pointer = isinstance(element_of(op.result.type), PointerType)
    return Pointers(result[()]) if is_pointer else result[()]


@simulates("tt.store", "tt.atomic_store")
def store(group, op, pointers, value, mask=None):
    """Writes where the mask holds. Of several values for one address the last in row-major order stays.

    A scalar is stored by the first thread of the group.
    """
    if not isinstance(op.operands[0].type, TensorType):
        pointers = Pointers(first_thread(pointers.addresses), pointers.argument)
        value, mask = first_thread(value), first_thread(mask)
    addresses = np.asarray(pointers.addresses)
    values = np.broadcast_to(getattr(value, "addresses", value), addresses.shape)
    if mask is not None:
        mask = np.broadcast_to(mask, addresses.shape)
        addresses, values = addresses[mask], values[mask]
    with reported(group, op):
        group.launch.memory.write(pointers.argument, addresses, values)
