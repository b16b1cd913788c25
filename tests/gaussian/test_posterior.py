import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solveh_banded

import oracles
from acvae import Graph, Posterior
from acvae.exceptions import AcvaeError, OptionError, PosteriorError
from acvae.gaussian import ForestJoint, PairwiseMarginals
from gaussian.samples import HALF, ONES, PATH, dense, make, parts

TOLERANCE = 1e-9  # the promise for float64


def stream(q, rows, block_rows):
    """(len(rows), n) from `distance_blocks`, for distinct rows."""
    rows = np.asarray(rows)
    out = np.full((len(rows), q.n_vertices), np.nan)
    seen = []
    for at, columns, block in q.distance_blocks(rows, block_rows):
        assert block.shape == (len(at), q.n_vertices)
        where = np.searchsorted(rows, at, sorter=np.argsort(rows))
        out[np.argsort(rows)[where][:, None], columns] = block
        seen.extend(at.tolist())
    assert sorted(seen) == sorted(rows.tolist())
    return out


class TestAgainstTheDenseJoint:
    @pytest.mark.parametrize("nasty", [0.0, 0.3, 1.0])
    @pytest.mark.parametrize("shape", oracles.SHAPES)
    def test_all_correlations_and_distances(self, shape, nasty):
        q = make(shape, 80, nasty=nasty)
        distance, correlation = dense(q)
        i, j = np.indices((80, 80))
        assert np.abs(q.pair_correlation(i, j) - correlation).max() <= TOLERANCE
        assert np.abs(q.pair_distance(i, j) - distance).max() <= TOLERANCE
        assert np.abs(q.distances(np.arange(80)) - distance).max() <= TOLERANCE

    @given(st.integers(1, 12), st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 1.0]))
    @settings(max_examples=30, deadline=None)
    def test_small_random_forests(self, n, seed, nasty):
        q = make("many trees" if seed % 2 else "random", n, d=2, seed=seed, nasty=nasty)
        distance, correlation = dense(q)
        i, j = np.indices((n, n))
        assert np.abs(q.pair_correlation(i, j) - correlation).max() <= TOLERANCE
        assert np.abs(q.distances(np.arange(n)) - distance).max() <= TOLERANCE

    @pytest.mark.parametrize("value", oracles.NASTY_CORRELATIONS)
    def test_one_nasty_value_on_every_edge(self, value):
        mean, std, edges, _ = parts("random", 60)
        q = Posterior(mean, std, edges, np.full((len(edges), 3), value), dtype="float64")
        distance, correlation = dense(q)
        i, j = np.indices((60, 60))
        assert np.abs(q.pair_correlation(i, j) - correlation).max() <= TOLERANCE
        assert np.abs(q.pair_distance(i, j) - distance).max() <= TOLERANCE
        assert np.abs(q.distances(np.arange(60)) - distance).max() <= TOLERANCE

    def test_different_components_are_uncorrelated(self):
        q = make("pairs", 10)
        label = oracles.component_labels(10, q.forest)
        i, j = np.indices((10, 10))
        assert (q.pair_correlation(i, j)[label[:, None] != label] == 0).all()

    def test_forest_edges_keep_their_correlation(self):
        q = make("random", 50)
        u, v = q.forest.T
        assert np.array_equal(q.pair_correlation(u, v), q.joint.correlation)


class TestPathOfTenThousand:
    n = 10_000

    def posterior(self, rho):
        """A path through shuffled ids; `order[p]` is the vertex at place p."""
        rng = np.random.default_rng(0)
        order = rng.permutation(self.n)
        mean, std = rng.normal(size=(self.n, 2)), rng.uniform(0.5, 1.5, size=(self.n, 2))
        return Posterior(mean, std, np.stack([order[:-1], order[1:]], axis=1), rho, dtype="float64"), order

    def check(self, q, order, correlation_row):
        """`correlation_row(p)`: (n, d) correlations of the vertex at place p with those at all places."""
        places = np.concatenate(
            [[0, 1, self.n // 2, self.n - 1], np.random.default_rng(1).choice(self.n, 40)]
        )
        rows = order[places]
        correlation = np.empty((len(rows), self.n, 2))
        correlation[:, order] = [correlation_row(p) for p in places]
        gap = q.mean[rows, None] - q.mean
        spread = q.std[rows, None] ** 2 + q.std**2 - 2 * q.std[rows, None] * q.std * correlation
        expected = (gap**2 + spread).sum(axis=2)
        few = q.distances(rows[:3])  # answered by walks, before there are tables
        assert np.abs(few - expected[:3]).max() <= TOLERANCE
        assert np.abs(q.distances(rows) - expected).max() <= TOLERANCE
        j = np.arange(0, self.n, 41)
        assert np.abs(q.pair_correlation(rows[:4, None], j) - correlation[:4, j]).max() <= TOLERANCE
        assert np.abs(q.pair_distance(rows[:4, None], j) - expected[:4, j]).max() <= TOLERANCE

    @pytest.mark.parametrize("kind", ["uniform", "nasty", "near one", "near zero"])
    def test_products_along_the_path(self, kind):
        rng = np.random.default_rng(2)
        m = self.n - 1
        rho = {
            "uniform": oracles.random_correlations(rng, m, 2),
            "nasty": oracles.random_correlations(rng, m, 2, nasty=1.0),
            "near one": rng.choice([1 - 1e-6, -(1 - 1e-6)], size=(m, 2)),
            "near zero": rng.choice([0.0, 1e-8, -1e-8], size=(m, 2)),
        }[kind]
        q, order = self.posterior(rho)
        exact = rho.astype(np.longdouble)

        def row(place):
            right = np.cumprod(exact[place:], axis=0)
            left = np.cumprod(exact[:place][::-1], axis=0)[::-1]
            return np.concatenate([left, np.ones((1, 2)), right]).astype(np.float64)

        self.check(q, order, row)

    def test_inverse_of_the_tridiagonal_precision(self):
        rho = oracles.random_correlations(np.random.default_rng(3), self.n - 1, 2)
        q, order = self.posterior(rho)
        left = (1 - rho) * (1 + rho)
        bands = np.zeros((2, 2, self.n))  # dimension, diagonal and the one below it
        bands[:, 0] = 1
        bands[:, 0, :-1] += (rho**2 / left).T
        bands[:, 0, 1:] += (rho**2 / left).T
        bands[:, 1, :-1] = (-rho / left).T

        def row(place):
            unit = np.zeros(self.n)
            unit[place] = 1
            return np.stack([solveh_banded(band, unit, lower=True) for band in bands], axis=1)

        self.check(q, order, row)


class TestRows:
    @pytest.mark.parametrize("shape", ["random", "many trees", "isolated"])
    def test_any_order_and_repeats(self, shape):
        q = make(shape, 120)
        whole = q.distances(np.arange(120))
        for rows in ([5], [7, 7], [119, 0, 3], [3, 9, 3, 3, 80, 9], list(range(119, -1, -1)), []):
            found = q.distances(rows)
            assert found.shape == (len(rows), 120)
            np.testing.assert_allclose(found, whole[rows], rtol=0, atol=1e-12)

    def test_a_single_id(self):
        q = make("random", 20)
        assert q.distances(4).shape == (1, 20)
        assert np.array_equal(q.distances(4), q.distances([4]))

    @pytest.mark.parametrize("block_rows", [1, 2, 7, 64, 1000, None])
    @pytest.mark.parametrize("shape", ["random", "many trees", "star", "isolated"])
    def test_blocks_of_any_size(self, shape, block_rows):
        q = make(shape, 100)
        expected, _ = dense(q)
        rows = np.random.default_rng(0).permutation(100)[:61]
        assert np.abs(stream(q, rows, block_rows) - expected[rows]).max() <= TOLERANCE
        sizes = [len(at) for at, _, _ in q.distance_blocks(rows, block_rows)]
        assert sum(sizes) == 61
        assert max(sizes) <= (block_rows or 61)

    def test_all_rows_by_default(self):
        q = make("random", 90)
        seen = np.concatenate([at.copy() for at, _, _ in q.distance_blocks(block_rows=8)])
        assert sorted(seen.tolist()) == list(range(90))

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_few_rows_agree_with_the_tables(self, dtype):
        q = make("random", 300, d=5, nasty=0.1, dtype=dtype)
        few = q.distances([0, 150, 299])  # by walks over the forest
        many = q.distances(np.arange(300))[[0, 150, 299]]  # builds the tables
        again = q.distances([0, 150, 299])  # from the tables
        scale = (q.mean.astype(float) ** 2 + q.std.astype(float) ** 2).sum(axis=1).max()
        tolerance = 12 * 4 * scale * np.finfo(dtype).eps  # inner products of length 2·5 + 2
        assert np.abs(few - many).max() <= tolerance
        assert np.abs(again - many).max() <= tolerance
        assert few.dtype == many.dtype == np.dtype(dtype)
        assert (few[[0, 1, 2], [0, 150, 299]] == 0).all()

    def test_float32_is_close_to_float64(self):
        mean, std, edges, rho = parts("random", 200, d=10, nasty=0.0)
        exact = Posterior(mean, std, edges, rho, dtype="float64").distances(np.arange(200))
        short = Posterior(mean, std, edges, rho)
        assert short.mean.dtype == short.std.dtype == short.joint.correlation.dtype == np.float32
        found = short.distances(np.arange(200))
        scale = (mean**2 + std**2).sum(axis=1).max()
        # Rounding of the inputs along a path of up to n edges is bounded by the products' own size; the
        # matrix products add 22 terms.
        assert np.abs(found - exact).max() <= 100 * scale * np.finfo(np.float32).eps

    def test_symmetric_with_zero_diagonal(self):
        q = make("many trees", 150)
        found = q.distances(np.arange(150))
        np.testing.assert_allclose(found, found.T, rtol=0, atol=1e-11)
        assert (np.diag(found) == 0).all()
        assert (found >= 0).all()

    def test_the_answer_is_the_callers_own(self):
        q = make("random", 60)
        first = q.distances(np.arange(60))
        kept = first.copy()
        q.distances(np.arange(30))
        assert np.array_equal(first, kept)


class TestPairs:
    def test_broadcasting(self):
        q = make("random", 12, d=4)
        assert q.pair_correlation(3, 4).shape == (4,)
        assert q.pair_distance(3, 4).shape == ()
        assert q.pair_correlation([1, 2, 3], 0).shape == (3, 4)
        grid = q.pair_distance(np.arange(12)[:, None], np.arange(12))
        assert grid.shape == (12, 12)
        assert grid[2, 9] == q.pair_distance(2, 9)
        assert q.pair_correlation([], []).shape == (0, 4)

    def test_a_vertex_with_itself(self):
        q = make("random", 12)
        assert (q.pair_correlation(np.arange(12), np.arange(12)) == 1).all()
        assert (q.pair_distance(np.arange(12), np.arange(12)) == 0).all()

    def test_worked_example(self):
        # 0 -(0.5)- 1 -(-0.4)- 2 and 3 alone.
        q = Posterior(
            [[0.0], [1.0], [3.0], [0.0]], [[1.0], [2.0], [1.0], [0.5]], [[0, 1], [2, 1]], [[0.5], [-0.4]]
        )
        assert q.pair_correlation(0, 2)[0] == pytest.approx(-0.2)
        assert q.pair_distance(0, 1) == pytest.approx(1 + 1 + 4 - 2 * 1 * 2 * 0.5)
        assert q.pair_distance(0, 2) == pytest.approx(9 + 1 + 1 + 2 * 0.2)
        assert q.pair_distance(0, 3) == pytest.approx(0 + 1 + 0.25)


class TestNearest:
    @staticmethod
    def by_full_sort(distance, row, k, hidden):
        left = [j for j in range(len(distance)) if j != row and j not in hidden]
        best = sorted(left, key=lambda j: (distance[row, j], j))[:k]
        padding = k - len(best)
        return best + [-1] * padding, [distance[row, j] for j in best] + [np.inf] * padding

    @pytest.mark.parametrize("k", [1, 3, 10, 119, 120, 200])
    @pytest.mark.parametrize("excluding", [False, True])
    def test_against_a_full_sort(self, k, excluding):
        q = make("many trees", 120, nasty=0.0)
        rng = np.random.default_rng(0)
        known = Graph(120, oracles.random_graph_edges(rng, 120, 600))
        rows = rng.permutation(120)[:50]
        distance = q.distances(np.arange(120))
        ids, values = q.nearest(rows, k, exclude=known if excluding else None)
        assert ids.shape == values.shape == (50, k)
        for r, row in enumerate(rows):
            hidden = set(known.neighbors(row).tolist()) if excluding else set()
            expected_ids, expected = self.by_full_sort(distance, row, k, hidden)
            assert ids[r].tolist() == expected_ids
            np.testing.assert_allclose(values[r], expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("rows", [[0, 5], list(range(64))])
    @pytest.mark.parametrize("k", [1, 5, 20, 70])
    def test_ties_go_by_id(self, rows, k):
        # Whole numbers and their mean over 64 vertices are exact in float32: equal distances are equal.
        rng = np.random.default_rng(1)
        mean = rng.integers(-1, 2, size=(64, 2)).astype(float)
        q = Posterior(mean, np.ones((64, 2)))
        distance = oracles.dense_distances(mean, np.ones((64, 2)), np.eye(64)[:, :, None])
        ids, values = q.nearest(rows, k)
        for r, row in enumerate(rows):
            expected_ids, expected = self.by_full_sort(distance, row, k, set())
            assert ids[r].tolist() == expected_ids
            assert values[r].tolist() == expected

    @given(st.lists(st.integers(0, 3), min_size=2, max_size=16), st.integers(1, 20), st.integers(0, 15))
    @settings(max_examples=60, deadline=None)
    def test_ties_on_a_line(self, places, k, row):
        row %= len(places)
        mean = np.array(places, dtype=float)[:, None]
        distance = (mean - mean.T) ** 2 + 2
        ids, values = Posterior(mean, np.ones_like(mean)).nearest([row], k)
        expected_ids, expected = self.by_full_sort(distance, row, k, set())
        assert ids[0].tolist() == expected_ids
        assert values[0].tolist() == expected

    def test_rows_in_any_order_with_repeats(self):
        q = make("random", 100)
        rows = np.array([40, 3, 40, 99, 3, 0])
        ids, values = q.nearest(rows, 4)
        for r, row in enumerate(rows):
            one_ids, one_values = q.nearest([row], 4)
            assert np.array_equal(ids[r], one_ids[0])
            np.testing.assert_allclose(values[r], one_values[0], atol=1e-12)
        assert q.nearest([], 4)[0].shape == (0, 4)
        assert q.nearest(7, 4)[0].shape == (1, 4)

    def test_nothing_left(self):
        complete = Graph(4, [[i, j] for i in range(4) for j in range(i)])
        ids, values = make("path", 4).nearest([1], 2, exclude=complete)
        assert ids.tolist() == [[-1, -1]]
        assert np.isinf(values).all()

    def test_ten_by_default(self):
        assert make("path", 30).nearest([0])[0].shape == (1, 10)


class TestMadeByHand:
    def test_keeps_what_it_is_given(self):
        mean, std, edges, rho = parts("random", 9)
        q = Posterior(mean, std, edges, rho, dtype=np.float64)
        assert np.array_equal(q.mean, mean)
        assert np.array_equal(q.std, std)
        assert np.array_equal(q.forest, edges)
        assert np.array_equal(q.joint.correlation, rho)
        assert (q.n_vertices, q.latent_dim, q.has_joint) == (9, 3, True)
        assert isinstance(q.joint, ForestJoint)
        assert repr(q) == "Posterior(n_vertices=9, latent_dim=3, 8 forest edges)"

    def test_later_changes_of_the_inputs_do_not_reach_it(self):
        mean, std, edges, rho = parts("random", 9)
        q = Posterior(mean, std, edges, rho, dtype="float64")
        before = q.distances(np.arange(9))
        for array in (mean, std, edges, rho):
            array[:] = 0
        assert np.array_equal(q.distances(np.arange(9)), before)
        assert len(np.unique(q.forest)) == 9

    def test_without_a_forest(self):
        q = Posterior(np.zeros((4, 2)), np.ones((4, 2)))
        assert q.forest.shape == (0, 2)
        assert q.joint.correlation.shape == (0, 2)
        assert q.has_joint
        assert q.pair_distance(0, 1) == 4
        empty = Posterior(np.zeros((4, 2)), np.ones((4, 2)), np.empty((0, 2)), np.empty((0, 2)))
        assert np.array_equal(empty.distances([0]), q.distances([0]))

    def test_tensors_and_lists(self):
        q = Posterior(
            torch.zeros(2, 1, requires_grad=True), [[1], [2]], torch.tensor([[1, 0]]), torch.tensor([[0.5]])
        )
        assert q.pair_distance(0, 1) == 1 + 4 - 2 * 2 * 0.5

    def test_correlations_that_round_to_one_stay_inside(self):
        q = Posterior(np.zeros((2, 1)), np.ones((2, 1)), [[0, 1]], [[1 - 1e-12]])
        assert q.joint.correlation[0, 0] < 1
        assert np.isfinite(q.log_prob(np.zeros((2, 1))))
        assert np.isfinite(q.sample(4)).all()

    @pytest.mark.parametrize("n", [0, 1])
    def test_smallest_sizes(self, n):
        q = Posterior(np.zeros((n, 2)), np.ones((n, 2)))
        rows = np.arange(n)
        assert q.distances(rows).shape == (n, n)
        ids, values = q.nearest(rows, 3)
        assert (ids == -1).all()
        assert np.isinf(values).all()
        assert q.sample(5).shape == (5, n, 2)
        assert q.log_prob(np.zeros((n, 2))) == pytest.approx(-n * np.log(2 * np.pi))
        assert q.log_prob(np.zeros((5, n, 2))).shape == (5,)


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "telling"),
        [
            ((np.zeros(3), ONES), r"mean must have shape \(n, d\), got \(3,\)"),
            ((np.zeros((3, 0)), np.ones((3, 0))), r"mean must have shape \(n, d\), got \(3, 0\)"),
            ((np.zeros((4, 2)), ONES), r"mean has shape \(4, 2\) but std \(3, 2\)"),
            (([["a", "b"]] * 3, ONES), "mean must be numbers, got <U1"),
            (([[1.0, 2.0], [1.0]], ONES), "mean must be a table"),
            ((np.where(np.eye(3, 2), np.nan, 0), ONES), "mean has nan in row 0, dimension 0"),
            ((ONES * 1e39, ONES), r"mean has 1e\+39 in row 0, dimension 0, too large for float32"),
            ((ONES, np.where(np.eye(3, 2), np.inf, 1)), "std has inf in row 0"),
            ((ONES, 1 - np.eye(3, 2)[::-1]), "std must be positive, but vertex 1 has 0.0 in dimension 1"),
            ((ONES, -ONES), "std must be positive, but vertex 0 has -1.0"),
            ((ONES, ONES, [[0, 1], [1, 2], [2, 0]], np.full((3, 2), 0.5)), r"cycle: edge 2, \(2, 0\)"),
            ((ONES, ONES, [[0, 1], [1, 0]], HALF), r"cycle: edge 1, \(1, 0\)"),
            ((ONES, ONES, [[0, 1], [2, 2]], HALF), r"cycle: edge 1, \(2, 2\)"),
            ((ONES, ONES, [[0, 1], [1, 3]], HALF), "forest edges must lie in 0…2, got 0…3"),
            ((ONES, ONES, [[0, 1], [-1, 2]], HALF), "forest edges must lie in 0…2, got -1…2"),
            ((ONES, ONES, [[0.0, 1.0], [1.0, 2.0]], HALF), r"integers of shape \(m, 2\), got float64"),
            ((ONES, ONES, [[0, 1, 2]], HALF), r"integers of shape \(m, 2\), got int64 \(1, 3\)"),
            ((ONES, ONES, PATH, HALF[:1]), r"correlation must have shape \(2, 2\), got \(1, 2\)"),
            ((ONES, ONES, PATH, HALF * 2), "strictly between -1 and 1, but edge 0 has 1.0"),
            ((ONES, ONES, PATH, HALF * -3), "strictly between -1 and 1, but edge 0 has -1.5"),
            ((ONES, ONES, PATH, HALF * np.nan), "correlation has nan in row 0"),
            ((ONES, ONES, PATH), "belong together: give both or neither"),
            ((ONES, ONES, None, HALF), "belong together: give both or neither"),
        ],
    )
    def test_parts(self, arguments, telling):
        with pytest.raises(PosteriorError, match=telling) as caught:
            Posterior(*arguments)
        assert isinstance(caught.value, AcvaeError)
        assert isinstance(caught.value, ValueError)

    @pytest.mark.parametrize("dtype", ["float16", "int64", "double precision", None.__class__])
    def test_dtype(self, dtype):
        with pytest.raises(OptionError, match="dtype must be 'float32' or 'float64', not"):
            Posterior(ONES, ONES, dtype=dtype)

    @pytest.mark.parametrize(
        ("ask", "error", "telling"),
        [
            (lambda q: q.distances([3]), PosteriorError, r"ids must lie in 0…2, got 3…3"),
            (lambda q: q.distances([-1, 0]), PosteriorError, r"ids must lie in 0…2, got -1…0"),
            (lambda q: q.distances([0.0]), PosteriorError, "must be integers, got float64; cast them"),
            (lambda q: q.distances(["numpy"]), PosteriorError, "must be integers, got <U5.*graph.index"),
            (lambda q: q.distances([True, False, True]), PosteriorError, "must be integers, got bool"),
            (lambda q: q.distances([[0], [1]]), PosteriorError, r"list of vertex ids, got shape \(2, 1\)"),
            (lambda q: q.nearest([[0], [1]], 1), PosteriorError, r"list of vertex ids, got shape \(2, 1\)"),
            (lambda q: q.pair_distance(0, 9), PosteriorError, r"ids must lie in 0…2, got 9…9"),
            (lambda q: q.nearest([0], 0), OptionError, "k must be a whole number of at least 1, not 0"),
            (lambda q: q.nearest([0], 1.5), OptionError, "k must be a whole number of at least 1, not 1.5"),
            (
                lambda q: q.nearest([0], 1, exclude=Graph(4, [])),
                PosteriorError,
                "4 vertices, the posterior 3",
            ),
            (lambda q: q.nearest([0], 1, exclude=[[0, 1]]), PosteriorError, "acvae.Graph, not list"),
            (lambda q: list(q.distance_blocks(block_rows=0)), OptionError, "block_rows must be .* not 0"),
            (lambda q: list(q.distance_blocks(block_rows=-2)), OptionError, "block_rows must be .* not -2"),
            (lambda q: q.sample(-1), OptionError, "size must be a whole number of at least 0, not -1"),
            (lambda q: q.log_prob(np.zeros((2, 2))), PosteriorError, r"shape \(..., 3, 2\), got \(2, 2\)"),
            (lambda q: q.log_prob(np.zeros(2)), PosteriorError, r"shape \(..., 3, 2\), got \(2,\)"),
        ],
    )
    def test_questions(self, ask, error, telling):
        with pytest.raises(error, match=telling):
            ask(Posterior(ONES, ONES, PATH, HALF))


class TestMemory:
    """Nothing n×n is ever held: at n = 6,000 that would be 144 MB."""

    n = 6000

    limit = n**2 * 4 / 4

    @pytest.fixture(autouse=True)
    def compiled(self):
        """Compiling on first use holds memory of its own, whatever n is."""
        q = make("random", 1000, d=10, nasty=0.0, dtype="float32")
        q.nearest(np.arange(1000), 10)
        q.distances(np.arange(0, 1000, 60))

    def test_streams(self):
        q = make("random", self.n, d=10, nasty=0.0, dtype="float32")
        assert oracles.peak_memory(lambda: q.nearest(np.arange(self.n), 10)) < self.limit
        assert oracles.peak_memory(lambda: [None for _ in q.distance_blocks()]) < self.limit

    def test_answers_of_some_rows(self):
        q = make("random", self.n, d=10, nasty=0.0, dtype="float32")
        rows = np.arange(0, self.n, 60)
        answer = len(rows) * self.n * 4
        assert oracles.peak_memory(lambda: q.distances(rows)) < answer + self.limit


def test_questions_about_the_joint_of_a_pairwise_approximation():
    rng = np.random.default_rng(0)
    network = PairwiseMarginals(
        rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), np.zeros(2)
    )
    q = Posterior.from_correlations(np.zeros((4, 2)), np.ones((4, 2)), network)
    joint = Posterior(np.zeros((4, 2)), np.ones((4, 2)))
    for ask in (
        q.entropy,
        lambda: q.kl_divergence(joint),
        lambda: joint.kl_divergence(q),
        lambda: q.condition({0: [0, 0]}),
        q.to_torch,
    ):
        with pytest.raises(PosteriorError, match="needs a joint"):
            ask()
