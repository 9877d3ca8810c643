"""Views of shared memory, made by hand."""

import numpy as np

from tlx.ir.model import Attribute, MemDescType, Op, ScalarType
from tlx.sim.agents import Agent
from tlx.sim.memory import Buffer, MemDesc, buffer_map
from tlx.sim.values import dtype_of

__all__ = ["AGENT", "PLAIN", "SWIZZLED", "TILE", "view"]

AGENT = Agent("group", "default")
SWIZZLED = Attribute("ttg.nvmma_shared", (("swizzlingByteWidth", 128), ("transposed", False), ("elementBitWidth", 16)))
PLAIN = Attribute("ttg.swizzled_shared", (("vec", 1), ("perPhase", 1), ("maxPhase", 1), ("order", (0,))))
TILE = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)


def view(shape, element="f16", layout=SWIZZLED, start=0, name="tiles"):
    type = MemDescType(shape, ScalarType(element), layout, None)
    map = buffer_map(type)
    return MemDesc(Buffer(name, start, map.high, Op("ttg.local_alloc")), start, map, dtype_of(type.element))
