"""Options chosen on hidden train links: `score`, scikit-learn's searches over edges, and `tune`."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import acvae
from acvae.exceptions import GraphError, OptionError


@pytest.fixture(scope="module")
def data():
    found = acvae.datasets.load("tree", n_vertices=80)
    return found.features, acvae.split_edges(found.graph, seed=0)


def gaussian(**options):
    return acvae.GraphGaussian(latent_dim=4, progress=False, **options)


class TestScore:
    def test_is_the_ncrr_of_hidden_links(self, data):
        features, split = data
        model = gaussian().fit(features, split.train)
        found = acvae.metrics.evaluate(model.links_, split.train, split.test)
        assert model.score(features, split.test) == found.ncrr.test
        assert model.score(features, split.test, metric="mrr") == found.mrr.test
        assert model.score(features, split.test, metric="hits") == found.hits.test
        by_distance = acvae.metrics.ncrr(model.posterior_, split.train, split.test).test
        assert model.score(features, split.test, by="distance") == by_distance

    def test_links_that_were_fitted_on_do_not_count(self, data):
        features, split = data
        model = gaussian().fit(features, split.train)
        both = acvae.Graph(80, np.concatenate([split.train.edges, split.test.edges]))
        assert model.score(features, both) == model.score(features, split.test)
        with pytest.raises(GraphError, match=r"fitted on all of these links; score those that were hidden"):
            model.score(features, split.train)

    def test_what_cannot_be_scored(self, data):
        features, split = data
        model = gaussian().fit(features, split.train)
        with pytest.raises(GraphError, match="on 3 vertices, the model is on 80"):
            model.score(features, acvae.Graph(3, [[0, 1]]))
        with pytest.raises(GraphError, match=r"as an acvae\.Graph, such as split\.test .* not as list"):
            model.score(features, [[0, 1]])
        with pytest.raises(OptionError, match="metric"):
            model.score(features, split.test, metric="auc")


class TestEdgeEstimator:
    def test_grid_search_over_an_option(self, data):
        features, split = data
        folds = KFold(2, shuffle=True, random_state=0)
        model = acvae.EdgeEstimator(gaussian(), features, split.train)
        grid = {"model__scales": [(1.5,), (1.5, 15.0)]}
        search = GridSearchCV(model, grid, cv=folds, error_score="raise").fit(split.train.edges)
        found = search.cv_results_["mean_test_score"]
        for value, mean in zip(grid["model__scales"], found, strict=True):
            by_hand = []
            for kept, hidden in folds.split(split.train.edges):
                train, test = split.train.with_edges(kept), split.train.with_edges(hidden)
                fitted = gaussian(scales=value).fit(features, train)
                by_hand.append(acvae.metrics.ncrr(fitted.links_, train, test).test)
            assert mean == pytest.approx(np.mean(by_hand))
        assert search.best_params_["model__scales"] == grid["model__scales"][int(np.argmax(found))]
        assert search.best_estimator_.model_.graph_ == split.train

    def test_other_scores(self, data):
        features, split = data
        model = acvae.EdgeEstimator(acvae.CVAE(epochs=1, latent_dim=2, progress=False), features, split.train)
        scores = cross_val_score(
            model, split.train.edges, cv=2, scoring=acvae.link_scorer("mrr", by="distance")
        )
        assert scores.shape == (2,)
        assert ((scores > 0) & (scores <= 1)).all()

    def test_names_and_weights_stay(self, data):
        features, split = data
        names = [f"v{i}" for i in range(80)]
        graph = acvae.Graph(80, split.train.edges, names, np.arange(split.train.n_edges) + 1.0)
        model = acvae.EdgeEstimator(gaussian(), features, graph).fit(graph.edges[::2])
        assert model.model_.graph_ == graph.with_edges(np.arange(0, graph.n_edges, 2))

    def test_mistakes(self, data):
        features, split = data
        model = acvae.EdgeEstimator(gaussian(), features, split.train)
        with pytest.raises(acvae.exceptions.NotFittedError, match="score needs a fitted model"):
            model.score(split.train.edges)
        with pytest.raises(GraphError, match=r"is not an edge of the graph; give graph\.edges"):
            model.fit(split.test.edges)


class TestTune:
    def test_the_best_on_hidden_links_fitted_to_all(self, data):
        features, split = data
        grid = {"latent_dim": [2, 6], "scales": [(1.5,), (1.5, 15.0)]}
        found = acvae.tune(gaussian(), features, split.train, grid, splits=2, seed=3, progress=False)
        assert len(found.trials) == 4
        assert found.score == max(trial.score for trial in found.trials)
        assert (found.options, found.score) == (found.trials[0].options, found.trials[0].score)
        hidden = [acvae.split_edges(split.train, seed=3 + s) for s in range(2)]
        by_hand = [
            gaussian().set_params(**found.options).fit(features, part.train).score(features, part.test)
            for part in hidden
        ]
        assert found.trials[0].scores == pytest.approx(by_hand)
        assert found.model.graph_ == split.train
        assert {key: found.model.get_params()[key] for key in grid} == found.options
        assert f"{found.score:.4f}  latent_dim=" in str(found)

    def test_data_frames_in_another_order(self, data):
        features, split = data
        names = [f"v{i:02}" for i in range(80)]
        table = pd.DataFrame(features.toarray(), index=names)
        edges = pd.DataFrame(
            {
                "a": [names[u] for u in split.train.edges[:, 0]],
                "b": [names[v] for v in split.train.edges[:, 1]],
            }
        )
        grid = {"latent_dim": [2, 4]}
        found = acvae.tune(gaussian(), table.iloc[::-1], edges, grid, refit=False, progress=False)
        expected = acvae.tune(gaussian(), features, split.train, grid, refit=False, progress=False)
        assert found.model is None
        assert [trial.options for trial in found.trials] == [trial.options for trial in expected.trials]

    def test_a_shown_bar(self, data, capsys):
        features, split = data
        model = acvae.VAE(epochs=1, latent_dim=2, progress=False)
        acvae.tune(model, features, split.train, {"hidden_dim": [2, 3]}, by="distance", refit=False)
        assert "tune: 2/2" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("grid", "message"),
        [
            (
                {"latent": [2]},
                r"GraphGaussian has no option 'latent' to choose; it has latent_dim, .*Did you mean",
            ),
            ({}, "the grid is empty"),
            ({"latent_dim": 3}, r"grid\['latent_dim'\] must be a list of values to try, not 3"),
            ({"latent_dim": np.array(3)}, "must be a list of values to try"),
            (sp.dok_array((6, 4)), "grid must be a dict from options to lists of values"),
            ({"scales": "auto"}, "must be a list of values to try, not 'auto'"),
            ({"latent_dim": [0]}, "latent_dim must be a whole number of at least 1"),
        ],
    )
    def test_mistakes(self, grid, message, data):
        features, split = data
        with pytest.raises(OptionError, match=message):
            acvae.tune(gaussian(), features, split.train, grid, progress=False)

    def test_observed_is_for_models_that_take_it(self, data):
        features, split = data
        seen = np.ones(split.train.n_vertices, dtype=bool)
        with pytest.raises(OptionError, match="VAE takes no observed=: every vertex needs features"):
            acvae.tune(acvae.VAE(), features, split.train, {"latent_dim": [2]}, observed=seen)

    def test_too_few_links(self, data):
        with pytest.raises(GraphError, match="1 links are too few"):
            acvae.tune(gaussian(), np.eye(3), acvae.Graph(3, [[0, 1]]), {"latent_dim": [2]}, progress=False)
