"""The command line: parses, calls the library, prints. Every subcommand is a file in `acvae.commands`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from acvae._version import __version__
from acvae.exceptions import AcvaeError

__all__ = ["main"]

# Modules of acvae.commands, in the order of the help.
COMMANDS = ("reproduce",)

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 an error with a reason, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="acvae", description="Correlated representation learning on graphs.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"acvae {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"acvae.commands.{name}")
        module.add_parser(subparsers).set_defaults(run=module.run)
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has printed the help, the version or what is wrong
        return stop.code if isinstance(stop.code, int) else 2
    try:
        code: int = args.run(args)
    except AcvaeError as error:
        print(f"acvae: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        how = getattr(args, "after_interrupt", "")
        print(f"\nacvae: stopped{f'; {how}' if how else ''}.", file=sys.stderr)
        return INTERRUPTED
    return code


if __name__ == "__main__":
    sys.exit(main())
