"""What the tensor memory accelerator (TMA) may read or write, asked of a 2-D tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Extent", "Path", "describe", "path_of"]

ALIGNMENT_BYTES = 16  # of the base and of every stride but the innermost (CUDA, cuTensorMapEncodeTiled)
MAX_BOX = 256  # elements along each dimension of a block
MAX_DIM = 2**31 - MAX_BOX  # offsets in a kernel are i32, also those of a block that begins inside and ends outside


@dataclass(frozen=True)
class Path:
    """How a kernel reaches one operand.

    Args:
        kind: "TMA" or "pointer".
        transposed: whether the descriptor is over the transposed view, whose rows are contiguous.
        reason: why not TMA, with the arithmetic; "" for TMA.
    """

    kind: str
    transposed: bool = False
    reason: str = ""

    @property
    def tma(self) -> bool:
        """Whether it is TMA."""
        return self.kind == "TMA"

    def __str__(self) -> str:
        return self.kind


class Extent(NamedTuple):
    """What TMA's rules ask of a 2-D tensor: hashable, so that a decision can be kept.

    Args:
        shape: rows and columns.
        strides: in elements.
        itemsize: bytes of an element.
        base: bytes by which the first element misses a multiple of 16.
    """

    shape: tuple[int, int]
    strides: tuple[int, int]
    itemsize: int
    base: int

    @classmethod
    def of(cls, tensor: Any) -> Extent:
        """The extent of a strided torch tensor."""
        return cls(tuple(tensor.shape), tensor.stride(), tensor.element_size(), tensor.data_ptr() % ALIGNMENT_BYTES)

    @property
    def transposed(self) -> Extent:
        """That of the transposed view."""
        return Extent(self.shape[::-1], self.strides[::-1], self.itemsize, self.base)


def path_of(extent: Extent, *, may_transpose: bool = True, written: bool = False) -> Path:
    """TMA where its rules allow that for a 2-D tensor, as it is or transposed; else pointers, and why.

    The rules: a 16-byte aligned base, contiguous rows, a distance between rows that is a positive multiple of 16 bytes
    (a single row has none), sizes that leave a block's offsets below 2**31. Rows of a tensor that is written must also
    be multiples of 16 bytes long: the hardware clips a store at 16 bytes, not at an element.

    Args:
        extent: of a tensor with elements.
        may_transpose: whether the kernel can take the tensor as the transpose of a row-major one.
        written: whether the kernel stores to it.
    """
    reason = _obstacle(extent, "row") or (_overrun(extent) if written else "")
    if not reason:
        return Path("TMA")
    if may_transpose and extent.strides[0] == 1:
        reason = _obstacle(extent.transposed, "column")
        if not reason:
            return Path("TMA", transposed=True)
    return Path("pointer", reason=reason)


def describe(tensor: Any, path: Path, block: tuple[int, int]) -> Any:
    """The tensor descriptor of an operand that goes through TMA.

    Args:
        tensor: the 2-D operand.
        path: what `path_of` said about it.
        block: rows and columns of a block, in the operand's own order.
    """
    from triton.tools.tensor_descriptor import TensorDescriptor

    view, block = (tensor.T, block[::-1]) if path.transposed else (tensor, block)
    return TensorDescriptor(view, list(view.shape), [_row_stride(view), 1], list(block))


def _obstacle(extent: Extent, line: str) -> str:
    """Which of TMA's rules the tensor breaks, or "". Its rows are called `line`s."""
    (rows, columns), (row_stride, column_stride) = extent.shape, extent.strides
    row_bytes = row_stride * extent.itemsize
    if columns > 1 and column_stride != 1:
        return f"its {line}s are not contiguous: strides {extent.strides}"
    if rows > 1 and (row_bytes % ALIGNMENT_BYTES or row_bytes <= 0):
        return f"its {line} stride is {row_bytes} B, not a positive multiple of {ALIGNMENT_BYTES}"
    if extent.base:
        return f"its base lies {extent.base} B past a multiple of {ALIGNMENT_BYTES}"
    if max(rows, columns) > MAX_DIM:
        return f"its shape {rows}x{columns} passes {MAX_DIM:,}"
    return ""


def _overrun(extent: Extent) -> str:
    """Why a store would write behind the ends of rows, or ""."""
    row_bytes = extent.shape[1] * extent.itemsize
    if row_bytes % ALIGNMENT_BYTES:
        return f"its rows are {row_bytes} B, and a TMA store writes whole multiples of {ALIGNMENT_BYTES}"
    return ""


def _row_stride(tensor: Any) -> int:
    """The distance between rows; of a single row, the smallest legal one, since any stride may be written there."""
    if tensor.shape[0] > 1:
        return tensor.stride(0)
    step = ALIGNMENT_BYTES // tensor.element_size()
    return -(-tensor.shape[1] // step) * step
