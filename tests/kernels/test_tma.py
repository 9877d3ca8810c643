"""Which 2-D tensors TMA may reach, and what is said about the others."""

import pytest

torch = pytest.importorskip("torch")

from tlx_kernels.tma import Extent, describe, path_of  # noqa: E402


def matrix(rows, columns, strides, offset=0):
    return torch.empty(4096, dtype=torch.bfloat16).as_strided((rows, columns), strides, offset)


@pytest.mark.parametrize(
    ("tensor", "transposed"),
    [
        (matrix(4, 16, (16, 1)), False),
        (matrix(4, 3, (8, 1)), False),
        (matrix(16, 4, (1, 16)), True),
        (matrix(1, 7, (7, 1)), False),  # a single row has no distance between rows
        (matrix(7, 1, (1, 1)), True),  # a single column is a single row of the transpose
        (matrix(1, 1, (5, 3)), False),
        (matrix(4, 16, (16, 1), offset=8), False),
    ],
)
def test_tma(tensor, transposed):
    path = path_of(Extent.of(tensor))
    assert (str(path), path.transposed, path.reason) == ("TMA", transposed, "")


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (matrix(4, 9, (9, 1)), "its row stride is 18 B, not a positive multiple of 16"),
        (matrix(4, 16, (0, 1)), "its row stride is 0 B, not a positive multiple of 16"),
        (matrix(4, 16, (16, 1), offset=1), "its base lies 2 B past a multiple of 16"),
        (matrix(4, 8, (32, 2)), "its rows are not contiguous: strides (32, 2)"),
        (matrix(9, 4, (1, 9)), "its column stride is 18 B, not a positive multiple of 16"),
    ],
)
def test_pointer(tensor, reason):
    path = path_of(Extent.of(tensor))
    assert (str(path), path.reason) == ("pointer", reason)


def test_an_output_is_not_transposed():
    path = path_of(Extent.of(matrix(16, 4, (1, 16))), may_transpose=False)
    assert (str(path), path.reason) == ("pointer", "its rows are not contiguous: strides (1, 16)")


def test_an_output_has_rows_of_whole_16_bytes():
    extent = Extent.of(matrix(4, 12, (16, 1)))
    assert path_of(extent).tma
    path = path_of(extent, written=True)
    assert (str(path), path.reason) == ("pointer", "its rows are 24 B, and a TMA store writes whole multiples of 16")


def test_descriptor_of_a_transposed_operand():
    tensor = matrix(16, 4, (1, 24))
    descriptor = describe(tensor, path_of(Extent.of(tensor)), (64, 128))
    assert (descriptor.shape, descriptor.strides, descriptor.block_shape) == ([4, 16], [24, 1], [128, 64])


def test_descriptor_of_a_single_row():
    tensor = matrix(1, 7, (7, 1))
    assert describe(tensor, path_of(Extent.of(tensor)), (64, 64)).strides == [8, 1]
