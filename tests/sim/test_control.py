"""Control flow of stock kernels."""

import numpy as np
import pytest
import triton
import triton.language as tl

from tlx import sim


@pytest.fixture(autouse=True)
def simulated():
    with sim.simulating():
        yield


@triton.jit
def collatz(x, y):
    n = tl.load(x + tl.program_id(0))
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y + tl.program_id(0), steps)


def test_while_and_if():
    x, y = np.array([1, 6, 7, 27], np.int32), np.zeros(4, np.int32)
    collatz[(4,)](sim.array(x), sim.array(y))
    assert y.tolist() == [0, 8, 16, 111]


@triton.jit
def early_return(x, y):
    value = tl.load(x + tl.program_id(0))
    if value < 0:
        return
    tl.store(y + tl.program_id(0), value + 1)


def test_early_return():
    x, y = np.array([3, -1, 5], np.int32), np.zeros(3, np.int32)
    early_return[(3,)](sim.array(x), sim.array(y))
    assert y.tolist() == [4, 0, 6]


@triton.jit(noinline=True)
def square_and_sum(n):
    return n * n, tl.sum(tl.arange(0, 32) * n)


@triton.jit
def calls(x, y):
    square, total = square_and_sum(tl.load(x))
    fourth, _ = square_and_sum(square)
    tl.store(y, fourth)
    tl.store(y + 1, total)


def test_calls_of_functions_that_are_not_inlined():
    y = np.zeros(2, np.int32)
    calls[(1,)](sim.array(np.array([3], np.int32)), sim.array(y))
    assert y.tolist() == [81, 3 * 496]
    assert sim.last_report().ops["tt.call"] == 2


@triton.jit
def bounds(y, first, last, step):
    count = 0
    total = 0
    for i in range(first, last, step):
        count += 1
        for j in range(i):
            total += j
    tl.store(y, count)
    tl.store(y + 1, total)


@pytest.mark.parametrize(("range_", "expected"), [((0, 4, 1), [4, 4]), ((5, 0, 1), [0, 0]), ((1, 8, 3), [3, 27])])
def test_nested_loops_of_any_length(range_, expected):
    y = np.full(2, 7, np.int32)
    bounds[(1,)](sim.array(y), *range_)
    assert y.tolist() == expected


@triton.jit
def places(y, N: tl.constexpr):
    at = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    tl.store(y + at, at)


def test_every_place_of_a_grid_runs_once():
    y = np.full(24, -1, np.int32)
    places[(2, 3, 4)](sim.array(y), N=24)
    assert y.tolist() == list(range(24))


@triton.jit
def tickets(counter, y):
    tl.store(y + tl.atomic_add(counter, 1), tl.program_id(0))


def test_ctas_run_in_an_order_that_the_seed_decides():
    def order(seed):
        counter, y = np.zeros(1, np.int32), np.zeros(16, np.int32)
        with sim.simulating(seed=seed):
            tickets[(16,)](sim.array(counter), sim.array(y))
        assert sorted(y) == list(range(16))
        return y.tolist()

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(5)}) == 5


@triton.jit
def pass_on(flags, y):
    """Each CTA waits for the one before it."""
    pid = tl.program_id(0)
    while tl.atomic_add(flags + pid, 0) == 0:
        pass
    tl.store(y + pid, tl.load(y + pid - 1, mask=pid > 0, other=1) * 2, mask=pid > 0)
    tl.atomic_xchg(flags + pid + 1, 1)


def test_ctas_may_wait_for_each_other():
    flags, y = np.zeros(9, np.int32), np.ones(8, np.int32)
    flags[0] = 1
    pass_on[(8,)](sim.array(flags), sim.array(y))
    assert y.tolist() == [1, 2, 4, 8, 16, 32, 64, 128]


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inside = k + depth < K
        left = tl.load(a + rows[:, None] * K + (k + depth)[None, :], mask=inside[None, :], other=0.0)
        right = tl.load(b + (k + depth)[:, None] * BN + columns[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * BN + columns[None, :], acc)


@pytest.mark.parametrize("num_stages", [1, 3])
@pytest.mark.parametrize("K", [64, 200])
def test_a_pipelined_product_of_stock_triton(K, num_stages):
    """Pipelining turns the loads into cp.async and the product into async wgmma."""
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((64, K), (K, 64)))
    c = np.zeros((64, 64), np.float32)
    with sim.simulating(schedules=5):
        matmul[(1,)](*map(sim.array, (a, b, c)), K, 64, 64, 64, num_stages=num_stages)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert sim.last_report().mma_flops == 2 * 64 * 64 * -(-K // 64) * 64
