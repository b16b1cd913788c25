"""What is no graph; `test_links` has the answers of models, `test_graph_extension` those of extended ones."""

import pytest

from acvae import Graph
from acvae.exceptions import GraphError
from acvae.models.link_answers import check_graph_type


def test_only_a_graph_is_a_graph():
    check_graph_type(Graph(3, [(0, 1)]))
    with pytest.raises(GraphError, match=r"not str; see Graph.from_edges"):
        check_graph_type("x.csv")
