"""Parts of buffers at offsets that are known at run time."""

import numpy as np
import triton.language as tl

import tlx

from .case import TMA, Case, integers, output


@tlx.jit
def parts_turned_round(x, y, n, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, PART: tl.constexpr):
    """The parts of a block along an axis, the last one first."""
    block = tlx.local_alloc((R, C), tlx.dtype_of(x), 1)
    rows, columns = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    tlx.local_store(block[0], tl.load(x + rows * C + columns))
    for t in tl.range(0, n):
        at = (n - 1 - t) * PART
        if AXIS == 0:
            part = tlx.local_load(tlx.local_slice(block[0], [at, 0], [PART, C]))
            tl.store(y + (t * PART + tl.arange(0, PART)[:, None]) * C + columns, part)
        else:
            part = tlx.local_load(tlx.local_slice(block[0], [0, at], [R, PART]))
            tl.store(y + rows * C + t * PART + tl.arange(0, PART)[None, :], part)


@tlx.jit
def part_of_a_vector(x, y, at, N: tl.constexpr, PART: tl.constexpr):
    vector = tlx.local_alloc((N,), tlx.dtype_of(x), 2)
    tlx.local_store(vector[1], tl.load(x + tl.arange(0, N)))
    tl.store(y + tl.arange(0, PART), tlx.local_load(tlx.local_slice(vector[1], [at], [PART])))


@tlx.jit
def constant_part_of_a_part(x, y, at, N: tl.constexpr):
    """Along the other axes the offset is a constant."""
    block = tlx.local_alloc((N, N), tlx.dtype_of(x), 1)
    i = tl.arange(0, N)
    tlx.local_store(block[0], tl.load(x + i[:, None] * N + i[None, :]))
    part = tlx.local_slice(block[0], [at, N // 2], [N // 2, N // 2])
    half = tl.arange(0, N // 2)
    tl.store(y + half[:, None] * (N // 2) + half[None, :], tlx.local_load(part))


@tlx.jit
def stored_by_tma(x, y, n, R: tl.constexpr, C: tl.constexpr, PART: tl.constexpr):
    """Parts are filled by TMA and multiplied: what a part is to an engine."""
    a = tlx.local_alloc((R, C), tl.float16, 1)
    full = tlx.alloc_barriers(1)
    for t in tl.range(0, n):
        tlx.barrier_expect_bytes(full[0], R * PART * 2)
        tlx.async_descriptor_load(x, tlx.local_slice(a[0], [0, t * PART], [R, PART]), [0, t * PART], full[0])
        tlx.barrier_wait(full[0], t & 1)
    acc = tl.zeros((R, R), tl.float32)
    for t in tl.range(0, n):
        part = tlx.local_slice(a[0], [0, t * PART], [R, PART])
        acc = tlx.async_dot_wait(0, tlx.async_dot(part, tlx.local_trans(part), acc))
    i = tl.arange(0, R)
    tl.store(y + i[:, None] * R + i[None, :], acc)


def turned_case(shape: tuple[int, int], axis: int, part: int, dtype) -> Case:
    x = integers(*shape, dtype=dtype)
    n = shape[axis] // part
    parts = np.split(x, n, axis=axis)
    arguments = {"x": x, "y": output(*shape, dtype=dtype), "n": n, "R": shape[0], "C": shape[1]}
    return Case(
        f"{part} of axis {axis} of {shape[0]}x{shape[1]} {np.dtype(dtype).name}",
        parts_turned_round,
        {**arguments, "AXIS": axis, "PART": part},
        {"y": np.concatenate(parts[::-1], axis=axis)},
        ttgir={"ttg.memdesc_reinterpret": 1},
        options={"num_warps": 4},
    )


VECTOR = integers(64)
SQUARE = integers(64, 64, dtype=np.float16)
WIDE = integers(64, 256, dtype=np.float16)
PRODUCT = WIDE.astype(np.float32) @ WIDE.astype(np.float32).T

CASES = [
    turned_case((64, 64), 0, 8, np.float16),
    turned_case((64, 64), 0, 32, np.float16),
    turned_case((64, 32), 0, 16, np.float16),
    turned_case((32, 16), 0, 8, np.float16),
    turned_case((32, 256), 1, 64, np.float16),
    turned_case((32, 256), 1, 128, np.float16),
    turned_case((64, 128), 1, 32, np.float32),
    *(
        Case(
            f"16 elements at {at}",
            part_of_a_vector,
            {"x": VECTOR, "y": output(16), "at": at, "N": 64, "PART": 16},
            {"y": VECTOR[at : at + 16]},
        )
        for at in (0, 16, 48)
    ),
    Case(
        "a constant part of a part",
        constant_part_of_a_part,
        {"x": SQUARE, "y": output(32, 32, dtype=np.float16), "at": 32, "N": 64},
        {"y": SQUARE[32:, 32:]},
    ),
    Case(
        "parts for TMA and the tensor cores",
        stored_by_tma,
        {"x": TMA(WIDE, (64, 64)), "y": output(64, 64), "n": 4, "R": 64, "C": 256, "PART": 64},
        {"y": PRODUCT},
    ),
]
