"""The order in which tiles of the output are computed."""

import triton
import triton.language as tl


@triton.jit
def grouped_tile(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile: down a group of GROUP_M rows first, so that running tiles share operands in L2."""
    group_size = GROUP_M * tiles_n
    first_m = tile // group_size * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    inside = tile % group_size
    return first_m + inside % rows, inside // rows
