"""Ops that the stock passes must not see through: they stand as calls until all passes have run.

Stock passes know no layouts that an author asked for. They do know calls: the types of a call's operands and results
are those of its function, so that no pass moves a layout across one.

- A **pin** is a call that returns its operand; afterwards the operand takes its place.
- A **store** of a pinned tensor is a call with the store's operands; afterwards it is a `tt.store` in their layout,
  where the pass `coalesce` would have chosen another.
- An **observer** is the opposite, an op that follows every choice of the passes: inline code of the elementwise kind
  whose operand may come in any layout. Afterwards its operand's layout is read and the op is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from triton._C.libtriton import ir
from triton.experimental.gluon.language._layouts import DistributedLinearLayout

from .late_ops import parse, split_list

__all__ = ["Observation", "hold_pin", "hold_store", "observe", "release", "report_layouts"]

PREFIX = "__held_"
PIN = f"@{PREFIX}pin_"
OBSERVER = "tlx.observer "
STORE = re.compile(rf"tt\.call @{PREFIX}store_\d+\((.*?)\) : \((.*)\) -> \(\)(?=$| loc\()", re.MULTILINE)


@dataclass(frozen=True)
class Observation:
    """Register tensors whose layouts are wanted after the passes.

    Args:
        count: how many tensors.
        use: what is done with their layouts: called with a list for each tensor, which holds its layout in linear form
            and its type for each copy of the code that the passes left.
    """

    count: int
    use: Callable[[list[list[tuple[DistributedLinearLayout, str]]]], None]


def hold(name: str, operands: list, results: list, semantic):
    """Emits the call that stands for an op; `name` and the types of operands and results tell its function."""
    builder, module, held = semantic.builder, semantic.module, semantic.task.kernel.held_ops
    types = [operand.get_type() for operand in operands]
    key = (name, *map(str, types))
    if key not in held:
        held[key] = f"{PREFIX}{name}_{len(held)}"
        function_type = builder.get_function_ty(types, results)
        # A builder of its own: the semantic's stands where the op goes.
        declaring = ir.builder(semantic.context)
        module.push_back(declaring.get_or_insert_function(module, held[key], function_type, "private", True))
    return builder.call(module.get_function(held[key]), operands)


def hold_pin(handle, semantic):
    """The value, in a layout that no pass changes here."""
    return hold("pin", [handle], [handle.get_type()], semantic).get_result(0)


def hold_store(operands: list, semantic) -> None:
    """A `tt.store` of operands (pointers, values and perhaps a mask) in the layout that they have."""
    hold("store", operands, [], semantic)


def observe(handles: list, use: Callable, semantic) -> None:
    """Asks for the layouts that register tensors have after the passes (see `Observation`)."""
    observations, builder = semantic.task.kernel.observations, semantic.builder
    for i, handle in enumerate(handles):
        text = f"{OBSERVER}{len(observations)} {i}"
        builder.create_inline_asm(text, "=r,r", [handle], [handle.get_type()], False, 1)
    observations.append(Observation(len(handles), use))


def report_layouts(module, observations: list[Observation], builder) -> None:
    """Hands each observation the layouts that the passes gave its tensors."""
    found = [[[] for _ in range(observation.count)] for observation in observations]

    def visit(op) -> None:
        text = op.get_str_attr("asm_string") if op.get_name() == "tt.elementwise_inline_asm" else None
        if text is not None and text.startswith(OBSERVER):
            number, i = map(int, text.removeprefix(OBSERVER).split())
            found[number][i].append(linear_layout(op.get_operand(0), builder))

    module.walk(visit)
    for observation, layouts in zip(observations, found):
        observation.use(layouts)


def linear_layout(value, builder) -> tuple[DistributedLinearLayout, str]:
    """The layout of a register tensor in linear form, and the tensor's type."""
    type = str(value.get_type())
    shape = [int(size) for size in re.match(r"tensor<((?:\d+x)+)", type)[1].split("x")[:-1]]
    layout = builder.get_gluon_layout_from_tensor(value)
    if not isinstance(layout, DistributedLinearLayout):
        layout = builder.to_linear_layout(layout._to_ir(builder), shape)
    return layout, type


def release(module, context):
    """The module with its pins and observers dropped and its held stores spelled out; after all passes."""
    if PREFIX not in str(module) and OBSERVER not in str(module):
        return module

    def forward(op) -> None:
        if op.get_name() == "tt.call" and (op.get_flat_symbol_ref_attr("callee") or "").startswith(PIN[1:]):
            op.get_result(0).replace_all_uses_with(op.get_operand(0))

    module.walk(forward)
    text = str(module)
    text = re.sub(rf"\n *tt\.func private @{PREFIX}\w+\([^\n]*", "", text)
    text = re.sub(rf"\n *%\S+ = tt\.call {PIN}[^\n]*", "", text)
    text = re.sub(rf'\n *%\S+ = tt\.elementwise_inline_asm "{OBSERVER}[^\n]*', "", text)
    return parse(STORE.sub(spell_store, text), context)


def spell_store(match: re.Match) -> str:
    """`tt.store` as MLIR writes it."""
    operands, types = match.groups()
    return f"tt.store {operands} : {split_list(types)[0]}"
