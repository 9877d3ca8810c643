"""Layouts that an author asked for come out of the passes as they went in; what markers do is gone with them."""

import re

import pytest
import triton.language as tl

import tlx
from tests.language import layouts
from tests.language.layouts import PAIRS
from tlx.compiler.layout_text import modes, unswizzled
from tlx.ir import parse
from tlx.language import ignored

from .lowering import find, lower

SIZES = {"R": 32, "C": 64, "LAYOUT": PAIRS}
POINTERS = {"x": "*fp32:16", "y": "*fp32:16", "n": "i32"}
LINEAR = (
    "#ttg.linear<{register = [[0, 1], [1, 0], [2, 0], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], "
    "warp = [[8, 0], [16, 0]], block = []}>"
)


def encodings(ttgir: str, name: str) -> list[str]:
    """The layouts of the last operands or, without operands of tensors, of the results of the ops of that name."""
    ops = find(ttgir, name)
    return [str((op.results or op.operands)[-1].type.encoding) for op in ops]


def test_a_load_and_a_store_keep_the_layout():
    ttgir = lower(layouts.loaded_in_a_layout, POINTERS, SIZES)
    assert encodings(ttgir, "ttg.local_load") == encodings(ttgir, "tt.store") == [LINEAR]
    assert find(ttgir, "ttg.convert_layout") == []


@tlx.jit
def loaded_without_a_pin(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    buffer = tlx.local_alloc((R, C), tl.float32, 1)
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tlx.local_store(buffer[0], tl.load(x + at))
    tile = tlx.require_layout(tlx.local_load(buffer[0]), LAYOUT, pin=False)
    tl.store(y + at, tile * 2)


def test_without_a_pin_the_passes_take_it_back():
    ttgir = lower(loaded_without_a_pin, POINTERS, SIZES)
    assert "#ttg.linear" not in ttgir


def test_no_pass_moves_a_pin():
    signature = {"x": "*fp16:16", "w": "*fp16:16", "y": "*fp32:16", "n": "i32"}
    ttgir = lower(layouts.through_every_pass, signature, SIZES)
    assert encodings(ttgir, "tt.store") == [LINEAR]
    assert [str(op.results[0].type.encoding) for op in find(ttgir, "arith.addf")] == [LINEAR]
    assert {op.name for op in parse(ttgir).walk()} & {"ttng.warp_group_dot", "tt.dot"}
    assert "tt.call" not in ttgir
    assert "__held_" not in ttgir


@tlx.jit
def stored_with_a_hint(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(y + at, tlx.require_layout(tl.load(x + at), LAYOUT), cache_modifier=".cs")


def test_a_store_with_a_cache_hint_is_the_compilers():
    (store,) = find(lower(stored_with_a_hint, POINTERS, SIZES), "tt.store")
    assert store.operands[1].type.encoding.name == "ttg.blocked"


# --- what is printed ---


@tlx.jit
def dumped(x, y, R: tl.constexpr, C: tl.constexpr, LAYOUT: tl.constexpr):
    buffer = tlx.local_alloc((R, C), tl.float16, 2)
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tile = tl.load(x + at)
    tlx.dump_layout(buffer)
    tlx.dump_layout(tile)
    tlx.dump_layout(tlx.require_layout(tile, LAYOUT))
    tlx.local_store(buffer[0], tile.to(tl.float16))
    tl.store(y + at, tlx.local_load(buffer[0]))


def test_dumps(capsys):
    ttgir = lower(dumped, POINTERS, SIZES)
    first = dumped.fn.__code__.co_firstlineno
    lines = capsys.readouterr().err.splitlines()
    assert [int(re.match(r".*?test_pins\.py:(\d+):\d+: ", line)[1]) - first for line in lines] == [5, 6, 7]
    assert [line.split(" -> element: ")[1] for line in lines] == [
        "Swizzle<3, 3, 3> o (2048,):(1,)",
        "((128,), (4, 4)):((4,), (1, 512))",
        "((32, 4), (2, 8)):((2, 512), (1, 64))",
    ]
    assert "tensor<32x64xf32, #ttg.blocked" in lines[1]
    assert "tlx.observer" not in ttgir


def test_modes():
    assert modes([1, 2, 4, 32, 64]) == [(8, 1), (4, 32)]
    assert modes([0, 0, 8]) == [(4, 0), (2, 8)]
    assert modes([]) == [(1, 0)]


def test_swizzles_are_named():
    # offset bits 3, 4, 5 lead to rows of 8 elements, XOR-ed into bits 0, 1, 2
    assert unswizzled([1, 2, 4, 8 | 1, 16 | 2, 32 | 4]) == ("Swizzle<3, 0, 3> o ", [1, 2, 4, 8, 16, 32])
    assert unswizzled([1, 2, 4, 8]) == ("", [1, 2, 4, 8])
    assert unswizzled([1, 2, 4 | 2, 8 | 1]) == ("XOR of ", [1, 2, 6, 9])


def test_a_padded_ring_has_room_for_its_gaps():
    """3 slots of 2,048 floats; behind every 64 come 4, behind every 512 come 8 more, but for the last."""
    (case,) = [case for case in layouts.CASES if case.name == "a ring laid out padded"]
    assert case.compiled().metadata.shared >= 4 * (3 * 2048 + 96 * 4 + 12 * 8 - 12)


# --- what has no effect ---


@tlx.jit
def with_everything(x, y, D: tl.constexpr):
    a = tlx.local_alloc((D, D), tl.float16, 1)
    at = tl.arange(0, D)[:, None] * D + tl.arange(0, D)[None, :]
    tlx.local_store(a[0], tl.load(x + at))
    tile = tlx.local_load(a[0], relaxed=True, rematerialize_coordinates=True, rematerialize_coordinates_group=3)
    tile = tlx.require_layout(tile, LAYOUT_64, late_address_compute=True)
    acc = tlx.async_dot(a[0], a[0], pred=True, mBarriers=[1], two_ctas=True, force_async=True)
    with tlx.async_tasks(no_ending_cluster_sync=True, mbarrier_try_wait_suspend_ns=5, unheard_of=7):
        with tlx.async_task("default"):
            pass
        with tlx.async_task(num_warps=1, warp_group_start_id=4):
            pass
    tl.store(y + at, tlx.async_dot_wait(0, acc) + tile)


LAYOUT_64 = tl.constexpr(tlx.layout(shape=((32, 4), 32), stride=((1, 1024), 32)))


@tlx.jit
def default_asks_for_more(y, LEFT: tl.constexpr):
    with tlx.async_tasks():
        with tlx.async_task("default", registers=LEFT):
            tl.store(y, 1)
        with tlx.async_task(num_warps=4, registers=24):
            tl.store(y + 1, 1)


def test_a_default_task_that_asks_for_more_than_is_left(monkeypatch, recwarn):
    """With maxnreg=64, 256 threads have 16,384 registers; the worker's 128 take 24 each and leave 104 each."""
    monkeypatch.setattr(ignored, "_reported", set())
    lower(default_asks_for_more, {"y": "*i32"}, {"LEFT": 232})
    assert recwarn.list == []
    lower(default_asks_for_more, {"y": "*i32"}, {"LEFT": 256}, maxnreg=64)
    (warning,) = recwarn.list
    assert str(warning.message).endswith("is ignored: it gets the 104 that the other tasks leave")


def test_what_has_no_effect_is_reported_once(monkeypatch):
    monkeypatch.setattr(ignored, "_reported", set())
    with pytest.warns(tlx.IgnoredArgument) as caught:
        lower(with_everything, {"x": "*fp16:16", "y": "*fp32:16"}, {"D": 64})
        lower(with_everything, {"x": "*fp16:16", "y": "*fp32:16"}, {"D": 64})
    assert sorted(re.match(r"\w+: [\w=]+", str(warning.message))[0] for warning in caught) == [
        "async_dot: force_async",
        "async_dot: mBarriers",
        "async_dot: pred",
        "async_dot: two_ctas",
        "async_task: warp_group_start_id=4",
        "async_tasks: mbarrier_try_wait_suspend_ns=5",
        "async_tasks: no_ending_cluster_sync=True",
        "async_tasks: unheard_of=7",
        "local_load: relaxed",
        "local_load: rematerialize_coordinates",
        "local_load: rematerialize_coordinates_group",
        "require_layout: late_address_compute",
    ]
    assert {warning.filename for warning in caught} == {__file__}
