"""A ranking of links as one file: `links.safetensors` beside a posterior's.

GraphGaussian's ranking is whole in its file. One that reads its numbers from a posterior holds only the heads
and the degrees, and is given that posterior again. Nothing in a file is believed before it is checked. What
one kind of numbers needs is imported for that kind alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.arrays import read_arrays, write_arrays
from acvae._util.version import __version__
from acvae.exceptions import InputError, OptionError, PosteriorError, SavedModelError
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.stored import Stored
from acvae.links.head import Head
from acvae.links.ranking import LinkRanking, PairStatistics

__all__ = ["load_ranking", "pack_ranking", "save_ranking", "unpack_ranking"]

Arrays = dict[str, npt.NDArray[Any]]

FORMAT, FORMAT_VERSION = "acvae-links", 3
HEADS = ("order", "probability")


def save_ranking(path: str | PathLike[str], ranking: LinkRanking) -> None:
    """Write it to one file, which appears whole or not at all."""
    arrays, about = pack_ranking(ranking)
    write_arrays(path, arrays, about | {"acvae": __version__}, format=FORMAT, version=FORMAT_VERSION)


def load_ranking(path: str | PathLike[str], posterior: Posterior | None = None) -> LinkRanking:
    """Read what `save_ranking` wrote, without PyTorch.

    `posterior` is the one that the ranking was made of. GraphGaussian's can do without, but then factorises
    its precisions once more.
    """
    arrays, about = read_arrays(path, format=FORMAT, version=FORMAT_VERSION, what="saved ranking of links")
    try:
        return unpack_ranking(arrays, about, posterior)
    except InputError as error:
        raise SavedModelError(f"{path} holds no ranking of links that can be used: {error}") from error


def pack_ranking(ranking: LinkRanking) -> tuple[Arrays, dict[str, Any]]:
    """The arrays it is made of, and what its numbers are."""
    arrays = {
        name: array for head in HEADS for name, array in getattr(ranking, head).pack(head + "/").items()
    }
    statistics: Any = ranking.statistics
    kind = getattr(statistics, "kind", None)
    if kind == "posterior":
        about = {"statistics": kind, "posterior": _fingerprint(statistics.posterior)}
        return arrays | {"degrees": statistics.degrees}, about
    if kind == "graph":
        from acvae.links.statistics.stored import pack_graph

        own, about = pack_graph(statistics)
        return arrays | own, {"statistics": kind, **about}
    raise OptionError(f"rankings by {type(statistics).__name__} cannot be saved.")


def unpack_ranking(
    arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any], posterior: Posterior | None = None
) -> LinkRanking:
    """Of what `pack_ranking` gave, or of anything else, which is an error."""
    stored = Stored(arrays)
    statistics: PairStatistics
    made: type[LinkRanking] = LinkRanking
    if about.get("statistics") == "posterior":
        statistics = _of_posterior(stored, about, posterior)
    elif about.get("statistics") == "graph":
        from acvae.links.statistics.stored import unpack_graph

        statistics = unpack_graph(stored, arrays, about, posterior)
        if statistics.solver.restricts:
            from acvae.links.candidates import CandidateRanking

            made = CandidateRanking
    else:
        raise PosteriorError(f"its statistics are of the unknown kind {str(about.get('statistics'))[:40]!r}.")
    order, probability = (Head.unpack(arrays, name + "/", len(statistics.names)) for name in HEADS)
    return made(statistics, order, probability)


# ---------------------------------------------------------------------- numbers from a posterior


def _fingerprint(posterior: Posterior) -> str:
    """Tells posteriors apart by their marginals."""
    found = hashlib.sha256()
    for table in (posterior.mean, posterior.std):
        found.update(np.ascontiguousarray(table).view(np.uint8).data)
    return found.hexdigest()


def _of_posterior(stored: Stored, about: Mapping[str, Any], posterior: Posterior | None) -> PairStatistics:
    from acvae.links.statistics.posterior import PosteriorStatistics

    if posterior is None:
        raise PosteriorError(
            "it ranks by the pairs of a posterior: give that too, load_ranking(path, posterior)."
        )
    degrees = stored.ids("degrees", (posterior.n_vertices,), posterior.n_vertices)
    if about.get("posterior") != _fingerprint(posterior):
        raise PosteriorError("it was made of another posterior than the one given.")
    return PosteriorStatistics(posterior, degrees)
