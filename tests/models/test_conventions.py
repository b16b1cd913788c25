"""What every model has from its base, seen on one that learns nothing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError as SklearnNotFittedError

from acvae import Graph, Posterior
from acvae.exceptions import FeatureError, GraphError, NotFittedError, OptionError
from acvae.models.conventions import Embedder, column_names

GRAPH = Graph(4, [(0, 1), (1, 2)], ["a", "b", "c", "d"])


class Ranking:
    """Log-odds (n, n) as they are told."""

    n_vertices = 4
    odds = np.log(np.array([[9, 1, 3, 1 / 3], [1, 9, 1, 1], [3, 1, 9, 1], [1 / 3, 1, 1, 9]]))

    def log_odds(self, i, j):
        return self.odds[i, j]

    def best_blocks(self, rows, k, known):
        for i in rows:
            free = [j for j in range(4) if j != i and j not in known.neighbors(i)]
            free = sorted(free, key=lambda j: -self.odds[i, j])[:k]
            fill = k - len(free)
            yield (
                np.array([i]),
                np.array([[*free, *[-1] * fill]]),
                np.array([[*self.odds[i, free], *[-np.inf] * fill]]),
            )


class Mine(Embedder):
    """Its embeddings are the features, and stds of one."""

    def __init__(self, latent_dim=2, likelihood="gaussian"):
        self.latent_dim, self.likelihood = latent_dim, likelihood

    def fit(self, features, graph=None):
        self._remember_columns(column_names(features))
        x = np.asarray(features, dtype=float)
        self.n_features_in_ = x.shape[1]
        self.posterior_, self.graph_ = Posterior(x, np.ones(x.shape)), graph
        return self

    def transform(self, features):
        self._check_columns(features)
        x = np.asarray(features)
        self._check_width(x.shape[1])
        return x


X = np.array([[0.0, 0], [1, 0], [3, 0], [4, 0]])


@pytest.fixture
def model():
    made = Mine().fit(X, GRAPH)
    made.use_links(Ranking())
    return made


def test_before_fit_all_is_refused_in_words_of_both_kinds():
    asks = [
        lambda m: m.links_,
        lambda m: m.link_probability(0, 1),
        lambda m: m.predict_links([0]),
        lambda m: m.link_blocks(),
        lambda m: m.nearest([0]),
        lambda m: m.score(X, GRAPH),
        lambda m: m.save("x"),
        lambda m: m.use_links(None),
    ]
    for ask in asks:
        for kind in (NotFittedError, SklearnNotFittedError):
            with pytest.raises(kind, match=r"needs a fitted model: call fit\(features, graph\)"):
                ask(Mine())


def test_features_may_be_named():
    np.testing.assert_array_equal(Mine().fit_transform(X, GRAPH), X)
    np.testing.assert_array_equal(Mine().fit(features=X).transform(features=X), X)
    assert Mine().fit(X).get_feature_names_out().tolist() == ["mine0", "mine1"]


def test_probabilities_of_links_by_id_and_by_name(model):
    assert model.link_probability(0, 2) == pytest.approx(3 / 4)
    assert isinstance(model.link_probability("a", "d"), float)
    found = model.link_probability([["a"], ["c"]], ["b", "d"])
    np.testing.assert_allclose(found, [[1 / 2, 1 / 4], [1 / 2, 1 / 2]])
    with pytest.raises(GraphError, match="vertex 2 was asked for with itself"):
        model.link_probability([0, 2], 2)


def test_predicted_links_leave_out_those_of_the_fit_or_others(model):
    ids, probabilities = model.predict_links("a", k=3)
    assert ids.tolist() == [[2, 3, -1]]
    np.testing.assert_allclose(probabilities, [[3 / 4, 1 / 4, 0]])
    names, _ = model.predict_links(["a", "d"], k=3, exclude=Graph(4, [(0, 2)]), names=True)
    assert names[0].tolist() == ["b", "d", None]
    blocks = list(model.link_blocks(k=1))
    assert [at.tolist() for at, _, _ in blocks] == [[0], [1], [2], [3]]
    with pytest.raises(GraphError, match="to exclude has 3 vertices, the model 4"):
        model.predict_links([0], exclude=Graph(3, []))
    with pytest.raises(GraphError, match=r"graph must be an acvae.Graph, not list"):
        model.predict_links([0], exclude=[(0, 1)])
    with pytest.raises(OptionError, match="k must be"):
        model.predict_links([0], k=0)
    with pytest.raises(GraphError, match="rows must be a list of vertices"):
        model.predict_links([[0, 1]])


def test_nearest_by_name(model):
    names, distances = model.nearest("b", k=2, names=True)
    assert names.tolist() == [["a", "c"]]
    np.testing.assert_allclose(distances, [[1 + 4, 4 + 4]])  # two stds of one in two dimensions


def test_without_links_there_is_nothing_to_learn_from():
    for graph in (None, Graph(4, [])):
        with pytest.raises(GraphError, match="links are learnt from links"):
            Mine().fit(X, graph).links_  # noqa: B018


def test_scores_are_those_of_the_ranking(model):
    assert model.score(X, Graph(4, [(0, 3)]), by="distance") == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_columns_of_a_frame_are_remembered_and_compared():
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = Mine().fit(frame)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    model.transform(X)  # without names: by position
    with pytest.raises(
        FeatureError, match=r"unseen at fit time:\n- w\nFeature names seen at fit .*missing:\n- v"
    ):
        model.transform(frame.rename(columns={"v": "w"}))
    with pytest.raises(FeatureError, match="must be in the same order"):
        model.transform(frame[["v", "u"]])
    assert not hasattr(model.fit(X), "feature_names_in_")  # those of the fit before are forgotten
    with pytest.raises(FeatureError, match="trained on 2 features, got 1"):
        model.transform(X[:, :1])


def test_names_of_columns_are_texts():
    assert column_names(X) is None
    assert column_names(pd.DataFrame(X)) is None
    assert column_names(pd.DataFrame(X, columns=["a", 1])) is None


@pytest.mark.parametrize(
    ("likelihood", "positive"), [("multinomial", True), ("poisson", True), ("gaussian", False)]
)
def test_tags(likelihood, positive):
    tags = Mine(likelihood=likelihood).__sklearn_tags__()
    assert tags.input_tags.positive_only is positive
    assert tags.input_tags.sparse
