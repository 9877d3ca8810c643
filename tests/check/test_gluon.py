"""A Gluon GEMM, right and broken, checked as it is launched and from a file of its TTGIR."""

import numpy as np
import pytest

from tests.sim.conftest import descriptor, operands
from tests.sim.gluon_kernels import FAULTLESS, gemm
from tlx.check import checking
from tlx.check.subjects import check_file

SEEDS = range(20)
M, N, K = 128, 64, 320


def run(**faults):
    """The compiled kernel, after a launch of two tiles and five steps of K."""
    a, b = operands(M, N, K)
    c = np.full((M, N), 7, np.float16)
    tiles = [descriptor(values, (64, 64)) for values in (a, b, c)]
    return gemm[(1,)](*tiles, M, N, K, STAGES=2, num_warps=4, **FAULTLESS | faults)


def dynamic(findings) -> set[str]:
    return {finding.rule.name for finding in findings if finding.id.startswith("TLX-R")}


FAULTS = {
    "arrive count of two": (dict(EMPTY_COUNT=2), {"deadlock"}),
    "first parity": (dict(FIRST_PARITY=0), {"deadlock"}),
    "too many bytes": (dict(EXTRA_BYTES=16_384), {"deadlock"}),
    "too few bytes": (dict(EXTRA_BYTES=-8_192), {"early-arrival", "race-read-write"}),
    "no wait for the MMA": (dict(WAIT_MMA=False), {"result-used-early", "race-read-write", "engine-in-flight"}),
    "no wait for the store": (dict(WAIT_STORE=False), {"engine-in-flight"}),
    "no wait for the data": (dict(WAIT_FULL=False), {"race-read-write"}),
    "early release": (dict(EARLY_RELEASE=True), {"race-read-write"}),
}


def test_the_right_gemm_is_clean():
    with checking(schedules=len(SEEDS)) as checker:
        run()
    assert dynamic(checker.findings) == set()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_in_every_schedule(fault):
    setup, expected = FAULTS[fault]
    for seed in SEEDS:
        with checking(seed=seed, schedules=1) as checker:
            run(**setup)
        assert expected <= dynamic(checker.findings)


ARGUMENTS = ["a_desc=fp16[128,320]", "b_desc=fp16[320,64]", "c_desc=fp16[128,64]", "M=128", "N=64", "K=320"]


@pytest.mark.parametrize("early", [False, True])
def test_from_a_file_of_ttgir(tmp_path, early):
    with checking(schedules=1):
        kernel = run(EARLY_RELEASE=early)
    path = tmp_path / "gemm.ttgir"
    path.write_text(kernel.asm["ttgir"])
    findings = check_file(str(path), ARGUMENTS, (1,), range(3))
    assert dynamic(findings) == ({"race-read-write"} if early else set())
    for finding in findings:
        assert finding.seeds in ((), (0, 1, 2))
    # Without arguments it is only read.
    assert dynamic(check_file(str(path), [], (1,), range(3))) == set()
