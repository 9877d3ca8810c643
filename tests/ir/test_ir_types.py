"""Types and attributes from their spellings, and back."""

import pytest

from tlx.ir import (
    Attribute,
    FunctionType,
    MemDescType,
    OpaqueType,
    PointerType,
    ScalarType,
    TensorDescType,
    TensorType,
    parse,
)

BF16 = ScalarType("bf16")
SHARED = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"


def read_type(spelling):
    module = parse(f"tt.func @f(%x: {spelling}) {{\n  tt.return\n}}")
    return module.kernel.region("body").entry.arguments[0].type


def read_attribute(spelling):
    module = parse(f"tt.func @f() attributes {{x = {spelling}}} {{\n  tt.return\n}}")
    return module.kernel.attributes["x"]


@pytest.mark.parametrize(
    "spelling, type_",
    [
        ("i1", ScalarType("i1")),
        ("bf16", BF16),
        ("f8E4M3FN", ScalarType("f8E4M3FN")),
        ("index", ScalarType("index")),
        ("!tt.ptr<bf16>", PointerType(BF16)),
        ("!tt.ptr<bf16, 3>", PointerType(BF16, 3)),
        ("tensor<4x8xbf16>", TensorType((4, 8), BF16)),
        ("tensor<4x!tt.ptr<bf16>>", TensorType((4,), PointerType(BF16))),
        ("tensor<bf16>", TensorType((), BF16)),
        ("!tt.tensordesc<tensor<4x8xbf16>>", TensorDescType(TensorType((4, 8), BF16))),
        ("!tt.tensordesc<4x8xbf16>", TensorDescType(TensorType((4, 8), BF16))),
        ("!llvm.ptr<3>", OpaqueType("!llvm.ptr<3>")),
        ("!ttg.async.token", OpaqueType("!ttg.async.token")),
        ("vector<4xi32>", OpaqueType("vector<4xi32>")),
    ],
)
def test_types(spelling, type_):
    assert read_type(spelling) == type_
    assert str(read_type(spelling)) == spelling


def test_tensor_with_a_layout():
    spelling = "tensor<8xf32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], order = [1, 0]}>}>>"
    type_ = read_type(spelling)
    assert (type_.shape, type_.element) == ((8,), ScalarType("f32"))
    assert type_.encoding.name == "ttg.slice"
    assert type_.encoding["dim"] == 1
    assert type_.encoding["parent"].name == "ttg.blocked"
    assert type_.encoding["parent"]["sizePerThread"] == (1, 4)
    assert str(type_) == spelling


def test_memory_descriptor():
    spelling = f"!ttg.memdesc<3x64x256xbf16, {SHARED}, #ttg.shared_memory, mutable, 6x64x256>"
    type_ = read_type(spelling)
    assert isinstance(type_, MemDescType)
    assert (type_.shape, type_.element) == ((3, 64, 256), BF16)
    assert (type_.mutable, type_.alloc_shape) == (True, (6, 64, 256))
    assert type_.encoding["swizzlingByteWidth"] == 128
    assert type_.memory_space.name == "ttg.shared_memory"
    assert str(type_) == spelling


def test_memory_descriptor_that_is_neither_mutable_nor_a_view():
    type_ = read_type(f"!ttg.memdesc<64x256xbf16, {SHARED}, #ttg.shared_memory>")
    assert (type_.mutable, type_.alloc_shape) == (False, (64, 256))


def test_function_types():
    module = parse("tt.func @f(%x: i32) {\n  %r:2 = tt.call @g(%x) : (i32) -> (i32, f32)\n  tt.call @h() : () -> ()\n}")
    two, none = module.kernel.region("body").entry.ops
    assert two.types == [FunctionType((ScalarType("i32"),), (ScalarType("i32"), ScalarType("f32")))]
    assert none.types == [FunctionType((), ())]
    assert str(two.types[0]) == "(i32) -> (i32, f32)"


def test_types_written_without_their_kind():
    module = parse(
        "tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64) {\n"
        "  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f32>, <16x64xf32>\n"
        "}"
    )
    op = module.kernel.region("body").entry.ops[0]
    assert [str(type_) for type_ in op.types] == ["!tt.ptr<f32>", "!tt.tensordesc<16x64xf32>"]
    assert str(op.result.type) == "!tt.tensordesc<16x64xf32>"


@pytest.mark.parametrize(
    "spelling, value",
    [
        ("1 : i32", 1),
        ("true", True),
        ("2.000000e+00 : f32", 2.0),
        ('"a \\22b\\22 \\\\ \\0A"', 'a "b" \\ \n'),
        ('"\\E2\\82\\AC"', "€"),
        ("[]", ()),
        ("[1 : i32, [true]]", (1, (True,))),
        ("array<i32: 1, -2>", (1, -2)),
        ("array<i1: true, false>", (True, False)),
        ("array<i64>", ()),
        ("bf16", BF16),
        ("@callee", "@callee"),
        ("{a = 1 : i32, b}", (("a", 1), ("b", True))),
    ],
)
def test_attributes_of_builtin_kinds(spelling, value):
    assert read_attribute(spelling) == value


def test_linear_layout():
    layout = read_attribute("#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0]], warp = [], block = []}>")
    assert layout["register"] == ((0, 1), (0, 2))
    assert layout["warp"] == ()


def test_parameters_outside_braces_and_without_names():
    layout = read_attribute("#ttg.shared_linear<{offset = [[0, 1]]}, alignment = 16>")
    assert (layout["offset"], layout["alignment"]) == (((0, 1),), 16)
    assert read_attribute("#tt.thing<a, 3>").parameters == (("0", "a"), ("1", 3))
    assert read_attribute("#ttng.tensor_memory") == Attribute("ttng.tensor_memory", (), "#ttng.tensor_memory")


def test_attribute_of_an_unknown_shape_is_kept_as_text():
    spelling = "#ttg.odd_shared<[32:+4] order [1, 0]>"
    assert read_attribute(spelling) == Attribute("ttg.odd_shared", (), spelling)


def test_padded_shared_has_its_gaps_under_intervals():
    spelling = "#ttg.padded_shared<[32:+4, 64:+8] {order = [1, 0]}>"
    parameters = (("intervals", ((32, 4), (64, 8))), ("order", (1, 0)))
    assert read_attribute(spelling) == Attribute("ttg.padded_shared", parameters, spelling)
