"""Tiles, their cost in shared memory, and the choice by shape. Needs neither torch nor a GPU."""

import pytest

from tlx_kernels.errors import ArgumentError
from tlx_kernels.gemm import GemmConfig, default_config

H200 = {"sms": 132, "shared_limit": 232_448}


def test_shared_memory_of_the_default():
    config = GemmConfig()
    assert config.stage_bytes == 49_152  # (128 + 256) * 64 * 2
    assert config.shared_bytes(out_itemsize=2) == 3 * 49_152 + 65_536 + 3 * 16
    assert config.shared_bytes(out_itemsize=0) == 3 * 49_152 + 3 * 16


@pytest.mark.parametrize(("out_itemsize", "stages"), [(2, 3), (4, 2), (0, 4)])
def test_as_many_stages_as_fit(out_itemsize, stages):
    config = GemmConfig(stages=1).fitted(out_itemsize, 232_448)
    assert config.stages == stages
    assert config.shared_bytes(out_itemsize) <= 232_448


@pytest.mark.parametrize(
    ("m", "n", "tile"),
    [
        (8192, 8192, (128, 256)),
        (4096, 4096, (128, 256)),
        (4096, 512, (128, 128)),  # 64 tiles of 128x256 leave half of 132 multiprocessors idle
        (512, 512, (128, 64)),
        (64, 8192, (64, 64)),
        (8192, 70, (128, 64)),
        (1, 1, (64, 64)),
    ],
)
def test_choice_by_shape(m, n, tile):
    config = default_config(m, n, out_itemsize=2, **H200)
    assert (config.block_m, config.block_n) == tile
    assert config.shared_bytes(2) <= H200["shared_limit"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": 0}, "stages is 0"),
        ({"block_n": 512}, "block_n is 512"),
        ({"block_k": 48}, "block_k is 48"),
        ({"block_m": 96, "consumers": 1}, "block_m / consumers is 96"),
        ({"block_m": 64, "consumers": 2}, "2 consumers cannot share block_m = 64"),
    ],
)
def test_illegal_tiles(options, message):
    with pytest.raises(ArgumentError, match=message):
        GemmConfig(**options)
