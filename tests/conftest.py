"""What all tests share: which of them run where, seeded data, and the two backends."""

import importlib.util

import numpy as np
import pytest


def _gpu_is_there() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available() and torch.cuda.get_device_capability() >= (9, 0)


def pytest_collection_modifyitems(config, items):
    """Skips `gpu` tests without a GPU, and `slow` tests unless -m names them."""
    skips = {}
    if not _gpu_is_there():
        skips["gpu"] = pytest.mark.skip(reason="needs a GPU")
    if "slow" not in config.getoption("markexpr"):
        skips["slow"] = pytest.mark.skip(reason="slow; run with -m slow")
    for item in items:
        for name, skip in skips.items():
            if item.get_closest_marker(name):
                item.add_marker(skip)


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(0)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    """The torch device of a test's tensors: "cpu", where launches are simulated, and "cuda"."""
    if request.param == "cuda":
        yield request.param
        return
    from tlx.sim import simulating

    with simulating():
        yield request.param
