"""How many programs share the steps of all tiles."""

import pytest

from tlx_kernels.errors import ArgumentError
from tlx_kernels.gemm.splitk import StreamKConfig, default_config, pays, spread

SHARED = 232_448


@pytest.mark.parametrize(
    ("tiles", "steps", "programs"),
    [
        (16, 256, 128),  # 8 parts of each tile rather than 132 programs with uneven parts
        (32, 64, 128),
        (50, 64, 132),  # 100 would leave a quarter idle
        (224, 64, 132),  # 112 would leave a seventh idle
        (256, 64, 128),  # two whole tiles each
        (1, 3, 1),  # less than LEAST_STEPS for a second program
        (2, 8, 4),
    ],
)
def test_programs(tiles, steps, programs):
    assert spread(tiles, steps, 132) == programs


def test_default_tiles():
    assert default_config(512, 512, shared_limit=SHARED) == StreamKConfig(128, 128, 64, 5, 2)
    assert default_config(40, 30, shared_limit=SHARED) == StreamKConfig(64, 32, 64, 12, 1)


def test_where_it_pays():
    assert pays(512, 512, 16384, 132)
    assert not pays(512, 512, 1024, 132)  # little to share
    assert not pays(2048, 2048, 16384, 132)  # tiles enough


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"block_n": 4}, "block_n is 4"),
        ({"programs": 0}, "programs is 0"),
        ({"block_m": 64}, "2 consumers cannot share block_m = 64"),
    ],
)
def test_configurations_that_no_kernel_takes(fields, message):
    with pytest.raises(ArgumentError, match=message):
        StreamKConfig(**fields)
