"""Rankings in files: the same scores after, and nothing of a file is believed."""

import subprocess
import sys

import numpy as np
import pytest

from acvae import Graph, GraphGaussian, Posterior
from acvae.exceptions import OptionError, PosteriorError, SavedModelError
from acvae.gaussian.graph import laplacian
from acvae.links.of_posterior import fit_links
from acvae.links.ranking import LinkRanking
from acvae.links.stored import load_ranking, pack_ranking, save_ranking, unpack_ranking

N = 30


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, N, (50, 2)), axis=1)
    return Graph(N, np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0))


@pytest.fixture(scope="module")
def plain(graph):
    rng = np.random.default_rng(1)
    posterior = Posterior(rng.standard_normal((N, 2)), np.ones((N, 2)))
    return fit_links(posterior, graph), posterior


@pytest.fixture(scope="module", params=["features", "none"])
def whole(graph, request):
    rng = np.random.default_rng(2)
    features = rng.poisson(1.0, (N, 12)).astype(float) if request.param == "features" else None
    model = GraphGaussian(latent_dim=4, scales=(2.0, 20.0), progress=False).fit(features, graph)
    return model.links_, model.posterior_


def same(first, second):
    for a, b in zip(first.log_odds_blocks(np.arange(N)), second.log_odds_blocks(np.arange(N)), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-6)


def test_a_ranking_by_a_posterior(plain, tmp_path):
    ranking, posterior = plain
    path = tmp_path / "links.safetensors"
    save_ranking(path, ranking)
    same(ranking, load_ranking(path, posterior))
    with pytest.raises(SavedModelError, match="give that too"):
        load_ranking(path)
    with pytest.raises(SavedModelError, match="another posterior"):
        load_ranking(path, Posterior(posterior.mean + 1, posterior.std))
    with pytest.raises(SavedModelError, match="degrees"):
        load_ranking(path, Posterior(np.zeros((3, 2)), np.ones((3, 2))))


@pytest.fixture
def eliminated(monkeypatch):
    """How often an order of elimination is found."""
    calls, eliminate = [], laplacian.eliminate
    monkeypatch.setattr(laplacian, "eliminate", lambda *a, **k: calls.append(a) or eliminate(*a, **k))
    return calls


def test_with_its_posterior_the_graph_is_eliminated_once(whole, tmp_path, eliminated):
    ranking, posterior = whole
    save_ranking(tmp_path / "links", ranking)
    posterior.save(tmp_path / "q")
    same(ranking, load_ranking(tmp_path / "links", Posterior.load(tmp_path / "q")))
    assert len(eliminated) == 1
    same(ranking, load_ranking(tmp_path / "links", posterior))  # which is factorised already
    assert len(eliminated) == 1


def test_graph_gaussians_is_whole(whole, tmp_path):
    ranking, posterior = whole
    path = tmp_path / "links.safetensors"
    save_ranking(path, ranking)
    alone, beside = load_ranking(path), load_ranking(path, posterior)
    same(ranking, alone)
    same(ranking, beside)
    assert beside.statistics.scales[0].gaussian is posterior.joint.gaussians[0]
    assert alone.statistics.names == ranking.statistics.names
    save_ranking(tmp_path / "again", alone)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def damages(arrays):
    """One wrong thing at a time, for every array."""
    for name, array in arrays.items():
        yield name, {key: value for key, value in arrays.items() if key != name}
        yield name, arrays | {name: array[:-1]}
        yield name, arrays | {name: array[..., None]}
        yield name, arrays | {name: array.astype(np.float16)}
        if array.dtype.kind == "f":
            yield name, arrays | {name: np.full_like(array, np.nan)}
        else:
            yield name, arrays | {name: array + 1_000_000}
            yield name, arrays | {name: -array - 1}
    for name in ("order/spread", "diagonal", "strength"):
        if name in arrays:
            yield name, arrays | {name: 0 * arrays[name]}
    for name in arrays:
        if name.startswith("order/"):
            yield name, arrays | {name: arrays[name][:0]}


def test_no_array_of_a_ranking_by_a_posterior_is_believed(plain):
    check_damages(*plain)


def test_no_array_of_graph_gaussians_is_believed(whole):
    check_damages(*whole)


def check_damages(ranking, posterior):
    arrays, about = pack_ranking(ranking)
    unpack_ranking(arrays, about, posterior)
    for name, wrong in damages(arrays):
        if name == "mean" and "mean" not in wrong:
            continue  # without features there is none
        with pytest.raises(PosteriorError):
            unpack_ranking(wrong, about, posterior)
    for told in ({}, {"statistics": 3}, {"statistics": ["graph"]}, {"statistics": "x" * 10_000}):
        with pytest.raises(PosteriorError, match="unknown kind"):
            unpack_ranking(arrays, told, posterior)


@pytest.mark.parametrize("labels", [None, "ab", ["2"], ["2", 20], ["2", "x" * 100], {"2": 1, "20": 2}])
def test_labels_are_checked(whole, labels):
    arrays, about = pack_ranking(whole[0])
    with pytest.raises(PosteriorError, match="labels"):
        unpack_ranking(arrays, about | {"labels": labels})


def test_only_what_can_be_read_again_is_written(plain, tmp_path):
    class Mine:
        n_vertices = N

    with pytest.raises(OptionError, match="Mine"):
        save_ranking(tmp_path / "x", LinkRanking(Mine(), plain[0].order, plain[0].probability))
    assert not (tmp_path / "x").exists()


def test_reading_needs_no_torch(whole, tmp_path):
    path = tmp_path / "links.safetensors"
    save_ranking(path, whole[0])
    code = (
        "import sys; from acvae.links.stored import load_ranking; import numpy as np;"
        f"r = load_ranking({str(path)!r}); r.log_odds(np.array([0]), np.array([1]));"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
