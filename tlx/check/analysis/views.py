"""Which part of which allocation a memdesc value is."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.model import Block, MemDescType, Op, Value
from .expressions import Atom, Atoms, Linear
from .values import Values, defining_op

__all__ = ["View", "overlap", "view_of"]

# Views of the same bytes, another order or type.
_SAME_BYTES = frozenset({"ttg.memdesc_trans", "ttg.memdesc_reshape", "ttg.memdesc_reinterpret"})
ALLOCATIONS = frozenset({"ttg.local_alloc", "ttng.tmem_alloc"})


@dataclass(frozen=True)
class View:
    """A part of an allocation.

    Args:
        root: the `local_alloc`; None if it can't be found.
        indices: the slots taken of it, outermost first.
        parts: (offsets, shape) of the last `memdesc_subslice`.
        sizes: bytes of what each index counts. Buffers that share memory count it in slots of different sizes.
    """

    root: Op | None
    indices: tuple[Linear, ...] = ()
    parts: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    sizes: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The user's name of the allocation."""
        return name_of(self.root) if self.root else "a buffer that can't be followed to its allocation"

    @property
    def slot(self) -> int | None:
        """The number of the slot, if it is one."""
        known = len(self.indices) == 1 and self.indices[0].is_constant
        return self.indices[0].constant if known else None

    @property
    def label(self) -> str:
        """Name and slot."""
        return self.name if self.slot is None else f"{self.name}[{self.slot}]"

    def with_values(self, atoms: Atoms, values: dict[Atom, Linear]) -> View:
        """The view with values put in place of atoms in its indices."""
        return View(self.root, tuple(atoms.substitute(index, values) for index in self.indices), self.parts, self.sizes)


def name_of(allocation: Op) -> str:
    """The user's name of an allocation."""
    return allocation.location.name or allocation.result.name


def view_of(value: Value, values: Values) -> View:
    """The part of an allocation that a memdesc is."""
    indices: list[Linear] = []
    sizes: list[int] = []
    parts = None
    while True:
        owner = value.owner
        if isinstance(owner, Block):
            op = defining_op(owner)
            if op.name != "ttg.warp_specialize":
                return View(None)
            value = op.operands[value.index]
        elif owner.name in ALLOCATIONS:
            return View(owner, tuple(reversed(indices)), parts, tuple(reversed(sizes)))
        elif owner.name == "ttg.memdesc_index":
            indices.append(values.of(owner.operands[1]))
            sizes.append(box_bytes(owner.result))
            parts = None
            value = owner.operands[0]
        elif owner.name == "ttg.memdesc_subslice":
            parts = (owner.attributes["offsets"], owner.result.type.shape) if parts is None else parts
            value = owner.operands[0]
        elif owner.name in _SAME_BYTES:
            parts = None
            value = owner.operands[0]
        else:
            return View(None)


def overlap(a: View, b: View) -> bool | None:
    """Whether two views share bytes; None if that depends on what isn't known."""
    if a.root is None or b.root is None:
        return None
    if a.root is not b.root:
        return False
    for x, y, size, other_size in zip(a.indices, b.indices, a.sizes, b.sizes):
        if size != other_size:
            known = x.is_constant and y.is_constant
            return _meet(x.constant * size, size, y.constant * other_size, other_size) if known else None
        same = _equal(x, y)
        if not same:
            return same
    if a.indices == b.indices and a.parts and b.parts:
        return all(_meet(*sides) for sides in zip(*a.parts, *b.parts))
    return True


def _meet(start: int, size: int, other_start: int, other_size: int) -> bool:
    return start < other_start + other_size and other_start < start + size


def _equal(a: Linear, b: Linear) -> bool | None:
    """Whether two indices are the same slot; None if unknown."""
    difference = a - b
    if difference.is_constant:
        return difference.constant == 0
    dividends = [_dividend(x) for x in (a, b)]
    if None in dividends or dividends[0][1] != dividends[1][1]:
        return None
    # Rings count up from 0, so equal remainders are equal modulo the length.
    difference = dividends[0][0] - dividends[1][0]
    return difference.constant % dividends[0][1] == 0 if difference.is_constant else None


def _dividend(index: Linear) -> tuple[Linear, int] | None:
    """(x, n) of an index `x % n`."""
    if index.constant or len(index.terms) != 1:
        return None
    ((atom, coefficient),) = index.terms
    if coefficient != 1 or atom.kind not in ("arith.remsi", "arith.remui") or not atom.operands[1].is_constant:
        return None
    return atom.operands[0], atom.operands[1].constant


def box_bytes(value: Value) -> int:
    """Bytes of what a memdesc views."""
    type_ = value.type
    if not isinstance(type_, MemDescType):
        raise TypeError(f"{value!r} is no memdesc")
    elements = 1
    for size in type_.shape:
        elements *= size
    return elements * element_bits(type_.element) // 8


def element_bits(element) -> int:
    """Bits of an element type by its MLIR name."""
    digits = "".join(c for c in str(element).lstrip("!").removeprefix("b").lstrip("ifu").split("E")[0] if c.isdigit())
    return int(digits)
