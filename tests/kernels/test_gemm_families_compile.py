"""What the GEMM families compile to on this Triton for sm_90. Needs neither torch nor a GPU."""

import re
import subprocess

import pytest
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas

from tlx.compiler.jit import TLXSource, compile_source
from tlx_kernels.gemm.blockscaled import BlockScaledConfig
from tlx_kernels.gemm.blockscaled.ws import blockscaled_ws
from tlx_kernels.gemm.grouped import GroupedConfig
from tlx_kernels.gemm.grouped.ws import grouped_ws
from tlx_kernels.gemm.skinny import default_config as skinny_config
from tlx_kernels.gemm.splitk import default_config as stream_k_config
from tlx_kernels.gemm.splitk.ws import streamk_ws

SHARED = 232_448


def compiled(fn, arguments, *, sixteens):
    """The kernel for these arguments, types as texts and values as they are; `sixteens` are multiples of 16."""
    types = {name: value if isinstance(value, str) else "constexpr" for name, value in arguments.items()}
    constants = {name: value for name, value in arguments.items() if not isinstance(value, str)}
    hints = {(list(types).index(name),): [["tt.divisibility", 16]] for name in sixteens.split()}
    source = TLXSource(fn, types, constants, hints)
    return compile_source(source, GPUTarget("cuda", 90, 32), dict(fn.launch_defaults))


def block(dtype, *shape):
    return f"tensordesc<{dtype}{list(shape)}>"


def grouped(config, groups, *, b_trans=True):
    rows, n, k = config.consumer_rows, config.block_n, config.block_k
    arguments = {
        **{"a": block("bf16", rows, k), "b": block("bf16", 1, *((n, k) if b_trans else (k, n)))},
        **{"c": "*bf16", "c_blocks": block("bf16", rows, n), "ends": "*i32", "GROUP_COUNT": "i32"},
        **{"M": "i32", "N": "i32", "K": "i32", "stride_cm": "i32", "stride_cn": 1, "GROUPS": groups},
        **{"BLOCK_M": config.block_m, "BLOCK_N": n, "BLOCK_K": k, "STAGES": config.stages},
        **{"CONSUMERS": config.consumers, "GROUP_M": 8, "A_TRANS": False, "B_TRANS": b_trans, "C_TMA": True},
    }
    return compiled(grouped_ws, arguments, sixteens="c ends N K stride_cm")


def stream_k(config, *, turned=False):
    """`turned`: C is the transpose of a tensor with contiguous rows, as in the skinny product."""
    rows, n, k = config.consumer_rows, config.block_n, config.block_k
    arguments = {
        **{"a": block("bf16", rows, k), "b": block("bf16", n, k), "c": "*bf16", "parts": "*fp32", "arrived": "*i32"},
        **{"M": "i32", "N": "i32", "K": "i32"},
        **({"stride_cm": 1, "stride_cn": "i32"} if turned else {"stride_cm": "i32", "stride_cn": 1}),
        **{"BLOCK_M": config.block_m, "BLOCK_N": n, "BLOCK_K": k, "STAGES": config.stages},
        **{"CONSUMERS": config.consumers, "A_TRANS": False, "B_TRANS": True},
    }
    return compiled(streamk_ws, arguments, sixteens=f"c parts arrived M K {'stride_cn' if turned else 'stride_cm'}")


def block_scaled(config):
    rows, n = config.block_m // config.consumers, config.block_n
    arguments = {
        **{"a": block("fp8e4nv", rows, 128), "b": block("fp8e4nv", n, 128), "c": block("bf16", rows, n)},
        **{"a_scales": "*fp32", "b_scales": "*fp32", "M": "i32", "N": "i32", "K": "i32"},
        **{"stride_cm": "i32", "stride_cn": 1, "stride_am": "i32", "stride_ak": 1, "stride_bn": "i32", "stride_bk": 1},
        **{"BLOCK_M": config.block_m, "BLOCK_N": n, "STAGES": config.stages, "CONSUMERS": config.consumers},
        **{"GROUP_M": 8, "C_TMA": True},
    }
    return compiled(blockscaled_ws, arguments, sixteens="a_scales b_scales N K stride_cm")


def hot_loops(ttgir):
    """The bodies of the loops that multiply."""
    lines, bodies = ttgir.splitlines(), []
    for start, line in enumerate(lines):
        if "scf.for" not in line:
            continue
        indent = len(line) - len(line.lstrip())
        end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith(" " * indent + "}"))
        body = "\n".join(lines[start + 1 : end])
        if "ttng.warp_group_dot " in body and "scf.for" not in body:
            bodies.append(body)
    return bodies


def ptxas(kernel, folder):
    """What ptxas says of the kernel's PTX."""
    source = folder / "kernel.ptx"
    source.write_text(kernel.asm["ptx"])
    command = [get_ptxas(90).path, "-v", "--gpu-name=sm_90a", source, "-o", folder / "kernel.cubin"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    return answer.stderr


GROUPED = GroupedConfig()
SKINNY = skinny_config(16, shared_limit=SHARED)
STREAM_K = stream_k_config(512, 512, shared_limit=SHARED)
BLOCK_SCALED = BlockScaledConfig()
THREE = BlockScaledConfig(block_m=192, stages=4, consumers=3)


@pytest.mark.parametrize(
    ("compile", "config", "mma", "pending"),
    [
        (lambda: grouped(GROUPED, 128), GROUPED, "m64n256k16.f32.bf16.bf16", "1"),
        (lambda: stream_k(SKINNY, turned=True), SKINNY, "m64n16k16.f32.bf16.bf16", "1"),
        (lambda: stream_k(STREAM_K), STREAM_K, "m64n128k16.f32.bf16.bf16", "1"),
        (lambda: block_scaled(BLOCK_SCALED), BLOCK_SCALED, "m64n128k32.f32.e4m3.e4m3", "0"),
        pytest.param(lambda: block_scaled(THREE), THREE, "m64n128k32.f32.e4m3.e4m3", "0", marks=pytest.mark.thorough),
    ],
    ids=["grouped", "skinny", "stream-k", "block-scaled", "block-scaled, 3 consumers"],
)
def test_hot_loops(compile, config, mma, pending, tmp_path):
    kernel = compile()
    loops = hot_loops(kernel.asm["ttgir"])
    assert len(loops) == config.consumers
    for loop in loops:
        assert loop.count("ttng.warp_group_dot ") == 1
        assert "convert_layout" not in loop
        assert "fence" not in loop
        assert re.findall(r"warp_group_dot_wait .*pendings = (\d+)", loop) == [pending]  # the kernel's own, no other
    assert set(re.findall(r"wgmma\.mma_async\.sync\.aligned\.(\S+)", kernel.asm["ptx"])) == {mma}
    report = ptxas(kernel, tmp_path)
    assert "0 bytes spill stores, 0 bytes spill loads" in report
    assert not re.search("serializ|C75", report, re.IGNORECASE), report
    assert kernel.metadata.shared <= SHARED


def test_rows_of_a_ragged_tile_are_stored_16_bytes_at_a_time_at_64_bit_offsets():
    kernel = grouped(GroupedConfig(block_n=64), 8, b_trans=False)
    assert set(re.findall(r"st\.global\S*", kernel.asm["ptx"])) == {"st.global.v4.b32"}
    offsets = [line for line in kernel.asm["ttgir"].splitlines() if "tt.addptr" in line and "xi64" in line]
    assert len(offsets) >= 2
    assert kernel.asm["ttgir"].count("ttng.async_tma_copy_local_to_global") == 2


def test_parts_are_stored_before_they_are_counted():
    """All threads of the task meet between their stores of a part and the addition that releases it."""
    kernel = stream_k(SKINNY, turned=True)
    before, after = kernel.asm["ptx"].split("atom.global.gpu.acq_rel.add.u32")
    assert re.search(r"st\.global.*bar(rier)?\.sync[^\n]*\n", before[before.rindex("st.global") :], re.DOTALL)
    assert set(re.findall(r"ld\.(?:global|\w+\.global)\S*", after)) == {"ld.global.cg.v4.b32"}
