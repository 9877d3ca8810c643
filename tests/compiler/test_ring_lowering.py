"""A GEMM over `tlx.ring` is the GEMM with barriers, slots and phases written by hand, op for op."""

import re
from collections import Counter

import pytest

import tlx
from tests.kernels.test_gemm_compile import compile_ws
from tests.language import ring_uses
from tests.language.gemm_by_hand import gemm_by_hand
from tests.language.ring_gemm import ring_gemm
from tlx_kernels.gemm import GemmConfig
from tlx_kernels.gemm.ws import gemm_ws

OP = re.compile(r"\b((?:tt|ttg|ttng|scf|arith|gpu|nvvm)\.[a-z_.]+)(?![a-z_.]*[<=])")
RINGS_OPS = (
    "ttng.init_barrier",
    "ttng.wait_barrier",
    "ttng.arrive_barrier",
    "ttng.barrier_expect",
    "ttg.memdesc_index",
)


def ops(ttgir: str) -> Counter:
    """How often each op stands in the module, without locations."""
    lines = [re.sub(r"loc\(.*", "", line) for line in ttgir.splitlines() if not line.startswith("#")]
    return Counter(op for line in lines for op in OP.findall(line))


def by_hand(config: GemmConfig, **flags) -> Counter:
    return ops(compile_ws(config, kernel=gemm_by_hand, **flags).asm["ttgir"])


def with_ring(config: GemmConfig) -> Counter:
    rows = config.consumer_rows
    blocks = {"a": (rows, config.block_k), "b": (config.block_k, config.block_n), "c": (rows, config.block_n)}
    signature = {name: f"tensordesc<bf16{list(block)}>" for name, block in blocks.items()}
    constexprs = {
        "BLOCK_M": config.block_m,
        "BLOCK_N": config.block_n,
        "BLOCK_K": config.block_k,
        "STAGES": config.stages,
        "CONSUMERS": config.consumers,
        "GROUP_M": config.group_m,
    }
    sizes = {"M": "i32", "N": "i32", "K": "i32"}
    return ops(tlx.compile(ring_gemm, signature | sizes, constexprs).asm["ttgir"])


def config(stages: int, consumers: int) -> GemmConfig:
    return GemmConfig(block_m=64 * consumers, block_n=64, block_k=64, stages=stages, consumers=consumers)


@pytest.mark.parametrize("stages", [1, 3, 4])
@pytest.mark.parametrize("consumers", [1, 2])
def test_the_ops_are_those_written_by_hand(stages, consumers):
    found = with_ring(config(stages, consumers))
    assert found == by_hand(config(stages, consumers))
    assert all(found[op] for op in RINGS_OPS)


@pytest.mark.parametrize("a_trans", [False, True])
@pytest.mark.parametrize("b_trans", [False, True])
@pytest.mark.parametrize("c_tma", [False, True])
def test_the_library_kernel_is_the_one_written_by_hand(a_trans, b_trans, c_tma):
    flags = {"a_trans": a_trans, "b_trans": b_trans, "c_tma": c_tma}
    assert ops(compile_ws(config(3, 2), **flags).asm["ttgir"]) == by_hand(config(3, 2), **flags)


def test_the_default_needs_the_same_shared_memory():
    ring, hand = (compile_ws(GemmConfig(), kernel=kernel) for kernel in (gemm_ws, gemm_by_hand))
    assert ring.metadata.shared == hand.metadata.shared


def test_the_comparison_sees_a_difference():
    assert with_ring(config(3, 2)) != by_hand(config(3, 1))


def test_buffers_and_barriers_have_names_of_their_own():
    ttgir = ring_uses.CASES[0].compiled().asm["ttgir"]
    assert [name for name in ("block", "full", "empty") if f'loc("ring.{name}"' in ttgir] == ["block", "full", "empty"]
