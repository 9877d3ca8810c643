"""Keeps the `pendings` of a kernel's waits for cp.async through the stock pipeliner.

The pipeliner counts anew how many groups each wait in the module leaves in flight, from tokens that no builder of the
supported minors gives out; it finds 0 for the waits of a kernel's author, and their loops lose their overlap. Groups
that it adds for a `tl.dot` of its own are newer or older than the author's: either way `pendings` waits for enough.
"""

from __future__ import annotations

import re

from .late_ops import parse

__all__ = ["note_pendings", "restore_pendings"]

FRESH = re.compile(r"ttg\.async_wait \{num = (\d+) : i32\}")
NOTED = re.compile(r"\{num = \d+ : i32, pendings = (\d+) : i32\}")


def note_pendings(module, context):
    """The module with each wait's count kept in an attribute that no pass knows; before any pass."""
    text = str(module)
    if "ttg.async_wait" not in text:
        return module
    return parse(FRESH.sub(r"ttg.async_wait {num = \1 : i32, pendings = \1 : i32}", text), context)


def restore_pendings(module, context):
    """The module with the counts that its author wrote; after all passes."""
    text = str(module)
    if "pendings" not in text:
        return module
    return parse(NOTED.sub(r"{num = \1 : i32}", text), context)
