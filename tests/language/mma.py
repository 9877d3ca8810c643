"""Asynchronous MMA: where the operands and the accumulator are, what is in flight."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output


@triton.jit
def load_tile(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    return tl.load(x + i[:, None] * COLUMNS + j[None, :])


@triton.jit
def store_tile(y, tile, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.store(y + i[:, None] * COLUMNS + j[None, :], tile)


@tlx.jit
def operands(
    x,
    w,
    y,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    A_FROM: tl.constexpr,
    W_IS_N_BY_K: tl.constexpr,
    ACC: tl.constexpr,
):
    """y = x @ w, plus 2 with ACC "tensor", twice with ACC "in flight"."""
    a = tlx.local_alloc((M, K), tlx.dtype_of(x), 1)
    b = tlx.local_alloc((N, K) if W_IS_N_BY_K else (K, N), tlx.dtype_of(w), 1)
    tlx.local_store(b[0], load_tile(w, N, K) if W_IS_N_BY_K else load_tile(w, K, N))
    b_tile = tlx.local_trans(b[0]) if W_IS_N_BY_K else b[0]
    rows = load_tile(x, M, K)
    if A_FROM == "shared":
        tlx.local_store(a[0], rows)
    # Other warps read what this one stored; one warp group synchronizes by this load.
    a_tile = rows if A_FROM == "registers" else a[0]
    if ACC == "None":
        acc = tlx.async_dot(a_tile, b_tile, None)
    elif ACC == "tensor":
        acc = tlx.async_dot(a_tile, b_tile, tl.full((M, N), 2, tl.float32))
    elif ACC == "in flight":
        acc = tlx.async_dot(a_tile, b_tile)
        acc = tlx.async_dot(a_tile, b_tile, acc)
    else:
        acc = tlx.async_dot(a_tile, b_tile, out_dtype=tl.int32)
    store_tile(y, tlx.async_dot_wait(0, acc), M, N)


@tlx.jit
def two_in_flight(q, k, v, s_out, o_out, D: tl.constexpr):
    """As in attention: the wait for all but one completes the older MMA, while the newer still runs."""
    q_tile = tlx.local_alloc((D, D), tl.float16, 1)
    k_tile = tlx.local_alloc((D, D), tl.float16, 1)
    v_tile = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(q_tile[0], load_tile(q, D, D))
    tlx.local_store(k_tile[0], load_tile(k, D, D))
    tlx.local_store(v_tile[0], load_tile(v, D, D))
    s = tlx.async_dot(q_tile[0], tlx.local_trans(k_tile[0]))
    o = tlx.async_dot(q_tile[0], v_tile[0])
    s = tlx.async_dot_wait(1, s)
    store_tile(s_out, s * 2, D, D)
    store_tile(o_out, tlx.async_dot_wait(0, o), D, D)


@tlx.jit
def while_loop(x, w, y, steps, BLOCK: tl.constexpr, SLOTS: tl.constexpr, CONSUMER_WARPS: tl.constexpr):
    """A K loop written as `while`, one MMA in flight, in a task of its own; the producer uses `while`, too."""
    a = tlx.local_alloc((2 * BLOCK, BLOCK), tlx.dtype_of(x), SLOTS)
    b = tlx.local_alloc((BLOCK, BLOCK), tlx.dtype_of(w), SLOTS)
    full = tlx.alloc_barriers(SLOTS)
    empty = tlx.alloc_barriers(SLOTS)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            k = 0
            while k < steps:
                slot, phase = tlx.get_bufidx_phase(k, SLOTS)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], 3 * BLOCK * BLOCK * 2)
                tlx.async_descriptor_load(x, a[slot], [0, k * BLOCK], full[slot])
                tlx.async_descriptor_load(w, b[slot], [k * BLOCK, 0], full[slot])
                k += 1
        with tlx.async_task(num_warps=CONSUMER_WARPS):
            acc = tl.zeros((2 * BLOCK, BLOCK), tl.float32)
            k = 0
            while k < steps:
                slot, phase = tlx.get_bufidx_phase(k, SLOTS)
                tlx.barrier_wait(full[slot], phase)
                acc = tlx.async_dot(a[slot], b[slot], acc)
                acc = tlx.async_dot_wait(1, acc)
                if k > 0:
                    tlx.barrier_arrive(empty[(k - 1) % SLOTS])
                k += 1
            store_tile(y, tlx.async_dot_wait(0, acc), 2 * BLOCK, BLOCK)


@tlx.jit
def chained(x, w, y, D: tl.constexpr):
    """(x @ w) @ w: the first result, converted in registers, is the second's A."""
    w_tile = tlx.local_alloc((D, D), tl.bfloat16, 1)
    tlx.local_store(w_tile[0], load_tile(w, D, D))
    first = tlx.async_dot_wait(0, tlx.async_dot(load_tile(x, D, D), w_tile[0]))
    second = tlx.async_dot(first.to(tl.bfloat16), w_tile[0])
    store_tile(y, tlx.async_dot_wait(0, second), D, D)


@tlx.jit
def wait_in_a_branch(x, w, y, twice, D: tl.constexpr):
    """An MMA that one path issues and both wait for."""
    w_tile = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(w_tile[0], load_tile(w, D, D))
    rows = load_tile(x, D, D)
    acc = tlx.async_dot(rows, w_tile[0])
    if twice > 0:
        acc = tlx.async_dot(rows, w_tile[0], acc)
    store_tile(y, tlx.async_dot_wait(0, acc), D, D)


@tlx.jit
def in_flight_across_iterations(q, v, y, n, D: tl.constexpr):
    """As in attention: the second MMA of an iteration runs on while the next iteration starts its first."""
    q_tile = tlx.local_alloc((D, D), tl.float16, 1)
    v_tile = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(q_tile[0], load_tile(q, D, D))
    tlx.local_store(v_tile[0], load_tile(v, D, D))
    o = tl.zeros((D, D), tl.float32)
    row_sums = tl.zeros((D,), tl.float32)
    for _ in tl.range(0, n):
        s = tlx.async_dot(q_tile[0], v_tile[0])
        o = tlx.async_dot_wait(1, o)
        o = o + 1.0
        s = tlx.async_dot_wait(0, s)
        row_sums += tl.sum(s, axis=1)
        o = tlx.async_dot(s.to(tl.float16), v_tile[0], o)
    store_tile(y, tlx.async_dot_wait(0, o) + row_sums[:, None], D, D)


@tlx.jit
def accumulator_by_condition(q, v, y, n, D: tl.constexpr, CONSTANT: tl.constexpr):
    """The first product of a loop starts from 0, by a flag instead of a branch; so does the last, by a constant."""
    q_tile = tlx.local_alloc((D, D), tl.float16, 1)
    v_tile = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(q_tile[0], load_tile(q, D, D))
    tlx.local_store(v_tile[0], load_tile(v, D, D))
    acc = tl.full((D, D), 1000, tl.float32)
    for i in tl.range(0, n):
        acc = tlx.async_dot(q_tile[0], v_tile[0], acc, use_acc=i > 0)
    acc = tlx.async_dot_wait(0, acc)
    store_tile(y, acc, D, D)
    last = tlx.async_dot(q_tile[0], v_tile[0], acc, use_acc=CONSTANT)
    store_tile(y + D * D, tlx.async_dot_wait(0, last), D, D)


@triton.jit
def begin(a, b, acc):
    return tlx.async_dot(a, b, acc)


@triton.jit
def finish(acc):
    return tlx.async_dot_wait(0, acc)


@tlx.jit
def in_flight_through_helpers(q, v, y, n, D: tl.constexpr):
    q_tile = tlx.local_alloc((D, D), tl.float16, 1)
    v_tile = tlx.local_alloc((D, D), tl.float16, 1)
    tlx.local_store(q_tile[0], load_tile(q, D, D))
    tlx.local_store(v_tile[0], load_tile(v, D, D))
    acc = begin(q_tile[0], v_tile[0], None)
    while n > 1:
        acc = begin(q_tile[0], v_tile[0], acc)
        n -= 1
    store_tile(y, finish(acc), D, D)


def product(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) @ w.astype(np.float32)


def operand_case(name, dtype, *, a="shared", n_by_k=False, acc="None", out=np.float32, ttgir=None) -> Case:
    m, n, k = 64, 32, 64
    x = integers(m, k, dtype=dtype)
    w = integers(n, k, dtype=dtype) if n_by_k else integers(k, n, dtype=dtype)
    expected = product(x, w.T if n_by_k else w)
    expected = {"tensor": expected + 2, "in flight": expected * 2}.get(acc, expected)
    sizes = {"M": m, "N": n, "K": k, "A_FROM": a, "W_IS_N_BY_K": n_by_k, "ACC": acc}
    arguments = {"x": x, "w": w, "y": output(m, n, dtype=out), **sizes}
    return Case(name, operands, arguments, {"y": expected.astype(out)}, ttgir=ttgir or {})


def while_case(steps: int, warps: int) -> Case:
    x, w = integers(128, 64 * steps, dtype=np.float16), integers(64 * steps, 64, dtype=np.float16)
    arguments = {
        "x": TMA(x, (128, 64)),
        "w": TMA(w, (64, 64)),
        "y": output(128, 64),
        **{"steps": steps, "BLOCK": 64, "SLOTS": 2, "CONSUMER_WARPS": warps},
    }
    return Case(f"`while` over {steps} steps in {warps} warps", while_loop, arguments, {"y": product(x, w)})


BF16, FP8, FP8_WIDE = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
Q, K, V = (integers(64, 64, low=low, dtype=np.float16) for low in (-3, -2, -1))
BITS = integers(64, 64, low=-1, high=2, dtype=np.float16)
BITS_V = product(BITS, V)
SMALL_X, SMALL_W = integers(64, 64, low=-1, high=2, dtype=BF16), integers(64, 64, low=0, high=2, dtype=BF16)

CASES = [
    operand_case("fp16, A in shared memory", np.float16),
    operand_case("bf16, A in shared memory", BF16),
    operand_case("fp16, A in registers", np.float16, a="registers"),
    operand_case("bf16, A in registers", BF16, a="registers"),
    operand_case("B stored [N, K]", np.float16, n_by_k=True, ttgir={"ttg.memdesc_trans": 1}),
    operand_case("B stored [N, K], A in registers", BF16, n_by_k=True, a="registers"),
    operand_case("an accumulator tensor", np.float16, acc="tensor"),
    operand_case("an accumulator in flight", np.float16, acc="in flight", ttgir={"ttng.warp_group_dot ": 2}),
    operand_case("fp8e4nv", FP8, n_by_k=True),
    operand_case("fp8e5", FP8_WIDE, n_by_k=True),
    operand_case("int8", np.int8, n_by_k=True, acc="int32", out=np.int32),
    operand_case("tf32", np.float32, n_by_k=True),
    Case(
        "two in flight",
        two_in_flight,
        {"q": Q, "k": K, "v": V, "s_out": output(64, 64), "o_out": output(64, 64), "D": 64},
        {"s_out": 2 * product(Q, K.T), "o_out": product(Q, V)},
        ttgir={"pendings = 1": 1, "pendings = 0": 1},
    ),
    Case(
        "in flight across iterations",
        in_flight_across_iterations,
        {"q": BITS, "v": V, "y": output(64, 64), "n": 3, "D": 64},
        {"y": 3 * product(BITS_V.astype(np.float16), V) + 3 + 3 * BITS_V.sum(1)[:, None]},
    ),
    *[
        Case(
            f"the accumulator by a condition, at last {constant}",
            accumulator_by_condition,
            {"q": Q, "v": V, "y": output(128, 64), "n": 3, "D": 64, "CONSTANT": constant},
            {"y": np.concatenate([3 * product(Q, V), (4 if constant else 1) * product(Q, V)])},
        )
        for constant in (False, True)
    ],
    Case(
        "in flight through helpers",
        in_flight_through_helpers,
        {"q": Q, "v": V, "y": output(64, 64), "n": 3, "D": 64},
        {"y": 3 * product(Q, V)},
    ),
    *[while_case(steps, warps) for steps, warps in [(1, 4), (2, 4), (5, 4), (3, 8)]],
    Case(
        "a result as the next one's A",
        chained,
        {"x": SMALL_X, "w": SMALL_W, "y": output(64, 64), "D": 64},
        {"y": product(product(SMALL_X, SMALL_W).astype(BF16), SMALL_W)},
    ),
    *[
        Case(
            f"an MMA in a branch, {times} times",
            wait_in_a_branch,
            {"x": Q, "w": V, "y": output(64, 64), "twice": times - 1, "D": 64},
            {"y": times * product(Q, V)},
        )
        for times in (1, 2)
    ],
]
