"""TMA, wgmma and cp.async: what they move, and that they take their time."""

import ml_dtypes
import numpy as np
import pytest
import triton.experimental.gluon.language as gl
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from tests.sim.engine_kernels import (
    copy_and_arrive,
    copy_by_threads,
    copy_by_tma,
    load_and_leave,
    multiply,
    multiply_in_flight,
    overwrite_source,
    read_a_new_buffer,
    read_what_a_partition_wrote,
    wait_for_nobody,
)
from tlx import sim
from tlx.sim.descriptors import TensorDescriptor as ValueDescriptor
from tlx.sim.pointers import Argument, GlobalMemory


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


def integers(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def product(a_type, out_type, *, turned=False, registers=False, use_acc=True):
    """(result, expected) of a 64x64x64 product."""
    x, y = integers((64, 64), a_type), integers((64, 64), a_type, seed=1)
    z = np.full((64, 64), 7, out_type)
    multiply[(1,)](*map(sim.array, (x, y, z)), 64, 64, 64, registers, turned, use_acc, num_warps=4)
    wide = x.astype(np.float64) @ (y.T if turned else y).astype(np.float64) + use_acc
    return z, wide.astype(out_type)


@pytest.mark.parametrize("registers", [False, True], ids=["A_shared", "A_registers"])
@pytest.mark.parametrize("turned", [False, True], ids=["B", "B_transposed"])
@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16], ids=["f16", "bf16"])
def test_products_of_16_bit_floats(dtype, turned, registers):
    result, expected = product(dtype, np.float32, turned=turned, registers=registers)
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2], ids=["e4m3", "e5m2"])
def test_products_of_8_bit_floats(dtype):
    result, expected = product(dtype, np.float32, turned=True)
    assert np.array_equal(result, expected)


def test_products_of_8_bit_integers():
    result, expected = product(np.int8, np.int32, turned=True)
    assert np.array_equal(result, expected)


def test_an_unused_accumulator_does_not_count():
    result, expected = product("float16", np.float32, use_acc=False)
    assert np.array_equal(result, expected)


def test_products_in_flight_add_up_in_order():
    x, z = integers((64, 64), np.float16), np.zeros((64, 64), np.float32)
    with sim.simulating(schedules=10):
        multiply_in_flight[(1,)](sim.array(x), sim.array(z), 4, num_warps=4)
    wide = x.astype(np.float32)
    assert np.array_equal(z, 4 * (wide @ wide))


def test_tf32_ignores_the_low_13_bits():
    x = np.full((64, 64), 1 + 2**-10 + 2**-11, np.float32)
    y, z = np.eye(64, dtype=np.float32), np.zeros((64, 64), np.float32)
    multiply[(1,)](*map(sim.array, (x, y, z)), 64, 64, 64, False, True, False, num_warps=4)
    assert (z == np.float32(1 + 2**-10)).all()


def test_cp_async_fills_masked_elements_with_zeros():
    x, y = integers((32, 64), np.float16) + np.float16(5), np.full((32, 64), 7, np.float16)
    copy_by_threads[(1,)](sim.array(x), sim.array(y), 20, True, num_warps=4)
    assert np.array_equal(y[:20], x[:20])
    assert not y[20:].any()


def test_cp_async_must_be_waited_for():
    x, y = integers((32, 64), np.float16), np.zeros((32, 64), np.float16)
    kinds = set()
    for seed in range(20):
        with sim.simulating(seed=seed), pytest.raises((sim.UninitializedRead, sim.EngineInFlight)) as caught:
            copy_by_threads[(1,)](sim.array(x), sim.array(y), 32, False, num_warps=4)
        kinds.add(caught.type)
    assert sim.UninitializedRead in kinds


@pytest.mark.parametrize(("increment", "count"), [(True, 1), (False, 128)])
def test_cp_async_arrives_when_its_copies_are_done(increment, count):
    x, y = integers((32, 64), np.float16), np.zeros((32, 64), np.float16)
    with sim.simulating(schedules=10):
        copy_and_arrive[(1,)](sim.array(x), sim.array(y), increment, count, num_warps=4)
    assert np.array_equal(y, x)


def test_cp_async_without_increment_arrives_for_every_thread():
    x, y = integers((32, 64), np.float16), np.zeros((32, 64), np.float16)
    with pytest.raises(sim.BarrierMisuse, match="128 arrivals when phase 0 has 0 of 64"):
        copy_and_arrive[(1,)](sim.array(x), sim.array(y), False, 64, num_warps=4)


def tiles(shape, size, block):
    """Descriptors of a source and of a target filled with 7, and both arrays."""
    x, y = integers(shape, np.float16), np.full(shape, 7, np.float16)
    layout = gl.NVMMASharedLayout(128, 16, rank=len(block))
    return [
        TensorDescriptor(sim.array(v), list(size), [s // 2 for s in v.strides], list(block), layout) for v in (x, y)
    ], (x, y)


@pytest.mark.parametrize(
    ("shape", "block"), [((64, 64), (64, 64)), ((128, 128), (128, 128)), ((4, 16, 64), (4, 16, 64))], ids=str
)
def test_tma_moves_tiles(shape, block):
    descriptors, (x, y) = tiles(shape, shape, block)
    copy_by_tma[(1,)](*descriptors, True, True, num_warps=4)
    assert np.array_equal(y, x)


def test_tma_touches_nothing_outside_the_tensor():
    descriptors, (x, y) = tiles((64, 64), (40, 56), (64, 64))
    copy_by_tma[(1,)](*descriptors, True, True, num_warps=4)
    assert np.array_equal(y[:40, :56], x[:40, :56])
    assert (y[40:] == 7).all()
    assert (y[:, 56:] == 7).all()
    report = sim.last_report()
    assert report.tma_load_bytes == 64 * 64 * 2
    assert report.global_read_bytes == 40 * 56 * 2


def test_a_tma_store_clips_rows_at_16_bytes():
    # Rows of 50 elements are 100 B; a load fills by the element, a store writes up to byte 112 (seen on an H200).
    descriptors, (x, y) = tiles((64, 64), (40, 50), (64, 64))
    with pytest.warns(sim.SimulationWarning, match="write 480 B behind the ends"):
        copy_by_tma[(1,)](*descriptors, True, True, num_warps=4)
    assert np.array_equal(y[:40, :50], x[:40, :50])
    assert (y[:40, 50:56] == 0).all()
    assert (y[:, 56:] == 7).all()


def test_a_tma_load_must_be_waited_for():
    kinds = set()
    for seed in range(20):
        descriptors, _ = tiles((64, 64), (64, 64), (64, 64))
        with sim.simulating(seed=seed):
            try:
                copy_by_tma[(1,)](*descriptors, False, True, num_warps=4)
            except (sim.UninitializedRead, sim.EngineInFlight) as error:
                kinds.add(type(error))
    assert sim.UninitializedRead in kinds


def test_a_tma_load_with_a_false_predicate_does_nothing():
    descriptors, _ = tiles((64, 64), (64, 64), (64, 64))
    with sim.simulating(schedules=5), pytest.raises(sim.UninitializedRead):
        copy_by_tma[(1,)](*descriptors, False, False, False, num_warps=4)


def test_a_tma_load_in_flight_at_the_end_is_refused():
    descriptors, _ = tiles((64, 64), (64, 64), (64, 64))
    with sim.simulating(schedules=20), pytest.raises(sim.EngineInFlight, match="tma_load of default"):
        load_and_leave[(1,)](descriptors[0], num_warps=4)


def test_a_tile_may_begin_before_the_tensor():
    values = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    storage = Argument("x", values.ctypes.data, values.ctypes.data, values.nbytes, values.dtype, values)
    descriptor = ValueDescriptor(storage, storage.address, (64, 64), (64, 1), (16, 16), values.dtype)
    memory = GlobalMemory([storage])
    tile = descriptor.load(memory, (-4, 56))
    assert not tile[:4].any()
    assert not tile[:, 8:].any()
    assert np.array_equal(tile[4:, :8], values[:12, 56:])
    descriptor.store(memory, (-12, -15), np.full((16, 16), 7, np.float16))
    assert (values == 7).sum() == 4 + 1  # the corner, and the 7 that was there
    assert (values[:4, 0] == 7).all()


def test_partitions_end_before_what_follows_them():
    z = np.zeros((64, 64), np.float16)
    with sim.simulating(schedules=10):
        read_what_a_partition_wrote[(1,)](sim.array(z), num_warps=4)
    assert (z == 9).all()


def test_a_new_buffer_does_not_have_old_data():
    z = np.zeros((64, 64), np.float16)
    read_a_new_buffer[(1,)](sim.array(z), 1, num_warps=4)
    with pytest.raises(sim.UninitializedRead, match="tile: 8,192 of 8,192 bytes"):
        read_a_new_buffer[(1,)](sim.array(z), 2, num_warps=4)


def test_bytes_that_nobody_expects_deadlock():
    descriptors, _ = tiles((64, 64), (64, 64), (64, 64))
    with pytest.raises(sim.DeadlockError) as caught:
        copy_by_tma[(1,)](*descriptors, True, False, num_warps=4)
    (group,) = caught.value.blocked
    assert (group.barrier, group.slot, group.bytes_missing) == ("bar", None, -8_192)
    assert "never expected" in group.cause


@pytest.mark.parametrize(
    ("slot", "cause"),
    [(None, "nothing in the kernel arrives on bars"), (1, "no other warp group is left that could arrive on bars[0]")],
)
def test_a_wait_that_nobody_ends(slot, cause):
    with pytest.raises(sim.DeadlockError) as caught:
        wait_for_nobody[(1,)](slot, num_warps=4)
    assert [group.cause for group in caught.value.blocked] == [cause]


def test_a_tma_store_reads_its_buffer_late():
    """Without the wait some schedule stores what was written after it; with it none does."""

    def stored(wait, seed):
        y, z = np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float16)
        layout = gl.NVMMASharedLayout(128, 16, rank=2)
        descriptor = TensorDescriptor(sim.array(y), [64, 64], [64, 1], [64, 64], layout)
        with sim.simulating(seed=seed):
            overwrite_source[(1,)](descriptor, sim.array(z), wait, num_warps=4)
        return y[0, 0]

    assert {stored(True, seed) for seed in range(20)} == {1}
    assert {stored(False, seed) for seed in range(20)} == {1, 2}
