"""GraphGaussian's numbers of pairs as arrays of a file, whole: nothing else is needed to read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae.exceptions import PosteriorError
from acvae.gaussian.graph.scales import ScalesJoint
from acvae.gaussian.graph.solver import Gaussian, solver_named, solver_of
from acvae.gaussian.posterior import Posterior
from acvae.gaussian.stored import Stored
from acvae.links.statistics.graph import GraphStatistics
from acvae.links.statistics.scales import Scale

__all__ = ["pack_graph", "unpack_graph"]

Arrays = dict[str, npt.NDArray[Any]]

LONGEST = 40  # characters of a label


def pack_graph(statistics: GraphStatistics) -> tuple[Arrays, dict[str, Any]]:
    """The arrays that they are made of, and what else is to be known."""
    scales = statistics.scales
    arrays: Arrays = {
        "links": scales[0].gaussian.edges,
        "weight": statistics.walk.weight,
        "diagonal": np.stack([scale.gaussian.diagonal for scale in scales]),
        "strength": np.stack([scale.gaussian.strength for scale in scales]),
    }
    if statistics.company is not None:
        alike = statistics.company.alike
        arrays |= {
            "mean": np.stack([scale.mean for scale in scales]),
            "evidence": statistics.unit,
            "alike/start": alike.indptr.astype(np.int64),
            "alike/ids": alike.indices.astype(np.int64),
            "alike/values": alike.data.astype(np.float32),
        }
    if statistics.solver.restricts:
        arrays["variance"] = np.stack([scale.gaussian.variance for scale in scales])
    return arrays, {"labels": list(statistics.labels), "solver": statistics.solver.name}


def unpack_graph(
    stored: Stored,
    arrays: Mapping[str, npt.NDArray[Any]],
    about: Mapping[str, Any],
    posterior: Posterior | None,
) -> GraphStatistics:
    """Of what `pack_graph` gave, or of anything else, which is an error."""
    diagonal = stored.numbers("diagonal", (None, None), np.float64)
    count, n = diagonal.shape
    links = stored.links("links", n)
    strength = stored.numbers("strength", (count, len(links)), np.float64)
    if count == 0 or not (diagonal > 0).all() or not (strength > 0).all():
        raise PosteriorError("its precision is not positive.")
    weight = stored.numbers("weight", (len(links),), np.float64)
    if not (weight > 0).all():
        raise PosteriorError("its weights are not positive.")
    mean, evidence, alike = np.zeros((count, n, 0)), np.zeros((n, 0), dtype=np.float32), None
    if "mean" in arrays:
        mean = stored.numbers("mean", (count, n, None))
        evidence = stored.numbers("evidence", (n, mean.shape[2]), np.float32)
        alike = _alike(stored, n)
    labels = about.get("labels")
    told = isinstance(labels, list) and all(isinstance(x, str) and len(x) <= LONGEST for x in labels)
    if not told or len(labels or ()) != count:
        raise PosteriorError(f"it has no labels for its {count} scales.")
    name = str(about.get("solver", "exact"))
    variance = stored.numbers("variance", (count, n), np.float64) if "variance" in arrays else None
    if variance is not None and not (variance > 0).all():
        raise PosteriorError("its variances are not positive.")
    held = _held(posterior, name, links, strength, diagonal)
    if held is None:
        solver = solver_named(name, n, links)
        known = [None] * count if variance is None else variance
        gaussians = tuple(solver.gaussian(h, a, v) for h, a, v in zip(diagonal, strength, known, strict=True))
    else:
        solver, gaussians = solver_of(held[0]), held
    scales = tuple(Scale(gaussian, own) for gaussian, own in zip(gaussians, mean, strict=True))
    return GraphStatistics(scales, tuple(labels or ()), links, weight, evidence, alike=alike, solver=solver)


def _alike(stored: Stored, n: int) -> sp.csr_array:
    """A sparse matrix (n, n) of arrays that may be anything."""
    ids = stored.ids("alike/ids", (None,), n)
    values = stored.numbers("alike/values", (len(ids),), np.float32)
    start = stored.ids("alike/start", (n + 1,), len(ids) + 1)
    if start[0] != 0 or start[-1] != len(ids) or (np.diff(start) < 0).any():
        raise PosteriorError("its rows of likeness do not follow one another.")
    if not (values >= 0).all():
        raise PosteriorError("its likeness is negative.")
    return sp.csr_array((values, ids, start), shape=(n, n))


def _held(
    posterior: Posterior | None,
    solver: str,
    links: npt.NDArray[np.int64],
    strength: npt.NDArray[np.float64],
    diagonal: npt.NDArray[np.float64],
) -> tuple[Gaussian, ...] | None:
    """The posterior's, where it has the same, since orders and factorisations take time and memory."""
    joint = None if posterior is None else posterior.joint
    if (
        isinstance(joint, ScalesJoint)
        and joint.solver == solver
        and all(
            np.array_equal(a, b)
            for a, b in ((joint.links, links), (joint.strength, strength), (joint.diagonal, diagonal))
        )
    ):
        return joint.gaussians
    return None
