"""Real TTIR and TTGIR texts, lowered by the Triton that is installed."""

import pytest

from tests.ir import gluon_samples, triton_samples
from tests.ir.triton_lowering import lower

SAMPLES = {**triton_samples.SAMPLES, **gluon_samples.SAMPLES}


@pytest.fixture(scope="session")
def texts() -> dict[str, dict[str, str]]:
    """The texts of each sample kernel by stage: `texts["ring"]["ttgir"]`."""
    return {name: lower(*sample) for name, sample in SAMPLES.items()}


@pytest.fixture(params=[*SAMPLES])
def sample(request, texts):
    """The texts of one sample kernel by stage, and the options it was lowered with."""
    return texts[request.param], SAMPLES[request.param][-1]
