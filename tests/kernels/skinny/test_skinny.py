"""The product of few rows: exact cases on integers, any layout of C, the same bits on every run."""

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.errors import ArgumentError  # noqa: E402
from tlx_kernels.gemm.skinny import default_config, matmul_skinny, reference  # noqa: E402
from tlx_kernels.gemm.skinny.naive import matmul_skinny_naive  # noqa: E402


def integers(m, n, k, device, dtype=torch.bfloat16):
    """A, and the transpose of a linear layer's weight; every product is exact."""
    generator = torch.Generator().manual_seed(m + n + k)
    draw = [torch.randint(-3, 4, size, generator=generator).to(device, dtype) for size in [(m, k), (n, k)]]
    return draw[0], draw[1].T


def check_exact(a, b, **options):
    """C is exact, and the columns on either side of it are not written."""
    m, n = a.shape[0], b.shape[1]
    buffer = torch.full((m, n + 8), 7, dtype=a.dtype, device=a.device)
    buffer[:, 4:-4] = float("nan")
    matmul_skinny(a, b, out=buffer[:, 4:-4], **options)
    assert torch.equal(buffer[:, 4:-4], reference(a, b).to(a.dtype))
    assert (buffer[:, :4] == 7).all()
    assert (buffer[:, -4:] == 7).all()


@pytest.mark.parametrize("shape", [(1, 300, 520), (33, 130, 136), (64, 1, 8)], ids=str)
def test_rows(device, shape):
    check_exact(*integers(*shape, device))


def test_rows_of_b(device):
    a, b = integers(9, 136, 200, device, torch.float16)
    check_exact(a, b.contiguous())


@pytest.mark.parametrize("k", [512, 260], ids=["columns", "odd rows"])
def test_an_a_that_is_copied(device, k):
    """Contiguous columns; and rows of 520 B from an odd one on."""
    a, b = integers(6, 64, k, device, torch.float16)
    b = b.contiguous()
    other = a.T.contiguous().T if k == 512 else torch.cat([a, a])[1:7].copy_(a)
    check_exact(other, b)


def test_columns_of_c(device):
    a, b = integers(4, 130, 136, device)
    out = torch.full((130, 4), float("nan"), dtype=a.dtype, device=device).T
    assert torch.equal(matmul_skinny(a, b, out=out), reference(a, b).to(a.dtype))


@pytest.mark.parametrize(("m", "n", "k"), [(0, 8, 8), (4, 0, 8), (4, 8, 0)])
def test_nothing_to_do(device, m, n, k):
    c = matmul_skinny(torch.ones((m, k), device=device).half(), torch.ones((k, n), device=device).half())
    assert torch.equal(c, torch.zeros((m, n), device=device).half())


def test_random_data(device, rng):
    a, b = (torch.from_numpy(rng.standard_normal(s)).to(device, torch.bfloat16) for s in [(3, 776), (776, 200)])
    c = matmul_skinny(a, b, out_dtype=torch.float32)
    assert torch.allclose(c.double(), reference(a, b), rtol=1e-5, atol=1e-4)
    assert torch.equal(matmul_skinny(a, b, out_dtype=torch.float32), c)
    # A row's sums don't depend on how many rows there are.
    assert torch.equal(matmul_skinny(a[1:2], b, out_dtype=torch.float32), c[1:2])


def test_naive_twin(device):
    a, b = integers(17, 70, 600, device, torch.float16)
    c = matmul_skinny_naive(a, b, torch.full((17, 70), float("nan"), device=device))
    assert torch.equal(c.double(), reference(a, b))


def test_a_slot_for_every_byte_of_shared_memory():
    config = default_config(1, shared_limit=232_448)
    assert (config.block_m, config.block_n, config.stages, config.consumers) == (128, 8, 12, 1)
    assert default_config(64, shared_limit=232_448).stages == 8


@pytest.mark.gpu
@pytest.mark.parametrize("m", [1, 2, 8, 16, 17, 48, 64])
@pytest.mark.parametrize("nk", [(4096, 4096), (14336, 4096), (4096, 14336), (6144, 4096), (1000, 1024), (128, 65536)])
def test_weights_of_models(m, nk):
    a, b = integers(m, *nk, "cuda")
    for _ in range(10):
        assert torch.equal(matmul_skinny(a, b, out_dtype=torch.float32).double(), reference(a, b))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (torch.zeros(65, 8), torch.zeros(8, 8), "A is 65x8, at most 64 rows"),
        (torch.zeros(2, 9), torch.zeros(9, 9), "TMA cannot read B"),
        (torch.zeros(2, 8), torch.zeros(9, 8), "2x8 @ 9x8 do not multiply"),
    ],
)
def test_arguments_that_make_no_sense(device, a, b, message):
    with pytest.raises(ArgumentError, match=message):
        matmul_skinny(a.half(), b.half())
