"""The grouped matrix product: exact cases on integers, empty and ragged groups, nothing written outside a group."""

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.errors import ArgumentError  # noqa: E402
from tlx_kernels.gemm.grouped import GroupedConfig, grouped_matmul, reference  # noqa: E402
from tlx_kernels.gemm.grouped.naive import grouped_matmul_naive  # noqa: E402

RAGGED = [0, 130, 0, 1, 128, 64, 5, 0]
SMALL = GroupedConfig(block_m=128, block_n=64, block_k=64, stages=2, consumers=2)


def operands(sizes, n, k, device, *, spare=0, b_columns=False, dtype=torch.bfloat16, offsets=torch.int32):
    """A, B and the groups' ends; small whole numbers, so that every product is exact. `spare` rows are in no group."""
    generator = torch.Generator().manual_seed(sum(sizes) + n + k)

    def draw(*shape):
        return torch.randint(-3, 4, shape, generator=generator).to(device, dtype)

    a, b = draw(sum(sizes) + spare, k), draw(len(sizes), k, n)
    if b_columns:
        b = b.transpose(1, 2).contiguous().transpose(1, 2)
    return a, b, torch.tensor(sizes).cumsum(0).to(device, offsets)


def check_exact(a, b, ends, *, rows_apart=None, **options):
    """Every element of every group is exact; what lies in no group, around C or between its rows is not written."""
    m, n = a.shape[0], b.shape[2]
    buffer = torch.full((m + 2, rows_apart or n), 7, dtype=a.dtype, device=a.device)
    out = buffer[1:-1, :n]
    expected = buffer.clone()
    exact = reference(a, b, ends).to(a.dtype)
    expected[1:-1, :n] = torch.where(exact.isnan(), out, exact)
    grouped_matmul(a, b, ends, out=out, **options)
    assert torch.equal(buffer, expected)


# --- exact cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "rows_apart"), [(72, None), (72, 80), (70, 72)], ids=["TMA", "padded", "pointers"])
def test_empty_and_ragged_groups(device, n, rows_apart):
    """Rows of C of 144 B leave by TMA but for the last ones of a group; rows of 140 B by pointers."""
    check_exact(*operands(RAGGED, n, 136, device, spare=3, b_columns=True), rows_apart=rows_apart, config=SMALL)


@pytest.mark.parametrize("consumers", [1, 2])
def test_rows_of_b(device, consumers):
    """B with contiguous rows. K is no multiple of a step: what TMA reads past it must be zero, not the next group's."""
    a, b, ends = operands([70, 0, 130], 72, 200, device, dtype=torch.float16)
    config = GroupedConfig(block_m=64 * consumers, block_n=64, stages=2, consumers=consumers)
    check_exact(a, b, ends, config=config)
    b[2] = float("nan")
    c = grouped_matmul(a, b, ends, config=config)
    assert torch.equal(c[:70].double(), reference(a[:70], b[:2], ends[:2]))


def test_columns_of_a(device):
    a, b, ends = operands([3, 77], 64, 64, device, b_columns=True)
    check_exact(a.T.contiguous().T, b, ends, config=SMALL)


@pytest.mark.parametrize("sizes", [[200], [0], [0, 0, 0], [1, 1, 1]], ids=str)
def test_few_groups(device, sizes):
    check_exact(*operands(sizes, 64, 64, device, b_columns=True), config=SMALL)


def test_offsets_of_64_bits_behind_the_last_row(device):
    a, b, ends = operands([40, 60], 64, 64, device, b_columns=True, offsets=torch.int64)
    expected = grouped_matmul(a, b, ends, config=SMALL)
    ends[-1] = 2**40
    assert torch.equal(grouped_matmul(a, b, ends, config=SMALL), expected)


def test_several_tiles_for_each_program(device):
    """More tiles than multiprocessors: the ring and its phases go on from tile to tile and from group to group."""
    a, b, ends = operands([64 * 5 + 1, 64 * 6, 3, 64 * 4], 64 * 9, 192, device, b_columns=True)
    check_exact(a, b, ends, config=GroupedConfig(block_m=64, block_n=64, stages=2, consumers=1, group_m=3))


@pytest.mark.parametrize("k", [0, 1])
def test_little_k(device, k):
    a, b, ends = operands([40, 0, 50], 64, k, device, spare=2, b_columns=True)
    check_exact(torch.nn.functional.pad(a, (0, 8 - k))[:, :k], b, ends) if k else check_exact(a, b, ends)


@pytest.mark.parametrize(("m", "n", "groups"), [(0, 8, 2), (4, 0, 2), (4, 8, 0)])
def test_nothing_to_do(device, m, n, groups):
    a, b = torch.ones((m, 16), device=device).half(), torch.ones((groups, 16, n), device=device).half()
    assert grouped_matmul(a, b, torch.zeros(groups, dtype=torch.int32, device=device)).shape == (m, n)


# --- random data -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("out_dtype", [torch.bfloat16, torch.float32])
def test_random_data(device, rng, out_dtype):
    """The default configuration, twice the same bits, and the twin's bits: both add along K in the same order."""
    a, b = (torch.from_numpy(rng.standard_normal(s)).to(device, torch.bfloat16) for s in [(200, 136), (3, 136, 264)])
    ends = torch.tensor([64, 64, 200], device=device, dtype=torch.int32)
    c = grouped_matmul(a, b, ends, out_dtype=out_dtype)
    expected = reference(a, b, ends)
    assert torch.allclose(c.double(), expected, rtol=torch.finfo(out_dtype).eps, atol=1e-4)
    assert torch.equal(c, grouped_matmul(a, b, ends, out_dtype=out_dtype))
    assert torch.equal(c, grouped_matmul_naive(a, b, ends, torch.empty_like(c)))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("b_columns", [False, True])
@pytest.mark.parametrize("mean", [3, 40, 300, 2000])
@pytest.mark.parametrize("groups", [1, 8, 128, 1000])
def test_many_random_groups(groups, mean, b_columns, dtype):
    generator = torch.Generator().manual_seed(groups + mean)
    mean = min(mean, 60_000 // groups)
    sizes = torch.randint(0, 2 * mean + 1, (groups,), generator=generator).tolist()
    a, b, ends = operands(sizes, 512, 328, "cuda", spare=5, b_columns=b_columns, dtype=dtype)
    check_exact(a, b, ends)


@pytest.mark.gpu
def test_agrees_with_torch():
    a, b, ends = operands([512, 0, 300, 1000], 1024, 512, "cuda", b_columns=True)
    assert torch.equal(grouped_matmul(a, b, ends), torch._grouped_mm(a, b, offs=ends))


@pytest.mark.gpu
def test_more_than_2_to_the_31_elements():
    a, b, ends = operands([70_000, 3, 61_100], 16_640, 64, "cuda", b_columns=True)
    c = grouped_matmul(a, b, ends)
    assert c.numel() > 2**31
    for rows in (slice(0, 100), slice(69_990, 70_010), slice(131_000, 131_103)):
        group = (torch.arange(*rows.indices(131_103), device="cuda")[:, None] >= ends).sum(1)
        assert torch.equal(c[rows].double(), torch.einsum("mk,mkn->mn", a[rows].double(), b[group].double()))


# --- arguments -------------------------------------------------------------------------------------------------------


def zeros(*shape, dtype=torch.float16, device="cpu"):
    return torch.zeros(shape, dtype=dtype, device=device)


def ends(count, dtype=torch.int32):
    return zeros(count, dtype=dtype)


@pytest.mark.parametrize(
    ("a", "b", "offsets", "options", "message"),
    [
        (zeros(2, 8), zeros(3, 16, 8), ends(3), {}, "2x8 @ 3x16x8 do not multiply"),
        (zeros(2, 8), zeros(8, 8), ends(3), {}, "2x8 @ 8x8 do not multiply"),
        (zeros(2, 8), zeros(3, 8, 8).bfloat16(), ends(3), {}, "A is torch.float16 and B is torch.bfloat16"),
        (zeros(2, 8).float(), zeros(3, 8, 8).float(), ends(3), {}, "A is torch.float32"),
        (zeros(2, 8), zeros(3, 8, 8), ends(4), {}, "offsets are torch.int32 of shape 4 for 3 groups"),
        (zeros(2, 8), zeros(3, 8, 8), ends(3, torch.int16), {}, "offsets are torch.int16 of shape 3"),
        (zeros(2, 8), zeros(3, 8, 8, device="meta"), ends(3), {}, "B on meta"),
        (zeros(2, 8), zeros(1025, 8, 8), ends(1025), {}, "1025 groups, at most 1024 fit"),
        (zeros(2, 9), zeros(3, 9, 8), ends(3), {}, "TMA cannot read A: its row stride is 18 B"),
        (zeros(2, 8), zeros(3, 8, 9), ends(3), {}, "TMA cannot read B: its row stride is 18 B"),
        (zeros(2, 8), zeros(204).as_strided((3, 8, 8), (68, 8, 1)), ends(3), {}, "its groups lie 136 B apart"),
        (zeros(2, 8), zeros(3, 8, 18)[:, :, ::2], ends(3), {}, "TMA cannot read B: its rows are not contiguous"),
        (zeros(2, 8), zeros(1, 8, 8).expand(3, 8, 8), ends(3), {}, "its groups lie 0 B apart"),
        (zeros(2, 8), zeros(3, 8, 8), ends(3), {"out": zeros(2, 9)}, "out is 2x9 on cpu, C 2x8 on cpu"),
        (zeros(2, 8), zeros(3, 8, 8), ends(3), {"out_dtype": torch.float64}, "C is torch.float64"),
        (zeros(2, 8), zeros(3, 8, 8), ends(3), {"out": zeros(1, 8).expand(2, 8)}, "elements of out share memory"),
    ],
)
def test_arguments_that_make_no_sense(a, b, offsets, options, message):
    with pytest.raises(ArgumentError) as error:
        grouped_matmul(a, b, offsets, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block_n": 48}, "block_n is 48"),
        ({"stages": 0}, "stages is 0"),
        ({"block_m": 64}, "2 consumers cannot share block_m = 64"),
    ],
)
def test_configurations_that_no_kernel_takes(fields, message):
    with pytest.raises(ArgumentError, match=message):
        GroupedConfig(**fields)


def test_one_stage_takes_one_step(device):
    a, b, ends = operands([40], 64, 128, device, b_columns=True)
    with pytest.raises(ArgumentError, match="1 stage with K = 128 in steps of 64 would deadlock"):
        grouped_matmul(a, b, ends, config=GroupedConfig(block_n=64, stages=1))
