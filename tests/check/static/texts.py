"""Small kernels as late TTGIR, and what the static rules find in them."""

from __future__ import annotations

from tlx.check.findings import Finding
from tlx.check.static import check_module
from tlx.ir import parse

HEAD = """
#plain = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#tile = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-warps" = {warps} : i32, "ttg.total-num-warps" = {total_warps} : i32, {shared} "ttg.target" = "cuda:90"}} {{
  tt.func public @kernel(%desc: !tt.tensordesc<tensor<64x64xf16, #tile>>, %n: i32, %other: i32, %flag: i1) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %true = arith.constant true
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %halves = arith.constant dense<0.0> : tensor<64x64xf16, #mma>
"""  # noqa: E501
TAIL = "\n    tt.return\n  }\n}"

BARS = "!ttg.memdesc<2x1xi64, #plain, #smem, mutable>"
BAR = "!ttg.memdesc<1xi64, #plain, #smem, mutable>"
TILES = "!ttg.memdesc<2x64x64xf16, #tile, #smem, mutable>"
TILE = "!ttg.memdesc<64x64xf16, #tile, #smem, mutable>"
DESC = "!tt.tensordesc<tensor<64x64xf16, #tile>>"
ACC = "tensor<64x64xf32, #mma>"
HALF = "tensor<64x64xf16, #mma>"

ALLOC_BAR = f"%bar = ttg.local_alloc : () -> {BAR}\n"
ALLOC_TILE = f"%tile = ttg.local_alloc : () -> {TILE}\n"
ALLOC_TILES = f"%tiles = ttg.local_alloc : () -> {TILES}\n"


def init(count: int, bar: str = "%bar") -> str:
    return f"ttng.init_barrier {bar}, {count} : {BAR}\n"


def arrive(bar: str = "%bar", count: int = 1, predicate: str = "%true") -> str:
    return f"ttng.arrive_barrier {bar}, {count}, {predicate} : {BAR}\n"


def expect(size: int, bar: str = "%bar", predicate: str = "%true") -> str:
    return f"ttng.barrier_expect {bar}, {size}, {predicate} : {BAR}\n"


def wait(parity: str, bar: str = "%bar") -> str:
    return f"ttng.wait_barrier {bar}, {parity}, %true : {BAR}\n"


def load(tile: str = "%tile", bar: str = "%bar", predicate: str = "%true") -> str:
    return f"ttng.async_tma_copy_global_to_local %desc[%c0, %c0] {tile}, {bar}, {predicate} : {DESC}, {BAR} -> {TILE}\n"


def tma_store(tile: str = "%tile") -> str:
    return f"ttng.async_tma_copy_local_to_global %desc[%c0, %c0] {tile} : {DESC}, {TILE}\n"


def store_wait(pendings: int) -> str:
    return f"ttng.async_tma_store_wait {{pendings = {pendings} : i32}}\n"


def local_store(tile: str = "%tile") -> str:
    return f"ttg.local_store %halves, {tile} : {HALF} -> {TILE}\n"


def mma(result: str, accumulator: str = "%zeros", tile: str = "%tile") -> str:
    return (
        f"{result} = ttng.warp_group_dot {tile}, {tile}, {accumulator} {{inputPrecision = 0 : i32, isAsync = true}} : "
        f"{TILE} * {TILE} -> {ACC}\n"
    )


def mma_wait(result: str, operand: str, pendings: int) -> str:
    return f"{result} = ttng.warp_group_dot_wait {operand} {{pendings = {pendings} : i32}} : {ACC}\n"


def use(value: str) -> str:
    return f"%used = arith.truncf {value} : {ACC} to {HALF}\n"


FENCE = "ttng.fence_async_shared {bCluster = false}\n"


def index(result: str, whole: str, slot: str) -> str:
    types = f"{BARS} -> {BAR}" if whole == "%bars" else f"{TILES} -> {TILE}"
    return f"{result} = ttg.memdesc_index {whole}[{slot}] : {types}\n"


def loop(body: str, bound: str = "%n") -> str:
    return f"scf.for %i = %c0 to {bound} step %c1 : i32 {{\n{body}}}\n"


def branch(body: str) -> str:
    return f"scf.if %flag {{\n{body}}}\n"


def tasks(default: str, *others: str, attributes: str = "", warps: tuple[int, ...] = ()) -> str:
    """A region of tasks that captures nothing: the texts use no values from outside but functions' arguments."""
    warps = warps or (1,) * len(others)
    regions = [
        f"partition{i}() num_warps({n}) {{\n{body}ttg.warp_return\n}}\n"
        for i, (n, body) in enumerate(zip(warps, others))
    ]
    return f"ttg.warp_specialize(){attributes}\ndefault {{\n{default}ttg.warp_yield\n}}\n{''.join(regions)}: () -> ()\n"


def check(body: str, *, shared: int | None = 1024, warps: int = 4, total_warps: int | None = None) -> list[Finding]:
    """The findings in a kernel of that body."""
    words = f'"ttg.shared" = {shared} : i32,' if shared is not None else ""
    head = HEAD.format(warps=warps, total_warps=total_warps or warps, shared=words)
    return check_module(parse(head + body + TAIL))


def ids(body: str, **options) -> list[str]:
    """The rules that a kernel of that body breaks or leaves undecided."""
    return [finding.id for finding in check(body, **options)]
