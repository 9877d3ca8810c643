"""Finds races, deadlocks and broken phases of a kernel without a GPU."""

from .findings import Finding, Rule

__all__ = ["Finding", "Rule"]
