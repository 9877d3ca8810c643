"""TTGIR of kernels with clusters, as text, and how to run it."""

from tlx import ir, sim
from tlx.language.cluster_ptx import (
    ARRIVE_REMOTE_PTX,
    COPY_REMOTE_PTX,
    MAPA_PTX,
    async_store_remote_ptx,
    store_remote_ptx,
)
from tlx.sim.code import Code
from tlx.sim.device import HOPPER
from tlx.sim.launch import Launch

_SIZES = '"ttg.cluster-dim-x" = {x} : i32, "ttg.cluster-dim-y" = {y} : i32, "ttg.total-num-warps" = {warps} : i32'
HEAD = f"""
#plain = #ttg.swizzled_shared<{{{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}}}>
#rows = #ttg.blocked<{{{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}}}>
#smem = #ttg.shared_memory
module attributes {{{{{_SIZES}, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 1024 : i32}}}} {{{{
  tt.func public @kernel() {{{{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c64 = arith.constant 64 : i32
    %true = arith.constant true
    %range = tt.make_range {{{{end = 64 : i32, start = 0 : i32}}}} : tensor<64xi32, #rows>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %peer = arith.xori %rank, %c1 : i32
    %first = arith.cmpi eq, %rank, %c0 : i32
    %second = arith.cmpi eq, %rank, %c1 : i32
"""
WORD = "!ttg.memdesc<1xi64, #plain, #smem, mutable>"
TILE = "!ttg.memdesc<64xi32, #plain, #smem, mutable>"

BUFFERS = f"""
    %tile = ttg.local_alloc {{allocation.offset = 0 : i32}} : () -> {TILE}
    %bar = ttg.local_alloc {{allocation.offset = 512 : i32}} : () -> {WORD}
    ttng.init_barrier %bar, 1 : {WORD}
    nvvm.fence.mbarrier.init
    %tile_here = tti.experimental_memdesc_to_i32 %tile : {TILE}
    %bar_here = tti.experimental_memdesc_to_i32 %bar : {WORD}
"""
"""A tile, a barrier for one arrival, and their addresses."""

SYNC = """
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
"""
WAIT = f"ttng.wait_barrier %bar, %c0 : {WORD}\n"
EXPECT = f"ttng.barrier_expect %bar, 256, %true : {WORD}\n"
LOAD = f"%loaded = ttg.local_load %tile : {TILE} -> tensor<64xi32, #rows>\n"
FILL = f"ttg.local_store %range, %tile : tensor<64xi32, #rows> -> {TILE}\n"


def ptx(result: str, text: str, *operands: str, types: tuple[str, ...] = (), shape: str = "i32") -> str:
    """An op of inline PTX; its operands are i32 unless their types are given."""
    registers = ",".join(["=r", *"r" * len(operands)])
    kinds = ", ".join(types or ["i32"] * len(operands))
    attributes = f'{{constraints = "{registers}", packed_element = 1 : i32, pure = false}}'
    return f'%{result} = tt.elementwise_inline_asm "{text}" {attributes} {", ".join(operands)} : {kinds} -> {shape}\n'


def mapped(rank: str = "%peer") -> str:
    """The addresses of the tile and the barrier in another CTA."""
    return ptx("tile_there", MAPA_PTX, "%tile_here", rank) + ptx("bar_there", MAPA_PTX, "%bar_here", rank)


def on_first(body: str) -> str:
    """Done by the CTA of rank 0 only."""
    return f"scf.if %first {{\n{body}\n}}\n"


def on_second(body: str) -> str:
    """Done by the CTA of rank 1 only."""
    return f"scf.if %second {{\n{body}\n}}\n"


ELECT = """
    %lane = nvvm.elect.sync -> i1
    %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %c32 = arith.constant 32 : i32
    %c127 = arith.constant 127 : i32
    %within = arith.andi %thread, %c127 : i32
    %first_warp = arith.cmpi slt, %within, %c32 : i32
    %chosen = arith.andi %lane, %first_warp : i1
    %one = arith.extui %chosen : i1 to i32
"""
"""`%one` is 1 in one thread of the group."""

ARRIVE = ptx("arrived", ARRIVE_REMOTE_PTX, "%bar_there", "%c1", "%one")
COPY = "%bytes = arith.constant 256 : i32\n" + ptx(
    "copied", COPY_REMOTE_PTX, "%tile_there", "%tile_here", "%bytes", "%bar_there", "%one"
)

TENSOR = "tensor<64xi32, #rows>"
_ADDRESSES = f"""
    %four = arith.constant dense<4> : {TENSOR}
    %offsets = arith.muli %range, %four : {TENSOR}
    %base = tt.splat %tile_there : i32 -> {TENSOR}
    %places = arith.addi %base, %offsets : {TENSOR}
    %bars = tt.splat %bar_there : i32 -> {TENSOR}
    %ones = arith.constant dense<1> : {TENSOR}
"""
STORE = _ADDRESSES + ptx("stored", store_remote_ptx(4), "%places", "%range", types=(TENSOR,) * 2, shape=TENSOR)
STORE_ASYNC = _ADDRESSES + ptx(
    "stored", async_store_remote_ptx(4), "%places", "%bars", "%range", "%ones", types=(TENSOR,) * 4, shape=TENSOR
)


class Watch(sim.Observer):
    """Keeps the CTAs."""

    def __init__(self):
        self.ctas = []

    def start_cta(self, cta):
        self.ctas.append(cta)

    def tile(self, rank: int) -> list[int]:
        """The 64 integers in a CTA's tile."""
        (cta,) = (cta for cta in self.ctas if cta.rank == rank)
        return cta.memory.bytes[:256].view("i4").tolist()


def launch(
    body: str, observer, *, x: int = 2, y: int = 1, warps: int = 4, grid=(1, 1, 1), seed: int = 0, device=HOPPER
) -> Launch:
    """A launch of a kernel without arguments, given its body."""
    text = HEAD.format(x=x, y=y, warps=warps) + body + "\n tt.return\n }\n}"
    return Launch(Code(ir.parse(text), store_waits_say=True), grid, (), (), device, seed, observer)


def run(body: str, **options) -> Watch:
    """Runs a kernel and gives its CTAs."""
    watch = Watch()
    launch(body, watch, **options).run()
    return watch
