"""The stream-K product: exact cases on integers, the same bits on every run, nothing written outside the output."""

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.errors import ArgumentError  # noqa: E402
from tlx_kernels.gemm.splitk import StreamKConfig, matmul_stream_k, reference  # noqa: E402
from tlx_kernels.gemm.splitk.naive import matmul_split_k_naive  # noqa: E402


def integers(m, n, k, device, dtype=torch.bfloat16):
    """A, and B with contiguous columns; every product is exact."""
    generator = torch.Generator().manual_seed(m + n + k)
    draw = [torch.randint(-3, 4, size, generator=generator).to(device, dtype) for size in [(m, k), (n, k)]]
    return draw[0], draw[1].T


def check_exact(a, b, **options):
    """C is exact, and the columns on either side of it are not written."""
    m, n = a.shape[0], b.shape[1]
    buffer = torch.full((m, n + 8), 7, dtype=a.dtype, device=a.device)
    buffer[:, 4:-4] = float("nan")
    matmul_stream_k(a, b, out=buffer[:, 4:-4], **options)
    assert torch.equal(buffer[:, 4:-4], reference(a, b).to(a.dtype))
    assert (buffer[:, :4] == 7).all()
    assert (buffer[:, -4:] == 7).all()


@pytest.mark.parametrize("programs", [1, 3, 11, 100])
def test_steps_of_two_tiles_for_any_number_of_programs(device, programs):
    """14 steps: a program for all, 5 and 5 and 4 of them, 2 or 1 for each, 1 for each of 14."""
    config = StreamKConfig(block_m=64, block_n=32, block_k=64, stages=2, consumers=1, programs=programs)
    check_exact(*integers(100, 30, 64 * 7 - 8, device), config=config)


@pytest.mark.parametrize("turned", ["A", "B", "neither"])
def test_layouts(device, turned):
    a, b = integers(136, 72, 200, device, torch.float16)
    a = a.T.contiguous().T if turned == "A" else a
    b = b if turned == "B" else b.contiguous()
    check_exact(a, b, config=StreamKConfig(block_m=128, block_n=64, stages=2, consumers=2, programs=5))


@pytest.mark.parametrize("shape", [(1, 1, 8), (130, 70, 1032), (0, 8, 8), (8, 0, 8), (8, 8, 0)], ids=str)
def test_the_default_configuration(device, shape):
    a, b = integers(*shape, device)
    assert torch.equal(matmul_stream_k(a, b), reference(a, b).to(a.dtype))


def test_random_data(device, rng):
    """Close to float64, and the same bits again, whichever program was last to finish a tile."""
    a, b = (torch.from_numpy(rng.standard_normal(s)).to(device, torch.bfloat16) for s in [(70, 520), (520, 64)])
    config = StreamKConfig(block_m=64, block_n=64, block_k=64, stages=3, consumers=1, programs=7)
    c = matmul_stream_k(a, b, config=config, out_dtype=torch.float32)
    assert torch.allclose(c.double(), reference(a, b), rtol=1e-5, atol=1e-4)
    for _ in range(3):
        assert torch.equal(matmul_stream_k(a, b, config=config, out_dtype=torch.float32), c)


def test_naive_twin(device):
    a, b = integers(70, 40, 600, device, torch.float16)
    c = matmul_split_k_naive(a, b, torch.full((70, 40), float("nan"), device=device), (64, 32, 64))
    assert torch.equal(c.double(), reference(a, b))


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(512, 512, 16384), (256, 1024, 8192), (128, 128, 65536), (1000, 520, 5000)], ids=str)
def test_few_tiles_and_long_k(shape):
    a, b = integers(*shape, "cuda")
    for _ in range(20):
        assert torch.equal(matmul_stream_k(a, b, out_dtype=torch.float32).double(), reference(a, b))


@pytest.mark.gpu
def test_streams_and_graphs_side_by_side():
    """Each stream and each captured launch counts for itself."""
    operands = [integers(200, 160, 4096 + 64 * i, "cuda") for i in range(4)]
    expected = [reference(a, b) for a, b in operands]
    outputs = [torch.empty((200, 160), device="cuda") for _ in operands]
    matmul_stream_k(*operands[0], out=outputs[0])
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for (a, b), out in zip(operands[:2], outputs[:2]):
            matmul_stream_k(a, b, out=out)
    streams = [torch.cuda.Stream() for _ in operands[2:]]
    for stream in streams:
        stream.wait_stream(torch.cuda.current_stream())
    for _ in range(50):
        graph.replay()
        for stream, (a, b), out in zip(streams, operands[2:], outputs[2:]):
            with torch.cuda.stream(stream):
                matmul_stream_k(a, b, out=out)
    torch.cuda.synchronize()
    assert all(torch.equal(c.double(), e) for c, e in zip(outputs, expected))


# --- arguments -------------------------------------------------------------------------------------------------------


def zeros(*shape, dtype=torch.float16):
    return torch.zeros(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (zeros(2, 8), zeros(4, 8), {}, "2x8 @ 4x8 do not multiply"),
        (zeros(2, 8), zeros(8, 8).bfloat16(), {}, "A is torch.float16 and B is torch.bfloat16"),
        (zeros(2, 9), zeros(9, 8), {}, "TMA cannot read A: its row stride is 18 B"),
        (zeros(2, 8), zeros(8, 9), {}, "TMA cannot read B: its row stride is 18 B"),
        (zeros(2, 8), zeros(8, 8), {"out": zeros(2, 9)}, "out is 2x9 on cpu, C 2x8 on cpu"),
        (zeros(2, 8), zeros(8, 8), {"out": zeros(1, 8).expand(2, 8)}, "elements of out share memory"),
        (zeros(2, 128), zeros(128, 8), {"config": StreamKConfig(stages=1)}, "1 stage with K = 128 in steps of 64"),
    ],
)
def test_arguments_that_make_no_sense(device, a, b, options, message):
    with pytest.raises(ArgumentError) as error:
        matmul_stream_k(a, b, **options)
    assert message in str(error.value)
