"""Prefetches and hints, which change no result."""

import numpy as np
import triton.language as tl

import tlx
from tlx.compiler.versions import HAS_TMA_CACHE_POLICY

from .case import TMA, Case, integers, output


@tlx.jit
def prefetched(x, desc, y, N: tl.constexpr):
    """Pointers far outside the tensor do no harm."""
    i = tl.arange(0, N)
    tlx.prefetch(x + i * 64, mask=i < 3)
    tlx.prefetch(x + (1 << 40) + i, level="L1")
    tlx.prefetch(x)
    tlx.prefetch(desc, tensormap=True)
    tlx.async_descriptor_prefetch_tensor(desc, [0, 0])
    tlx.async_descriptor_prefetch_tensor(desc, [0, 64], pred=tl.program_id(0) == 0, eviction_policy="evict_first")
    tlx.async_descriptor_prefetch_tensor(desc, [1 << 20, 0], eviction_policy="evict_last")
    tl.store(y + i, tl.load(x + i))


@tlx.jit
def copied_with_hints(x, y, N: tl.constexpr):
    """A TMA load and a TMA store with eviction policies."""
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], N * N * 2)
    tlx.async_descriptor_load(x, buffer[0], [0, 0], full[0], cache_modifier=".cg", eviction_policy="evict_first")
    tlx.barrier_wait(full[0], 0)
    tlx.async_descriptor_store(y, buffer[0], [0, 0], eviction_policy="evict_last")
    tlx.async_descriptor_store_wait(0)


X = integers(64, 64, dtype=np.float16)
HINTED = int(HAS_TMA_CACHE_POLICY)

CASES = [
    Case(
        "prefetches",
        prefetched,
        {"x": X, "desc": TMA(X, (64, 64)), "y": output(64, dtype=np.float16), "N": 64},
        {"y": X[0]},
        ptx={
            "prefetch.global.L2": 2,
            "prefetch.global.L1": 1,
            "prefetch.tensormap": 1,
            "cp.async.bulk.prefetch.tensor.2d.L2.global.tile": 3,
            "L2::evict_first": 1,
            "L2::evict_last": 1,
        },
    ),
    Case(
        "TMA copies with eviction policies",
        copied_with_hints,
        {"x": TMA(X, (64, 64)), "y": TMA(output(64, 64, dtype=np.float16), (64, 64)), "N": 64},
        {"y": X},
        ptx={"L2::evict_first": HINTED, "L2::evict_last": HINTED},
    ),
]
