"""What a run can be asked to rank by: its links, its own distances, its pair network."""

from __future__ import annotations

from typing import Any

from acvae._util.checks import choice
from acvae.exceptions import AcvaeError, OptionError
from acvae.gaussian.posterior import Posterior
from acvae.links.stored import load_ranking
from acvae.methods import RANKINGS
from acvae.runs.folder import LINKS, PAIRS, Run

__all__ = ["BY", "default_ranking", "has_links", "links_of", "ranker", "ranker_by", "rankers_of"]

BY = ("link", "distance", "pairs")


def links_of(model: Any) -> Any | None:
    """What a fitted model knows of links; one without any links to learn from knows nothing."""
    try:
        return getattr(model, "links_", None)
    except (ImportError, AcvaeError):
        return None


def has_links(run: Run) -> bool:
    """Whether the run knows the probabilities of links."""
    return (run.path / LINKS).is_file()


def ranker(run: Run, name: str) -> Any:
    """What ranks that way: anything with `n_vertices` and `distance_blocks`; read once for a `Run`."""
    run.need_finished()
    if name not in run.rankers:
        run.rankers[name] = _read(run, name)
    return run.rankers[name]


def _read(run: Run, name: str) -> Any:
    if name == "link":
        return load_ranking(run.path / LINKS, run.posterior)
    if name != "pairwise" or run.config.method.ranking == "pairwise":
        return run.posterior
    if (run.path / PAIRS).is_file():
        return Posterior.load(run.path / PAIRS)
    pairs: Posterior = run.model.pairwise_posterior(run.load_data().features)
    return pairs


def rankers_of(run: Run, *, pair_network: bool = True, notes: list[str] | None = None) -> dict[str, Any]:
    """All rankings of a run; one whose data are gone is left out with a note."""
    names = (["link"] if has_links(run) else []) + [*run.config.method.rankings]
    found = {}
    for name in names:
        if name == "pairwise" and not pair_network and name != run.config.method.ranking:
            continue
        try:
            found[name] = ranker(run, name)
        except (AcvaeError, OSError) as error:
            if name != "pairwise" or notes is None:
                raise
            notes.append(f"without the data there are no scores of the pair network: {error}")
    return found


def ranker_by(run: Run, by: str | None) -> str:
    """The ranking that "link", "distance" or "pairs" means here.

    Without a wish it is the run's default.
    """
    own = run.config.method.ranking
    known = [*(["link"] if has_links(run) else []), *run.config.method.rankings]
    if by is None:
        return default_ranking(run)
    choice("by", by, BY)
    if by == "link":  # without a head, the likeliest links are the nearest vertices
        return "link" if "link" in known else own
    found = [name for name in known if RANKINGS[name].by == by]
    if by == "distance":
        return own
    if not found:
        others = dict.fromkeys(RANKINGS[name].by for name in known)
        raise OptionError(
            f"the model {run.config.model} has no pair network to rank by; it has {' and '.join(others)}."
        )
    return found[0]


def default_ranking(run: Run) -> str:
    """What a run is asked by where nobody says: the probability of a link, else the model's own distances.

    A fixed rule: a choice by the scores on test links would make those scores look better than they are.
    """
    return "link" if has_links(run) else run.config.method.ranking
