"""The block-scaled fp8 product: exact cases, random data, nothing written outside the output."""

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.errors import ArgumentError  # noqa: E402
from tlx_kernels.gemm.blockscaled import BlockScaledConfig, matmul_block_scaled, reference  # noqa: E402
from tlx_kernels.gemm.blockscaled.naive import matmul_block_scaled_naive  # noqa: E402

FP8 = torch.float8_e4m3fn


def operands(m, n, k, device):
    """A, B with contiguous columns, and scales that are powers of two: all sums are exact."""
    generator = torch.Generator().manual_seed(m + n + k)

    def draw(*shape, low=-3, high=4):
        return torch.randint(low, high, shape, generator=generator).float()

    blocks = -(-k // 128)
    a_scales, b_scales = draw(m, blocks, low=-2, high=3).exp2(), draw(-(-n // 128), blocks, low=-2, high=3).exp2()
    return draw(m, k).to(device, FP8), draw(n, k).to(device, FP8).T, a_scales.to(device), b_scales.to(device)


def check_exact(*arguments, **options):
    """C is exact, and the columns on either side of it are not written."""
    m, n = arguments[0].shape[0], arguments[1].shape[1]
    buffer = torch.full((m, n + 8), 7.0, device=arguments[0].device)
    buffer[:, 4:-4] = float("nan")
    matmul_block_scaled(*arguments, out=buffer[:, 4:-4], **options)
    assert torch.equal(buffer[:, 4:-4].double(), reference(*arguments))
    assert (buffer[:, :4] == 7).all()
    assert (buffer[:, -4:] == 7).all()


@pytest.mark.parametrize(("consumers", "n"), [(1, 70), (2, 200), (3, 200)], ids=["1 by pointers", "2", "3"])
def test_consumers(device, consumers, n):
    """K ends inside of a block of scales, M and N inside of a tile."""
    config = BlockScaledConfig(block_m=64 * consumers, block_n=64, stages=2, consumers=consumers)
    check_exact(*operands(200, n, 128 * 3 + 16, device), config=config)


@pytest.mark.parametrize("shape", [(1, 1, 16), (130, 136, 144), (0, 8, 16), (8, 0, 16), (8, 8, 0)], ids=str)
def test_the_default_configuration(device, shape):
    arguments = operands(*shape, device)
    c = matmul_block_scaled(*arguments)
    assert c.dtype == torch.bfloat16
    assert torch.equal(c, reference(*arguments).to(torch.bfloat16))


def test_scales_of_any_strides(device):
    """DeepGEMM's scales of A, whose columns are contiguous; scales of B out of a larger tensor."""
    a, b, a_scales, b_scales = operands(70, 136, 256, device)
    padded = torch.full((2, 5), float("nan"), device=device)
    padded[:, 1:3] = b_scales
    check_exact(a, b, a_scales.T.contiguous().T, padded[:, 1:3])


def test_random_data(device, rng):
    """The tensor cores keep 14 bits of a sum of fp8 products, which is what the tolerance is for."""
    a, b = (torch.from_numpy(rng.standard_normal(s)).to(device, FP8) for s in [(70, 512), (136, 512)])
    a_scales, b_scales = (torch.from_numpy(rng.random(s)).to(device).float() for s in [(70, 4), (2, 4)])
    c = matmul_block_scaled(a, b.T, a_scales, b_scales, out_dtype=torch.float32)
    expected = reference(a, b.T, a_scales, b_scales)
    assert (c - expected).abs().max() <= 1e-3 * expected.abs().max()
    assert torch.equal(c, matmul_block_scaled_naive(a, b.T, a_scales, b_scales, torch.empty_like(c)))


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(4096, 2112, 7168), (300, 24576, 1536), (8192, 4096, 2048)], ids=str)
def test_shapes_of_deepseek(shape):
    check_exact(*operands(*shape, "cuda"))


@pytest.mark.gpu
@pytest.mark.parametrize("consumers", [2, 3])
def test_more_tiles_than_multiprocessors(consumers):
    config = BlockScaledConfig(block_m=64 * consumers, block_n=64, stages=3, consumers=consumers, group_m=5)
    check_exact(*operands(3000, 2000, 640, "cuda"), config=config)


# --- arguments -------------------------------------------------------------------------------------------------------


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(shape).to(dtype)


A, B, SCALES = zeros(2, 256, dtype=FP8), zeros(8, 256, dtype=FP8).T, (zeros(2, 2), zeros(1, 2))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((A, B.T, *SCALES), {}, "2x256 @ 8x256 do not multiply"),
        ((A, B.to(torch.float8_e5m2), *SCALES), {}, "B is torch.float8_e5m2"),
        ((A.T.contiguous().T, B, *SCALES), {}, "TMA cannot read A along K: its rows are not contiguous"),
        ((A, B.contiguous(), *SCALES), {}, "TMA cannot read B along K: its rows are not contiguous"),
        ((A[:, :250], B[:250], *SCALES), {"out": zeros(2, 9)}, "out is 2x9"),
        ((A, B, zeros(2, 3), SCALES[1]), {}, "scales of A are torch.float32 2x3"),
        ((A, B, SCALES[0], zeros(2, 1)), {}, "scales of B are torch.float32 2x1"),
        ((A, B, SCALES[0].double(), SCALES[1]), {}, "scales of A are torch.float64"),
        ((A, B, SCALES[0].to("meta"), SCALES[1]), {}, "arguments are on cpu, meta"),
        ((A, B, *SCALES), {"out_dtype": FP8}, "C is torch.float8_e4m3fn"),
    ],
)
def test_arguments_that_make_no_sense(arguments, options, message):
    with pytest.raises(ArgumentError) as error:
        matmul_block_scaled(*arguments, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block_n": 256}, "block_n is 256"),
        ({"block_m": 256}, "2 consumers of block_m = 256"),
        ({"block_m": 256, "consumers": 4}, "4 consumers of block_m = 256"),
    ],
)
def test_configurations_that_no_kernel_takes(fields, message):
    with pytest.raises(ArgumentError, match=message):
        BlockScaledConfig(**fields)
