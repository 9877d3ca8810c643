"""The simulator as Triton's driver: stock kernels, autotuning, caches, and who is active when."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.driver import driver
from triton.tools.tensor_descriptor import TensorDescriptor

from tlx import sim
from tlx.sim.ops import registry


@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


@pytest.fixture
def vectors():
    return sim.array(np.arange(256, dtype=np.float32)), sim.array(np.zeros(256, np.float32))


def test_a_stock_kernel_runs(vectors):
    x, y = vectors
    add_one[(2,)](x, y, 250, BLOCK=128)
    assert y.values[:250].tolist() == list(range(1, 251))
    assert not y.values[250:].any()


def test_warmup_compiles_without_running(vectors):
    x, y = vectors
    kernel = add_one.warmup(x, y, 250, BLOCK=128, grid=(2,))
    assert "tt.func public @add_one" in kernel.asm["ttgir"]
    assert not y.values.any()
    kernel[(2, 1, 1)](x, y, 250, 128)
    assert y.values[:250].tolist() == list(range(1, 251))


def test_autotuning_compares_op_counts(vectors):
    x, y = vectors
    configs = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 128})]
    tuned = triton.autotune(configs, key=["n"])(add_one)
    tuned[lambda meta: (triton.cdiv(256, meta["BLOCK"]),)](x, y, 256)
    assert tuned.best_config.kwargs == {"BLOCK": 256}
    assert y.values.tolist() == list(range(1, 257))


def test_too_much_shared_memory_is_refused_by_triton(vectors):
    @triton.jit
    def large(x, y, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tile = tl.load(x + i[:, None] * 0 + i[None, :])
        tl.store(y + i[:, None] * 0 + i[None, :], tl.dot(tile, tile))

    x, y = vectors
    with pytest.raises(triton.OutOfResources, match="shared memory"):
        large[(1,)](x, y, 256, BLOCK=256, num_warps=8)


def test_arguments_of_every_kind():
    @triton.jit
    def kinds(y, flag, small, wide, real, nothing, pair):
        tl.store(y, small + wide + pair[0] + pair[1])
        tl.store(y + 1, real)
        if flag:
            tl.store(y + 2, 5.0)
        if nothing is not None:
            tl.store(y + 3, 1.0)

    y = sim.array(np.zeros(4, np.float32))
    kinds[(1,)](y, True, 3, 2**40, 2.5, None, (10, -4))
    assert y.values.tolist() == [np.float32(3 + 2**40 + 6), 2.5, 5.0, 0.0]


def test_low_precision_arrays():
    x = sim.array([1, 2, 3, 4] * 32, "bfloat16")
    y = sim.array(np.zeros(128), "float16")
    add_one[(1,)](x, y, 128, BLOCK=128)
    assert x.values.dtype == ml_dtypes.bfloat16
    assert y.values[:4].tolist() == [2, 3, 4, 5]


def test_a_view_may_reach_the_array_that_it_is_a_view_of():
    whole = np.arange(256, dtype=np.float32)
    y = sim.array(np.zeros(128, np.float32))
    add_one[(1,)](sim.array(whole[128:]), y, 128, BLOCK=128)
    assert y.values[0] == 129


def test_an_access_outside_an_argument_names_it(vectors):
    x, y = vectors
    with pytest.raises(sim.OutOfBounds, match="storage of x"):
        add_one[(3,)](x, sim.array(np.zeros(384, np.float32)), 384, BLOCK=128)


def test_a_tensor_in_gpu_memory_is_refused(vectors):
    class DeviceTensor(sim.Array):
        is_cuda = True
        device = "cuda:0"

    x, y = vectors
    with pytest.raises(sim.DeviceTensorError, match=r"x is in GPU memory \(cuda:0\)"):
        add_one[(1,)](DeviceTensor(x.values), y, 128, BLOCK=128)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    x = torch.arange(512, dtype=torch.bfloat16)[128:384]
    y = torch.zeros(256, dtype=torch.bfloat16)
    add_one[(2,)](x, y, 256, BLOCK=128)
    assert torch.equal(y, x + 1)
    with pytest.raises(sim.OutOfBounds, match="storage of x, which holds indices -128..383"):
        add_one[(3,)](x[:128], torch.zeros(512, dtype=torch.bfloat16), 512, BLOCK=256)


def test_an_error_says_whose_it_is(vectors):
    x, y = vectors
    with pytest.raises(sim.OutOfBounds) as caught:
        add_one[(3,)](x, sim.array(np.zeros(384, np.float32)), 384, BLOCK=128)
    assert (caught.value.agent, caught.value.program_id, caught.value.seed) == ("default", (2, 0, 0), 0)
    assert "tl.load(x + i" in caught.value.location.source_line()


def test_tensors_spread_over_ctas_are_refused(vectors):
    x, y = vectors
    with pytest.raises(sim.UnsupportedOp, match=r"spread over 2 CTAs \(num_ctas=2\)"):
        add_one[(1,)](x, y, 256, BLOCK=256, num_ctas=2)


def test_a_benchmarker_kept_from_the_simulator_gives_way_to_a_gpu():
    benchmark = driver.active.get_benchmarker()

    class Other:
        def get_benchmarker(self):
            return lambda kernel_call, quantiles: [0.5]

    active = driver.active
    driver.set_active(Other())
    try:
        assert benchmark(lambda: None, quantiles=(0.5,)) == [0.5]
    finally:
        driver.set_active(active)


def test_schedules_start_from_the_same_memory():
    @triton.jit
    def increment(x):
        tl.store(x, tl.load(x) + 1)

    x = sim.array(np.zeros(1, np.int32))
    with sim.simulating(schedules=5):
        increment[(1,)](x)
    assert x.values.tolist() == [1]


def test_more_ctas_than_are_resident(vectors):
    x, y = sim.array(np.zeros(1000, np.int32)), sim.array(np.zeros(1000, np.int32))
    add_one[(1000,)](x, y, 1000, BLOCK=1)
    assert y.values.tolist() == [1] * 1000


@triton.jit
def copy_tiles(x, y, d, M, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BLOCK, BLOCK])
    row = tl.program_id(0) * BLOCK
    tile = source.load([row, 0])
    d.store([row, 0], tile)
    target.store([row, 0], tile + 1)


def test_descriptors_of_host_and_kernel_clip_at_the_tensor():
    x = np.arange(100 * 64).reshape(100, 64).astype(np.float16)
    y, z = np.zeros_like(x), np.full((128, 64), 7, np.float16)
    d = TensorDescriptor(sim.array(z), [90, 64], [64, 1], [64, 64])
    copy_tiles[(2,)](sim.array(x), sim.array(y), d, 100, 64, BLOCK=64)
    assert np.array_equal(y, x + np.float16(1))
    assert np.array_equal(z[:90], x[:90])
    assert (z[90:] == 7).all()


def test_a_descriptor_that_tma_can_not_use_is_refused():
    x = np.zeros((64, 70), np.float16)
    d = TensorDescriptor(sim.array(np.zeros((64, 64), np.float16)), [64, 64], [64, 1], [64, 64])
    with pytest.raises(sim.DescriptorError, match=r"outer strides \[140\] B must be multiples of 16 B"):
        copy_tiles[(1,)](sim.array(x), sim.array(x.copy()), d, 64, 70, BLOCK=64)


def test_simulating_restores_the_driver_before_it():
    outer = driver.active
    with sim.simulating(seed=1):
        inner = driver.active
        with pytest.raises(RuntimeError), sim.simulating(seed=2):
            raise RuntimeError
        assert driver.active is inner
    assert driver.active is outer


def test_the_environment_chooses_the_backend(monkeypatch):
    with sim.simulating():
        before = driver.active
        monkeypatch.setenv("TLX_BACKEND", "gpu")
        sim.activate_if_no_gpu()
        assert driver.active is before
        monkeypatch.setenv("TLX_BACKEND", "sim")
        sim.activate_if_no_gpu()
        assert driver.active is not before
        assert isinstance(driver.active, sim.SimulatorDriver)


def test_an_op_without_a_meaning_is_named_with_its_line(monkeypatch):
    @triton.jit
    def exponent(x):
        tl.store(x, tl.exp2(tl.load(x)))

    monkeypatch.delitem(registry._handlers, "math.exp2")
    with pytest.raises(sim.UnsupportedOp, match="math.exp2 is not simulated") as caught:
        exponent[(1,)](sim.array(np.zeros(1, np.float32)))
    assert "tl.exp2" in caught.value.location.source_line()
