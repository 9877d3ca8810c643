"""A last look at the lowered module: nothing may touch the registers of an MMA that still runs."""

from __future__ import annotations

from ..errors import UseBeforeWait

__all__ = ["check_no_early_use"]

DOT = "ttng.warp_group_dot"
ACCUMULATOR = 2  # its operand
# Waiting completes the MMA; the others hand the value on without touching it.
MAY_TAKE_RUNNING = {"ttng.warp_group_dot_wait", "scf.yield", "scf.for", "scf.while", "scf.condition", "scf.if"}


def check_no_early_use(module) -> None:
    """Raises UseBeforeWait if a pass left an op between an asynchronous MMA and its wait.

    The front end refuses such uses in the author's code by type; a layout conversion that a pass moves or leaves
    there would read unfinished registers just as silently.
    """
    running = set()

    def visit(op) -> None:
        name = op.get_name()
        if running and name not in MAY_TAKE_RUNNING:
            for index in range(op.get_num_operands()):
                if op.get_operand(index).id() in running and not (name == DOT and index == ACCUMULATOR):
                    raise UseBeforeWait(
                        f"a pass left a {name} that reads the result of async_dot before its wait",
                        hint="wait with async_dot_wait(0, x) right behind this async_dot",
                    )
        if name == DOT and op.get_bool_attr("isAsync"):
            running.add(op.get_result(0).id())

    module.walk(visit)
