"""The matrix product: exact cases on integers, any shape and stride, nothing written outside the output."""

import pytest
from triton.runtime.driver import driver as drivers

torch = pytest.importorskip("torch")

from tlx_kernels.errors import ArgumentError  # noqa: E402
from tlx_kernels.gemm import GemmConfig, matmul, plan, reference  # noqa: E402
from tlx_kernels.gemm.naive import matmul_naive  # noqa: E402

DTYPES = [torch.bfloat16, torch.float16]
GUARD = 256  # elements on either side of an output; at least 256 B


def integers(m, n, k, dtype, device):
    """A and B whose products and sums are exact: A[i,k] = (3i+5k) mod 7 - 3, B[k,j] = (2k+11j) mod 5 - 2."""
    i, j, d = (torch.arange(size, device=device) for size in (m, n, k))
    a = (3 * i[:, None] + 5 * d[None, :]) % 7 - 3
    b = (2 * d[:, None] + 11 * j[None, :]) % 5 - 2
    return a.to(dtype), b.to(dtype)


def checksums(c):
    """C[0,0], C[last,last], the sum of C, and its sum weighted by (31i+17j) mod 97."""
    c = c.cpu().double()
    i, j = (torch.arange(size) for size in c.shape)
    weights = ((31 * i[:, None] + 17 * j[None, :]) % 97).double()
    return c[0, 0].item(), c[-1, -1].item(), c.sum().item(), (c * weights).sum().item()


class Guarded:
    """An output that lies inside a larger buffer: NaN inside, 7 around it."""

    def __init__(self, m, n, dtype, device, strides=None, offset=0):
        strides = strides or (n, 1)
        size = 1 + (m - 1) * strides[0] + (n - 1) * strides[1]
        self.buffer = torch.full((size + 2 * GUARD + offset,), 7.0, dtype=dtype, device=device)
        self.out = self.buffer.as_strided((m, n), strides, GUARD + offset)
        self.out.fill_(float("nan"))

    def check_surroundings(self):
        inside = self.out.clone()
        self.out.fill_(7)
        assert (self.buffer == 7).all(), "something outside of the output was written"
        self.out.copy_(inside)


def check_exact(a, b, guarded, expected, **options):
    """Multiplies into the guarded output; every element must be the exact one."""
    c = matmul(a, b, out=guarded.out, **options)
    assert torch.equal(c.double(), reference(a, b))
    assert checksums(c) == expected
    guarded.check_surroundings()


# --- exact cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_one_step_of_k_with_any_ring(device, stages, dtype):
    a, b = integers(128, 128, 64, dtype, device)
    config = GemmConfig(block_m=128, block_n=128, block_k=64, stages=stages, consumers=1)
    check_exact(a, b, Guarded(128, 128, dtype, device), (-6, 0, 13, -1720), config=config)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "expected", "paths"),
    [
        ((127, 133, 72), (6, 4, 15, 4751), "A: TMA, B: pointer, C: pointer"),
        ((127, 133, 511), (-3, 12, 26, -6576), "A: pointer, B: pointer, C: pointer"),
        ((1, 1, 1), (6, 6, 6, 0), "A: TMA, B: TMA, C: pointer"),
        ((96, 200, 1), (6, 4, 0, 4181), "A: TMA, B: TMA, C: TMA"),
    ],
    ids=lambda value: "x".join(map(str, value)) if isinstance(value, tuple) and len(value) == 3 else None,
)
def test_tails(device, shape, expected, paths, dtype):
    m, n, k = shape
    a, b = integers(m, n, k, dtype, device)
    guarded = Guarded(m, n, dtype, device)
    assert str(plan(a, b, out=guarded.out)) == paths
    check_exact(a, b, guarded, expected)


def shifted(matrix):
    """The same matrix as `parent[:, 1:]`: its base lies one element past an aligned address."""
    parent = torch.zeros((matrix.shape[0], matrix.shape[1] + 8), dtype=matrix.dtype, device=matrix.device)
    parent[:, 1 : matrix.shape[1] + 1] = matrix
    return parent[:, 1 : matrix.shape[1] + 1]


def every_other_row(matrix):
    """The same matrix as `parent[::2]`."""
    parent = torch.zeros((2 * matrix.shape[0], matrix.shape[1]), dtype=matrix.dtype, device=matrix.device)
    parent[::2] = matrix
    return parent[::2]


def column_major(matrix):
    """The same matrix with contiguous columns."""
    return matrix.T.contiguous().T


def same(matrix):
    return matrix


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("layout_a", "layout_b", "paths"),
    [
        (same, same, "A: TMA, B: pointer, C: pointer"),  # rows of B and C: 70 elements, 140 B
        (column_major, same, "A: pointer, B: pointer, C: pointer"),  # columns of A: 130 elements, 260 B
        (same, column_major, "A: TMA, B: TMA, C: pointer"),
        (shifted, same, "A: pointer, B: pointer, C: pointer"),
        (every_other_row, column_major, "A: TMA, B: TMA, C: pointer"),
    ],
)
def test_layouts(device, layout_a, layout_b, paths, dtype):
    a, b = integers(130, 70, 96, dtype, device)
    a, b = layout_a(a), layout_b(b)
    guarded = Guarded(130, 70, dtype, device)
    assert str(plan(a, b, out=guarded.out)) == paths
    check_exact(a, b, guarded, (-7, 4, 0, 1311))


def test_broadcast_operand(device):
    """B with stride 0 along N: every column of C is the same."""
    a, b = integers(130, 70, 96, torch.float16, device)
    b = b[:, :1].expand(96, 70)
    c = matmul(a, b)
    assert torch.equal(c.double(), reference(a, b))


@pytest.mark.parametrize(
    ("strides", "offset"),
    [((70 * 2, 2), 0), ((1, 130), 0), ((72, 1), 0), ((72, 1), 1)],
    ids=["every other column", "column-major", "padded rows", "odd base"],
)
@pytest.mark.parametrize("layout_b", [same, column_major])
def test_strided_outputs(device, strides, offset, layout_b):
    a, b = integers(130, 70, 96, torch.float16, device)
    guarded = Guarded(130, 70, torch.float16, device, strides, offset)
    check_exact(a, layout_b(b), guarded, (-7, 4, 0, 1311))


def test_padding_of_inputs_is_not_read(device):
    # Rows of 9 elements that lie 16 apart: TMA takes them, and must not take what lies between.
    a, b = integers(130, 70, 9, torch.float16, device)
    padded_a = torch.full((130, 16), float("nan"), dtype=a.dtype, device=device)
    padded_b = torch.full((9, 72), float("nan"), dtype=b.dtype, device=device)
    padded_a[:, :9], padded_b[:, :70] = a, b
    assert str(plan(padded_a[:, :9], padded_b[:, :70])) == "A: TMA, B: TMA, C: pointer"
    assert torch.equal(matmul(padded_a[:, :9], padded_b[:, :70]).double(), reference(a, b))


@pytest.mark.parametrize("transposed_a", [False, True])
@pytest.mark.parametrize("transposed_b", [False, True])
@pytest.mark.parametrize("consumers", [1, 2])
def test_transposed_operands_go_through_tma(device, transposed_a, transposed_b, consumers):
    a, b = integers(136, 72, 200, torch.float16, device)
    a = column_major(a) if transposed_a else a
    b = column_major(b) if transposed_b else b
    config = GemmConfig(block_m=64 * consumers, block_n=64, block_k=64, stages=2, consumers=consumers)
    chosen = plan(a, b, config=config)
    assert str(chosen) == "A: TMA, B: TMA, C: TMA"
    assert (chosen.a.transposed, chosen.b.transposed) == (transposed_a, transposed_b)
    assert torch.equal(matmul(a, b, config=config).double(), reference(a, b))


# --- sizes of nothing and of one -------------------------------------------------------------------------------------


@pytest.mark.parametrize("strides", [(16, 1), (1, 8), (40, 2)])
def test_no_k_gives_zeros(device, strides):
    guarded = Guarded(8, 16, torch.float16, device, strides)
    a, b = (torch.empty(size, dtype=torch.float16, device=device) for size in [(8, 0), (0, 16)])
    assert (matmul(a, b, out=guarded.out) == 0).all()
    guarded.check_surroundings()


@pytest.mark.parametrize(("m", "n"), [(0, 16), (8, 0), (0, 0)])
def test_no_rows_or_columns(device, m, n):
    a, b = (torch.ones(size, dtype=torch.bfloat16, device=device) for size in [(m, 32), (32, n)])
    c = matmul(a, b)
    assert c.shape == (m, n)
    assert c.dtype == torch.bfloat16


@pytest.mark.parametrize("shape", [(1, 40, 24), (40, 1, 24), (1, 1, 100), (1, 40, 1)])
def test_one_row_or_column(device, shape):
    a, b = integers(*shape, torch.float16, device)
    guarded = Guarded(*shape[:2], torch.float16, device)
    c = matmul(a, b, out=guarded.out)
    assert torch.equal(c.double(), reference(a, b))
    guarded.check_surroundings()


# --- random data -----------------------------------------------------------------------------------------------------


def random_operands(rng, m, n, k, dtype, device):
    return (torch.from_numpy(rng.standard_normal(size)).to(device=device, dtype=dtype) for size in [(m, k), (k, n)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(192, 256, 320), (130, 264, 136), (65, 33, 17)])
def test_random_data(device, rng, shape, dtype):
    a, b = random_operands(rng, *shape, dtype, device)
    expected = reference(a, b)
    guarded = Guarded(*shape[:2], dtype, device)
    c = matmul(a, b, out=guarded.out)
    # An element is off by its own rounding and by that of float32 sums, which cancellation can make larger than it.
    eps = torch.finfo(dtype).eps
    assert torch.allclose(c.double(), expected, rtol=eps, atol=1e-4)
    guarded.check_surroundings()
    assert torch.equal(c, matmul_naive(a, b, torch.empty_like(c)))  # both add along K in the same order


@pytest.mark.parametrize("out_dtype", [*DTYPES, torch.float32])
@pytest.mark.parametrize("n", [64, 63])
def test_type_of_the_result(device, rng, out_dtype, n):
    a, b = random_operands(rng, 128, n, 64, torch.bfloat16, device)
    c = matmul(a, b, out_dtype=out_dtype)
    assert c.dtype == out_dtype
    eps = max(torch.finfo(out_dtype).eps, 1e-5)
    assert torch.allclose(c.double(), reference(a, b), rtol=eps, atol=1e-4)


def test_several_tiles_for_each_program(device, rng):
    """More tiles than multiprocessors: the ring and its phases go on from tile to tile."""
    a, b = random_operands(rng, 64 * 12, 64 * 12, 192, torch.float16, device)
    config = GemmConfig(block_m=64, block_n=64, block_k=64, stages=2, consumers=1, group_m=5)
    c = matmul(a, b, config=config)
    assert torch.allclose(c.double(), reference(a, b), rtol=2**-10, atol=1e-4)


@pytest.mark.parametrize("layout", [same, column_major, shifted])
def test_indices_past_32_bits(device, layout):
    """Rows so far apart that index times stride passes 2**31, read and written."""
    stride = 2**30 + 1
    storage = torch.empty(2 * stride + 64, dtype=torch.float16, device=device)
    a, b = integers(3, 16, 16, torch.float16, device)
    expected, b = reference(a, b), layout(b)
    far_a = storage.as_strided((3, 16), (stride, 1))
    far_a.copy_(a)
    far_out = storage.as_strided((3, 16), (stride, 1), 32)
    assert torch.equal(matmul(far_a, b).double(), expected)
    assert torch.equal(matmul(a, b, out=far_out).double(), expected)
    assert torch.equal(matmul_naive(far_a, b, far_out.zero_()).double(), expected)


# --- the twin --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [same, column_major, shifted])
def test_naive_twin(device, layout):
    a, b = integers(130, 70, 96, torch.float16, device)
    guarded = Guarded(130, 70, torch.float16, device)
    c = matmul_naive(layout(a), layout(b), guarded.out)
    assert checksums(c) == (-7, 4, 0, 1311)
    assert torch.equal(c.double(), reference(a, b))
    guarded.check_surroundings()


# --- arguments -------------------------------------------------------------------------------------------------------


def zeros(*shape, dtype=torch.float16, device="cpu"):
    return torch.zeros(shape, dtype=dtype, device=device)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (zeros(2, 3), zeros(4, 5), {}, "2x3 @ 4x5 do not multiply"),
        (zeros(2, 3, 1), zeros(3, 5), {}, "2x3x1 @ 3x5 do not multiply"),
        (zeros(2, 3), zeros(3, 5, dtype=torch.bfloat16), {}, "A is torch.float16 and B is torch.bfloat16"),
        (zeros(2, 3, dtype=torch.float32), zeros(3, 5, dtype=torch.float32), {}, "A is torch.float32"),
        (zeros(2, 3), zeros(3, 5, device="meta"), {}, "A is on cpu and B on meta"),
        (zeros(2, 3), zeros(3, 5), {"out": zeros(2, 6)}, "out is 2x6 on cpu, the product 2x5 on cpu"),
        (zeros(2, 3), zeros(3, 5), {"out": zeros(2, 5, dtype=torch.int32)}, "C is torch.int32"),
        (zeros(2, 3), zeros(3, 5), {"out_dtype": torch.float64}, "C is torch.float64"),
        (zeros(2, 3), zeros(3, 5), {"out": zeros(2, 5), "out_dtype": torch.float32}, "out is torch.float16, out_dtype"),
        (zeros(2, 3), zeros(3, 5), {"out": zeros(1, 5).expand(2, 5)}, "elements of out share memory: strides (0, 1)"),
        (zeros(2, 3), zeros(3, 5), {"out": zeros(9).as_strided((2, 5), (4, 1))}, "strides (4, 1) of 2x5"),
    ],
)
def test_arguments_that_make_no_sense(a, b, options, message):
    with pytest.raises(ArgumentError) as error:
        matmul(a, b, **options)
    assert message in str(error.value)


def test_plan_of_nothing():
    with pytest.raises(ArgumentError, match="no kernel runs for 0x3 @ 3x5"):
        plan(zeros(0, 3), zeros(3, 5))


def test_cpu_tensors_need_the_simulator(monkeypatch):
    monkeypatch.setattr(drivers, "_active", object())  # as on a machine with a GPU
    with pytest.raises(ArgumentError, match="A is on cpu") as error:
        matmul(zeros(2, 3), zeros(3, 5))
    assert "tlx.simulating()" in error.value.hint


def test_one_stage_takes_one_step(device):
    a, b = integers(128, 128, 128, torch.float16, device)
    config = GemmConfig(block_m=128, block_n=128, block_k=64, stages=1)
    with pytest.raises(ArgumentError, match="1 stage with K = 128 in steps of 64 would deadlock"):
        matmul(a, b, config=config)
    assert torch.equal(matmul(a[:, :64], b[:64], config=config).double(), reference(a[:, :64], b[:64]))
