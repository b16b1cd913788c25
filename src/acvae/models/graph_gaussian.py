"""GraphGaussian: features as evidence on a graph, one exact joint Gaussian, links by exact leave-one-out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.checks import as_list, choice, real_number, seed_number, whole_number
from acvae._util.matrices import as_matrix
from acvae._util.options import option
from acvae._util.stages import Stages
from acvae._util.text import shown
from acvae.datasets.missing import check_finite
from acvae.exceptions import FeatureError, GraphError, OptionError, SavedModelError
from acvae.families.graph_gaussian import GraphGaussianFit, dimensions, fit_graph_gaussian
from acvae.families.graph_gaussian_seconds import seconds_before
from acvae.gaussian.graph.scales import ScalesJoint
from acvae.gaussian.graph.solver import SOLVERS
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.links.ranking import LinkRanking
from acvae.models.conventions import Embedder
from acvae.models.explanation import Explanation, explain
from acvae.models.graph_extension import GraphExtension, extend
from acvae.models.graph_inputs import as_graph
from acvae.models.inputs import Inputs, prepare
from acvae.models.link_answers import check_apart

__all__ = ["GraphGaussian"]

FIT, FEATURES = "fit.", "features."  # before the names of arrays in a file

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class GraphGaussian(Embedder):
    """One joint Gaussian on the whole graph, with the features as evidence, exact.

    In every dimension, and at a scale with strength α, the prior is z ~ N(0, (I + α·L)⁻¹), L the graph's
    Laplacian, weighted where edges have weights. A vertex's features are evidence r about its z with
    precision c, so that

        J = I + α·L + diag(c),   K = J⁻¹,   mean = K·diag(c)·r.

    Whether two vertices are linked is read from the statistics of their pair: correlation and cosine of the
    means at each scale, walks and short paths between them, whom they are linked with, and both degrees. The
    small network that reads them is trained on every link *as if it were not there*, which a Gaussian gives
    in closed form.

    Parameters
    ----------
    latent_dim
        Dimensions of an embedding, shared among the scales; fewer if the features have fewer.
    scales
        Numbers above zero: how loudly a vertex of mean degree hears its neighbours, relative to itself. Small
        ones keep close to the features and the nearest links, large ones smooth. "auto" is 1.5 and 15, or 0.5
        and 5, or 5 and 50 where these rank links that are left out clearly better (`choice_`).
    solver
        "exact" factorises the precision: every query is exact, and memory grows with the square of the
        graph's dense core. "local" does not: rows of K are known near their vertex, with a bound on what is
        left out, and links are ranked among each vertex's strongest candidates. "auto" is exact where that
        fits, else local.
    seed
        Fixes everything that is random.
    progress
        Show progress on standard error.

    After `fit`: `posterior_`, `links_` (scores and probabilities of links), `graph_`, `scales_`,
    `precision_` (c), `evidence_` (how features were weighted), `solver_` ("exact" or "local"), `choice_`
    (what was tried under leave-one-out: "scales", a row each with its mean reciprocal rank, its lead over the
    first and the error of that; "held_out", the mean reciprocal rank of the head and of each number alone;
    "evidence", of real values, how links are ranked by their direction and by their position), `history_`,
    `n_features_in_`, and `feature_names_in_` where features came as a data frame.
    """

    graph_: Graph

    def __init__(
        self,
        latent_dim: int = 64,
        *,
        scales: str | Sequence[float] = "auto",
        solver: str = "auto",
        seed: int = 0,
        progress: bool = True,
    ) -> None:
        self.latent_dim = latent_dim
        self.scales = scales
        self.solver = solver
        self.seed = seed
        self.progress = progress
        self._check_options()

    def _check_options(self) -> None:
        whole_number("latent_dim", self.latent_dim, minimum=1)
        seed_number("seed", self.seed)
        choice("solver", self.solver, SOLVERS)
        expected = f"{option('scales')} must be 'auto' or numbers above 0"
        if isinstance(self.scales, str):
            if self.scales != "auto":
                parted = ", parted by blanks" if option("scales").startswith("-") else ""
                raise OptionError(f"{expected}{parted}, not {shown(self.scales)}.")
            return
        given = as_list("scales", self.scales, OptionError, "'auto' or numbers above 0")
        if not given:
            raise OptionError(f"{expected}, and there are none.")
        for scale in given:
            try:
                real_number("each of scales", scale, above=0)
            except OptionError:
                raise OptionError(f"{expected}, but one is {shown(scale)}.") from None

    # ------------------------------------------------------------------ what users call

    def fit(self, features: Any = None, graph: Any = None, *, observed: npt.ArrayLike | None = None) -> Self:
        """Fit to a feature matrix (n, D), sparse or dense, and a graph on its n rows.

        Parameters
        ----------
        features
            None for a graph without any features: its structure alone then carries the joint. Names in a list
            of edges are then mapped as by `Graph.from_edges`.
        observed
            (n,) which vertices have features at all; rows of the others are not looked at, and may be NaN.
        """
        self._check_options()
        inputs = self._prepare(features, graph, observed)
        assert inputs.graph is not None
        started = time.perf_counter()
        n, x = inputs.graph.n_vertices, inputs.features
        guess = seconds_before(
            n, inputs.graph.n_edges, 0 if x is None else x.nnz if sp.issparse(x) else x.size
        )
        with Stages("GraphGaussian", guess, seconds=sum(guess.values()), show=self.progress) as stages:
            fitted = fit_graph_gaussian(
                inputs.features,
                inputs.graph,
                latent_dim=self.latent_dim,
                scales=self.scales if isinstance(self.scales, str) else tuple(map(float, self.scales)),
                observed=inputs.observed,
                solver=self.solver,
                seed=int(self.seed),
                progress=stages.at,
                plan=stages.plan,
            )
        self._set(fitted, inputs.features, inputs.graph, self.latent_dim)
        self._remember_columns(inputs.feature_names)
        self.history_ = [{"epoch": 1, "seconds": time.perf_counter() - started}]
        return self

    def transform(self, features: Any) -> npt.NDArray[np.float32]:
        """Means (k, latent_dim) of rows with the same features, seen or unseen, without any edges."""
        self._need_fit("transform")
        fitted = self._fit
        if fitted.evidence is None:
            raise FeatureError(
                "the model was fitted without features, so rows of features say nothing to it."
            )
        rows = self._as_rows(features)
        check_finite(rows, "Fill the gaps yourself.")
        evidence, seen = fitted.evidence.project(rows)
        share = fitted.precision / (1 + fitted.precision)
        alone = share * evidence * seen[:, None]
        return alone[:, self._columns].astype(np.float32)

    def impute(self, rows: npt.ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Expected features (r, D) of vertices from all evidence, and their standard deviations (r, D).

        Every feature is a Gaussian on the graph, around its mean. How loudly neighbours are heard and how far
        features are believed is chosen, the first time, by how well the features of vertices are expected
        from all others'. `rows` are vertex ids or names, by default all of them.
        """
        self._need_fit("impute")
        everyone = np.arange(self.posterior_.n_vertices)
        return self._fit.impute(everyone if rows is None else self._rows(rows), self._features)

    def extend(
        self,
        features: Any = None,
        edges: Any = (),
        *,
        known: str = "update",
        names: Iterable[Any] | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> GraphExtension:
        """The joint with unseen vertices in it; the model itself stays as it is.

        What is given back tells their links too: `predict_links`, `link_probability`, `links_`.

        Parameters
        ----------
        features
            (k, D) of the new vertices; rows of NaN, or None with `names`, for vertices with edges only.
        edges
            Pairs (new vertex, vertex), any number for each; a whole number is an id (0 … k−1 for the new
            ones), anything else a name. The second may be known, or a new one given as ("new", id).
        known
            "update": known vertices hear of the new ones. All edges have the strengths of the fit, which a
            fit on the larger graph would set anew, by its own mean degree and mean weight. "fixed": every
            marginal of the known ones stays as it is.
        names
            k names of the new vertices, by default those in the index of a data frame; without these,
            "new-0", "new-1", … if the known ones have names.
        weights
            One positive number per edge, on the scale of the known edges' weights, or of ones where these
            have none. By default each has the mean of the known.
        """
        self._need_fit("extend")
        choice("known", known, ("update", "fixed"))
        return extend(self, features, edges, known=known, names=names, weights=weights)

    def explain(self, i: Any, j: Any) -> Explanation:
        """Why the two are, or are not, expected to be linked: in words (`str`) and as data."""
        self._need_fit("explain")
        a, b = (self._ids(end) for end in (i, j))
        if a.size != 1 or b.size != 1:
            raise GraphError(f"two vertices are explained, not {a.size} and {b.size}.")
        check_apart(a, b)
        return explain(self, int(a.item()), int(b.item()))

    # ------------------------------------------------------------------ inside

    def _prepare(self, features: Any, graph: Any, observed: Any) -> Inputs:
        """Features may be missing altogether, and so may the graph, but not both."""
        if features is not None:
            inputs = prepare(
                features,
                graph,
                observed=observed,
                uses_weights=True,
                own=True,
                takes_observed=True,
                model="GraphGaussian",
                stacklevel=4,
            )
            if inputs.graph is None:
                empty = Graph(inputs.features.shape[0], [], inputs.names)
                inputs = inputs._replace(graph=empty)
            return inputs
        if graph is None:
            raise GraphError("there is nothing to fit: give features, a graph, or both.")
        if observed is not None:
            raise FeatureError("observed says which vertices have features, and there are no features.")
        made = as_graph(graph, None, None, weighted=True).graph
        return Inputs(None, made, made.names, None, None, ())

    def _set(self, fitted: GraphGaussianFit, features: Any, graph: Graph, latent_dim: int) -> None:
        self._fit, self._features = fitted, features
        self.graph_ = graph
        self.weights_ = None
        self.scales_ = fitted.scales
        self.solver_ = fitted.solver.name
        self.precision_ = fitted.precision
        self.choice_ = {name: fitted.report.get(name, empty) for name, empty in _nothing_tried().items()}
        self.evidence_ = "none" if fitted.evidence is None else fitted.evidence.kind
        self.n_features_in_ = 0 if features is None else int(features.shape[1])
        self.posterior_: Posterior = self._posterior(fitted, latent_dim)
        self._links: LinkRanking | None = fitted.ranking

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays = {FIT + name: array for name, array in self._fit.pack().items()}
        kind = None if self._fit.evidence is None else self._fit.evidence.kind
        if sp.issparse(self._features):
            x = sp.csr_array(self._features)
            arrays |= {FEATURES + n: getattr(x, n) for n in ("data", "indices", "indptr")}
        elif self._features is not None:
            arrays[FEATURES + "table"] = np.asarray(self._features)
        values = {"features": kind, "solver": self.solver_, "choice": self.choice_}
        return arrays, values | {"dimensions": self.posterior_.latent_dim}

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], values: dict[str, Any]) -> None:
        own = {name.removeprefix(FIT): array for name, array in arrays.items() if name.startswith(FIT)}
        fitted = GraphGaussianFit.unpack(own, values["features"], self.graph_, values.get("solver", "exact"))
        shape = (self.graph_.n_vertices, self.n_features_in_)
        if fitted.evidence is not None and len(fitted.evidence.scale) != self.n_features_in_:
            raise SavedModelError(f"it knows {len(fitted.evidence.scale)} of {self.n_features_in_} features.")
        features = arrays.get(FEATURES + "table")
        if FEATURES + "data" in arrays:
            parts = tuple(arrays[FEATURES + name] for name in ("data", "indices", "indptr"))
            x = sp.csr_array(parts, shape=shape)
            x.check_format(full_check=True)
            features = x
        if features is not None and features.shape != shape:
            raise SavedModelError(f"its features have the shape {features.shape}, not {shape}.")
        fitted.report = _checked_choice(values.get("choice", {}))
        count = whole_number("dimensions", values.get("dimensions", self.latent_dim), minimum=1)
        self._set(fitted, features, self.graph_, count)

    @property
    def _columns(self) -> IntArray:
        """(d,) which dimension of the evidence each of the posterior's is of."""
        return dimensions(self._fit, self.posterior_.latent_dim)[1]

    def _posterior(self, fitted: GraphGaussianFit, latent_dim: int) -> Posterior:
        group, column = dimensions(fitted, latent_dim)
        scales = fitted.statistics.scales
        joint = ScalesJoint(
            fitted.graph.edges,
            np.stack([scale.gaussian.strength for scale in scales]),
            np.stack([scale.gaussian.diagonal for scale in scales]),
            group,
            tuple(scale.gaussian for scale in scales),
            solver=fitted.solver.name,
        )
        mean = np.zeros((fitted.graph.n_vertices, len(group)))
        for k, (s, c) in enumerate(zip(group, column, strict=True)):
            if c >= 0:
                mean[:, k] = scales[s].mean[:, c]
        return Posterior.from_correlations(mean, joint.std, joint)

    def _as_rows(self, features: Any) -> Any:
        self._check_columns(features)
        table = as_matrix(features)
        self._check_width(table.shape[1])
        return table


def _nothing_tried() -> dict[str, Any]:
    return {"scales": [], "held_out": {}, "evidence": {}}


def _checked_choice(choice: Any) -> dict[str, Any]:
    """What was tried, from a file that may say anything; files of before say nothing."""
    found = _nothing_tried() | choice if isinstance(choice, dict) else {"scales": None}
    rows, others = found["scales"], [found.get("held_out"), found.get("evidence")]
    if not isinstance(rows, list) or not all(map(_are_figures, [*rows, *others])):
        raise SavedModelError("what it says was tried are no figures by name.")
    return found


def _are_figures(row: Any) -> bool:
    """Numbers by name, and numbers in a list where they are of scales."""
    if not isinstance(row, dict):
        return False
    scales = row.get("scales", [])
    numbers = [value for name, value in row.items() if name != "scales"]
    return isinstance(scales, list) and all(type(x) in (int, float) for x in [*numbers, *scales])
