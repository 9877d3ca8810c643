"""Triton orders the threads of a task between accesses to the same bytes, whatever buffer they are called by."""

import re

import triton.language as tl

import tlx


@tlx.jit
def word_as_halves(x, y, N: tl.constexpr):
    words = tlx.local_alloc((N,), tl.int32, 2)
    halves = tlx.local_alloc((N,), tl.int16, 4, reuse=words)
    i = tl.arange(0, N)
    tlx.local_store(words[0], tl.load(x + i))
    tl.store(y + i, tlx.local_load(halves[1]).to(tl.int32))


@tlx.jit
def part_in_place(x, y, n, N: tl.constexpr):
    block = tlx.local_alloc((N, N), tl.float16, 1)
    i, half = tl.arange(0, N), tl.arange(0, N // 2)
    tlx.local_store(block[0], tl.load(x + i[:, None] * N + i[None, :]))
    part = tlx.local_load(tlx.local_slice(block[0], [n, 0], [N // 2, N]))
    tlx.local_store(tlx.local_slice(block[0], [n, 0], [N // 2, N]), part + 1)
    first = tlx.local_load(tlx.local_slice(block[0], [0, 0], [N // 2, N]))
    tl.store(y + half[:, None] * N + i[None, :], first)


def accesses(kernel, **signature: str) -> str:
    """S for stores to shared memory in a row, L for loads, | for a barrier of the task."""
    ptx = tlx.compile(kernel, signature, {"N": 64}, num_warps=4).asm["ptx"]
    words = {"stmatrix": "S", "st": "S", "ldmatrix": "L", "ld": "L", "bar": "|"}
    ops = re.findall(r"^\s*(?:@\S+ )?(stmatrix|ldmatrix|st|ld|bar)\.(?:\S*shared|sync)", ptx, re.MULTILINE)
    return re.sub(r"(.)\1+", r"\1", "".join(words[op] for op in ops))


def test_between_two_rings():
    assert accesses(word_as_halves, x="*i32", y="*i32") == "S|L"


def test_between_parts_at_run_time():
    assert accesses(part_in_place, x="*fp16", y="*fp16", n="i32") == "S|L|S|L"
