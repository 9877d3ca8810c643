"""The host entry of the stream-K GEMM: checks the arguments, reserves the parts of tiles, and launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton

from ...errors import ArgumentError
from ...launch import device_facts, device_of
from ...tma import Path, describe
from ..arguments import check_matrices, output, tma_path
from .config import StreamKConfig, default_config, spread
from .counters import counters

if TYPE_CHECKING:
    import torch

__all__ = ["launch", "matmul_stream_k"]

OPERATION = "stream-k gemm"


def matmul_stream_k(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: StreamKConfig | None = None,
) -> torch.Tensor:
    """C = A @ B for a C of few tiles and a long K, accumulated in float32; not differentiable.

    The steps of all tiles are shared equally by the multiprocessors. Parts of a tile are added in the order of K: the
    same operands give the same bits on every run. Tensors on the CPU are multiplied in the simulator.

    Args:
        a: [M, K], bf16 or fp16; rows or columns contiguous, as TMA takes them.
        b: [K, N], of the same type; rows or columns contiguous, as TMA takes them.
        out: [M, N], any strides, written instead of a new tensor; must not overlap `a` or `b`.
        out_dtype: type of a new C: bf16, fp16 or float32; that of `a` if None.
        config: tiles, pipeline depth and programs; chosen by shape if None.

    Raises:
        ArgumentError: shapes, types, strides or devices that do not fit, or an `out` whose elements share memory.
    """
    check_matrices(a, b, OPERATION)
    c = output((a.shape[0], b.shape[1]), a, out, out_dtype, OPERATION)
    if c.numel() == 0:
        return c
    if a.shape[1] == 0:
        return c.zero_()
    with device_of(a, OPERATION):
        config = config or default_config(*c.shape, shared_limit=device_facts()["max_shared_mem"])
        launch(a, b, c, tma_path(a, OPERATION, "A"), tma_path(b, OPERATION, "B"), config)
    return c


def launch(a, b, c, a_path: Path, b_path: Path, config: StreamKConfig) -> None:
    """Launches the kernel for operands with elements, on the current device.

    Raises:
        ArgumentError: a configuration that would deadlock.
    """
    import torch

    from .ws import streamk_ws

    (m, k), n = a.shape, b.shape[1]
    tiles = triton.cdiv(m, config.block_m) * triton.cdiv(n, config.block_n)
    steps = triton.cdiv(k, config.block_k)
    if config.stages == 1 and steps > 1:
        what = f"stream-k gemm: 1 stage with K = {k} in steps of {config.block_k} would deadlock"
        raise ArgumentError(what, "use at least 2 stages")
    programs = min(config.programs or spread(tiles, steps, device_facts()["multiprocessor_count"]), tiles * steps)
    rows = config.consumer_rows
    streamk_ws[(programs,)](
        describe(a, a_path, (rows, config.block_k)),
        describe(b, b_path, (config.block_k, config.block_n)),
        c,
        torch.empty(2 * programs * config.tile, dtype=torch.float32, device=c.device),
        counters(tiles * config.consumers, c.device),
        m,
        n,
        k,
        *c.stride(),
        BLOCK_M=config.block_m,
        BLOCK_N=config.block_n,
        BLOCK_K=config.block_k,
        STAGES=config.stages,
        CONSUMERS=config.consumers,
        A_TRANS=a_path.transposed,
        B_TRANS=b_path.transposed,
    )
