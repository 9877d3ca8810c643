"""How the steps of all tiles are dealt to the programs: in runs of equal length, which may begin and end inside a tile.

Tile t has the steps from t * steps to before (t + 1) * steps. Program p takes one run of `total // programs` steps, the
first `total % programs` ones a step more. So a tile is covered by consecutive programs, each with one part of it.
"""

import triton
import triton.language as tl


@triton.jit
def first_step(program, total, programs):
    """The first of a program's steps; that of the next program is the one behind its last."""
    return program * (total // programs) + tl.minimum(program, total % programs)


@triton.jit
def program_of(step, total, programs):
    """The program that takes a step."""
    least = total // programs
    longer = total % programs  # programs with one step more
    border = longer * (least + 1)
    if step < border:
        program = step // (least + 1)
    else:
        program = longer + (step - border) // least
    return program
