"""What the simulator knows of bulk copies, TMA reductions, prefetches and descriptors that kernels make."""

import ml_dtypes
import numpy as np
import pytest
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tlx
from tlx import sim
from tlx.language import ignored
from tlx.sim import errors


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


@tlx.jit
def bulk(x, y, start, size, N: tl.constexpr):
    buffer = tlx.local_alloc((N,), tlx.dtype_of(x), 1)
    full = tlx.alloc_barriers(1)
    tlx.barrier_expect_bytes(full[0], N * tlx.size_of(tlx.dtype_of(x)))
    tlx.async_load(x + start, buffer[0], bulk=True, bulk_size=N * 4, barrier=full[0])
    tlx.barrier_wait(full[0], 0)
    tlx.async_store(y, buffer[0], size)
    tlx.async_descriptor_store_wait(0)


def run_bulk(start: int = 0, size: int = 256) -> np.ndarray:
    x, y = np.arange(128, dtype=np.int32), np.zeros(64, np.int32)
    bulk[(1,)](sim.array(x), sim.array(y), start, size, 64)
    return y


def test_bulk_copies_move_consecutive_bytes():
    assert np.array_equal(run_bulk(start=4, size=16), [4, 5, 6, 7] + [0] * 60)


@pytest.mark.parametrize("size", [24, 0, -16])
def test_sizes_that_the_engine_does_not_take(size):
    with pytest.raises(errors.MisalignedAccess, match=f"a bulk copy of {size} B .* all must be multiples of 16 B"):
        run_bulk(size=size)


def test_addresses_that_the_engine_does_not_take():
    with pytest.raises(errors.MisalignedAccess, match="a bulk copy of 256 B between global"):
        run_bulk(start=1)


def test_a_size_behind_the_buffer():
    with pytest.raises(errors.BufferBoundsError, match="no buffer holds the 512 B"):
        run_bulk(size=512)


def test_bytes_behind_the_array():
    with pytest.raises(errors.OutOfBounds, match=r"load of x\[128..131\] is outside the storage of x"):
        run_bulk(start=68)


@tlx.jit
def added(x, y, N: tl.constexpr):
    """Adds each of the rows of x to y."""
    buffer = tlx.local_alloc((1, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    for row in tl.range(0, 3):
        tlx.local_store(buffer[0], tl.load(x + row * N + i)[None, :])
        tlx.async_descriptor_store(y, buffer[0], [0, 0], store_reduce="add")
        tlx.async_descriptor_store_wait(0)


@pytest.mark.parametrize(("dtype", "one"), [(np.float16, 2048), (ml_dtypes.bfloat16, 256)])
def test_each_sum_is_rounded(dtype, one):
    x, y = np.ones((3, 16), dtype), np.full((1, 16), one, dtype)
    added[(1,)](sim.array(x), TensorDescriptor.from_tensor(sim.array(y), [1, 16]), 16)
    assert (y == one).all()  # one + 1 is a tie, which goes to even; the exact sum is one + 3


@tlx.jit
def added_at(y, row, N: tl.constexpr):
    buffer = tlx.local_alloc((N, N), tlx.dtype_of(y), 1)
    tlx.local_store(buffer[0], tl.full((N, N), 1, tlx.dtype_of(y)))
    tlx.async_descriptor_store(y, buffer[0], [row, 0], store_reduce="add")
    tlx.async_descriptor_store_wait(0)


def test_a_reduction_before_the_tensor():
    y = TensorDescriptor.from_tensor(sim.array(np.zeros((16, 16), np.float32)), [16, 16])
    with pytest.raises(errors.DescriptorError, match=r"a reduction at \(-8, 0\) begins before the tensor"):
        added_at[(1,)](y, -8, 16)


@tlx.jit
def used_unmade(y, B: tl.constexpr):
    places = tlx.allocate_tensor_descriptor(2)
    tlx.make_tensor_descriptor(places[0], y, [B, B], [B, 1], [B, B])
    desc = tlx.reinterpret_tensor_descriptor(places[1], [B, B], tl.float32)
    desc.store([0, 0], tl.zeros((B, B), tl.float32))


def test_a_descriptor_that_nothing_has_written():
    with pytest.raises(errors.DescriptorError, match="a tensor descriptor is used that nothing has written yet"):
        used_unmade[(1,)](sim.array(np.zeros((32, 32), np.float32)), 32)


@tlx.jit
def misaligned(x, n, B: tl.constexpr):
    places = tlx.allocate_tensor_descriptor(1)
    desc = tlx.make_tensor_descriptor(places, x, [n, n], [n, 1], [B, B])
    desc.store([0, 0], tl.zeros((B, B), tl.float32))


def test_strides_that_tma_does_not_take():
    with pytest.raises(errors.DescriptorError, match="outer strides .132. B must be multiples of 16 B"):
        misaligned[(1,)](sim.array(np.zeros((33, 33), np.float32)), 33, 32)


@tlx.jit
def with_hints(y, B: tl.constexpr):
    buffer = tlx.local_alloc((B, B), tl.float32, 1)
    tlx.local_store(buffer[0], tl.zeros((B, B), tl.float32))
    tlx.async_descriptor_store(y, buffer[0], [0, 0], store_reduce="add", eviction_policy="evict_last")
    tlx.async_descriptor_store_wait(0)


def test_a_hint_that_is_not_honoured_is_reported_once(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))  # a kernel from the cache is not traced
    monkeypatch.setattr(ignored, "_reported", set())
    y = TensorDescriptor.from_tensor(sim.array(np.zeros((32, 32), np.float32)), [32, 32])
    what = 'async_descriptor_store: eviction_policy="evict_last" is ignored: TMA reductions take none'
    with pytest.warns(tlx.IgnoredArgument, match=what) as warnings:
        with_hints[(1,)](y, 32)
    assert len(warnings) == 1
