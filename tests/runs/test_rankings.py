"""Which ranking a run is asked by: a word of the user's, the files that are there, the model's own."""

import types

import numpy as np
import pytest

from acvae import Graph, Posterior
from acvae.exceptions import DataError, GraphError, OptionError
from acvae.links.of_posterior import fit_links
from acvae.links.stored import save_ranking
from acvae.methods import METHODS
from acvae.runs.errors import StoppedRunError
from acvae.runs.rankings import default_ranking, has_links, links_of, ranker, ranker_by, rankers_of

GRAPH = Graph(6, [(0, 1), (1, 2), (2, 3), (3, 4)])
RNG = np.random.default_rng(0)
OWN, PAIRS = (Posterior(RNG.standard_normal((6, 2)), np.ones((6, 2))) for _ in range(2))


class Fake:
    """A run of some model with such files and no data."""

    def __init__(self, path, model, *files, finished=True):
        self.path, self._finished = path, finished
        self.config = types.SimpleNamespace(model=model, method=METHODS[model])
        self.posterior, self.graph, self.rankers = OWN, GRAPH, {}
        self.model = types.SimpleNamespace(pairwise_posterior=lambda features: features)
        if "links" in files:
            save_ranking(path / "links.safetensors", fit_links(OWN, GRAPH))
        if "pairs" in files:
            PAIRS.save(path / "pairs.safetensors")

    def need_finished(self):
        if not self._finished:
            raise StoppedRunError("stopped", self.path)

    def load_data(self):
        raise DataError("the data are gone")


def test_the_default_is_the_probability_of_a_link_where_it_is_known(tmp_path):
    assert default_ranking(Fake(tmp_path, "acvae-eb")) == "bp"
    run = Fake(tmp_path, "acvae-eb", "links")
    assert has_links(run)
    assert default_ranking(run) == ranker_by(run, None) == "link"


@pytest.mark.parametrize(
    ("model", "files", "by", "name"),
    [
        ("acvae-eb", (), "distance", "bp"),
        ("acvae-eb", (), "pairs", "pairwise"),
        ("acvae-eb", (), "link", "bp"),  # without a head, the likeliest are the nearest
        ("acvae-eb", ("links",), "link", "link"),
        ("acvae-eb", ("links",), "distance", "bp"),
        ("cvae-corr", (), "distance", "pairwise"),
        ("cvae-corr", (), "pairs", "pairwise"),
        ("vae", (), "distance", "independent"),
    ],
)
def test_what_a_word_means(model, files, by, name, tmp_path):
    assert ranker_by(Fake(tmp_path, model, *files), by) == name


def test_words_that_mean_nothing(tmp_path):
    with pytest.raises(OptionError, match="model vae has no pair network to rank by; it has distance"):
        ranker_by(Fake(tmp_path, "vae"), "pairs")
    with pytest.raises(OptionError, match="it has link and distance"):
        ranker_by(Fake(tmp_path, "vae", "links"), "pairs")
    with pytest.raises(OptionError, match="by='hops' is unknown"):
        ranker_by(Fake(tmp_path, "vae"), "hops")


def test_rankers_are_what_is_stored(tmp_path):
    run = Fake(tmp_path, "acvae-eb", "links", "pairs")
    np.testing.assert_array_equal(ranker(run, "pairwise").mean, PAIRS.mean)
    assert ranker(run, "bp") is OWN
    i, j = np.array([0, 5]), np.array([4, 2])
    np.testing.assert_allclose(
        ranker(run, "link").log_odds(i, j), fit_links(OWN, GRAPH).log_odds(i, j), rtol=1e-5
    )
    assert ranker(Fake(tmp_path, "cvae-corr"), "pairwise") is OWN  # the model's own
    with pytest.raises(StoppedRunError):
        ranker(Fake(tmp_path, "vae", finished=False), "independent")


def test_the_pair_network_is_asked_of_the_data_or_left_out_with_a_note(tmp_path):
    run, notes = Fake(tmp_path, "acvae-eb"), []
    assert list(rankers_of(run, notes=notes)) == ["bp"]
    assert notes == ["without the data there are no scores of the pair network: the data are gone"]
    with pytest.raises(DataError, match="gone"):
        rankers_of(run)
    assert list(rankers_of(run, pair_network=False)) == ["bp"]
    run.load_data = lambda: types.SimpleNamespace(features=PAIRS)
    assert rankers_of(run)["pairwise"] is PAIRS
    assert list(rankers_of(Fake(tmp_path, "cvae-corr"), pair_network=False)) == ["pairwise"]


def test_links_of_a_model_that_has_nothing_to_learn_from():
    class Bare:
        @property
        def links_(self):
            raise GraphError("none")

    assert links_of(Bare()) is None
    assert links_of(object()) is None
    assert links_of(types.SimpleNamespace(links_=3)) == 3
