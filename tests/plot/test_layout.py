"""Places on maps: near in distance is near on the map, for landmarks and for the others."""

import numpy as np
import pytest

import acvae
from acvae.exceptions import OptionError
from acvae.plot import map_coordinates
from acvae.plot.layout import classical_scaling, principal_components


def blobs(sizes, d: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes)), sizes)
    mean = 8 * rng.normal(size=(len(sizes), d))[group] + rng.normal(size=(len(group), d))
    return acvae.Posterior(mean, np.full(mean.shape, 0.1)), group


def nearest_on_map(place):
    distance = ((place[:, None] - place[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    return distance.argmin(axis=1)


@pytest.mark.parametrize("landmarks", [200, 40], ids=["all", "a sample"])
def test_groups_stay_together(landmarks) -> None:
    posterior, group = blobs([60, 50, 40])
    told: list[float] = []
    place = map_coordinates(posterior, landmarks=landmarks, advance=told.append)
    assert place.shape == (150, 2)
    assert np.isfinite(place).all()
    assert (group[nearest_on_map(place)] == group).mean() > 0.97
    assert sum(told) == pytest.approx(1)
    assert (map_coordinates(posterior, landmarks=landmarks) == place).all()


def test_correlations_count_where_the_means_say_nothing() -> None:
    """Two chains of vertices with the same mean: only the paths tell them apart."""
    forest = [(v, v + 1) for v in range(59) if v != 29]
    posterior = acvae.Posterior(np.zeros((60, 3)), np.ones((60, 3)), forest, np.full((58, 3), 0.95))
    nearest = nearest_on_map(map_coordinates(posterior))
    assert ((nearest < 30) == (np.arange(60) < 30)).mean() > 0.9


def test_principal_components_keep_the_most_variance() -> None:
    rng = np.random.default_rng(1)
    mean = rng.normal(size=(50, 6)) * np.array([5, 0.1, 3, 0.2, 0.1, 0.3])
    place = principal_components(mean)
    singular = np.linalg.svd(mean - mean.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose((place**2).sum(axis=0), singular[:2] ** 2)
    assert (principal_components(mean[:, :1])[:, 1] == 0).all()


def test_classical_scaling_gives_a_plane_back() -> None:
    points = np.random.default_rng(2).normal(size=(30, 2)) * [3, 1]
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    place = classical_scaling(squared)
    np.testing.assert_allclose(((place[:, None] - place[None]) ** 2).sum(axis=2), squared, atol=1e-2)


def test_few_vertices_and_equal_ones_have_places() -> None:
    for n in (2, 4, 5, 6):
        assert map_coordinates(acvae.Posterior(np.zeros((n, 2)), np.ones((n, 2)))).shape == (n, 2)
    place = map_coordinates(acvae.Posterior(np.zeros((20, 2)), np.ones((20, 2))))
    assert np.isfinite(place).all()


def test_wrong_options_are_refused() -> None:
    posterior, _ = blobs([10])
    with pytest.raises(OptionError, match="'tsne', 'pca'"):
        map_coordinates(posterior, "umap")
    with pytest.raises(OptionError, match="landmarks"):
        map_coordinates(posterior, landmarks=2)


@pytest.mark.parametrize("landmarks", [200, 40], ids=["all", "a sample"])
def test_points_take_the_place_of_distances(landmarks) -> None:
    posterior, group = blobs([60, 50, 40])
    nothing = acvae.Posterior(np.zeros((150, 1)), np.ones((150, 1)))
    place = map_coordinates(nothing, landmarks=landmarks, points=posterior.mean)
    assert (group[nearest_on_map(place)] == group).mean() > 0.97
    np.testing.assert_array_equal(
        map_coordinates(nothing, "pca", points=posterior.mean), principal_components(posterior.mean)
    )


def test_no_two_apart() -> None:
    assert (classical_scaling(np.zeros((8, 8))) == 0).all()
    same = acvae.Posterior(np.zeros((8, 2)), np.ones((8, 2)))
    assert np.isfinite(map_coordinates(same, points=np.zeros((8, 3)))).all()
