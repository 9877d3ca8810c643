"""`python -m tlx.compat run SCRIPT [ARGUMENT ...]` and `python -m tlx.compat run -m MODULE [ARGUMENT ...]`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from . import install

USAGE = "usage: python -m tlx.compat run [-m] TARGET [ARGUMENT ...]"


def main(arguments: list[str]) -> None:
    """Runs a program for Meta's TLX as `python` would run it."""
    if arguments[:1] != ["run"] or len(arguments) < 2 or arguments[1:] == ["-m"]:
        sys.exit(USAGE)
    install()
    if arguments[1] == "-m":
        sys.argv = arguments[2:]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments[1:]
        sys.path.insert(0, str(Path(arguments[1]).parent))
        runpy.run_path(arguments[1], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
