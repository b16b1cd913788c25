"""Fill the tables "Beyond the paper": every method on every data set, results kept as they come.

    python experiments/beyond/peers.py links citation-1998 debian --methods cosine katz --splits 5
    python experiments/beyond/peers.py links citation-1998 debian --print

What is stored is not made again, so a run that was stopped is resumed by the same command. Raw data are
looked for as everywhere, in `$ACVAE_DATA` or `--data-root`.
"""

import argparse
import time
from pathlib import Path

import acvae
from acvae.reproduce.compare import Store
from acvae.reproduce.compare.methods import kinds, methods_of
from acvae.reproduce.compare.tasks import TASKS

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("data", nargs="+", metavar="DATASET")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="or rules, networks, ours")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--data-root")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="only what is stored, as Markdown")
    args = parser.parse_args()
    task, store = TASKS[args.task], Store(args.results)
    names = kinds(args.task, args.methods)
    root = {} if args.data_root is None else {"root": args.data_root}
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:7.0f} s  {text}", flush=True)

    for name in args.data:
        if not args.print:
            methods = [methods_of(args.task)[method] for method in names]
            task.run(acvae.datasets.load(name, **root), methods, range(args.splits), store, say)
    for name in args.data:
        print(task.table(name, names, range(args.splits), store), flush=True)


if __name__ == "__main__":
    main()
