"""What the matrix product compiles to on this Triton for sm_90. Needs neither torch nor a GPU."""

import re
import subprocess

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler import ASTSource

import tlx
from tlx_kernels.gemm import GemmConfig
from tlx_kernels.gemm.mixed import gemm_mixed
from tlx_kernels.gemm.naive import gemm_naive
from tlx_kernels.gemm.ws import gemm_ws

SIZES = {name: "i32" for name in ["M", "N", "K"]}


def descriptor(dtype, *block):
    return f"tensordesc<{dtype}{list(block)}>"


def compile_ws(config, dtype="bf16", a_trans=False, b_trans=False, c_tma=True, kernel=gemm_ws):
    rows, columns, depth = config.consumer_rows, config.block_n, config.block_k
    signature = {
        "a": descriptor(dtype, *((depth, rows) if a_trans else (rows, depth))),
        "b": descriptor(dtype, *((columns, depth) if b_trans else (depth, columns))),
        "c": descriptor(dtype, rows, columns) if c_tma else f"*{dtype}",
        **SIZES,
        "stride_cm": "i32",
        "stride_cn": "i32",
    }
    constexprs = {
        "BLOCK_M": config.block_m,
        "BLOCK_N": columns,
        "BLOCK_K": depth,
        "STAGES": config.stages,
        "CONSUMERS": config.consumers,
        "GROUP_M": config.group_m,
        "A_TRANS": a_trans,
        "B_TRANS": b_trans,
        "C_TMA": c_tma,
    }
    return tlx.compile(kernel, signature, constexprs)


def loops_with(ttgir, op):
    """The bodies of the innermost loops that hold the op."""
    lines, bodies = ttgir.splitlines(), []
    for start, line in enumerate(lines):
        if "scf.for" not in line:
            continue
        indent = len(line) - len(line.lstrip())
        end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith(" " * indent + "}"))
        body = "\n".join(lines[start + 1 : end])
        if op in body and "scf.for" not in body:
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


def test_hot_loop_of_the_default(tmp_path):
    config = GemmConfig()
    kernel = compile_ws(config)
    loops = loops_with(kernel.asm["ttgir"], "ttng.warp_group_dot ")
    assert len(loops) == config.consumers
    for loop in loops:
        assert loop.count("ttng.warp_group_dot ") == 1
        assert "convert_layout" not in loop
        assert re.findall(r"warp_group_dot_wait .*pendings = (\d+)", loop) == ["1"]  # the kernel's own wait, no other
    report = ptxas(kernel, tmp_path)
    assert "0 bytes spill stores, 0 bytes spill loads" in report
    assert not re.search("serializ|C75", report, re.IGNORECASE), report
    assert kernel.metadata.shared >= config.shared_bytes(out_itemsize=2)
    assert kernel.metadata.shared <= config.shared_bytes(out_itemsize=2) + 4096  # alignment, and the compiler's scratch


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
@pytest.mark.parametrize("a_trans", [False, True])
@pytest.mark.parametrize("b_trans", [False, True])
@pytest.mark.parametrize("c_tma", [False, True])
def test_every_variant(dtype, a_trans, b_trans, c_tma):
    config = GemmConfig(block_m=128, block_n=128, block_k=64, stages=2, consumers=2)
    ttgir = compile_ws(config, dtype, a_trans, b_trans, c_tma).asm["ttgir"]
    assert ttgir.count("ttng.async_tma_copy_global_to_local") == 3  # A for each consumer, and B
    assert ttgir.count("ttng.async_tma_copy_local_to_global") == (2 if c_tma else 0)
    assert ttgir.count("tt.store") == (0 if c_tma else 2)
    for loop in loops_with(ttgir, "ttng.warp_group_dot "):
        assert "convert_layout" not in loop


BLOCKS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}
STRIDES = {name: "i32" for name in ["stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm", "stride_cn"]}


def compile_stock(fn, signature, constexprs):
    signature = {name: "constexpr" if name in constexprs else signature[name] for name in fn.arg_names}
    source = ASTSource(fn, signature, constexprs)
    options = {"num_warps": 8, "enable_fp_fusion": True}
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options).asm["ttgir"]


def test_naive_twin():
    pointers = {"a_ptr": "*bf16", "b_ptr": "*bf16", "c_ptr": "*bf16"}
    ttgir = compile_stock(gemm_naive, {**pointers, **SIZES, **STRIDES}, BLOCKS)
    assert "ttng.warp_group_dot " in ttgir
    assert "async_tma_copy" not in ttgir


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ((True, False), (False, False), False),
        ((False, False), (True, True), True),
        ((True, True), (False, False), True),
        ((False, False), (True, False), False),
        ((False, False), (False, False), False),
    ],
)
def test_mixed_paths(a, b, c):
    (a_tma, a_trans), (b_tma, b_trans) = a, b
    signature = {
        "a": descriptor("fp16", *((64, 128) if a_trans else (128, 64))) if a_tma else "*fp16",
        "b": descriptor("fp16", *((128, 64) if b_trans else (64, 128))) if b_tma else "*fp16",
        "c": descriptor("fp16", 128, 128) if c else "*fp16",
    }
    flags = {"A_TMA": a_tma, "A_TRANS": a_trans, "B_TMA": b_tma, "B_TRANS": b_trans, "C_TMA": c}
    ttgir = compile_stock(gemm_mixed, {**signature, **SIZES, **STRIDES}, {**BLOCKS, **flags})
    assert ("async_tma_copy_global_to_local" in ttgir) == (a_tma or b_tma)
    assert ("async_tma_copy_local_to_global" in ttgir) == c
    assert "ttng.warp_group_dot " in ttgir
