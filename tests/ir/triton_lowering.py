"""Kernels to TTIR and TTGIR for sm_90, and TTGIR text on to LLVM IR, by Triton's own stages; no GPU."""

import tempfile
from pathlib import Path

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

TARGET = GPUTarget("cuda", 90, 32)


def lower(kernel, signature: dict, constants: dict, options: dict) -> dict[str, str]:
    """The texts that Triton would put in `asm["ttir"]` (not for Gluon) and `asm["ttgir"]`.

    A type in the signature that ends with `:16` says that the argument is divisible by 16.
    """
    from triton.experimental.gluon._runtime import GluonASTSource

    types = {name: signature.get(name, "constexpr").removesuffix(":16") for name in kernel.arg_names}
    divisible = [name for name, type_ in signature.items() if type_.endswith(":16")]
    attributes = {(kernel.arg_names.index(name),): [["tt.divisibility", 16]] for name in divisible}
    source_class = GluonASTSource if kernel.is_gluon() else ASTSource
    source = source_class(kernel, signature=types, constexprs=constants, attrs=attributes)
    backend = make_backend(TARGET)
    options = backend.parse_options({"enable_fp_fusion": True, **options, **source.parse_options()})
    context = _context(backend)
    module = source.make_ir(
        TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )
    stages = {}
    backend.add_stages(stages, options, source.language)
    texts = {}
    metadata = {"target": TARGET, **options.__dict__}
    for name, stage in stages.items():
        module = stage(module, metadata)
        texts[name] = str(module)
        if name == "ttgir":
            return texts
    raise AssertionError("no stage is named ttgir")


def compile_ttgir(text: str, options: dict) -> str:
    """LLVM IR of a TTGIR text; raises where Triton refuses the text or can't lower it."""
    backend = make_backend(TARGET)
    options = backend.parse_options({"enable_fp_fusion": True, **options})
    context = _context(backend)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ttgir"
        path.write_text(text)
        module = ir.parse_mlir_module(str(path), context)
    module.context = context
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    return stages["llir"](module, {"target": TARGET, **options.__dict__})


def _context(backend):
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    return context
