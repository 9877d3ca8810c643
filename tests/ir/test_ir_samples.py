"""Everything that the installed Triton prints is read, typed, printed back and read again, by us and by Triton."""

from tests.ir.structure import module_structure
from tests.ir.triton_lowering import compile_ttgir
from tlx.ir import format_module, parse


def test_every_value_gets_a_type(sample):
    texts, _ = sample
    for text in texts.values():
        for op in parse(text).walk():
            assert [value for value in op.results if value.type is None] == [], op.name
            for region in op.regions:
                assert [v for block in region.blocks for v in block.arguments if v.type is None] == [], op.name


def test_printed_text_reads_back_equal(sample):
    texts, _ = sample
    for text in texts.values():
        module = parse(text)
        assert module_structure(parse(format_module(module))) == module_structure(module)


def test_triton_compiles_the_printed_text_to_the_same_llvm_ir(sample):
    texts, options = sample
    printed = format_module(parse(texts["ttgir"]))
    assert _code(compile_ttgir(printed, options)) == _code(compile_ttgir(texts["ttgir"], options))


def _code(llvm_ir: str) -> list[str]:
    """The instructions of an LLVM module, without debug locations: ours resolve fused and nested ones."""
    lines = [line.split(", !dbg")[0] for line in llvm_ir.splitlines()]
    return [line for line in lines if not line.startswith("!") and line.strip()]


def test_partitions_of_the_compilers_own_warp_specialization(texts):
    module = parse(texts["specialized_gemm"]["ttgir"])
    (op,) = [op for op in module.walk() if op.name == "ttg.warp_specialize"]
    names = [region.name for region in op.regions]
    assert names == ["default", *(f"partition{i}" for i in range(len(op.attributes["num_warps"])))]
    assert [argument.type for argument in op.region("partition0").entry.arguments] == [v.type for v in op.operands]


def test_pipelined_loop_copies_through_shared_memory(texts):
    module = parse(texts["pipelined_gemm"]["ttgir"])
    names = {op.name for op in module.walk()}
    assert {"ttg.async_copy_global_to_local", "ttg.async_wait", "ttng.warp_group_dot"} <= names
    copies = [op for op in module.walk() if op.name == "ttg.async_copy_global_to_local"]
    assert all(len(op.attributes["segments"]["mask"]) == 1 for op in copies)


def test_ring_of_barriers(texts):
    module = parse(texts["ring"]["ttgir"])
    (ring,) = [op for op in module.walk() if op.name == "ttg.warp_specialize"]
    assert ring.attributes["num_warps"] == (1,)
    assert ring.attributes["requestedRegisters"] == (24,)
    (expect,) = [op for op in module.walk() if op.name == "ttng.barrier_expect"]
    assert expect.attributes["size"] == 64 * 64 * 2
    (copy,) = [op for op in module.walk() if op.name == "ttng.async_tma_copy_global_to_local"]
    assert copy.attributes["segments"] == {"coordinates": (1, 2), "offsets": ()}


def test_texts_with_every_kind_of_punctuation(texts):
    module = parse(texts["texts"]["ttir"])
    by_name = {op.name: op for op in module.walk()}
    assert 'say "hi" \\ {x} // no comment' in by_name["tt.print"].attributes["prefix"]
    assert by_name["tt.print"].attributes["hex"] is True
    assert by_name["tt.assert"].attributes["message"].endswith("must be positive: x[i] -> {0}")
    asm = by_name["tt.elementwise_inline_asm"].attributes
    assert asm["asm_string"] == "{ // PTX\n\tmul.f32 $0, $1, 0f40000000; }"
    assert (asm["constraints"], asm["packed_element"], asm["pure"]) == ("=f,f", 1, True)


def test_function_called_by_name(texts):
    module = parse(texts["calls"]["ttgir"])
    (call,) = [op for op in module.walk() if op.name == "tt.call"]
    callee = module.functions[call.attributes["callee"]]
    assert callee.attributes["sym_visibility"] == "private"
    assert [argument.type for argument in callee.region("body").entry.arguments] == [v.type for v in call.operands]
    assert [str(value.type) for value in call.results] == ["f32", "f32"]
    assert module.kernel.attributes["sym_name"] == "calls"
