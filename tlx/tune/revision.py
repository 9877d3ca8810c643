"""Which sources a measurement ran from: the version of tlx, and the git commit of the kernel's repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from ..version import __version__

__all__ = ["DIRTY", "commit_of", "source_columns"]

DIRTY = "-dirty"
"""How a revision ends whose Python files differ from the commit, as `git describe --dirty` has it."""


def source_columns(folder: Path) -> dict[str, Any]:
    """Columns of table `sweep`: `tlx`, `revision` and `dirty` of what lies in a folder.

    Where that is no git repository, `TLX_REVISION` may name the commit, such as on a machine that got a copy of the
    files; without it, the revision is "".
    """
    revision = _revision_of(folder)
    return {
        "tlx": __version__,
        "revision": revision.removesuffix(DIRTY),
        "dirty": int(revision.endswith(DIRTY)),
    }


def _revision_of(folder: Path) -> str:
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return os.environ.get("TLX_REVISION", "")
    # Files that no commit knows count as well: a kernel that was just written may be one of them.
    changed = _git(folder, "status", "--porcelain", "--", ":(top)*.py")
    return commit + (DIRTY if changed else "")


def commit_of(name: str, folder: Path) -> str:
    """The whole hash of what git calls `name` in a folder, such as a tag or `HEAD~1`; "" for nothing."""
    return "" if name.startswith("-") else _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


def _git(folder: Path, *arguments: str) -> str:
    """What git prints; "" where it fails or isn't there."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
