"""The host entry: checks the arguments, decides how each operand is reached, and launches."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import triton

from ..errors import ArgumentError
from ..launch import device_facts, device_of, shape_text, shares_elements
from ..tma import MAX_DIM, Extent, Path, describe, path_of
from .config import GemmConfig, default_config
from .mixed import gemm_mixed

if TYPE_CHECKING:
    import torch

__all__ = ["Plan", "matmul", "plan"]


@dataclass(frozen=True)
class Plan:
    """What `matmul` does for given operands. Its text reads "A: TMA, B: pointer, C: pointer".

    Args:
        a: how A is reached.
        b: how B is reached.
        c: how C is reached.
        config: the tiles; without A and B both through TMA, only the block sizes are used.
    """

    a: Path
    b: Path
    c: Path
    config: GemmConfig

    @property
    def warp_specialized(self) -> bool:
        """Whether the warp-specialized kernel runs: it takes A and B through TMA."""
        return self.a.tma and self.b.tma

    def __str__(self) -> str:
        return f"A: {self.a}, B: {self.b}, C: {self.c}"

    def reasons(self) -> dict[str, str]:
        """Why an operand goes through pointers, for those that do."""
        return {name: path.reason for name, path in {"A": self.a, "B": self.b, "C": self.c}.items() if not path.tma}


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: GemmConfig | None = None,
) -> torch.Tensor:
    """C = A @ B, accumulated in float32; not differentiable.

    Any sizes (0 and 1 too) and any strides. An operand that TMA's rules allow is reached through TMA, any other through
    pointers, which is slower; `plan` tells which and why. Tensors on the CPU are multiplied in the simulator.

    Args:
        a: [M, K], bf16 or fp16.
        b: [K, N], of the same type, on the same device.
        out: [M, N], written instead of a new tensor; must not overlap `a` or `b`. Nothing outside of it is written.
        out_dtype: type of a new C: bf16, fp16 or float32; that of `a` if None.
        config: tiles and pipeline depth; chosen by shape if None.

    Raises:
        ArgumentError: shapes, types or devices that do not fit, or an `out` whose elements share memory.
    """
    _check_operands(a, b)
    c = _output(a, b, out, out_dtype)
    if c.numel() == 0:
        return c
    if a.shape[1] == 0:
        return c.zero_()
    with device_of(a, "gemm"):
        chosen = _plan(a, b, c, config)
        _check_stages(chosen, a.shape[1])
        launch = _launch_warp_specialized if chosen.warp_specialized else _launch_mixed
        launch(a, b, c, chosen)
    return c


def plan(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    out: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    config: GemmConfig | None = None,
) -> Plan:
    """How `matmul` would run with these arguments, which all have elements; nothing is launched.

    Raises:
        ArgumentError: as `matmul`; also an operand without elements, for which nothing runs.
    """
    _check_operands(a, b)
    if 0 in (*a.shape, *b.shape):
        raise ArgumentError(f"gemm: no kernel runs for {shape_text(a)} @ {shape_text(b)}")
    with device_of(a, "gemm"):
        return _plan(a, b, _output(a, b, out, out_dtype), config)


def _plan(a, b, c, config: GemmConfig | None) -> Plan:
    facts = device_facts()
    return _decide(*(Extent.of(x) for x in (a, b, c)), config, facts["multiprocessor_count"], facts["max_shared_mem"])


@functools.lru_cache(maxsize=4096)
def _decide(a: Extent, b: Extent, c: Extent, config: GemmConfig | None, sms: int, shared_limit: int) -> Plan:
    c_path = path_of(c, may_transpose=False, written=True)
    if config is None:
        staged = c.itemsize if c_path.tma else 0
        config = default_config(*c.shape, out_itemsize=staged, sms=sms, shared_limit=shared_limit)
    return Plan(path_of(a), path_of(b), c_path, config)


def _launch_warp_specialized(a, b, c, chosen: Plan) -> None:
    from .ws import gemm_ws

    config = chosen.config
    (m, k), n = a.shape, b.shape[1]
    tiles = triton.cdiv(m, config.block_m) * triton.cdiv(n, config.block_n)
    programs = min(tiles, device_facts()["multiprocessor_count"])
    gemm_ws[(programs,)](
        describe(a, chosen.a, (config.consumer_rows, config.block_k)),
        describe(b, chosen.b, (config.block_k, config.block_n)),
        describe(c, chosen.c, (config.consumer_rows, config.block_n)) if chosen.c.tma else c,
        m,
        n,
        k,
        *c.stride(),
        BLOCK_M=config.block_m,
        BLOCK_N=config.block_n,
        BLOCK_K=config.block_k,
        STAGES=config.stages,
        CONSUMERS=config.consumers,
        GROUP_M=config.group_m,
        A_TRANS=chosen.a.transposed,
        B_TRANS=chosen.b.transposed,
        C_TMA=chosen.c.tma,
    )


def _launch_mixed(a, b, c, chosen: Plan) -> None:
    config = chosen.config
    (m, k), n = a.shape, b.shape[1]
    gemm_mixed[(triton.cdiv(m, config.block_m) * triton.cdiv(n, config.block_n),)](
        describe(a, chosen.a, (config.block_m, config.block_k)) if chosen.a.tma else a,
        describe(b, chosen.b, (config.block_k, config.block_n)) if chosen.b.tma else b,
        describe(c, chosen.c, (config.block_m, config.block_n)) if chosen.c.tma else c,
        m,
        n,
        k,
        *a.stride(),
        *b.stride(),
        *c.stride(),
        BLOCK_M=config.block_m,
        BLOCK_N=config.block_n,
        BLOCK_K=config.block_k,
        GROUP_M=config.group_m,
        A_TMA=chosen.a.tma,
        A_TRANS=chosen.a.transposed,
        B_TMA=chosen.b.tma,
        B_TRANS=chosen.b.transposed,
        C_TMA=chosen.c.tma,
        num_warps=8,
        enable_fp_fusion=True,  # Triton's default, which 3.9 warns about unless it is given
    )


def _check_operands(a, b) -> None:
    import torch

    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ArgumentError(
            f"gemm: shapes {shape_text(a)} @ {shape_text(b)} do not multiply", "give A as [M, K] and B as [K, N]"
        )
    if a.dtype != b.dtype or a.dtype not in (torch.bfloat16, torch.float16):
        raise ArgumentError(f"gemm: A is {a.dtype} and B is {b.dtype}", "give both as bfloat16 or both as float16")
    if a.device != b.device:
        raise ArgumentError(f"gemm: A is on {a.device} and B on {b.device}", "move them to one device")
    if max(*a.shape, *b.shape) > MAX_DIM:
        raise ArgumentError(
            f"gemm: {shape_text(a)} @ {shape_text(b)} passes {MAX_DIM:,} in a size", "split the product"
        )


def _check_stages(chosen: Plan, k: int) -> None:
    """A consumer releases a slot behind the next MMA, so with a single slot a second step would never be loaded."""
    config = chosen.config
    if chosen.warp_specialized and config.stages == 1 and k > config.block_k:
        what = f"gemm: 1 stage with K = {k} in steps of {config.block_k} would deadlock"
        raise ArgumentError(what, "use at least 2 stages")


def _output(a, b, out, out_dtype):
    """The tensor to write: a new one, or `out` after checks."""
    import torch

    shape = (a.shape[0], b.shape[1])
    if out is None:
        out = torch.empty(shape, dtype=out_dtype or a.dtype, device=a.device)
    elif out_dtype not in (None, out.dtype):
        raise ArgumentError(f"gemm: out is {out.dtype}, out_dtype is {out_dtype}", "leave out_dtype away")
    if out.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        raise ArgumentError(f"gemm: C is {out.dtype}", "use bfloat16, float16 or float32")
    if tuple(out.shape) != shape or out.device != a.device:
        what = f"gemm: out is {shape_text(out)} on {out.device}, the product {shape[0]}x{shape[1]} on {a.device}"
        raise ArgumentError(what)
    if shares_elements(out):
        raise ArgumentError(f"gemm: elements of out share memory: strides {out.stride()} of {shape_text(out)}")
    return out
