"""What the page is given agrees with the posterior."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

import acvae
from acvae.exceptions import OptionError
from acvae.gaussian import PairwiseMarginals
from acvae.report import Entry
from acvae.report.links import best_pairs, held_out, known_neighbors, predicted_links
from acvae.report.packing import NOBODY, ids
from acvae.report.paths import by_path_length, rooted_forest
from acvae.report.payload import calibration, curves, payload
from report.reading import tree_path, unpack
from report.samples import make_entry


def test_paths_multiply_to_the_pair_correlation(entry):
    q = entry.posterior
    forest = rooted_forest(q)
    parent, correlation = unpack(forest["parent"]), unpack(forest["correlation"]).reshape(-1, q.latent_dim)
    joined = {tuple(sorted(edge)) for edge in q.forest.tolist()}
    apart = 0
    for a, b in combinations(range(q.n_vertices), 2):
        path = tree_path(parent, a, b)
        expected = q.pair_correlation(a, b)
        if path is None:
            apart += 1
            assert (expected == 0).all()
            continue
        assert (path[0], path[-1]) == (a, b)
        steps = list(pairwise(path))
        assert all(tuple(sorted(step)) in joined for step in steps)
        children = [v if parent[v] == u else u for u, v in steps]
        np.testing.assert_allclose(correlation[children].prod(axis=0), expected, atol=len(steps) / 60_000)
    assert apart == 37 * 3 + 3  # three vertices are alone
    assert (forest["edges"], forest["trees"]) == (36, 4)


class Predictor:
    """Probabilities that fall with the difference of ids, and a reason."""

    def predict_links(self, rows, k, exclude):
        n = exclude.n_vertices
        score = -np.abs(np.arange(n)[None] - np.asarray(rows)[:, None]).astype(float)
        for r, v in enumerate(rows):
            score[r, [v, *exclude.neighbors(v)]] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")[:, :k]
        value = np.take_along_axis(score, order, axis=1)
        return np.where(np.isinf(value), -1, order), np.exp(value)

    def explain(self, i, j):
        return [f"{i} is near {j}", "<b>bold</b>"]


def test_predicted_links_are_the_nearest_unknown(entry):
    q, graph = entry.posterior, entry.graph
    found, distance, probability, asked = predicted_links(entry, 10)
    nearest, expected = q.nearest(np.arange(q.n_vertices), 10, exclude=graph)
    assert (found == nearest).all()
    np.testing.assert_allclose(distance, expected, rtol=1e-6)
    assert probability is None
    assert asked.all()


def test_of_a_large_graph_vertices_of_most_neighbours_come_first_until_the_time_is_up(entry):
    told: list[int] = []
    large = make_entry(n=600)
    found, _, _, asked = predicted_links(large, 3, large=500, seconds=0.0, advance=told.append)
    assert asked.sum() == 256  # what was begun
    degrees = large.graph.degrees
    assert degrees[asked].min() >= degrees[~asked].max()
    nearest, _ = large.posterior.nearest(np.flatnonzero(asked), 3, exclude=large.graph)
    assert (found[asked] == nearest).all()
    assert (found[~asked] == NOBODY).all()
    assert sum(told) == 600
    assert predicted_links(large, 3, large=600, seconds=0.0).asked.all()  # not a large one
    assert payload([entry], maps="pca")["runs"][0]["links"]["asked"] is None


def test_predicted_links_are_the_predictors_where_there_is_one(entry):
    told: list[int] = []
    found, distance, probability, _ = predicted_links(
        replace(entry, predictor=Predictor()), 3, advance=told.append
    )
    who, chance = Predictor().predict_links(np.arange(40), 3, entry.graph)
    assert (found == who).all()
    np.testing.assert_allclose(probability, chance, rtol=1e-6)
    np.testing.assert_allclose(
        distance[:, 0], entry.posterior.pair_distance(np.arange(40), who[:, 0]), rtol=1e-5
    )
    assert sum(told) == 40
    run = payload([replace(entry, predictor=Predictor())], maps="pca")["runs"][0]
    assert unpack(run["links"]["probability"]).shape == (400,)
    v, place = run["links"]["best"][0]
    told_why = run["links"]["words"][f"{v} {place}"]
    other = int(unpack(run["links"]["ids"]).reshape(40, 10)[v, place])
    assert told_why == [f"{v} is near {other}", "<b>bold</b>"]


def test_an_explanation_of_the_model_is_told_in_words(entry):
    """Not by its fields; features known by number get their names, and weak paths are left out."""
    from acvae.models.explanation import Explanation
    from acvae.report.reasons import explanations

    class Explaining(Predictor):
        def explain(self, i, j):
            return Explanation(
                i, j, 0.5, 0.01, [], [(1, 2.0), ("c", 1.0)], [(i, 7, 0.6), (j, 8, 0.02)], False
            )

    told = replace(entry, predictor=Explaining(), feature_names=np.array(["a", "b"], dtype=object))
    found, *_ = predicted_links(told, 3)
    assert explanations(told, found, [[4, 0]])["4 0"] == [
        "both have b, c",
        "correlation flows through 7 (linked to 4, 60%)",
    ]


def test_explanations_take_bounded_time(entry):
    from acvae.report.reasons import explanations

    with_reasons = replace(entry, predictor=Predictor())
    found, *_ = predicted_links(with_reasons, 3)
    assert explanations(with_reasons, found, [[0, 0]], seconds=-1.0) == {}
    assert len(explanations(with_reasons, found, [[0, 0]])) > 40
    assert explanations(entry, found, [[0, 0]]) == {}


def test_best_pairs_are_each_there_once_and_no_hub_takes_all():
    found = np.array([[1, 2], [0, 2], [0, 1], [0, 1], [0, -1], [0, -1], [0, -1]])
    distance = np.array([[0.1, 0.5], [0.1, 0.6], [0.5, 0.6], [0.2, 0.9], [0.3, 0], [0.4, 0], [0.45, 0]])
    chosen = best_pairs(found, distance, None)
    # 0–1, 0–3, 0–4; then 0 has had its three; 1–2 at 0.6 and 1–3 at 0.9 are left.
    assert chosen == [[0, 0], [3, 0], [4, 0], [1, 1], [3, 1]]
    assert best_pairs(found, distance, None, count=2) == [[0, 0], [3, 0]]
    by_chance = best_pairs(found, distance, distance / 2)
    assert by_chance[0] == [3, 1]


def test_where_links_run_out_there_is_nobody():
    q = acvae.Posterior(np.arange(4.0)[:, None], np.ones((4, 1)))
    for predictor in (None, Predictor()):
        entry = Entry("a", "vae", "toy", q, acvae.Graph(4, [(0, 1)]), predictor=predictor)
        rows, distance, *_ = predicted_links(entry, 10)
        assert rows[0].tolist() == [2, 3] + [-1] * 8
        assert sorted(rows[2, :3].tolist()) == [0, 1, 3]
        assert np.isfinite(distance).all()


def test_a_hub_lists_its_nearest_neighbours_only(entry):
    found = known_neighbors(entry.posterior, entry.graph, most=2)
    whole = known_neighbors(entry.posterior, entry.graph)
    start, all_start = unpack(found["start"]), unpack(whole["start"])
    assert (unpack(found["degree"]) == entry.graph.degrees).all()
    assert (np.diff(start) == np.minimum(entry.graph.degrees, 2)).all()
    for v in range(40):
        expected = unpack(whole["ids"])[all_start[v] : all_start[v] + 2][: start[v + 1] - start[v]]
        assert (unpack(found["ids"])[start[v] : start[v + 1]] == expected).all()


def test_known_neighbors_come_nearest_first(entry):
    q, graph = entry.posterior, entry.graph
    found = known_neighbors(q, graph)
    start, vertex, distance = (unpack(found[key]) for key in ("start", "ids", "distance"))
    for v in range(graph.n_vertices):
        mine = vertex[start[v] : start[v + 1]].astype(int)
        assert sorted(mine.tolist()) == graph.neighbors(v).tolist()
        expected = q.pair_distance(np.full(len(mine), v), mine)
        np.testing.assert_allclose(distance[start[v] : start[v + 1]], expected, rtol=1e-5)
        assert (np.diff(expected) >= 0).all()


def test_held_out_links_are_the_test_graph(entry):
    found = held_out(entry.test)
    start, vertex = unpack(found["start"]), unpack(found["ids"])
    for v in range(entry.test.n_vertices):
        assert vertex[start[v] : start[v + 1]].tolist() == entry.test.neighbors(v).tolist()


def test_correlations_by_path_length_are_over_all_pairs_of_a_chain():
    q = acvae.Posterior(
        np.zeros((4, 2)), np.ones((4, 2)), [(0, 1), (1, 2), (2, 3)], [[0.5, 0.5], [0.5, 0.5], [0.25, 0.25]]
    )
    found = by_path_length(q)
    assert found["length"] == [1, 2, 3]
    assert found["pairs"] == [6, 4, 2]  # each pair from both of its ends
    assert found["all"]
    medians = [row[2] for row in found["quantiles"]]
    np.testing.assert_allclose(medians, [0.5, (0.25 + 0.125) / 2, 0.0625])


def test_longer_paths_are_counted():
    n = 20
    q = acvae.Posterior(
        np.zeros((n, 1)), np.ones((n, 1)), [(v, v + 1) for v in range(n - 1)], [[0.9]] * (n - 1)
    )
    found = by_path_length(q)
    assert found["length"][-1] == 15
    assert found["longer"] == 2 * (4 + 3 + 2 + 1)


def test_many_vertices_are_sampled():
    entry = make_entry(n=60)
    found = by_path_length(entry.posterior, sources=5)
    assert found["sources"] == 5
    assert not found["all"]
    assert by_path_length(entry.posterior, sources=5) == found


def test_ids_take_two_bytes_where_they_fit():
    assert ids(np.array([0, NOBODY]), 0xFFFE)["kind"] == "u16"
    wide = ids(np.array([70_000, NOBODY]), 100_000)
    assert wide["kind"] == "u32"
    assert unpack(wide).tolist() == [70_000, 0xFFFFFFFF]


def test_names_of_runs_on_the_same_data_are_there_once():
    data = payload(
        [make_entry("a"), make_entry("b", seed=1), make_entry("c", n=30, data="other")], maps="pca"
    )
    assert [run["names"] for run in data["runs"]] == [0, 0, 1]
    assert [len(names) for names in data["names"]] == [40, 30]
    assert [run["n"] for run in data["runs"]] == [40, 40, 30]


def test_maps_have_a_place_for_every_vertex(entry):
    run = payload([entry])["runs"][0]
    assert list(run["maps"]) == ["tsne", "pca"]
    for place in run["maps"].values():
        assert len(unpack(place["x"])) == len(unpack(place["y"])) == 40
    assert list(payload([entry], maps="pca")["runs"][0]["maps"]) == ["pca"]


def test_without_a_forest_there_are_links_but_no_paths():
    run = payload([make_entry(forest=False)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["lengths"] is None
    assert run["links"]["k"] == 10
    assert run["dendrogram"]["merges"]


def test_pairwise_posteriors_have_links_but_no_paths():
    rng = np.random.default_rng(0)
    pairs = PairwiseMarginals(*(rng.normal(size=s).astype(np.float32) for s in [(12, 4), (12, 4), (4, 2), 2]))
    q = acvae.Posterior.from_correlations(rng.normal(size=(12, 2)), np.ones((12, 2)), pairs)
    graph = acvae.Graph(12, [(0, 1), (3, 4)])
    run = payload([Entry("c", "cvae-corr", "toy", q, graph)], maps="pca")["runs"][0]
    assert run["forest"] is None
    assert run["test"] is None
    nearest, _ = q.nearest(np.arange(12), 10, exclude=graph)
    assert (unpack(run["links"]["ids"]).reshape(12, 10) == np.where(nearest < 0, 0xFFFF, nearest)).all()


def test_one_dimension_is_a_map_too():
    q = acvae.Posterior(np.arange(6.0)[:, None], np.ones((6, 1)))
    run = payload([Entry("one", "vae", "toy", q, acvae.Graph(6, [(0, 1)]))], maps="pca")["runs"][0]
    assert (unpack(run["maps"]["pca"]["y"]) == 0).all()


def test_curves_leave_out_what_is_no_number(entry):
    found = curves(entry.history)
    assert found["elbo"] == {"epoch": [1, 2], "value": [-5.0, -4.0]}
    assert "kl" not in found  # one point is no curve
    assert "test_ncrr" not in found
    assert "settled" not in found  # of no model whose weights settle
    assert "settled" in curves(entry.history, "acvae-eb")
    assert curves([]) == {}


@pytest.mark.parametrize("wrong", [{"maps": "umap"}, {"clusters": 0}, {"clusters": 1000}])
def test_wrong_options_are_refused(entry, wrong):
    with pytest.raises(OptionError):
        payload([entry], **wrong)


def test_too_many_vertices_are_refused_before_the_work(entry, monkeypatch):
    monkeypatch.setattr("acvae.report.payload.MOST_VERTICES", 39)
    with pytest.raises(OptionError, match=r"a page holds at most 39.*acvae links RUN"):
        payload([entry])


def test_classes_are_numbered_by_size_and_the_rest_has_no_name(entry):
    classes = np.array([2] * 5 + [0] * 20 + [-1] * 15)
    run = payload([replace(entry, classes=classes, class_names=["a", "b", "<c>"])], maps="pca")["runs"][0]
    assert run["classes"]["classes"] == [
        {"name": "a", "size": 20},
        {"name": "<c>", "size": 5},
        {"name": None, "size": 15},
    ]
    assert unpack(run["classes"]["of"]).tolist() == [1] * 5 + [0] * 20 + [2] * 15
    assert payload([entry], maps="pca")["runs"][0]["classes"] is None


def test_stored_bins_of_probabilities_are_shown(entry):
    one = {
        "predicted": 0.1,
        "observed": 0.1,
        "low": 0.0,
        "high": 0.2,
        "links": 1,
        "pairs": 10,
        "counted": True,
    }
    other = {**one, "predicted": 0.2, "observed": 0.3}
    likely = {**one, "predicted": 0.5, "observed": 0.25, "links": 5, "pairs": 20}
    few = {**one, "predicted": 0.9, "observed": 1.0, "links": 4, "pairs": 4}
    left_out = [{**one, "observed": None}, {**one, "counted": False}, {"counted": True}]
    stored = {"reliability": [one, other, *left_out], "calibration_error": 0.05, "log_loss": None}
    found = calibration({"calibration": stored})
    assert found is not None
    assert found["fraction"] == [0.1, 0.3]
    assert (found["error"], found["log_loss"]) == (0.05, None)
    assert found["likely"] is None
    more = calibration({"calibration": {**stored, "reliability": [one, other, likely, few]}})
    assert more["fraction"] == [0.1, 0.3, 0.25]  # four pairs say nothing of their own
    assert more["likely"] == {"pairs": 24, "share": 9 / 24}
    assert calibration({"calibration": {"reliability": [one]}}) is None
    assert calibration({"calibration": {"reliability": "no"}}) is None
    assert calibration(None) is None
