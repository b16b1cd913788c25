"""scikit-learn's own checks, run over every model; and what it promises: clones, pipelines, data frames."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import exceptions as sklearn_exceptions
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import acvae
from acvae.exceptions import AcvaeError, FeatureError

TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 2, "progress": False, "device": "cpu"}
PAIRS = {"pair_hidden_dim": 3}


def chain(features):
    n = features.shape[0] if hasattr(features, "shape") else len(np.asarray(features))
    return acvae.Graph(n, [(i, i + 1) for i in range(n - 1)])


# scikit-learn's checks know features and labels `y`, but no graph, which `fit` takes in the place of y. These
# join each row to the next one, and leave labels alone; all else is the model's own.


class VAE(acvae.VAE):
    def fit(self, features, y=None):
        return super().fit(features)

    def fit_transform(self, features, y=None):
        return self.fit(features).posterior_.mean


class CVAE(acvae.CVAE):
    def fit(self, features, y=None):
        return super().fit(features, chain(features))

    def fit_transform(self, features, y=None):
        return self.fit(features).posterior_.mean


class ACVAE(acvae.ACVAE):
    def fit(self, features, y=None):
        return super().fit(features, chain(features))

    def fit_transform(self, features, y=None):
        return self.fit(features).posterior_.mean


class GraphSAGE(acvae.GraphSAGE):
    def fit(self, features, y=None):
        return super().fit(features, chain(features))

    def transform(self, features):
        return super().transform(features, chain(features))

    def fit_transform(self, features, y=None):
        return self.fit(features).posterior_.mean


DIFFERENT = {
    "check_do_not_raise_errors_in_init_or_set_params": (
        "an option out of range is refused where it is given, in the constructor, and again in fit"
    ),
    # The next six are refused as they should be, with a FeatureError (a ValueError) that says what was given,
    # what was expected and what to do, but not in scikit-learn's words.
    "check_n_features_in_after_fitting": "'the model was trained on 4 features, got 3'",
    "check_complex_data": "'features must be real numbers, got complex128'",
    "check_estimators_empty_data_messages": "'at least two data points with one feature are needed'",
    "check_estimators_nan_inf": "'features must be finite …, but row 2, column 3 is nan'",
    "check_fit2d_1sample": "'at least two data points … got a matrix of 1 rows'",
    "check_fit2d_predict1d": "'features must be a matrix (n, D), got shape (3,)'",
    "check_fit_score_takes_y": "score takes hidden links in the place of labels, and a graph of them",
    "check_pipeline_consistency": "for the same reason",
    "check_dtype_object": "an array of Python objects is refused, even if all happen to be numbers",
}
OF_GRAPHSAGE = {
    "check_methods_subset_invariance": "an embedding depends on its neighbours, here the rows around it",
    "check_methods_sample_order_invariance": "so that another order of rows is another graph",
}
OF_COUNTS = {
    "check_positive_only_tag_during_fit": "'the multinomial likelihood needs counts, but a feature is -3'",
}
MODELS = {
    "vae-gaussian": (VAE(likelihood="gaussian", **TINY), {}),
    "vae-multinomial": (VAE(**TINY), OF_COUNTS),
    "cvae-corr": (CVAE(True, likelihood="gaussian", **TINY, **PAIRS), {}),
    "cvae-graph": (CVAE(True, posterior="graph", **TINY, **PAIRS), OF_COUNTS),
    "cvae-ind": (CVAE(False, **TINY, **PAIRS), OF_COUNTS),
    "acvae-eb": (ACVAE("empirical-bayes", likelihood="gaussian", **TINY, **PAIRS), {}),
    "acvae-sp": (ACVAE("saddle-point", **TINY, **PAIRS), OF_COUNTS),
    "graphsage": (GraphSAGE(**TINY), OF_GRAPHSAGE),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(("model", "more"), MODELS.values(), ids=MODELS)
def test_scikit_learns_own_checks(model, more):
    """All pass but those listed with their reasons, and those all fail: the list cannot grow stale."""
    if isinstance(model, GraphSAGE):
        pytest.importorskip("torch_geometric")
    if "on_skip" not in inspect.signature(check_estimator).parameters:
        pytest.skip("scikit-learn tells of each of its checks from 1.6 on")
    results = check_estimator(model, on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed.keys() == DIFFERENT.keys() | more.keys(), failed
    assert sum(r["status"] == "passed" for r in results) >= 30


def data(n=12, columns=5):
    x = np.random.default_rng(0).poisson(1.0, (n, columns)).astype(float)
    return x, acvae.Graph(n, [(i, i + 1) for i in range(n - 1)])


def frame():
    x, graph = data()
    return pd.DataFrame(x, columns=list("abcde")), graph


@pytest.fixture(params=[acvae.VAE, acvae.CVAE, acvae.ACVAE], ids=lambda kind: kind.__name__)
def make(request):
    return lambda **changes: request.param(**(TINY | changes))


class TestPipelines:
    def test_the_graph_goes_where_labels_go(self, make):
        x, graph = data()
        pipe = make_pipeline(MaxAbsScaler(), make(likelihood="gaussian")).fit(x, graph)
        direct = make(likelihood="gaussian").fit(MaxAbsScaler().fit_transform(x), graph)
        np.testing.assert_array_equal(pipe[-1].posterior_.mean, direct.posterior_.mean)
        np.testing.assert_array_equal(pipe.transform(x[:3]), direct.transform(x[:3] / x.max(axis=0)))
        assert list(pipe.get_feature_names_out()) == [type(direct).__name__.lower() + k for k in "01"]

    def test_sparse_all_the_way(self, make):
        x, graph = data()
        pipe = make_pipeline(FunctionTransformer(), make())
        assert pipe.fit_transform(sp.csr_array(x), graph).shape == (12, 2)

    def test_options_by_name_and_clones(self, make):
        pipe = make_pipeline(FunctionTransformer(), make())
        step = pipe.steps[-1][0]
        pipe.set_params(**{f"{step}__epochs": 1})
        copy = clone(pipe)
        assert copy[-1].epochs == 1
        assert copy[-1].get_params() == pipe[-1].get_params()
        x, graph = data()
        assert len(copy.fit(x, graph)[-1].history_) == 1
        assert not hasattr(pipe[-1], "posterior_")

    def test_output_as_a_data_frame(self, make):
        table, graph = frame()
        table.index = [f"row{i}" for i in range(12)]
        model = make().fit(table, graph).set_output(transform="pandas")
        out = model.transform(table)
        assert list(out.columns) == list(model.get_feature_names_out())
        assert list(out.index) == list(table.index)
        np.testing.assert_array_equal(out, model.posterior_.mean)

    @pytest.mark.parametrize("kinds", [{"a": bool, "b": int}, {"a": "boolean", "b": "Float64"}])
    def test_frames_of_numbers_and_booleans(self, make, kinds):
        table, graph = frame()
        table["a"] = table["a"] > 0
        expected = make().fit(table.to_numpy(dtype=float), graph).posterior_.mean
        model = make().fit(table.astype(kinds), graph)
        np.testing.assert_array_equal(model.posterior_.mean, expected)
        np.testing.assert_array_equal(model.transform(table.astype(kinds)), expected)


class TestNamesOfFeatures:
    def test_columns_are_remembered_and_others_refused(self, make):
        table, graph = frame()
        model = make().fit(table, graph)
        assert model.feature_names_in_.tolist() == list("abcde")
        with pytest.raises(FeatureError, match=r"should match.*passed during fit\.\nFeature names unseen"):
            model.transform(table.rename(columns={"a": "x"}))
        with pytest.raises(FeatureError, match=r"seen at fit time, yet now missing:\n- e\n$"):
            model.transform(table[list("abcd")])
        with pytest.raises(FeatureError, match="must be in the same order as they were in fit"):
            model.transform(table[list("edcba")])
        np.testing.assert_array_equal(model.transform(table), model.transform(table.to_numpy()))

    def test_a_fit_without_names_forgets_them(self, make):
        table, graph = frame()
        model = make().fit(table, graph).fit(table.to_numpy(), graph)
        assert not hasattr(model, "feature_names_in_")
        assert model.n_features_in_ == 5
        assert not hasattr(make().fit(table.set_axis(range(5), axis=1), graph), "feature_names_in_")

    def test_a_failed_fit_keeps_the_old_names(self, make):
        table, graph = frame()
        model = make().fit(table, graph)
        with pytest.raises(FeatureError):
            model.fit(table.rename(columns={"a": "x"}) * np.nan, graph)
        assert model.feature_names_in_.tolist() == list("abcde")


class TestFitted:
    def test_scikit_learns_error_and_our_own(self, make, tmp_path):
        model = make()
        for ask in (lambda: model.transform(data()[0]), lambda: model.save(tmp_path / "model")):
            with pytest.raises(sklearn_exceptions.NotFittedError) as caught:
                ask()
            assert isinstance(caught.value, AcvaeError)
        with pytest.raises(sklearn_exceptions.NotFittedError):
            check_is_fitted(model)
        check_is_fitted(model.fit(*data()))

    def test_features_by_name(self, make):
        x, graph = data()
        model = make()
        mean = model.fit_transform(features=x, graph=graph)
        np.testing.assert_allclose(model.transform(features=x), mean, rtol=1e-6)
        with pytest.raises(TypeError, match="argument"):
            model.transform(feature=x)
