"""Reductions by TMA: `store_reduce`, and the atomics of descriptors."""

import ml_dtypes
import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers


@tlx.jit
def reduced(x, y, N: tl.constexpr, KIND: tl.constexpr):
    """Each program reduces its block into the same one."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    at = (tl.program_id(0) * N + i[:, None]) * N + i[None, :]
    tlx.local_store(buffer[0], tl.load(x + at))
    tlx.async_descriptor_store(y, buffer[0], [0, 0], store_reduce=KIND)
    tlx.async_descriptor_store_wait(0)


@tlx.jit
def by_methods(x, y, N: tl.constexpr, KIND: tl.constexpr):
    """The same with a tensor in registers."""
    i = tl.arange(0, N)
    value = tl.load(x + (tl.program_id(0) * N + i[:, None]) * N + i[None, :])
    if KIND == "add":
        y.atomic_add([0, 0], value)
    elif KIND == "min":
        y.atomic_min([0, 0], value)
    elif KIND == "max":
        y.atomic_max([0, 0], value)
    elif KIND == "and":
        y.atomic_and([0, 0], value)
    elif KIND == "or":
        y.atomic_or([0, 0], value)
    else:
        y.atomic_xor([0, 0], value)


@tlx.jit
def clipped(x, y, N: tl.constexpr):
    """A block that hangs over the tensor's ends."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    tlx.local_store(buffer[0], tl.load(x + i[:, None] * N + i[None, :]))
    tlx.async_descriptor_store(y, buffer[0], [16, 16], store_reduce="add", eviction_policy="evict_first")
    tlx.async_descriptor_store_wait(0)


N = 32
REFERENCES = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
DTYPES = {
    "add": ("int32", "uint32", "uint64", "float16", ml_dtypes.bfloat16, "float32"),
    "min": ("int32", "uint32", "int64", "float16"),
    "max": ("uint32", "uint64", ml_dtypes.bfloat16),
    "and": ("int32",),
    "or": ("uint64",),
    "xor": ("uint32",),
}


def values(rows: int, dtype: np.dtype) -> np.ndarray:
    """Whole numbers; unsigned ones have the top bit set here and there."""
    numbers = integers(rows, N)
    return numbers.astype(np.int64).astype(dtype) if dtype.kind == "u" else numbers.astype(dtype)


def reduced_case(kernel, kind: str, dtype) -> Case:
    dtype = np.dtype(dtype)
    x, y = values(2 * N, dtype), values(N, dtype)
    reduce = REFERENCES[kind]
    op = f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{kind}"
    return Case(
        f"{kind} of {dtype} by TMA, {kernel.fn.__name__}",
        kernel,
        {"x": x, "y": TMA(y, (N, N)), "N": N, "KIND": kind},
        {"y": reduce(reduce(y, x[:N]), x[N:])},
        grid=2,
        ttgir={f"ttng.async_tma_reduce {kind}": 1},
        ptx={op: 1},
    )


X, Y = integers(N, N), integers(N, N, low=5, high=9)


def ends() -> np.ndarray:
    found = Y.copy()
    found[16:, 16:] += X[:16, :16]
    return found


CASES = [
    *[reduced_case(reduced, kind, dtype) for kind, dtypes in DTYPES.items() for dtype in dtypes],
    *[reduced_case(by_methods, kind, dtypes[0]) for kind, dtypes in DTYPES.items()],
    Case("a reduction over the ends", clipped, {"x": X, "y": TMA(Y, (N, N)), "N": N}, {"y": ends()}),
]
