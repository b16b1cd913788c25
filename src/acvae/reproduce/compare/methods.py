"""All methods by task and by name, in the order of the tables."""

from collections.abc import Sequence
from typing import Any

from acvae._util.plugins import load_plugins
from acvae.exceptions import UnknownNameError, did_you_mean
from acvae.reproduce.compare import classification, completion
from acvae.reproduce.compare.network_methods import EMBEDDED, NETWORKS
from acvae.reproduce.compare.ours import our_completions, our_embeddings, our_links
from acvae.reproduce.compare.rule_methods import RULES

__all__ = ["kinds", "methods_of"]


def methods_of(task: str) -> dict[str, Any]:
    """The methods of "links", "completion" or "classification" by name; registered models are among ours."""
    load_plugins()
    methods: list[Any]
    if task == "links":
        methods = [*RULES, *NETWORKS, *our_links()]
    elif task == "completion":
        methods = [*COMPLETIONS, *our_completions()]
    else:
        methods = [*EMBEDDINGS, *EMBEDDED, *our_embeddings()]
    return {method.name: method for method in methods}


COMPLETIONS = (
    completion.Completer("column-means", "column means", "rule", completion.column_means),
    completion.Completer("mean-of-neighbours", "mean of neighbours", "rule", completion.mean_of_neighbours),
    completion.Completer(
        "feature-propagation", "feature propagation", "rule", completion.feature_propagation
    ),
)
EMBEDDINGS = (
    classification.Embedding("raw-features", "raw features", "rule", classification.raw_features),
    classification.Embedding("svd", "SVD", "rule", classification.singular_vectors),
)
KINDS = {"rules": "rule", "networks": "network", "ours": "ours"}


def kinds(task: str, names: Sequence[str] | None = None) -> list[str]:
    """Names of methods of a task: those given, where "rules", "networks" and "ours" stand for many."""
    known = methods_of(task)
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
