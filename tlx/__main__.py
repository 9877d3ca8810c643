"""The command line: `tlx info`, `tlx compare OPERATION`, `tlx check TARGET`, `tlx trace TARGET`, `tlx best`,
`tlx sql QUERY`, `tlx db`, `tlx iso KERNEL KERNEL`, `tlx regress --from REV --to REV`, `tlx report`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .bench import command as compare
from .check import command as check
from .errors import TLXError
from .info import print_info
from .trace import command as trace
from .tune.database import command as database
from .tune.questions import command as questions

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 0, 1 if a result is wrong, 2 if the command makes no sense."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except TLXError as error:
        print(f"tlx: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tlx", description="Explicit warp specialization for Triton.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="versions, the device, and why it was chosen")
    info.set_defaults(run=print_info)
    compare.add_parser(commands)
    check.add_parser(commands)
    trace.add_parser(commands)
    database.add_parsers(commands)
    questions.add_parsers(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
