"""The subcommands of `acvae`, one file each: `add_parser(subparsers)` and `run(args) -> int`."""
