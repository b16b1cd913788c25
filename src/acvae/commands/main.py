"""The command line: parses, calls the library, prints. Every subcommand is a file in `acvae.commands`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from acvae._util.version import __version__
from acvae.commands._hints import with_hint
from acvae.commands._usage import UsageError
from acvae.exceptions import AcvaeError, did_you_mean

__all__ = ["main"]

# Modules of acvae.commands, in the order of the help.
COMMANDS = (
    *("fit", "evaluate", "links", "neighbors", "cluster", "export", "compare"),
    *("report", "datasets", "reproduce"),
)

INTERRUPTED = 130

EXAMPLES = """examples:
  acvae fit debian --out runs/debian                   train, and keep the model
  acvae neighbors runs/debian python3-numpy            predicted links of a vertex
  acvae fit --features words.csv --edges links.csv --out runs/mine

Each command has a help of its own: acvae fit --help. Exit codes: 0 done, 1 an error, 2 wrong usage,
130 interrupted.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Leaves the longest command's name on the line of its help."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length = max(self._action_max_length, 4 + max(map(len, COMMANDS)))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done, 1 an error with a reason, 2 wrong usage, 130 stopped.
    """
    parser = argparse.ArgumentParser(
        prog="acvae",
        description="Correlated representation learning on graphs: features and links in,\n"
        "one joint Gaussian over all embeddings out.",
        epilog=EXAMPLES,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"acvae {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    given = list(sys.argv[1:] if argv is None else argv)
    for name in COMMANDS:
        module = importlib.import_module(f"acvae.commands.{name}")
        command = module.add_parser(subparsers)
        command.set_defaults(run=module.run, parser=command)
        if given[:1] == [name] and hasattr(module, "complete"):
            module.complete(command)
    try:
        if given and not given[0].startswith("-") and given[0] not in COMMANDS:
            parser.error(
                f"there is no command {given[0]!r}; there are {', '.join(COMMANDS)}."
                + did_you_mean(given[0], COMMANDS)
            )
        args, unknown = parser.parse_known_args(given)
    except SystemExit as stop:  # argparse has printed the help, the version or what is wrong
        return stop.code if isinstance(stop.code, int) else 2
    try:
        if unknown:
            explain = getattr(sys.modules[args.run.__module__], "not_understood", lambda *_: None)
            raise UsageError(
                _after_dashes(unknown[0], given)
                or explain(unknown[0], args)
                or _not_understood(unknown[0], args.parser)
            )
        code: int = args.run(args)
    except UsageError as error:
        print(f"{args.parser.format_usage()}acvae {args.command}: error: {error}", file=sys.stderr)
        return 2
    except AcvaeError as error:
        print(f"acvae: {with_hint(error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a path that the system does not take, a disk that is full
        where = f" ({str(error.filename)[:200]!r})" if error.filename else ""
        print(f"acvae: {error.strerror or error}{where}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"acvae: there is not enough memory for this. {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, SystemError) as error:
        if not _is_interrupt(error):
            raise
        how = getattr(args, "after_interrupt", "")
        print(f"\nacvae: stopped{f'; {how}' if how else ''}.", file=sys.stderr)
        return INTERRUPTED
    return code


def _after_dashes(argument: str, given: list[str]) -> str | None:
    """That an option was taken for a name, if it stands behind a -- alone."""
    if not argument.startswith("-") or "--" not in given:
        return None
    at = given.index("--")
    if argument in given[:at] or argument not in given[at:]:
        return None
    return f"after -- everything is a name, and {argument!r} is one too many; options stand before it."


def _not_understood(argument: str, parser: argparse.ArgumentParser) -> str:
    """What is wrong with an argument that no parser took."""
    flag = argument.split("=")[0]
    if not flag.startswith("-"):
        return f"{argument!r} is one argument too many."
    known = [text for action in parser._actions for text in action.option_strings]
    return f"there is no option {flag}.{did_you_mean(flag, known)}"


def _is_interrupt(error: BaseException) -> bool:
    """A Ctrl-C in the middle of compiled code comes out as a SystemError."""
    if isinstance(error, KeyboardInterrupt):
        return True
    from acvae.training.interrupts import is_interrupt

    return is_interrupt(error)


if __name__ == "__main__":
    sys.exit(main())
