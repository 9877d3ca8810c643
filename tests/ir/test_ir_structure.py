"""Regions, blocks, scopes, aliases and comments."""

from tests.ir.structure import module_structure
from tlx.ir import FunctionType, ScalarType, format_module, format_op, parse

I32 = ScalarType("i32")


def ops(text):
    return {op.name: op for op in parse(text).walk()}


def function(*lines, head="%p: i1, %x: i32"):
    return "\n".join([f"tt.func public @f({head}) {{", *(f"  {line}" for line in lines), "  tt.return", "}"])


def test_module_attributes_and_functions():
    module = parse(
        """
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttng.two-ctas" = false} {
  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    tt.return
  }
  tt.func private @helper() -> (i32, f32)
}
"""
    )
    assert module.attributes == {"ttg.num-warps": 4, "ttg.target": "cuda:90", "ttng.two-ctas": False}
    assert [*module.functions] == ["k", "helper"]
    kernel = module.kernel
    assert kernel.attributes["noinline"] is False
    assert kernel.attributes["argument_attributes"] == ({"tt.divisibility": 16}, {})
    assert [str(argument.type) for argument in kernel.region("body").entry.arguments] == ["!tt.ptr<f32>", "i32"]
    assert module.functions["helper"].regions == []


def test_uses_are_the_defined_values():
    module = parse(function("%y = arith.addi %x, %x : i32", "%z = arith.muli %y, %x : i32"))
    add, mul, _ = module.kernel.region("body").entry.ops
    argument = module.kernel.region("body").entry.arguments[1]
    assert mul.operands == [add.result, argument]
    assert add.result.owner is add
    assert argument.owner is module.kernel.region("body").entry
    assert add.parent is module.kernel.region("body").entry


def test_for_loop():
    loop = ops(
        function(
            "%r:2 = scf.for unsigned %i = %x to %x step %x iter_args(%a = %x, %b = %p) -> (i32, i1)  : i32 {",
            "  scf.yield %a, %b : i32, i1",
            "} {tt.num_stages = 2 : i32, tt.warp_specialize}",
            "%s = arith.addi %r#0, %x : i32",
        )
    )["scf.for"]
    body = loop.region("body").entry
    assert [value.name for value in loop.operands] == ["x", "x", "x", "x", "p"]
    assert [(a.name, str(a.type), a.index) for a in body.arguments] == [
        ("i", "i32", 0),
        ("a", "i32", 1),
        ("b", "i1", 2),
    ]
    assert [(value.name, str(value.type)) for value in loop.results] == [("r#0", "i32"), ("r#1", "i1")]
    assert loop.attributes == {"unsigned": True, "tt.num_stages": 2, "tt.warp_specialize": True}


def test_induction_variable_without_a_type_is_an_index():
    loop = ops(function("scf.for %i = %x to %x step %x {", "}"))["scf.for"]
    assert [str(argument.type) for argument in loop.region("body").entry.arguments] == ["index"]


def test_while_loop():
    loop = ops(
        function(
            "%r = scf.while (%a = %x) : (i32) -> i32 {",
            "  scf.condition(%p) %a : i32",
            "} do {",
            "^bb0(%b: i32):",
            "  scf.yield %b : i32",
            "}",
        )
    )["scf.while"]
    assert loop.operands[0].name == "x"
    assert [(a.name, a.type) for a in loop.region("before").entry.arguments] == [("a", I32)]
    assert [(a.name, a.type) for a in loop.region("after").entry.arguments] == [("b", I32)]
    assert loop.types == [FunctionType((I32,), (I32,))]
    assert loop.result.type == I32


def test_if_with_both_branches():
    branch = ops(
        function("%r = scf.if %p -> (i32) {", "  scf.yield %x : i32", "} else {", "  scf.yield %x : i32", "}")
    )["scf.if"]
    assert [region.name for region in branch.regions] == ["then", "else"]
    assert branch.result.type == I32


def test_warp_specialize():
    op = ops(
        function(
            "%r = ttg.warp_specialize(%x, %p) attributes {requestedRegisters = array<i32: 240, 24>}",
            "default {",
            "  ttg.warp_yield %x : i32",
            "}",
            "partition0(%a: i32, %b: i1) num_warps(4) {",
            "  %0 = arith.addi %a, %a : i32",
            "  ttg.warp_return",
            "}",
            "partition1(%a: i32, %b: i1) num_warps(1) {",
            "  %0 = arith.muli %a, %a : i32",
            "  ttg.warp_return",
            "} : (i32, i1) -> i32",
        )
    )["ttg.warp_specialize"]
    assert op.attributes == {"requestedRegisters": (240, 24), "num_warps": (4, 1)}
    assert [region.name for region in op.regions] == ["default", "partition0", "partition1"]
    assert [value.name for value in op.operands] == ["x", "p"]
    assert op.result.type == I32
    first, second = (op.region(f"partition{i}").entry.ops[0] for i in range(2))
    assert first.result.name == second.result.name == "0"
    assert first.result is not second.result
    assert first.operands[0] is op.region("partition0").entry.arguments[0]


def test_reduction_in_generic_form():
    reduce = ops(
        function(
            '%r:2 = "tt.reduce"(%t, %t) <{axis = 1 : i32}> ({',
            "^bb0(%a: i32, %b: i32, %c: i32, %d: i32):",
            "  tt.reduce.return %a, %b : i32, i32",
            "}) : (tensor<4x8xi32>, tensor<4x8xi32>) -> (tensor<4xi32>, tensor<4xi32>)",
            head="%t: tensor<4x8xi32>",
        )
    )["tt.reduce"]
    assert reduce.attributes == {"axis": 1}
    assert [argument.name for argument in reduce.region("combine").entry.arguments] == ["a", "b", "c", "d"]
    assert [str(value.type) for value in reduce.results] == ["tensor<4xi32>"] * 2


def test_blocks_branches_and_forward_references():
    module = parse(
        function(
            "cf.cond_br %p, ^bb1(%x : i32), ^bb2",
            "^bb1(%a: i32):  // pred: ^bb0",
            "%u = arith.addi %a, %later : i32",
            "cf.br ^bb3",
            "^bb2:  // pred: ^bb0",
            "%later = arith.addi %x, %x : i32",
            "cf.br ^bb1(%later : i32)",
            "^bb3:",
        )
    )
    entry, first, second, third = module.kernel.region("body").blocks
    assert [block.label for block in (entry, first, second, third)] == ["", "bb1", "bb2", "bb3"]
    assert entry.ops[-1].successors == [(first, [module.kernel.region("body").entry.arguments[1]]), (second, [])]
    assert first.ops[0].operands[1] is second.ops[0].result
    assert third.ops[0].name == "tt.return"


def test_ops_that_nobody_described():
    line = '%a, %b = new.op %x, %p[%x] fast<on> mode = hot "s" 3 {k = [1 : i64, "x"], u} : i32, i1 -> f32, i1'
    op = ops(function(line))["new.op"]
    assert format_op(op) == line
    assert [value.name for value in op.operands] == ["x", "p", "x"]
    assert op.attributes == {"fast": "on", "mode": "hot", "k": (1, "x"), "u": True}
    assert [str(value.type) for value in op.results] == ["f32", "i1"]
    assert [str(type_) for type_ in op.types] == ["i32", "i1", "f32", "i1"]


def test_result_of_an_op_that_nobody_described_has_no_type_unless_written():
    assert ops(function("%a = new.op %x : i32"))["new.op"].result.type is None


def test_attributes_before_trailing_operands():
    op = ops(function("ttng.barrier_expect %x, 128 {allocation.offset = 64 : i32}, %p : i32"))["ttng.barrier_expect"]
    assert op.attributes == {"size": 128, "allocation.offset": 64}
    assert [value.name for value in op.operands] == ["x", "p"]


def test_comments_resources_and_missing_last_newline():
    text = function("// %y = nonsense", "%y = arith.addi %x, %x : i32 // trailing", "")
    resources = "\n\n{-#\n  dialect_resources: { }\n#-}"
    assert [*ops(text + resources)] == ["tt.func", "arith.addi", "tt.return"]


def test_layout_aliases_are_resolved():
    text = """
#blocked = #ttg.blocked<{sizePerThread = [4], order = [0]}>
#slice = #ttg.slice<{dim = 0, parent = #blocked}>
tt.func public @f(%t: tensor<8xf32, #slice>) {
  tt.return
}
"""
    argument = parse(text).kernel.region("body").entry.arguments[0]
    spelled = "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [4], order = [0]}>}>"
    assert str(argument.type) == f"tensor<8xf32, {spelled}>"
    assert argument.type.encoding["parent"]["sizePerThread"] == (4,)


def test_printing_gives_back_what_was_read():
    text = """\
#blocked = #ttg.blocked<{sizePerThread = [4], order = [0]}>
module attributes {ttg.target = "cuda:90"} {
  tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(#loc1), %n: i32 loc(unknown)) {
    %a:2 = scf.for %i = %n to %n step %n iter_args(%b = %n, %c = %n) -> (i32, i32) : i32 {
      scf.yield %c, %b : i32, i32 loc(unknown)
    } {tt.num_stages = 2 : i32} loc(unknown)
    %t = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked> loc(#loc2)
    %v = tt.load %t cacheModifier = ca : tensor<128x!tt.ptr<f32>, #blocked> loc(#loc3)
    cf.br ^bb1(%a#1 : i32) loc(unknown)
  ^bb1(%e: i32 loc(unknown)):
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
#loc1 = loc("p"("k.py":1:2))
#loc2 = loc("k.py":2:3)
#loc3 = loc(callsite("v"("k.py":3:4) at callsite("k.py":5:6 at "w"("k.py":7:8))))
"""
    assert format_module(parse(text)) == text


def test_printing_follows_the_model():
    module = parse(function("%y = arith.addi %x, %x : i32", "%z = arith.muli %y, %x : i32"))
    add, mul, _ = module.kernel.region("body").entry.ops
    add.result.name = "sum"
    mul.operands[1] = add.result
    assert format_op(mul) == "%z = arith.muli %sum, %sum : i32"
    assert module_structure(parse(format_module(module))) == module_structure(module)


def test_one_op_as_text_leaves_regions_and_locations_out():
    op = ops(function("scf.if %p {", "  %y = arith.addi %x, %x : i32", '} loc("k.py":3:4)'))["scf.if"]
    assert format_op(op) == "scf.if %p {...}"
