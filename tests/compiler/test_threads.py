"""Compiling in several threads gives what compiling one after the other gives."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from triton import knobs

import tlx
from tests.language.mma import while_loop
from tests.language.rings import copy_through_ring


def compile_one(variant: int) -> str:
    slots = variant // 2 + 1
    if variant % 2:
        signature = {"x": "tensordesc<fp16[128, 64]>", "w": "tensordesc<fp16[64, 64]>", "y": "*fp32", "steps": "i32"}
        constexprs = {"BLOCK": 64, "SLOTS": slots, "CONSUMER_WARPS": 4}
        return tlx.compile(while_loop, signature, constexprs).asm["ptx"]
    signature = {"x": "tensordesc<fp16[32, 32]>", "y": "*fp16", "n": "i32"}
    return tlx.compile(copy_through_ring, signature, {"BLOCK": 32, "SLOTS": slots}).asm["ptx"]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(knobs.compilation, "always_compile", True)


def test_eight_threads():
    serial = [compile_one(variant) for variant in range(8)]
    assert len(set(serial)) == 8
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(compile_one, range(8))) == serial
