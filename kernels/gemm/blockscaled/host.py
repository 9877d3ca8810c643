"""The host entry of the block-scaled fp8 GEMM: checks the arguments and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton

from ...errors import ArgumentError
from ...launch import device_facts, device_of, shape_text
from ...tma import MAX_DIM, Extent, Path, describe, path_of
from ..arguments import output
from .config import SCALED, BlockScaledConfig, default_config

if TYPE_CHECKING:
    import torch

__all__ = ["matmul_block_scaled"]

OPERATION = "block-scaled gemm"


def matmul_block_scaled(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scales: torch.Tensor,
    b_scales: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: BlockScaledConfig | None = None,
) -> torch.Tensor:
    """C = (A * its scales) @ (B * its scales), in the blocks of DeepGEMM and DeepSeek-V3; not differentiable.

    The tensor cores add up 128 products; those sums are scaled and added in float32 registers. Tensors on the CPU are
    multiplied in the simulator.

    Args:
        a: [M, K], float8_e4m3fn with contiguous rows, as TMA takes them: K a multiple of 16.
        b: [K, N], float8_e4m3fn with contiguous columns (a linear layer's `weight.T`).
        a_scales: [M, ceil(K / 128)], float32, any strides: one for each 128 elements of a row.
        b_scales: [ceil(N / 128), ceil(K / 128)], float32, any strides: one for each 128 x 128 block.
        out: [M, N], any strides, written instead of a new tensor; must not overlap the others.
        out_dtype: type of a new C: bf16, fp16 or float32; bf16 if None.
        config: tiles and pipeline depth; chosen by shape if None.

    Raises:
        ArgumentError: shapes, types, strides or devices that do not fit, or an `out` whose elements share memory.
    """
    import torch

    _check_operands(a, b)
    _check_scales(a, b, a_scales, b_scales)
    c = output((a.shape[0], b.shape[1]), a, out, out_dtype or (torch.bfloat16 if out is None else None), OPERATION)
    if c.numel() == 0:
        return c
    if a.shape[1] == 0:
        return c.zero_()
    paths = _k_major(a, "A", "rows"), _k_major(b.T, "B", "columns")
    with device_of(a, OPERATION):
        _launch(a, b.T, c, a_scales, b_scales, paths, config)
    return c


def _launch(a, b, c, a_scales, b_scales, paths: tuple[Path, Path], config: BlockScaledConfig | None) -> None:
    from .ws import blockscaled_ws

    facts = device_facts()
    (m, k), n = a.shape, b.shape[0]
    c_path = path_of(Extent.of(c), may_transpose=False, written=True)
    if config is None:
        sizes = {"sms": facts["multiprocessor_count"], "shared_limit": facts["max_shared_mem"]}
        config = default_config(m, n, out_itemsize=c.element_size() if c_path.tma else 0, **sizes)
    rows = config.block_m // config.consumers
    tiles = triton.cdiv(m, config.block_m) * triton.cdiv(n, config.block_n)
    blockscaled_ws[(min(tiles, facts["multiprocessor_count"]),)](
        describe(a, paths[0], (rows, SCALED)),
        describe(b, paths[1], (config.block_n, SCALED)),
        describe(c, c_path, (rows, config.block_n)) if c_path.tma else c,
        a_scales,
        b_scales,
        m,
        n,
        k,
        *c.stride(),
        *a_scales.stride(),
        *b_scales.stride(),
        BLOCK_M=config.block_m,
        BLOCK_N=config.block_n,
        STAGES=config.stages,
        CONSUMERS=config.consumers,
        GROUP_M=config.group_m,
        C_TMA=c_path.tma,
    )


def _k_major(operand, name: str, lines: str) -> Path:
    """How TMA reaches an operand whose lines lie along K; the tensor cores read 8-bit operands in no other order.

    Raises:
        ArgumentError: it does not.
    """
    path = path_of(Extent.of(operand), may_transpose=False)
    if not path.tma:
        what = f"{OPERATION}: TMA cannot read {name} along K: {path.reason}"
        raise ArgumentError(what, f"pass a copy with contiguous {lines}, K a multiple of 16")
    return path


def _check_operands(a, b) -> None:
    import torch

    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        what = f"{OPERATION}: shapes {shape_text(a)} @ {shape_text(b)} do not multiply"
        raise ArgumentError(what, "give A as [M, K] and B as [K, N]")
    if a.dtype != torch.float8_e4m3fn or b.dtype != torch.float8_e4m3fn:
        raise ArgumentError(f"{OPERATION}: A is {a.dtype} and B is {b.dtype}", "give both as float8_e4m3fn")
    if max(*a.shape, *b.shape) > MAX_DIM:
        what = f"{OPERATION}: {shape_text(a)} @ {shape_text(b)} passes {MAX_DIM:,} in a size"
        raise ArgumentError(what, "split the product")


def _check_scales(a, b, a_scales, b_scales) -> None:
    import torch

    blocks_k, blocks_n = (triton.cdiv(size, SCALED) for size in b.shape)
    for name, scales, shape in (("A", a_scales, (a.shape[0], blocks_k)), ("B", b_scales, (blocks_n, blocks_k))):
        if tuple(scales.shape) != shape or scales.dtype != torch.float32:
            what = f"{OPERATION}: scales of {name} are {scales.dtype} {shape_text(scales)}"
            raise ArgumentError(what, f"give them as torch.float32 {shape[0]}x{shape[1]}")
    devices = {str(x.device) for x in (a, b, a_scales, b_scales)}
    if len(devices) > 1:
        raise ArgumentError(f"{OPERATION}: arguments are on {', '.join(sorted(devices))}", "move them to one device")
