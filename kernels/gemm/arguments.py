"""Checks of arguments that the GEMM families have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..launch import shape_text, shares_elements
from ..tma import MAX_DIM, Extent, Path, path_of

if TYPE_CHECKING:
    import torch

__all__ = ["check_matrices", "output", "tma_path"]


def check_matrices(a: torch.Tensor, b: torch.Tensor, operation: str) -> None:
    """Raises ArgumentError for an A and a B in bf16 or fp16 that do not multiply."""
    import torch

    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        what = f"{operation}: shapes {shape_text(a)} @ {shape_text(b)} do not multiply"
        raise ArgumentError(what, "give A as [M, K] and B as [K, N]")
    if a.dtype != b.dtype or a.dtype not in (torch.bfloat16, torch.float16):
        what = f"{operation}: A is {a.dtype} and B is {b.dtype}"
        raise ArgumentError(what, "give both as bfloat16 or both as float16")
    if a.device != b.device:
        raise ArgumentError(f"{operation}: A is on {a.device} and B on {b.device}", "move them to one device")
    if max(*a.shape, *b.shape) > MAX_DIM:
        what = f"{operation}: {shape_text(a)} @ {shape_text(b)} passes {MAX_DIM:,} in a size"
        raise ArgumentError(what, "split the product")


def output(
    shape: tuple[int, int],
    a: torch.Tensor,
    out: torch.Tensor | None,
    out_dtype: torch.dtype | None,
    operation: str,
) -> torch.Tensor:
    """The tensor to write: a new one on A's device, of its type unless told otherwise; or `out` after checks.

    Raises:
        ArgumentError: a type that is not stored, an `out` of another shape or device or whose elements share memory.
    """
    import torch

    if out is None:
        out = torch.empty(shape, dtype=out_dtype or a.dtype, device=a.device)
    elif out_dtype not in (None, out.dtype):
        raise ArgumentError(f"{operation}: out is {out.dtype}, out_dtype is {out_dtype}", "leave out_dtype away")
    if out.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        raise ArgumentError(f"{operation}: C is {out.dtype}", "use bfloat16, float16 or float32")
    if tuple(out.shape) != shape or out.device != a.device:
        what = f"{operation}: out is {shape_text(out)} on {out.device}, C {shape[0]}x{shape[1]} on {a.device}"
        raise ArgumentError(what)
    if shares_elements(out):
        what = f"{operation}: elements of out share memory: strides {out.stride()} of {shape_text(out)}"
        raise ArgumentError(what)
    return out


def tma_path(operand: torch.Tensor, operation: str, name: str) -> Path:
    """How TMA reaches a matrix.

    Raises:
        ArgumentError: it does not.
    """
    path = path_of(Extent.of(operand))
    if not path.tma:
        raise ArgumentError(f"{operation}: TMA cannot read {name}: {path.reason}", "pass a contiguous, aligned copy")
    return path
