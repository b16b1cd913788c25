"""What every public model does alike: one set of tests, run over all of them."""

import copy
import inspect
import io
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from safetensors.numpy import load_file
from sklearn.base import clone

import acvae
from acvae import models
from acvae.exceptions import AcvaeError, NotFittedError
from acvae.models.conventions import Embedder

TINY = {
    "latent_dim": 3,
    "hidden_dim": 4,
    "pair_hidden_dim": 5,
    "epochs": 3,
    "batch_vertices": 8,
    "batch_edges": 16,
    "batch_pairs": 16,
    "progress": False,
}
VARIANTS = {
    "CVAE": {"correlated": [True, False], "posterior": ["graph"]},
    "ACVAE": {"objective": ["empirical-bayes", "saddle-point"]},
}


def public_models():
    for name in models.__all__:
        kind = getattr(models, name)
        if not (isinstance(kind, type) and issubclass(kind, Embedder)):
            continue
        options = {k: v for k, v in TINY.items() if k in inspect.signature(kind).parameters}
        for key, values in VARIANTS.get(name, {"": [None]}).items():
            for value in values:
                extra = {key: value} if key else {}
                yield pytest.param((kind, options | extra), id="-".join([name, *map(str, extra.values())]))


@pytest.fixture(params=public_models())
def make(request):
    kind, options = request.param
    if kind.__name__ == "GraphSAGE":
        pytest.importorskip("torch_geometric")
    return lambda **changes: kind(**(options | changes))


@pytest.fixture
def trained(make):
    """Models that are trained by epochs."""
    if not hasattr(make(), "epochs"):
        pytest.skip("it has no epochs: it is fitted in one go")
    return make


def data():
    """Counts with all-zero rows; a graph with several components and isolated vertices."""
    rng = np.random.default_rng(0)
    x = rng.poisson(0.4, (30, 9)).astype(np.float64)
    x[[2, 29]] = 0
    edges = np.concatenate([rng.integers(0, 12, (30, 2)), rng.integers(12, 25, (30, 2)), [[25, 26]]])
    return x, acvae.Graph(30, edges)  # 27, 28 and 29 are isolated


def assert_same_posterior(a, b):
    (one, about), (other, as_well) = a.pack(), b.pack()
    assert about == as_well
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    np.testing.assert_array_equal(a.distances(np.arange(5)), b.distances(np.arange(5)))


def transform(model, x, graph):
    return (
        model.transform(x, graph)
        if "graph" in inspect.signature(model.transform).parameters
        else model.transform(x)
    )


def test_fit_returns_self_and_a_posterior_of_the_right_shape(make):
    x, graph = data()
    model = make()
    assert model.fit(x, graph) is model
    q = model.posterior_
    assert q.mean.shape == q.std.shape == (30, 3)
    assert np.isfinite(q.mean).all()
    assert (q.std > 0).all()
    if q.has_forest:
        assert q.joint.correlation.shape == (len(q.forest), 3)
        assert (np.abs(q.joint.correlation) < 1).all()
    ids, distances = q.nearest([0, 27], k=4, exclude=graph)
    assert ids.shape == distances.shape == (2, 4)
    assert (np.diff(distances, axis=1) >= 0).all()
    assert len(model.history_) == getattr(model, "epochs", 1)
    assert model.n_features_in_ == 9
    assert model.graph_ is graph


@pytest.mark.parametrize(
    "convert",
    [
        sp.csr_array,
        sp.csr_matrix,
        sp.coo_array,
        np.asarray,
        lambda x: x.astype(np.float32),
        lambda x: x.astype(np.int64),
        torch.from_numpy,
        lambda x: torch.from_numpy(x).to_sparse_coo(),
    ],
    ids=["csr_array", "csr_matrix", "coo", "float64", "float32", "int64", "tensor", "sparse-tensor"],
)
def test_features_come_in_any_form(make, convert):
    x, graph = data()
    expected = make().fit(x, graph).posterior_
    got = make().fit(convert(x), graph).posterior_
    np.testing.assert_allclose(got.mean, expected.mean, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(got.std, expected.std, rtol=1e-3, atol=1e-4)


def test_inputs_are_left_as_they_were(make):
    x, graph = data()
    matrix = sp.csr_array(x)
    matrix.data[::5] = 0  # explicit zeros, which must not be cleaned away in the caller's matrix
    before = [a.copy() for a in (x, matrix.data, matrix.indices, matrix.indptr, graph.edges)]
    make().fit(x, graph)
    make().fit(matrix, graph)
    for a, b in zip((x, matrix.data, matrix.indices, matrix.indptr, graph.edges), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_same_seed_same_bits(make):
    x, graph = data()
    first = make(seed=5).fit(x, graph)
    assert_same_posterior(first.posterior_, make(seed=5).fit(x, graph).posterior_)
    assert_same_posterior(first.posterior_, first.fit(x, graph).posterior_)  # a second fit starts afresh
    if isinstance(first, acvae.GraphGaussian):  # whose posterior is a closed form; the seed is of its links
        return
    assert not np.array_equal(first.posterior_.mean, make(seed=6).fit(x, graph).posterior_.mean)


def test_links_are_those_of_the_last_fit(make):
    x, graph = data()
    other = acvae.Graph(30, (graph.edges * 7 + 3) % 30)
    pairs = np.triu_indices(30, 1)
    afresh, again = make().fit(x, other), make().fit(x, graph)
    first = again.links_
    again.fit(x, other)
    assert again.links_ is not first
    np.testing.assert_array_equal(again.link_probability(*pairs), afresh.link_probability(*pairs))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_a_seed_may_be_one_of_numpys_integers(make, kind):
    x, graph = data()
    assert_same_posterior(make(seed=5).fit(x, graph).posterior_, make(seed=kind(5)).fit(x, graph).posterior_)


def test_global_random_states_are_neither_read_nor_moved(make):
    x, graph = data()
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002 (the global state is what this test is about)
    before_torch, before_numpy = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first = make().fit(x, graph).posterior_
    assert torch.equal(torch.get_rng_state(), before_torch)
    np.testing.assert_array_equal(np.random.get_state()[1], before_numpy)  # noqa: NPY002
    torch.manual_seed(2)
    np.random.seed(2)  # noqa: NPY002
    assert_same_posterior(first, make().fit(x, graph).posterior_)


def test_saved_and_loaded_to_the_bit(make, tmp_path):
    x, graph = data()
    model = make().fit(x, graph)
    model.save(tmp_path / "model")
    back = acvae.load(tmp_path / "model")
    assert type(back) is type(model)
    assert back.get_params() == model.get_params()
    assert back.history_ == model.history_
    assert_same_posterior(back.posterior_, model.posterior_)
    np.testing.assert_array_equal(transform(back, x, graph), transform(model, x, graph))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_answer_alike(make, copied):
    x, graph = data()
    model = make().fit(x, graph)
    other = copied(model)
    assert_same_posterior(other.posterior_, model.posterior_)
    np.testing.assert_array_equal(transform(other, x, graph), transform(model, x, graph))


def test_transform_of_the_training_rows_is_the_posterior_mean(make):
    x, graph = data()
    model = make()
    mean = model.fit_transform(x, graph)
    np.testing.assert_array_equal(mean, model.posterior_.mean)
    if isinstance(model, acvae.GraphGaussian):  # whose posterior heard the neighbours, and transform has none
        assert transform(model, x, graph).shape == mean.shape
        return
    np.testing.assert_allclose(transform(model, sp.csr_array(x), graph), mean, rtol=1e-5, atol=1e-6)


def test_scikit_learn_can_clone_and_set_options(make):
    model = make(seed=4)
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.set_params(latent_dim=1).latent_dim == 1
    assert model.latent_dim == 3
    x, graph = data()
    fitted = model.fit(x, graph)
    assert not hasattr(clone(fitted), "posterior_")
    assert "seed=4" in repr(model)


def test_before_fit_nothing_is_given(make, tmp_path):
    x, graph = data()
    model = make()
    with pytest.raises(NotFittedError, match="call fit"):
        transform(model, x, graph)
    with pytest.raises(NotFittedError, match="call fit"):
        model.save(tmp_path / "model")
    with pytest.raises(AttributeError):
        _ = model.posterior_


def test_no_epochs_is_a_model_too(trained):
    x, graph = data()
    model = trained(epochs=0).fit(x, graph)
    assert model.history_ == []
    assert model.posterior_.mean.shape == (30, 3)


def test_two_vertices_are_enough(make):
    model = make().fit(np.array([[1.0, 0.0], [2.0, 1.0]]), acvae.Graph(2, [(0, 1)]))
    assert model.posterior_.pair_distance(0, 1) >= 0


def test_a_featureless_graph_works(make):
    _, graph = data()
    q = make().fit(sp.csr_array((30, 4)), graph).posterior_
    assert np.isfinite(q.mean).all()


def test_a_failed_fit_leaves_a_fitted_model_as_it_was(make, tmp_path):
    x, graph = data()
    model = make().fit(x, graph)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    model.save(tmp_path / "before")
    bad = x.copy()
    bad[4, 4] = np.nan

    def stop(state):
        raise KeyboardInterrupt

    calls = [(AcvaeError, lambda: model.fit(bad, graph)), (AcvaeError, lambda: model.fit(x[:-1], graph))]
    if hasattr(model, "epochs"):
        calls.append((KeyboardInterrupt, lambda: model.fit(x, graph, callbacks=[stop])))
    for error, call in calls:
        with pytest.raises(error):
            call()
        after = {name: value for name, value in vars(model).items() if name.endswith("_")}
        assert after.keys() == before.keys()
        assert all(after[name] is before[name] for name in before)
    model.save(tmp_path / "after")
    saved = [load_file(tmp_path / name) for name in ("before", "after")]
    assert saved[0].keys() == saved[1].keys()
    assert all(np.array_equal(saved[0][name], saved[1][name]) for name in saved[0])


def test_silent_without_progress(make, capsys):
    make().fit(*data())
    assert capsys.readouterr() == ("", "")


def test_one_line_where_there_is_no_terminal(trained, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    trained(progress=True).fit(*data())
    assert stream.getvalue().count("\n") == 1
    assert ": 3/3  " in stream.getvalue()
