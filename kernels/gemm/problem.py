"""The GEMM as a problem that `tlx compare gemm` sets its candidates."""

from __future__ import annotations

import re
from functools import partial

from tlx.bench import Problem

from ..errors import ArgumentError
from .host import matmul
from .naive import matmul_naive
from .reference import reference

__all__ = ["DEFAULT_SHAPES", "DTYPES", "problem"]

DEFAULT_SHAPES = {"gpu": ["8192x8192x8192", "4096x4096x4096", "8192x8192x1024"], "sim": ["512x512x512"]}
DTYPES = {"bf16": "bfloat16", "fp16": "float16"}


def problem(shape: str, dtype: str, device: str) -> Problem:
    """C = A @ B on seeded normal data: `naive`, `tlx`, and `torch` on a GPU.

    Args:
        shape: "MxNxK".
        dtype: "bf16" or "fp16".
        device: torch device; "cpu" where launches are simulated.

    Raises:
        ArgumentError: `shape` is not three positive integers.
    """
    import torch

    m, n, k = _parse(shape)
    torch_dtype = getattr(torch, DTYPES[dtype])
    generator = torch.Generator(device).manual_seed(0)
    a, b = (torch.randn(size, generator=generator, device=device).to(torch_dtype) for size in [(m, k), (k, n)])
    out = torch.empty((m, n), dtype=torch_dtype, device=device)
    candidates = {"naive": partial(matmul_naive, a, b, out), "tlx": partial(matmul, a, b, out=out)}
    if device != "cpu":
        candidates["torch"] = partial(torch.matmul, a, b, out=out)
    return Problem(
        title=f"{shape} {dtype}",
        candidates=candidates,
        reference=reference(a, b),
        # Rounding the result costs at most half of eps; the float32 sums cost far less.
        tolerance=torch.finfo(torch_dtype).eps,
        outputs=(out,),
        flops=2 * m * n * k,
        bytes_moved=(m * k + k * n + m * n) * out.element_size(),
    )


def _parse(shape: str) -> tuple[int, int, int]:
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", shape)
    if match is None:
        raise ArgumentError(f"gemm: '{shape}' is no shape", "write MxNxK, such as 512x512x512")
    return int(match[1]), int(match[2]), int(match[3])
