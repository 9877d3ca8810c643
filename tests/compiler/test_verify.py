"""What is refused after the passes, because stock Triton would get it wrong."""

import pytest
import triton.language as tl
from triton._C.libtriton import ir
from triton.compiler.compiler import make_backend

import tlx
from tests.compiler.lowering import TARGET, lower
from tlx.compiler.verify import check_lowered
from tlx.compiler.versions import FOLLOWS_SELECTED_VIEWS
from tlx.errors import InvalidBuffer, UseBeforeWait


@tlx.jit
def either_slot(y, n, N: tl.constexpr):
    ring = tlx.local_alloc((N,), tl.float32, 2)
    first = ring[0]
    second = ring[1]
    tlx.local_store(first, tl.load(y + tl.arange(0, N)))
    tlx.local_store(second, tl.load(y + tl.arange(0, N)))
    chosen = first
    if n > 3:  # <- error
        chosen = second
    tl.store(y + tl.arange(0, N), tlx.local_load(chosen))


def test_a_branch_between_two_views():
    """Until 3.7 the alias analysis aborts the process's compilation without a word about the kernel."""
    signature, constexprs = {"y": "*fp32", "n": "i32"}, {"N": 128}
    if FOLLOWS_SELECTED_VIEWS:
        assert "arith.select" in tlx.compile(either_slot, signature, constexprs).asm["ttgir"]
        return
    with pytest.raises(InvalidBuffer, match="from 3.8 on") as caught:
        tlx.compile(either_slot, signature, constexprs)
    assert "# <- error" in caught.value.location.source_line()


@tlx.jit
def product(a_ptr, y, N: tl.constexpr):
    a = tlx.local_alloc((64, 64), tl.float16, 1)
    b = tlx.local_alloc((64, N), tl.float16, 1)
    acc = tlx.async_dot(a[0], b[0])
    i, j = tl.arange(0, 64), tl.arange(0, N)
    tl.store(y + i[:, None] * N + j[None, :], tlx.async_dot_wait(0, acc))


def parse(text: str, path):
    context = ir.context()
    ir.load_dialects(context)
    make_backend(TARGET).load_dialects(context)
    path.write_text(text)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    return module


def test_a_conversion_left_before_the_wait(tmp_path):
    """No pass is known to leave one; if one did, the registers would be read unfinished, in silence."""
    text = lower(product, {"a_ptr": "*fp16", "y": "*fp32"}, {"N": 64})
    check_lowered(parse(text, tmp_path / "right.ttgir"))
    lines = text.split("\n")
    (wait,) = [i for i, line in enumerate(lines) if "ttng.warp_group_dot_wait" in line]
    value = lines[wait].split("ttng.warp_group_dot_wait ")[1].split(" ")[0]
    kind = "tensor<64x64xf32, #mma>"
    lines.insert(wait, f"    %early = ttg.convert_layout {value} : {kind} -> {kind}")
    with pytest.raises(UseBeforeWait, match="left a ttg.convert_layout"):
        check_lowered(parse("\n".join(lines), tmp_path / "wrong.ttgir"))
