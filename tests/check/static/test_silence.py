"""No false alarms: right kernels of every front end, and how long reading one takes."""

import time

import pytest
import triton.experimental.gluon.language as gl

from tests.compiler.lowering import lowered_late
from tests.ir import gluon_samples, triton_samples
from tests.ir.triton_lowering import lower
from tests.kernels.test_gemm_compile import compile_ws
from tests.language.test_cases import CASES
from tests.sim.gluon_kernels import FAULTLESS
from tests.sim.gluon_kernels import gemm as gluon_gemm
from tlx.check.static import check_module
from tlx.ir import parse
from tlx_kernels.gemm import GemmConfig

SAMPLES = {**triton_samples.SAMPLES, **gluon_samples.SAMPLES}
UNDECIDED = {
    word: "TLX-S007" for word in ("`while`", "predicate false", "stores fenced by each thread", "a ring in one task")
}
"""Language cases, by a word of their name, with the rule that reading leaves open."""


def findings(ttgir: str):
    return check_module(parse(lowered_late(ttgir)))


@pytest.mark.parametrize("c_tma", [False, True])
@pytest.mark.parametrize("a_trans", [False, True])
@pytest.mark.parametrize("consumers", [1, 2])
def test_the_gemm(consumers, a_trans, c_tma):
    config = GemmConfig(block_m=64 * consumers, block_n=64, block_k=64, stages=3, consumers=consumers)
    assert findings(compile_ws(config, a_trans=a_trans, c_tma=c_tma).asm["ttgir"]) == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_language_cases(case):
    open_rules = [rule for word, rule in UNDECIDED.items() if word in case.name]
    if "ctas_per_cga" in case.options:  # barriers that other CTAs signal are left to the run
        open_rules.append("TLX-S010")
    found = findings(case.compiled().asm["ttgir"])
    assert [finding for finding in found if finding.severity != "note"] == []
    assert all(any(rule in finding.message for rule in open_rules) for finding in found), found


@pytest.mark.parametrize("name", SAMPLES)
def test_stock_kernels(name):
    """Pipelined loops, `tl.range(warp_specialize=True)`, descriptors made by the kernel, a ring in Gluon."""
    assert findings(lower(*SAMPLES[name])["ttgir"]) == []


LAYOUT = repr(gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2))
TILE = f"tensordesc<fp16[64, 64],{LAYOUT}>"
SIGNATURE = {"a_desc": TILE, "b_desc": TILE, "c_desc": TILE, "M": "i32", "N": "i32", "K": "i32"}


def gluon_findings(**faults) -> list[str]:
    text = lower(gluon_gemm, SIGNATURE, {**FAULTLESS, "STAGES": 2, **faults}, {})["ttgir"]
    return [finding.id for finding in findings(text)]


@pytest.mark.parametrize(
    ("faults", "rules"),
    [
        ({}, []),
        ({"EMPTY_COUNT": 2}, ["TLX-S006"]),
        ({"FIRST_PARITY": 0}, ["TLX-S011"]),
        ({"EXTRA_BYTES": 1024}, ["TLX-S005"]),
        ({"EXTRA_BYTES": -1024}, ["TLX-S005"]),
        ({"WAIT_MMA": False}, ["TLX-S008"]),
        ({"WAIT_STORE": False}, ["TLX-S014"]),
        ({"WAIT_FULL": False}, ["TLX-S013"]),
    ],
    ids=str,
)
def test_the_gluon_gemm_and_its_faults(faults, rules):
    assert gluon_findings(**faults) == rules


def test_reading_the_default_gemm_takes_less_than_a_second():
    text = lowered_late(compile_ws(GemmConfig()).asm["ttgir"])
    start = time.perf_counter()
    assert check_module(parse(text)) == []
    assert time.perf_counter() - start < 1
