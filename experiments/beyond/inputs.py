"""Is GraphGaussian's head ever behind one of its own inputs? Test NCRR of the head and of each number alone.

    python experiments/beyond/inputs.py citation-1998 debian acm amazon-photo --splits 3
    python experiments/beyond/inputs.py citation-1998 debian acm amazon-photo --print

Of each split the model, with its defaults, sees the train links. A number that is the same for all candidates
of a vertex cannot rank and is left out. At the end the best of the numbers is set beside the head of every
data set, and the command fails where the head is behind by more than the interval of the difference. What is
stored is not made again.
"""

from typing import Any

import numpy as np
from on_splits import arguments, each_split

import acvae
from acvae.links.ranking import evaluate
from acvae.reproduce.beyond import inputs_table
from acvae.reproduce.compare import Store, interval

OURS = "graph-gaussian"


def measured(data: Any, split: Any) -> dict[str, Any]:
    """NCRR of the head, and of each number that can rank; ties are broken at random."""
    model = acvae.GraphGaussian(seed=split.seed, progress=False).fit(data.features, split.train)
    statistics: Any = model.links_.statistics
    able = [f for f, sign in enumerate(statistics.signs) if sign]
    signs = np.array(statistics.signs, dtype=np.float32)[able]
    rng = np.random.default_rng(split.seed)
    found: list[Any] = []
    vertices = np.flatnonzero(split.test.degrees)
    for at in np.array_split(vertices, 1 + len(vertices) // 64):
        numbers = statistics.rows(at)
        head = evaluate(model.links_.order, numbers)[:, :, None]
        scores = np.concatenate([head, numbers[:, :, able] * signs], axis=-1)
        found += [_normalised(i, own, split, rng) for i, own in zip(at, scores, strict=True)]
    names = ["head", *(statistics.names[f] for f in able)]
    ncrr = dict(zip(names, np.mean(found, axis=0).tolist(), strict=True))
    return {"ncrr": ncrr, "held_out": model.choice_["held_out"], "scales": list(model.scales_)}


def _normalised(i: int, scores: Any, split: Any, rng: np.random.Generator) -> Any:
    """(F,) sum of the reciprocal ranks of the test links of i, over its largest value; scores are (n, F)."""
    (start, known), (first, links) = split.train.csr, split.test.csr
    left_out = np.append(known[start[i] : start[i + 1]], i)
    scores[left_out] = -np.inf
    answers = links[first[i] : first[i + 1]]
    chance = rng.random(len(scores))
    total = np.zeros(scores.shape[1])
    for j in answers:
        tied = (scores == scores[j]) & (chance <= chance[j])[:, None]
        total += 1 / ((scores > scores[j]) | tied).sum(axis=0)
    return total / (1 / np.arange(1, len(answers) + 1)).sum()


def behind(results: list[dict[str, Any]]) -> tuple[str, str, bool]:
    """The best number, the head's lead over it, and whether that is below zero beyond its interval."""
    names = [name for name in results[0]["ncrr"] if name != "head"]
    best = max(names, key=lambda name: np.mean([result["ncrr"][name] for result in results]))
    lead = interval(result["ncrr"]["head"] - result["ncrr"][best] for result in results)
    return best, str(lead), bool(lead.mean + np.nan_to_num(lead.half) < 0)


def main() -> None:
    args = arguments(__doc__).parse_args()
    store = Store(args.results)
    for data, split in each_split(args):
        at = ("inputs", data.name, OURS, split.seed)
        if store.get(*at) is None:
            found = store.put(*at, measured(data, split))
            print(f"{data.name} {split.seed}: head {found['ncrr']['head']:.4f}", flush=True)
    stored = {name: found for name in args.data if (found := store.results("inputs", name, OURS))}
    print(inputs_table(store, list(stored)))
    failed = False
    for name, results in stored.items():
        best, lead, lost = behind(results)
        failed |= lost
        print(f"{name}: the head is {lead} ahead of the best number, {best}" + " (BEHIND)" * lost)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
