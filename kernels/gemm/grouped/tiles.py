"""Which tile of which group: computed on the device from the groups' ends, so that the host never waits for them."""

import triton
import triton.language as tl


@triton.jit
def tile_table(ends, groups, rows, tiles_n, BLOCK_M: tl.constexpr, GROUPS: tl.constexpr):
    """For each group the row behind its last one, and how many tiles there are up to there.

    Args:
        ends: pointer to the ends, in rows; what passes `rows` is taken as `rows`.
        groups: how many there are, at most GROUPS.
    """
    group = tl.arange(0, GROUPS)
    real = group < groups
    end = tl.load(ends + group, mask=real, other=rows)
    start = tl.load(ends + group - 1, mask=real & (group > 0), other=0)
    end = tl.minimum(end, rows).to(tl.int32)
    start = tl.minimum(start, rows).to(tl.int32)
    tiles = tl.where(real, tl.cdiv(tl.maximum(end - start, 0), BLOCK_M) * tiles_n, 0)
    return end, tl.cumsum(tiles, 0)


@triton.jit
def _joined(group, first, start, stop, other_group, other_first, other_start, other_stop):
    return (
        group + other_group,
        tl.maximum(first, other_first),
        tl.maximum(start, other_start),
        tl.minimum(stop, other_stop),
    )


@triton.jit
def find_tile(tile, end, tiles):
    """The group of a tile, the tile's number in it, and the group's rows from `start` to before `stop`.

    Args:
        tile: its number among all tiles.
        end: as `tile_table` gives it.
        tiles: as `tile_table` gives it.
    """
    before = tiles <= tile  # the groups that are over before this tile, empty ones among them
    found = (
        before.to(tl.int32),
        tl.where(before, tiles, 0),
        tl.where(before, end, 0),
        tl.where(before, 2147483647, end),
    )
    group, first, start, stop = tl.reduce(found, 0, _joined)
    return group, tile - first, start, stop
