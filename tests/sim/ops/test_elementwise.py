"""Random shapes, dtypes and ops: the simulator agrees with NumPy."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st

from tlx import sim

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
RELATIONS = {"less": np.less, "equal": np.equal}
BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@triton.jit
def binary_kernel(x, y, out, M, N, BM: tl.constexpr, BN: tl.constexpr, OP: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    j = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    mask = (i < M) & (j < N)
    a, b = tl.load(x + i * N + j, mask), tl.load(y + i * N + j, mask)
    if OP == "add":
        c = a + b
    elif OP == "sub":
        c = a - b
    elif OP == "mul":
        c = a * b
    elif OP == "max":
        c = tl.maximum(a, b)
    elif OP == "min":
        c = tl.minimum(a, b)
    elif OP == "and":
        c = a & b
    elif OP == "or":
        c = a | b
    elif OP == "xor":
        c = a ^ b
    elif OP == "less":
        c = a < b
    else:
        c = a == b
    tl.store(out + i * N + j, c, mask)


@st.composite
def operations(draw):
    """(op, NumPy function, dtype): bits of integers, the rest of any number."""
    dtype = np.dtype(draw(st.sampled_from(INTEGERS + FLOATS)))
    table = ARITHMETIC | RELATIONS | (BITS if dtype.kind in "iu" else {})
    name = draw(st.sampled_from(sorted(table)))
    return name, table[name], dtype


@np.errstate(all="ignore")
def random_bits(seed: int, dtype: np.dtype, shape) -> np.ndarray:
    """Any values at all, infinities and subnormal numbers included, NaN excepted."""
    bits = np.random.default_rng(seed).integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8)
    values = bits.view(dtype)[..., 0]
    return values if dtype.kind in "iu" else np.where(np.isnan(values), dtype.type(1), values)


@settings(max_examples=60, deadline=None)
@given(
    operations(), st.integers(1, 40), st.integers(1, 70), st.sampled_from([(4, 32), (16, 16)]), st.integers(0, 2**32)
)
def test_elementwise(operation, rows, columns, block, seed):
    name, function, dtype = operation
    x, y = (random_bits(seed + k, dtype, (rows, columns)) for k in (0, 1))
    with np.errstate(all="ignore"):
        expected = np.asarray(function(x, y))
    out = np.zeros((rows, columns), expected.dtype)
    grid = (triton.cdiv(rows, block[0]), triton.cdiv(columns, block[1]))
    with sim.simulating():
        binary_kernel[grid](sim.array(x), sim.array(y), sim.array(out), rows, columns, *block, name)
    if dtype.kind not in "iu":
        out, expected = out.astype("f8"), expected.astype("f8")
    np.testing.assert_array_equal(out, expected)
