"""Where buffers that share one piece of memory lie in it: byte arithmetic, known at compile time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import triton.language as tl

from ..errors import InvalidAlias

__all__ = ["Digit", "Leaf", "Node", "Place", "places_of", "rounded_up"]


@dataclass(frozen=True)
class Digit:
    """One digit of a slot's number in mixed radix, and how far apart its values lie.

    Args:
        radix: how many values it takes; None for the leading digit.
        stride: distance from one value to the next.
    """

    radix: int | None
    stride: int


@dataclass(frozen=True)
class Place:
    """Where the slots of a ring lie in the memory that it shares, in units of one slot.

    Args:
        slots: that the whole memory would hold.
        offset: of slot 0.
        digits: of a slot's number, the last one first.
    """

    slots: int
    offset: int = 0
    digits: tuple[Digit, ...] = (Digit(None, 1),)

    def index(self, slot: Any, semantic) -> Any:
        """Where a slot of the ring lies: an integer for an integer, else an i32 scalar."""
        constant = isinstance(slot, int)
        where = self.offset
        if where and not constant:
            where = tl.tensor(semantic.builder.get_int32(where), tl.int32)
        for digit in self.digits:
            value, slot = self.split(slot, digit, semantic)
            where = where + value * digit.stride if constant else sum_of(where, value, digit.stride, semantic)
        return where

    @staticmethod
    def split(slot: Any, digit: Digit, semantic) -> tuple[Any, Any]:
        """The last digit of a number, and the number without it."""
        if digit.radix is None:
            return slot, 0
        if isinstance(slot, int):
            return slot % digit.radix, slot // digit.radix
        return (
            slot.__mod__(digit.radix, _semantic=semantic),
            slot.__floordiv__(digit.radix, _semantic=semantic),
        )

    def mangle(self) -> str:
        digits = "_".join(f"{digit.radix}x{digit.stride}" for digit in self.digits)
        return f"{self.slots}_{self.offset}_{digits}"


def sum_of(where: Any, value: tl.tensor, stride: int, semantic) -> tl.tensor:
    """`where + value * stride` without ops that change nothing."""
    scaled = value if stride == 1 else value.__mul__(stride, _semantic=semantic)
    return scaled if isinstance(where, int) else where.__add__(scaled, _semantic=semantic)


@dataclass(frozen=True)
class Leaf:
    """A ring in shared memory.

    Args:
        key: which one it is.
        name: for errors.
        bytes: of a slot.
        count: slots.
    """

    key: int
    name: str
    bytes: int
    count: int

    @property
    def unit(self) -> int:
        """What its offsets are multiples of: they are counted in slots."""
        return self.bytes

    def place(self, offset: int, digits: tuple[Digit, ...], total: int) -> Iterator[tuple[int, Place]]:
        """Its place behind an offset in a memory of `total` bytes; the digits have strides in bytes."""
        inner = tuple(Digit(digit.radix, digit.stride // self.bytes) for digit in digits)
        yield self.key, Place(total // self.bytes, offset // self.bytes, joined(inner))


@dataclass(frozen=True)
class Node:
    """Rings and nodes that share a region of memory or lie side by side in one.

    Args:
        parts: its members.
        distinct: whether they lie side by side.
        group_size: how many consecutive slots of each member belong to one slot of the node.
    """

    parts: tuple[Leaf | Node, ...]
    distinct: bool
    group_size: int

    @property
    def name(self) -> str:
        return "reuse_group(" + ", ".join(part.name for part in self.parts) + ")"

    @property
    def count(self) -> int:
        """Slots of the node. Raises InvalidAlias where its members don't agree."""
        counts = {part.name: part.count for part in self.parts}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise InvalidAlias(
                f"members of a reuse_group have different numbers of slots: {told}",
                hint="wrap the longer one in a reuse_group with group_size",
            )
        (count,) = set(counts.values())
        if count % self.group_size:
            raise InvalidAlias(f"group_size={self.group_size} doesn't divide the {count} slots of {self.name}")
        return count // self.group_size

    @property
    def unit(self) -> int:
        return math.lcm(*(part.unit for part in self.parts))

    @property
    def inner_bytes(self) -> int:
        """Of one slot of each member."""
        end = 0
        for part in self.parts:
            end = rounded_up(end, part.unit) + part.bytes if self.distinct else max(end, part.bytes)
        return rounded_up(end, self.unit)

    @property
    def bytes(self) -> int:
        """Of one slot of the node."""
        return self.group_size * self.inner_bytes

    def place(self, offset: int, digits: tuple[Digit, ...], total: int) -> Iterator[tuple[int, Place]]:
        """The places of all rings in it."""
        digits = (Digit(self.group_size, self.inner_bytes), *digits) if self.group_size > 1 else digits
        for part in self.parts:
            offset = rounded_up(offset, part.unit)
            yield from part.place(offset, digits, total)
            offset += part.bytes if self.distinct else 0


def joined(digits: Sequence[Digit]) -> tuple[Digit, ...]:
    """The digits, neighbours joined where the strides of one go on where the other's end."""
    found = [digits[0]]
    for digit in digits[1:]:
        last = found[-1]
        if digit.stride == last.radix * last.stride:
            found[-1] = Digit(None if digit.radix is None else last.radix * digit.radix, last.stride)
        else:
            found.append(digit)
    return tuple(found)


def rounded_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def places_of(leaves: Sequence[Leaf], root: Node | None, least: int) -> tuple[int, dict[int, Place]]:
    """Bytes that all rings take together, `least` or more, and the place of each.

    Args:
        leaves: the rings.
        root: how they lie; None puts slot 0 of all of them at the beginning.
        least: bytes.
    """
    unit = math.lcm(*(leaf.unit for leaf in leaves))
    used = root.count * root.bytes if root else max(leaf.count * leaf.bytes for leaf in leaves)
    total = rounded_up(max(used, least), unit)
    if root is None:
        return total, {leaf.key: Place(total // leaf.bytes) for leaf in leaves}
    return total, dict(root.place(0, (Digit(None, root.bytes),), total))
