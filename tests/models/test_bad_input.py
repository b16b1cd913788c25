"""Bad input through every model: a typed error that tells what was wrong, before anything has happened."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import acvae
from acvae.exceptions import (
    AcvaeError,
    FeatureError,
    GraphError,
    InputError,
    OptionError,
    PosteriorError,
    TrainingError,
)

TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 1, "progress": False}
PAIRS = {"pair_hidden_dim": 3}
MODELS = {
    "vae": lambda **o: acvae.VAE(**(TINY | o)),
    "cvae-ind": lambda **o: acvae.CVAE(False, **(TINY | PAIRS | o)),
    "cvae-corr": lambda **o: acvae.CVAE(True, **(TINY | PAIRS | o)),
    "acvae-eb": lambda **o: acvae.ACVAE("empirical-bayes", **(TINY | PAIRS | o)),
    "acvae-sp": lambda **o: acvae.ACVAE("saddle-point", **(TINY | PAIRS | o)),
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())
graph_model = pytest.mark.parametrize("make", list(MODELS.values())[1:], ids=list(MODELS)[1:])


def data():
    return np.random.default_rng(0).poisson(1.0, (6, 4)).astype(float), acvae.Graph(
        6, [(0, 1), (1, 2), (4, 5)]
    )


@every_model
class TestFeatures:
    @pytest.mark.parametrize("rows", [5, 7])
    def test_rows_and_vertices_differ(self, make, rows):
        with pytest.raises(FeatureError, match=f"{rows} rows of features but 6 vertices"):
            make().fit(np.ones((rows, 4)), data()[1])

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, torch.from_numpy])
    def test_values_that_are_not_finite(self, make, bad, convert):
        x, graph = data()
        x[2, 3] = bad
        with pytest.raises(FeatureError, match=rf"finite.*row 2, column 3 is .*{bad}"):
            make().fit(convert(x), graph)

    @pytest.mark.parametrize("likelihood", ["multinomial", "poisson"])
    def test_negative_counts(self, make, likelihood):
        x, graph = data()
        x[2, 3] = -1
        with pytest.raises(FeatureError, match=f"{likelihood}.*-1.*gaussian"):
            make(likelihood=likelihood).fit(x, graph)

    def test_negative_numbers_are_fine_for_the_gaussian(self, make):
        x, graph = data()
        assert np.isfinite(make(likelihood="gaussian").fit(x - 1, graph).posterior_.mean).all()

    def test_bernoulli_wants_zeros_and_ones(self, make):
        x, graph = data()
        x[0, 0] = 2
        with pytest.raises(FeatureError, match=r"bernoulli.*0 and 1"):
            make(likelihood="bernoulli").fit(x, graph)

    @pytest.mark.parametrize("n", [0, 1])
    def test_too_few_vertices(self, make, n):
        for x in (np.ones((n, 4)), sp.csr_array(np.ones((n, 4)))):
            with pytest.raises(FeatureError, match=f"at least two data points.*{n} rows"):
                make().fit(x, acvae.Graph(n, []))

    def test_no_columns(self, make):
        with pytest.raises(FeatureError, match="0 columns"):
            make().fit(np.ones((6, 0)), data()[1])

    @pytest.mark.parametrize("bad", [np.ones(6), np.array([["a"] * 4] * 6), None, np.ones((6, 4), complex)])
    def test_what_is_no_matrix_of_numbers(self, make, bad):
        with pytest.raises(FeatureError, match="features must be"):
            make().fit(bad, data()[1])

    def test_other_columns_than_trained_on(self, make):
        x, graph = data()
        model = make().fit(x, graph)
        with pytest.raises(FeatureError, match="trained on 4 features, got 3"):
            model.transform(x[:, :3])

    def test_bad_rows_to_transform(self, make):
        x, graph = data()
        model = make().fit(x, graph)
        with pytest.raises(FeatureError, match="finite"):
            model.transform(np.full((2, 4), np.nan))
        with pytest.raises(FeatureError, match="counts"):
            model.transform(np.full((2, 4), -1.0))


class TestGraph:
    @graph_model
    def test_without_edges_it_says_why_not(self, make):
        with pytest.raises(GraphError, match=r"no edges.*no correlations to learn; use VAE"):
            make().fit(data()[0], acvae.Graph(6, []))

    @graph_model
    def test_without_a_graph(self, make):
        with pytest.raises(GraphError, match=r"learns from a graph: call fit\(features, graph\)"):
            make().fit(data()[0])

    def test_without_edges_the_vae_works(self):
        assert MODELS["vae"]().fit(data()[0], acvae.Graph(6, [])).posterior_.n_vertices == 6

    @every_model
    @pytest.mark.parametrize("bad", ["graph", 5, {"a": 1}, object()])
    def test_what_is_not_a_graph(self, make, bad):
        with pytest.raises(GraphError, match=r"graph cannot be .*may be an acvae\.Graph.*from_edges"):
            make().fit(data()[0], bad)

    @pytest.mark.parametrize("edges", [[(0, 6)], [(-1, 2)], [(0, 1), (3, 99)]])
    def test_ids_out_of_range(self, edges):
        with pytest.raises(GraphError, match=r"must lie in 0…5"):
            acvae.Graph(6, edges)

    @pytest.mark.parametrize("edges", [[(0.5, 1.0)], [("a", "b")], np.zeros((2, 2))])
    def test_ids_that_are_no_integers(self, edges):
        with pytest.raises(GraphError):
            acvae.Graph(6, edges)


@every_model
class TestOptions:
    @pytest.mark.parametrize(
        ("option", "bad"),
        [
            ("latent_dim", 0),
            ("latent_dim", 2.5),
            ("latent_dim", True),
            ("hidden_dim", -1),
            ("epochs", -1),
            ("epochs", "ten"),
            ("batch_vertices", 0),
            ("seed", -1),
            ("seed", None),
            ("learning_rate", 0),
            ("learning_rate", np.nan),
            ("learning_rate", "fast"),
            ("likelihood", "binomial"),
            ("likelihood", None),
        ],
    )
    def test_values_out_of_range_are_refused_at_once_and_again_in_fit(self, make, option, bad):
        with pytest.raises(OptionError, match=option):
            make(**{option: bad})
        model = make().set_params(**{option: bad})
        with pytest.raises(OptionError, match=option):
            model.fit(*data())
        assert not hasattr(model, "posterior_")

    def test_unknown_likelihoods_name_the_known_ones(self, make):
        with pytest.raises(OptionError, match="'multinomial', 'bernoulli', 'poisson', 'gaussian'"):
            make(likelihood="normal")

    def test_unknown_options_are_type_errors_that_name_them(self, make):
        with pytest.raises(TypeError, match="latent_dims"):
            make(latent_dims=3)

    @pytest.mark.parametrize("device", ["gpu", "cuda:99", None, 3.5])
    def test_unknown_devices(self, make, device):
        if device == "cuda:99" and torch.cuda.is_available():
            pytest.skip("there is CUDA here")
        with pytest.raises(OptionError, match="device="):
            make(device=device).fit(*data())


@graph_model
@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("tau", 1),
        ("tau", -1),
        ("tau", np.nan),
        ("tau", 1.5),
        ("gamma", -0.1),
        ("gamma", np.inf),
        ("gamma", "strong"),
        ("pair_hidden_dim", 0),
        ("batch_edges", 0),
        ("batch_pairs", 0),
    ],
)
def test_options_of_models_with_a_graph(make, option, bad):
    with pytest.raises(OptionError, match=option):
        make(**{option: bad})


@every_model
@pytest.mark.parametrize("option", ["latent_dim", "hidden_dim", "pair_hidden_dim"])
class TestSizes:
    @pytest.mark.parametrize("size", [2**62, 2**40])
    def test_what_no_memory_can_hold(self, make, option, size):
        model = make()
        if option in model.get_params() and (option != "pair_hidden_dim" or model._pair_width()):
            with pytest.raises(OptionError, match=r"networks of these sizes would take .* GB of memory"):
                model.set_params(**{option: size}).fit(*data())

    def test_numbers_of_numpy_are_numbers(self, make, option):
        model = make()
        if option in model.get_params():
            plain = make(**{option: 2}).fit(*data()).posterior_.mean
            for two in (np.int64(2), np.uint8(2)):
                assert np.array_equal(make(**{option: two}).fit(*data()).posterior_.mean, plain)


def test_graphsage_is_held_to_the_same():
    for options in ({"hidden_dim": 2**40}, {"latent_dim": 2**62}, {"n_negatives": 2**50}):
        with pytest.raises(OptionError, match="GB of memory"):
            acvae.GraphSAGE(epochs=1, progress=False, **options).fit(*data())


def test_options_of_one_model():
    with pytest.raises(OptionError, match=r"objective='bayes'.*'empirical-bayes', 'saddle-point'"):
        acvae.ACVAE(objective="bayes")
    with pytest.raises(OptionError, match=r"correlated.*'yes'"):
        acvae.CVAE(correlated="yes")
    for step in (0, 1.5, -0.1, np.nan):
        with pytest.raises(OptionError, match="weight_step"):
            acvae.ACVAE(weight_step=step)


class TestPosterior:
    def test_forest_with_a_cycle(self):
        with pytest.raises(PosteriorError, match="cycle"):
            acvae.Posterior(np.zeros((3, 1)), np.ones((3, 1)), [(0, 1), (1, 2), (0, 2)], np.full((3, 1), 0.5))

    @pytest.mark.parametrize("rho", [1.0, -1.0, 2.0, np.nan])
    def test_correlations_outside_the_open_interval(self, rho):
        with pytest.raises(PosteriorError, match="correlation"):
            acvae.Posterior(np.zeros((2, 1)), np.ones((2, 1)), [(0, 1)], [[rho]])

    @pytest.mark.parametrize("std", [0.0, -1.0, np.nan])
    def test_standard_deviations_that_are_not_positive(self, std):
        with pytest.raises(PosteriorError, match="std"):
            acvae.Posterior(np.zeros((2, 1)), [[1.0], [std]])


@every_model
@pytest.mark.parametrize("steps", [1, 3])
def test_training_that_diverges_is_a_training_error_and_changes_nothing(make, steps):
    x, graph = data()
    model = make().fit(x, graph)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    # With a single step the objective is still finite, and only the networks after it are not.
    model.set_params(learning_rate=1e30, epochs=steps)
    with pytest.raises(TrainingError, match="smaller learning_rate"):
        model.fit(x, graph)
    assert all(getattr(model, name) is value for name, value in before.items())


def test_errors_are_also_what_python_would_raise():
    assert issubclass(InputError, ValueError)
    assert issubclass(TrainingError, RuntimeError)
    assert issubclass(FeatureError, InputError)
    assert issubclass(OptionError, AcvaeError)
