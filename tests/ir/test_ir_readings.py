"""What single ops' spellings say: one line, its attributes and its result types. Lines as Triton 3.6 to 3.9 prints."""

import pytest

from tlx.ir import format_op, parse

HEAD = """\
tt.func @f(%p: i1, %i: i32, %l: i64, %x: f32, %t: tensor<8xf32>, %n: tensor<8xi32>, %ptr: !tt.ptr<f32>,
           %ptrs: tensor<8x!tt.ptr<f32>>, %mask: tensor<8xi1>, %bar: !ttg.memdesc<1xi64, #ttg.s<>, #ttg.m>,
           %buf: !ttg.memdesc<8xf32, #ttg.s<>, #ttg.m>, %desc: !tt.tensordesc<8x8xf32>, %tok: !ttg.async.token) {
"""
BAR = "!ttg.memdesc<1xi64, #ttg.s<>, #ttg.m>"
BUF = "!ttg.memdesc<8xf32, #ttg.s<>, #ttg.m>"
TOKEN = "!ttg.async.token"

LINES = [
    # Arithmetic
    ("%r = arith.cmpi slt, %n, %n : tensor<8xi32>", {"predicate": "slt"}, ["tensor<8xi1>"]),
    ("%r = arith.cmpf ogt, %x, %x : f32", {"predicate": "ogt"}, ["i1"]),
    ("%r = arith.addf %x, %x fastmath<nnan,contract> : f32", {"fastmath": "nnan,contract"}, ["f32"]),
    ("%r = arith.addi %i, %i overflow<nsw> : i32", {"overflow": "nsw"}, ["i32"]),
    ("%r = arith.select %mask, %t, %t : tensor<8xi1>, tensor<8xf32>", {}, ["tensor<8xf32>"]),
    ("%r = arith.truncf %x : f32 to f16", {}, ["f16"]),
    ("%r, %s = arith.mului_extended %i, %i : i32", {}, ["i32", "i32"]),
    ("%r = math.exp2 %t : tensor<8xf32>", {}, ["tensor<8xf32>"]),
    ("%r = tt.clampf %x, %x, %x, propagateNan = none : f32", {"propagateNan": "none"}, ["f32"]),
    ("%r = tt.mulhiui %i, %i : i32", {}, ["i32"]),
    ("%r = tt.precise_divf %x, %x : f32", {}, ["f32"]),
    ("%r = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E5M2", {"rounding": "rtne"}, ["f8E5M2"]),
    # Programs and pointers
    ("%r = tt.get_program_id y : i32", {"axis": 1}, ["i32"]),
    ("%r = tt.get_num_programs z : i32", {"axis": 2}, ["i32"]),
    ("%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>", {"end": 8, "start": 0}, ["tensor<8xi32>"]),
    ("%r = tt.addptr %ptrs, %n : tensor<8x!tt.ptr<f32>>, tensor<8xi32>", {}, ["tensor<8x!tt.ptr<f32>>"]),
    ("%r = tt.load %ptr : !tt.ptr<f32>", {}, ["f32"]),
    (
        "%r = tt.load %ptrs, %mask, %t cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : "
        "tensor<8x!tt.ptr<f32>>",
        {"cacheModifier": "cg", "evictionPolicy": "evict_first", "isVolatile": True},
        ["tensor<8xf32>"],
    ),
    (
        "tt.store %ptrs, %t, %mask evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>",
        {"evictionPolicy": "evict_last"},
        [],
    ),
    (
        "%r = tt.atomic_rmw fadd, acq_rel, gpu, %ptr, %x, %p : (!tt.ptr<f32>, f32, i1) -> f32",
        {"kind": "fadd", "sem": "acq_rel", "scope": "gpu"},
        ["f32"],
    ),
    (
        "%r = tt.atomic_cas acquire, sys, %ptr, %x, %x : (!tt.ptr<f32>, f32, f32) -> f32",
        {"sem": "acquire", "scope": "sys"},
        ["f32"],
    ),
    (
        "%r = tt.atomic_load acquire, gpu, %ptr : (!tt.ptr<f32>) -> f32",
        {"sem": "acquire", "scope": "gpu"},
        ["f32"],
    ),
    ("tt.atomic_store release, cta, %ptr, %x : !tt.ptr<f32>", {"sem": "release", "scope": "cta"}, []),
    (
        "%r = tt.atomic_poll acquire, gpu, %ptr, %x : !tt.ptr<f32>, f32 -> i1",
        {"sem": "acquire", "scope": "gpu"},
        ["i1"],
    ),
    # Shapes
    ("%r = tt.expand_dims %t {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>", {"axis": 0}, ["tensor<1x8xf32>"]),
    (
        "%r = tt.reshape %t allow_reorder : tensor<8xf32> -> tensor<4x2xf32>",
        {"allow_reorder": True},
        ["tensor<4x2xf32>"],
    ),
    ("%r, %s = tt.split %t : tensor<4x2xf32> -> tensor<4xf32>", {}, ["tensor<4xf32>", "tensor<4xf32>"]),
    (
        "%r = tt.gather %t[%n] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>",
        {"axis": 0},
        ["tensor<8xf32>"],
    ),
    (
        "%r = tt.dot %t, %t, %t, inputPrecision = tf32 : tensor<8xf32> * tensor<8xf32> -> tensor<8xf32>",
        {"inputPrecision": "tf32"},
        ["tensor<8xf32>"],
    ),
    # Shared memory
    ("%r = ttg.local_alloc {allocation.offset = 64 : i32} : () -> " + BUF, {"allocation.offset": 64}, [BUF]),
    (
        "%r = ttg.local_load %buf token %tok : " + BUF + " -> tensor<8xf32>",
        {"segments": {"token": (1,)}},
        ["tensor<8xf32>"],
    ),
    ("%r = ttg.memdesc_index %buf[%i] : " + BUF + " -> " + BUF, {}, [BUF]),
    ("%r = ttg.memdesc_subslice %buf[0, 16] : " + BUF + " -> " + BUF, {"offsets": (0, 16)}, [BUF]),
    ("%r = ttg.memdesc_trans %buf {order = array<i32: 1, 0>} : " + BUF + " -> " + BUF, {"order": (1, 0)}, [BUF]),
    (
        "%r = ttg.async_copy_global_to_local %ptrs, %buf other %t : tensor<8x!tt.ptr<f32>> -> " + BUF,
        {"segments": {"mask": (), "other": (2,)}},
        [TOKEN],
    ),
    ("%r = ttg.async_commit_group tokens %tok", {}, [TOKEN]),
    ("%r = ttg.async_wait %tok {num = 1 : i32}", {"num": 1}, [TOKEN]),
    ("ttg.barrier local|global_read", {"address_spaces": ("local", "global_read")}, []),
    # Barriers
    ("ttng.init_barrier %bar, 3 : " + BAR, {"count": 3}, []),
    ("ttng.barrier_expect %bar, 4096, %p : " + BAR, {"size": 4096}, []),
    ("ttng.arrive_barrier %bar, 2, %p {multicastCTA = 1 : i32} : " + BAR, {"count": 2, "multicastCTA": 1}, []),
    ("ttng.wait_barrier %bar, %i, %p deps %buf, %buf : " + BAR + ", " + BUF, {"segments": {"deps": (3, 4)}}, []),
    # TMA
    (
        "ttng.async_tma_copy_global_to_local %desc[%i, %i] %buf, %bar, %p : !tt.tensordesc<8x8xf32>, "
        + BAR
        + " -> "
        + BUF,
        {"segments": {"coordinates": (1, 2), "offsets": ()}},
        [],
    ),
    (
        "ttng.async_tma_copy_global_to_local %desc[%i, %i] offsets = [%i] %buf, %bar, %p : !tt.tensordesc<8x8xf32>, "
        + BAR
        + " -> "
        + BUF,
        {"segments": {"coordinates": (1, 2), "offsets": (3,)}},
        [],
    ),
    ("ttng.async_tma_copy_local_to_global %desc[%i, %i] %buf : !tt.tensordesc<8x8xf32>, " + BUF, {}, []),
    ("ttng.async_tma_reduce add, %desc[%i, %i] %buf : !tt.tensordesc<8x8xf32>, " + BUF, {"kind": "add"}, []),
    # Matrix units
    (
        "%r = ttng.warp_group_dot %buf, %buf, %t, %p {inputPrecision = 0 : i32, isAsync = true} : "
        + BUF
        + " * "
        + BUF
        + " -> tensor<8xf32>",
        {"inputPrecision": 0, "isAsync": True},
        ["tensor<8xf32>"],
    ),
    (
        "%r:2 = ttng.warp_group_dot_wait %t, %buf {pendings = 1 : i32} : tensor<8xf32>, " + BUF,
        {"pendings": 1},
        ["tensor<8xf32>", BUF],
    ),
    (
        "%r = ttng.tc_gen5_mma %buf, %buf, %buf[%tok], %p, %p, %bar[%p] {is_async} : "
        + ", ".join([BUF, BUF, BUF, BAR]),
        {"is_async": True, "segments": {"dependency": (3,)}},
        [TOKEN],
    ),
    (
        "ttng.tc_gen5_mma %buf, %buf, %buf, %p, %p, %bar[%p] {is_async} : " + ", ".join([BUF, BUF, BUF, BAR]),
        {"is_async": True, "segments": {"dependency": ()}},
        [],
    ),
    (
        "%r, %s = ttng.tmem_load %buf[%tok] : " + BUF + " -> tensor<8xf32>",
        {"segments": {"dependency": (1,)}},
        ["tensor<8xf32>", TOKEN],
    ),
    # Late ops
    ('%r = llvm.call_intrinsic "llvm.x"(%i) : (i32) -> i32', {"intrin": "llvm.x"}, ["i32"]),
    ("nvvm.cluster.arrive {aligned}", {"aligned": True}, []),
    ("%r = nvvm.read.ptx.sreg.cluster.ctarank : i32", {}, ["i32"]),
]


@pytest.mark.parametrize("line, attributes, results", LINES, ids=[line.split(" : ")[0] for line, *_ in LINES])
def test_reading(line, attributes, results):
    op = parse(HEAD + line + "\n}").kernel.region("body").entry.ops[0]
    assert op.attributes == attributes
    assert [str(value.type) for value in op.results] == results
    assert [f"%{value.name}" for value in op.operands] == _uses(line)


@pytest.mark.parametrize("line", [line for line, *_ in LINES], ids=[line.split(" : ")[0] for line, *_ in LINES])
def test_one_op_prints_as_it_was_written(line):
    op = parse(HEAD + line + "\n}").kernel.region("body").entry.ops[0]
    assert format_op(op).replace(" ", "") == line.replace(" ", "")


def _uses(line):
    """The `%names` behind the results, in order."""
    names = line.partition(" = ")[2] if line.startswith("%") else line
    return ["%" + name.split()[0].strip(",:[]()") for name in names.replace("[", " ").replace("]", " ").split("%")[1:]]
