"""The cost table is the one that the page documents."""

import re
from dataclasses import fields
from pathlib import Path

from tlx.ir.parser import parse
from tlx.trace import Costs
from tlx.trace.registers import RegisterWork, register_work

PAGE = Path(__file__).parents[2] / "docs" / "trace.md"


def test_the_page_has_every_cost():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (?:.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert [(name, float(cost)) for name, cost in rows] == [(f.name, float(f.default)) for f in fields(Costs)]


def test_registers_take_four_warps_at_most():
    costs, work = Costs(), RegisterWork(scalars=3, lanes=1024)
    assert [costs.registers(work, warps) for warps in (1, 2, 4, 8)] == [3 + 32, 3 + 16, 3 + 8, 3 + 8]


TEXT = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = arith.addi %n, %c1 : i32
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %i : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #blocked>
    %e = math.exp2 %x : tensor<128xf32, #blocked>
    tt.store %a, %e : tensor<128x!tt.ptr<f32>, #blocked>
    %z = arith.addf %e, %e : tensor<128xf32, #blocked>
    tt.return
  }
}
"""


def test_work_goes_to_the_op_that_it_leads_to_and_the_rest_to_the_last():
    module = parse(TEXT)
    reported = {op.name: op for op in module.walk() if op.name in ("tt.load", "tt.store")}
    assert register_work(module, set(reported.values())) == {
        reported["tt.load"]: RegisterWork(scalars=1, lanes=128),
        reported["tt.store"]: RegisterWork(lanes=8 * 128 + 128),
    }
