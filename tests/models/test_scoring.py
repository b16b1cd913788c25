"""One number for hidden links: which links count, and by which ranking."""

import types

import numpy as np
import pytest

from acvae import Graph, Posterior, metrics
from acvae.exceptions import GraphError, OptionError
from acvae.models.scoring import METRICS, score_links

LINE = Posterior([[0.0], [1.0], [3.0], [4.0]], np.ones((4, 1)))


class Backwards:
    """Ranks whom the line has last first."""

    n_vertices = 4

    def distance_blocks(self, rows):
        for at, columns, block in LINE.distance_blocks(rows):
            yield at, columns, -block


TRAIN, HIDDEN = Graph(4, [(0, 1)]), Graph(4, [(0, 3)])
MODEL = types.SimpleNamespace(posterior_=LINE, links_=Backwards(), graph_=TRAIN)


@pytest.mark.parametrize("metric", METRICS)
def test_either_ranking(metric):
    for by, ranking in (("distance", LINE), ("link", Backwards())):
        expected = getattr(metrics.evaluate(ranking, TRAIN, HIDDEN), metric).test
        assert score_links(MODEL, HIDDEN, metric=metric, by=by) == expected


def test_by_hand():
    # From 0 vertex 3 is the last of two that are not known, from 3 vertex 0 the last of three; or the first.
    assert score_links(MODEL, HIDDEN, by="distance") == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert score_links(MODEL, HIDDEN) == 1


def test_links_of_the_fit_do_not_count():
    everything = Graph(4, [(0, 1), (0, 3)])
    assert score_links(MODEL, everything, by="distance") == score_links(MODEL, HIDDEN, by="distance")
    with pytest.raises(GraphError, match="fitted on all of these links"):
        score_links(MODEL, TRAIN)


def test_a_model_without_a_graph_has_seen_none():
    model = types.SimpleNamespace(posterior_=LINE, graph_=None)
    assert score_links(model, Graph(4, [(0, 1)]), by="distance", metric="mrr") == 1


def test_what_cannot_be_scored():
    with pytest.raises(GraphError, match="not as list"):
        score_links(MODEL, [(0, 3)])
    with pytest.raises(GraphError, match="on 3 vertices, the model is on 4"):
        score_links(MODEL, Graph(3, [(0, 2)]))
    with pytest.raises(OptionError, match="metric"):
        score_links(MODEL, HIDDEN, metric="auc")
    with pytest.raises(OptionError, match="by"):
        score_links(MODEL, HIDDEN, by="hand")
