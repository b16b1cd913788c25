"""Do GraphGaussian's probabilities hold on hidden links, and are they better than those a rule can give?

    python experiments/beyond/calibration.py citation-1998 debian acm --splits 3
    python experiments/beyond/calibration.py citation-1998 debian acm --splits 3 --print

Of each split GraphGaussian, with its defaults, and rules, with the options that validation edges choose, see
the train links; judged are the hidden links against all hidden pairs that are none. The calibration error is
that of the bins of log-odds that hold 99 % of the links. Rules get Platt's scaling fitted to validation links
out of the train links and, as a bound, to the very pairs that they are judged on. What is stored is not made
again.
"""

from typing import Any

from on_splits import arguments, each_split

from acvae.reproduce.beyond import calibration_table
from acvae.reproduce.compare import Store
from acvae.reproduce.compare.methods import methods_of
from acvae.reproduce.compare.probabilities import our_probabilities, rule_probabilities
from acvae.reproduce.compare.rule_methods import RULES
from acvae.reproduce.compare.tuning import choose

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
    parser = arguments(__doc__)
    parser.add_argument("--methods", nargs="+", default=[*(rule.name for rule in RULES), OURS])
    args = parser.parse_args()
    store = Store(args.results)
    for data, split in each_split(args):
        for method in reversed(args.methods):
            at = ("calibration", data.name, method, split.seed)
            if store.get(*at) is None:
                found = store.put(*at, measured(method, data, split, store))
                print(
                    f"{data.name} {split.seed} {method}: error {found['calibration_error']:.4f}, "
                    f"log-loss {found['log_loss']:.4f}",
                    flush=True,
                )
    print(calibration_table(store, args.data))


if __name__ == "__main__":
    main()
