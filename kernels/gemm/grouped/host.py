"""The host entry of the grouped GEMM: checks the arguments and launches, without waiting for the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton

from ...errors import ArgumentError
from ...launch import device_facts, device_of, shape_text
from ...tma import ALIGNMENT_BYTES, MAX_DIM, Extent, Path, describe, path_of
from ..arguments import output, tma_path
from .config import GroupedConfig, default_config

if TYPE_CHECKING:
    import torch

__all__ = ["grouped_matmul"]

OPERATION = "grouped gemm"
MAX_GROUPS = 1024  # the ends of all groups lie in registers


def grouped_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    offsets: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: GroupedConfig | None = None,
) -> torch.Tensor:
    """C[rows of g] = A[rows of g] @ B[g] for each group g, accumulated in float32; not differentiable.

    Group g has the rows from offsets[g - 1] (0 for the first) to before offsets[g], as in `torch._grouped_mm`; it may
    be empty. Sizes are read on the device only: nothing waits for them. Rows behind the last offset are not written,
    and offsets behind the last row count as M. Tensors on the CPU are multiplied in the simulator.

    Args:
        a: [M, K], bf16 or fp16; rows or columns contiguous, as TMA takes them.
        b: [groups, K, N], of the same type; each group's rows or columns contiguous, as TMA takes them.
        offsets: [groups], int32 or int64, not decreasing, on the same device.
        out: [M, N], any strides, written instead of a new tensor; must not overlap `a` or `b`.
        out_dtype: type of a new C: bf16, fp16 or float32; that of `a` if None.
        config: tiles and pipeline depth; chosen by shape if None.

    Raises:
        ArgumentError: shapes, types, strides or devices that do not fit, or an `out` whose elements share memory.
    """
    _check_operands(a, b, offsets)
    c = output((a.shape[0], b.shape[2]), a, out, out_dtype, OPERATION)
    if c.numel() == 0 or b.shape[0] == 0:
        return c
    if a.shape[1] == 0:
        return _zeros_in_groups(c, offsets)
    a_path, b_path = tma_path(a, OPERATION, "A"), _batch_path(b)
    with device_of(a, OPERATION):
        _launch(a, b, c, offsets.contiguous(), a_path, b_path, config)
    return c


def _launch(a, b, c, offsets, a_path: Path, b_path: Path, config: GroupedConfig | None) -> None:
    from .ws import grouped_ws

    facts = device_facts()
    (m, k), (groups, _, n) = a.shape, b.shape
    c_path = path_of(Extent.of(c), may_transpose=False, written=True)
    if config is None:
        sizes = {"sms": facts["multiprocessor_count"], "shared_limit": facts["max_shared_mem"]}
        config = default_config(m, groups, n, out_itemsize=c.element_size() if c_path.tma else 0, **sizes)
    if config.stages == 1 and k > config.block_k:
        what = f"{OPERATION}: 1 stage with K = {k} in steps of {config.block_k} would deadlock"
        raise ArgumentError(what, "use at least 2 stages")
    rows = config.consumer_rows
    most_tiles = (m // config.block_m + groups) * triton.cdiv(n, config.block_n)
    grouped_ws[(min(most_tiles, facts["multiprocessor_count"]),)](
        describe(a, a_path, (rows, config.block_k)),
        _describe_batch(b, b_path, (config.block_k, config.block_n)),
        c,
        describe(c, c_path, (rows, config.block_n)) if c_path.tma else None,
        offsets,
        groups,
        m,
        n,
        k,
        *c.stride(),
        GROUPS=triton.next_power_of_2(groups),
        BLOCK_M=config.block_m,
        BLOCK_N=config.block_n,
        BLOCK_K=config.block_k,
        STAGES=config.stages,
        CONSUMERS=config.consumers,
        GROUP_M=config.group_m,
        A_TRANS=a_path.transposed,
        B_TRANS=b_path.transposed,
        C_TMA=c_path.tma,
    )


def _batch_path(b) -> Path:
    """How TMA reaches the matrices of all groups."""
    step = b.stride(0) * b.element_size()
    if b.shape[0] > 1 and (step % ALIGNMENT_BYTES or step <= 0):
        what = f"{OPERATION}: TMA cannot read B: its groups lie {step} B apart, not a positive multiple of "
        raise ArgumentError(f"{what}{ALIGNMENT_BYTES}", "pass a contiguous, aligned copy")
    return tma_path(b[0], OPERATION, "B")


def _describe_batch(b, path: Path, block: tuple[int, int]):
    """The descriptor of a batch of matrices, whose blocks are of one matrix each."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    one = describe(b[0], path, block)
    step = b.stride(0) if b.shape[0] > 1 else one.shape[0] * one.strides[0]
    base = b.transpose(1, 2) if path.transposed else b
    return TensorDescriptor(base, [b.shape[0], *one.shape], [step, *one.strides], [1, *one.block_shape])


def _zeros_in_groups(c, offsets):
    """Products of no terms; rows of no group stay."""
    import torch

    rows = torch.arange(c.shape[0], device=c.device)
    return c.masked_fill_((rows < offsets[-1])[:, None], 0)


def _check_operands(a, b, offsets) -> None:
    import torch

    if a.ndim != 2 or b.ndim != 3 or a.shape[1] != b.shape[1]:
        what = f"{OPERATION}: shapes {shape_text(a)} @ {shape_text(b)} do not multiply"
        raise ArgumentError(what, "give A as [M, K] and B as [groups, K, N]")
    if a.dtype != b.dtype or a.dtype not in (torch.bfloat16, torch.float16):
        what = f"{OPERATION}: A is {a.dtype} and B is {b.dtype}"
        raise ArgumentError(what, "give both as bfloat16 or both as float16")
    if offsets.shape != b.shape[:1] or offsets.dtype not in (torch.int32, torch.int64):
        what = f"{OPERATION}: offsets are {offsets.dtype} of shape {shape_text(offsets)} for {b.shape[0]} groups"
        raise ArgumentError(what, "give the row behind the last one of each group, in int32 or int64")
    if not a.device == b.device == offsets.device:
        what = f"{OPERATION}: A is on {a.device}, B on {b.device}, offsets on {offsets.device}"
        raise ArgumentError(what, "move them to one device")
    if b.shape[0] > MAX_GROUPS:
        raise ArgumentError(f"{OPERATION}: {b.shape[0]} groups, at most {MAX_GROUPS} fit", "split the product")
    if max(*a.shape, *b.shape) > MAX_DIM:
        what = f"{OPERATION}: {shape_text(a)} @ {shape_text(b)} passes {MAX_DIM:,} in a size"
        raise ArgumentError(what, "split the product")
