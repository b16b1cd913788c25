"""All methods by task and by name, in the order of the tables."""

from collections.abc import Sequence
from typing import Any

from acvae.exceptions import UnknownNameError, did_you_mean
from acvae.reproduce.compare import classification, completion
from acvae.reproduce.compare.network_methods import EMBEDDED, NETWORKS
from acvae.reproduce.compare.ours import OUR_COMPLETIONS, OUR_EMBEDDINGS, OUR_LINKS
from acvae.reproduce.compare.rule_methods import RULES

__all__ = ["METHODS", "kinds"]


def _by_name(*methods: Any) -> dict[str, Any]:
    return {method.name: method for method in methods}


METHODS: dict[str, dict[str, Any]] = {
    "links": _by_name(*RULES, *NETWORKS, *OUR_LINKS),
    "completion": _by_name(
        completion.Completion("column-means", "column means", "rule", completion.column_means),
        completion.Completion(
            "mean-of-neighbours", "mean of neighbours", "rule", completion.mean_of_neighbours
        ),
        completion.Completion(
            "feature-propagation", "feature propagation", "rule", completion.feature_propagation
        ),
        *OUR_COMPLETIONS,
    ),
    "classification": _by_name(
        classification.Embedding("raw-features", "raw features", "rule", classification.raw_features),
        classification.Embedding("svd", "SVD", "rule", classification.singular_vectors),
        *EMBEDDED,
        *OUR_EMBEDDINGS,
    ),
}

KINDS = {"rules": "rule", "networks": "network", "ours": "ours"}


def kinds(task: str, names: Sequence[str] | None = None) -> list[str]:
    """Names of methods of a task: those given, where "rules", "networks" and "ours" stand for many."""
    known = METHODS[task]
    if not names:
        return list(known)
    chosen: list[str] = []
    for name in names:
        if name in KINDS:
            chosen += [key for key, method in known.items() if method.kind == KINDS[name]]
        elif name in known:
            chosen.append(name)
        else:
            every = [*known, *KINDS]
            raise UnknownNameError(
                f"there is no method {name!r} for {task}; there are {', '.join(every)}."
                + did_you_mean(name, every)
            )
    return list(dict.fromkeys(chosen))
