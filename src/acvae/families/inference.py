"""From trained networks to a posterior: which strategy a model's correlations follow."""

import numpy as np
import numpy.typing as npt

from acvae.elimination import Elimination
from acvae.engine.distributed import ALONE, World
from acvae.exceptions import OptionError
from acvae.families.prior import AdaptivePrior, FixedPrior, Prior
from acvae.families.problem import Problem
from acvae.gaussian.graph.joint import GraphJoint
from acvae.gaussian.pairwise import PairwiseMarginals
from acvae.gaussian.posterior import Posterior
from acvae.graph import Graph
from acvae.nn import PairEncoder
from acvae.objectives import MAX_CORRELATION

__all__ = ["forest_posterior", "graph_posterior", "independent_posterior", "pairwise_posterior", "posterior"]


def posterior(problem: Problem, prior: Prior | None, world: World = ALONE) -> Posterior:
    """The model's own: a forest if its prior adapts to one, the whole graph, its pair network, independence.

    Every process of a world has to ask at once, and each is given the whole.
    """
    if isinstance(prior, AdaptivePrior):
        return forest_posterior(problem, prior, world)
    if isinstance(prior, FixedPrior) and prior.order is not None:
        assert problem.graph is not None
        return graph_posterior(problem, problem.graph, prior.weights, prior.order)
    if problem.module.pair_encoder is not None:
        return pairwise_posterior(problem)
    return independent_posterior(problem)


def independent_posterior(problem: Problem) -> Posterior:
    """Every vertex on its own: VAE and CVAE_ind."""
    return Posterior(*problem.marginals())


def forest_posterior(problem: Problem, prior: AdaptivePrior, world: World = ALONE) -> Posterior:
    """The joint on the learnt forest, to be read by belief propagation: ACVAE."""
    masses = problem.edge_masses(world.share(prior.graph.n_edges).own)
    edges = prior.graph.edges[prior.forest(masses, world)]
    return Posterior(*problem.marginals(), edges, _correlations(problem, edges))


def graph_posterior(
    problem: Problem, graph: Graph, weights: npt.NDArray[np.float64], order: Elimination | None = None
) -> Posterior:
    """The joint on the whole graph, every edge by its weight in the prior: CVAE with one joint."""
    _need_pair_encoder(problem)
    rho = _correlations(problem, graph.edges)
    joint = GraphJoint.of_forests(graph.n_vertices, graph.edges, rho, weights, order)
    return Posterior.from_correlations(*problem.marginals(), joint)


def pairwise_posterior(problem: Problem) -> Posterior:
    """The pair network's approximation of each pair, without a joint: CVAE_corr, ACVAE without BP."""
    network = _need_pair_encoder(problem)
    first, second = problem.pair_halves()
    weight, bias = (p.detach().cpu().numpy() for p in (network.output.weight, network.output.bias))
    correlations = PairwiseMarginals(first, second, weight, bias)
    return Posterior.from_correlations(*problem.marginals(), correlations)


def _correlations(problem: Problem, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """(m, d) what the pair network says of each edge."""
    return np.asarray(MAX_CORRELATION * np.tanh(0.5 * problem.pair_logits(edges).astype(np.float64)))


def _need_pair_encoder(problem: Problem) -> PairEncoder:
    network = problem.module.pair_encoder
    if network is None:
        raise OptionError("correlations need a model with a pair encoder: ACVAE or correlated CVAE.")
    return network
