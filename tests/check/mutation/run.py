"""Runs a kernel once as it is, then any change of it, with the same arguments, under the checkers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from tests.check.mutation.mutations import Mutation, mutations_of
from tests.language.case import TMA, Case
from tlx import sim
from tlx.check.checker import Checker
from tlx.check.findings import NOTE, Finding
from tlx.check.rules import LAUNCH_FAILED
from tlx.check.static import check_module
from tlx.sim.code import Code
from tlx.sim.errors import SimulationWarning
from tlx.sim.launch import Launch, simulate


class _Capture(sim.Observer):
    """Keeps the launch that it observes."""

    launch: Launch

    def begin(self, launch: Launch) -> None:
        self.launch = launch


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    Args:
        mutation: the change.
        static, dynamic: rules that it broke, by id.
    """

    mutation: Mutation
    static: tuple[str, ...]
    dynamic: tuple[str, ...]

    @property
    def killed(self) -> bool:
        return bool(self.static or self.dynamic)


class Subject:
    """A kernel with arguments.

    Args:
        case: right as it is; `results` are what it computes.
    """

    def __init__(self, case: Case):
        capture = _Capture()
        with sim.simulating(observer=capture):
            self._tensors = case.launch(sim.array)
        self._before = {name: _values(case.arguments[name]) for name in self._tensors}
        self.results = {name: self._tensors[name].numpy().copy() for name in case.expected}
        self._launch = capture.launch
        self.module = self._launch.code.module
        self.mutations = mutations_of(self.module)

    def static(self) -> tuple[str, ...]:
        """Rules that reading the module finds broken."""
        return _rules(check_module(self.module))

    def dynamic(self, seed: int) -> tuple[str, ...]:
        """Rules that running the module finds broken."""
        return _rules(self.findings(seed))

    def findings(self, seed: int) -> list[Finding]:
        """What running the module finds."""
        checker = Checker()
        code = Code(self.module, sim.program._STORE_WAITS_SAY)
        original = self._launch
        for name, values in self._before.items():  # a mutant before this one may have left anything
            self._tensors[name].numpy()[...] = values

        def launch(seed: int) -> Launch:
            arguments = original.arguments, original.memory.arguments
            return Launch(code, original.clusters, *arguments, original.device, seed, checker)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            simulate(launch, range(seed, seed + 1))
        failed = [finding.message for finding in checker.findings if finding.rule is LAUNCH_FAILED]
        if failed:
            raise RuntimeError(f"no verdict on the kernel: {failed[0]}")
        return checker.findings

    def judge(self, mutation: Mutation, seeds: range, *, all_rules: bool = False) -> Verdict:
        """Reads the mutant and, where that finds nothing, runs it under each seed until something is found.

        Args:
            all_rules: run it under all seeds whatever was found.
        """
        with mutation.applied():
            static = self.static()
            dynamic: set[str] = set()
            for seed in seeds:
                if all_rules or not (static or dynamic):
                    dynamic.update(self.dynamic(seed))
        return Verdict(mutation, static, tuple(sorted(dynamic)))


def _values(argument: np.ndarray | TMA) -> np.ndarray:
    return argument.values if isinstance(argument, TMA) else argument


def _rules(findings: list[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.id for finding in findings if finding.severity != NOTE}))
