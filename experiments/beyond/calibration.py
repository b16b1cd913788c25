"""Do GraphGaussian's probabilities hold on hidden links, and are they better than those a rule can give?

    python experiments/beyond/calibration.py citation-1998 debian acm --splits 1
    python experiments/beyond/calibration.py citation-1998 debian acm --splits 1 --print

Of each split GraphGaussian, with its defaults, and rules, with the options that validation edges choose, see
the train links; judged are the hidden links against all hidden pairs that are none. The calibration error is
that of the bins of log-odds that hold 99 % of the links. Rules get Platt's scaling fitted to the pairs they
are judged on. What is stored is not made again.
"""

import argparse
from pathlib import Path
from typing import Any

import acvae
from acvae.reproduce.beyond import calibration_table
from acvae.reproduce.compare import Store
from acvae.reproduce.compare.methods import methods_of
from acvae.reproduce.compare.probabilities import our_probabilities, rule_probabilities
from acvae.reproduce.compare.rule_methods import RULES
from acvae.reproduce.compare.tuning import choose

RESULTS = Path(__file__).parent / "results"
OURS = "graph-gaussian"


def measured(name: str, data: Any, split: Any, store: Store) -> dict[str, Any]:
    """All figures of one method on one split, with its label."""
    method = methods_of("links")[name]
    if name == OURS:
        return {"label": method.label, **our_probabilities(name, data.features, split)}
    ranked = store.get("links", data.name, name, split.seed)
    if ranked is None:
        options = choose(method, data.features, split.train, split.seed).options
    else:
        options = ranked["options"]
    return {"label": method.label, **rule_probabilities(method, options, data.features, split)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="DATASET")
    parser.add_argument("--methods", nargs="+", default=[*(rule.name for rule in RULES), OURS])
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--data-root")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="only what is stored, as Markdown")
    args = parser.parse_args()
    store = Store(args.results)
    root = {} if args.data_root is None else {"root": args.data_root}
    for name in args.data if not args.print else ():
        data = acvae.datasets.load(name, **root)
        for seed in range(args.splits):
            split = acvae.split_edges(data.graph, seed=seed)
            for method in reversed(args.methods):
                if store.get("calibration", name, method, seed) is None:
                    found = store.put("calibration", name, method, seed, measured(method, data, split, store))
                    print(
                        f"{name} {seed} {method}: error {found['calibration_error']:.4f}, "
                        f"log-loss {found['log_loss']:.4f}",
                        flush=True,
                    )
    print(calibration_table(store, args.data))


if __name__ == "__main__":
    main()
