import sys

import numpy as np
import pytest

import acvae
import oracles
from acvae import Graph, Posterior, export
from acvae.exceptions import GraphError, InputError, MissingDependencyError, OptionError, PosteriorError

N, D = 30, 3
NAMES = [f"v{i}" for i in range(N)]


@pytest.fixture
def posterior():
    rng = np.random.default_rng(0)
    edges = oracles.forest_edges("many trees", N, rng)
    rho = oracles.random_correlations(rng, len(edges), D)
    return Posterior(rng.normal(size=(N, D)), rng.uniform(0.1, 2, size=(N, D)), edges, rho)


@pytest.fixture
def known():
    return Graph(N, oracles.random_graph_edges(np.random.default_rng(1), N, 60), NAMES)


class TestPandas:
    def test_embeddings(self, posterior):
        table = posterior.to_pandas()
        assert list(table.columns) == ["vertex", *(f"{m}_{k}" for m in ("mean", "std") for k in range(D))]
        assert table["vertex"].tolist() == list(range(N))
        np.testing.assert_array_equal(table[[f"mean_{k}" for k in range(D)]], posterior.mean)
        np.testing.assert_array_equal(table[[f"std_{k}" for k in range(D)]], posterior.std)

    def test_forest(self, posterior, known):
        table = posterior.to_pandas(known, table="forest")
        assert table["source"].tolist() == [NAMES[u] for u in posterior.forest[:, 0]]
        assert table["target"].tolist() == [NAMES[v] for v in posterior.forest[:, 1]]
        np.testing.assert_array_equal(
            table[[f"correlation_{k}" for k in range(D)]], posterior.joint.correlation
        )
        np.testing.assert_array_equal(table["distance"], posterior.pair_distance(*posterior.forest.T))

    def test_links(self, posterior, known):
        table = export.links_table(posterior, 4, exclude=known, names=known)
        ids, distances = posterior.nearest(np.arange(N), 4, exclude=known)
        assert len(table) == N * 4
        assert table["source"].tolist() == np.repeat(NAMES, 4).tolist()
        assert table["target"].tolist() == [NAMES[i] for i in ids.ravel()]
        np.testing.assert_array_equal(table["distance"], distances.ravel())
        assert table["rank"].tolist() == [1, 2, 3, 4] * N

    def test_links_of_some_vertices_and_where_few_are_left(self, posterior):
        full = Graph(N, [(7, j) for j in range(N - 2) if j != 7])
        table = export.links_table(posterior, 5, exclude=full, rows=[7, 3])
        assert table["source"].tolist() == [7] * 2 + [3] * 5
        assert set(table["target"][:2]) == {N - 2, N - 1}

    def test_names_come_as_a_list_or_a_graph_and_are_checked(self, posterior):
        assert posterior.to_pandas(NAMES)["vertex"].tolist() == NAMES
        assert posterior.to_pandas(Graph(N, []))["vertex"].tolist() == list(range(N))
        with pytest.raises(GraphError, match="2 names were given for 30 vertices"):
            posterior.to_pandas(["a", "b"])
        with pytest.raises(GraphError, match="distinct"):
            posterior.to_pandas(["a"] * N)
        with pytest.raises(PosteriorError, match="has 4, the posterior 30"):
            posterior.to_pandas(Graph(4, []))
        with pytest.raises(
            OptionError, match="table='edges' is unknown; choose one of 'embeddings', 'forest'"
        ):
            posterior.to_pandas(table="edges")


class TestGraphs:
    def test_networkx(self, posterior):
        graph = posterior.to_networkx(NAMES)
        assert list(graph.nodes) == NAMES
        assert graph.number_of_edges() == len(posterior.forest)
        np.testing.assert_array_equal(graph.nodes["v4"]["mean"], posterior.mean[4])
        np.testing.assert_array_equal(graph.nodes["v4"]["std"], posterior.std[4])
        for (u, v), rho in zip(posterior.forest, posterior.joint.correlation, strict=True):
            edge = graph.edges[NAMES[u], NAMES[v]]
            np.testing.assert_array_equal(edge["correlation"], rho)
            assert edge["distance"] == posterior.pair_distance(u, v)

    def test_networkx_by_id_and_as_a_copy(self, posterior):
        graph = posterior.to_networkx()
        assert list(graph.nodes) == list(range(N))
        before = posterior.mean.copy()
        graph.nodes[0]["mean"][:] = 0
        np.testing.assert_array_equal(posterior.mean, before)

    def test_pyg(self, posterior):
        pytest.importorskip("torch_geometric")
        data = posterior.to_pyg()
        m = len(posterior.forest)
        data.validate()
        np.testing.assert_array_equal(data.x, posterior.mean)
        np.testing.assert_array_equal(data.std, posterior.std)
        np.testing.assert_array_equal(data.edge_index[:, :m].T, posterior.forest)
        np.testing.assert_array_equal(data.edge_index[:, m:].T, posterior.forest[:, ::-1])
        np.testing.assert_array_equal(data.edge_attr, np.tile(posterior.joint.correlation, (2, 1)))
        assert Graph.from_pyg(data) == Graph(N, posterior.forest)

    def test_without_a_forest(self):
        q = Posterior(np.zeros((3, 2)), np.ones((3, 2)))
        assert q.to_networkx().number_of_edges() == 0
        assert q.to_pyg().num_edges == 0
        assert len(q.to_pandas(table="forest")) == 0


class TestParquet:
    parquet = pytest.importorskip("pyarrow.parquet")

    @pytest.mark.parametrize("names", [None, NAMES, list(range(100, 100 + N))])
    @pytest.mark.parametrize("rows_per_group", [1, 7, 1000])
    @pytest.mark.parametrize("table", ["embeddings", "forest", "links"])
    def test_reads_back_as_the_table(self, posterior, known, table, rows_per_group, names, tmp_path):
        count = export.write_parquet(
            posterior,
            tmp_path / "out.parquet",
            table,
            k=3,
            exclude=known,
            names=names,
            rows_per_group=rows_per_group,
        )
        found = self.parquet.read_table(tmp_path / "out.parquet").to_pandas()
        if table == "links":
            expected = export.links_table(posterior, 3, known, names)
            # Rows few at a time are answered by walks, all at once by tables: equal but for rounding.
            np.testing.assert_allclose(found.pop("distance"), expected.pop("distance"), rtol=1e-4)
        else:
            expected = posterior.to_pandas(names, table)
        assert found.to_dict("list") == expected.to_dict("list")
        assert count == len(expected)
        assert [f.name for f in tmp_path.iterdir()] == ["out.parquet"]

    def test_streams_in_row_groups(self, posterior, tmp_path):
        export.write_parquet(posterior, tmp_path / "e", rows_per_group=10)
        assert self.parquet.ParquetFile(tmp_path / "e").num_row_groups == 3
        export.write_parquet(posterior, tmp_path / "l", "links", k=4, rows_per_group=20)  # five vertices each
        file = self.parquet.ParquetFile(tmp_path / "l")
        assert [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)] == [20] * 6

    @pytest.mark.parametrize("table", ["embeddings", "forest", "links"])
    def test_nothing_to_write_is_an_empty_table(self, table, tmp_path):
        q = Posterior(np.zeros((0, 2)), np.ones((0, 2)))
        assert export.write_parquet(q, tmp_path / "out", table) == 0
        assert self.parquet.read_table(tmp_path / "out").num_rows == 0

    def test_a_failure_leaves_the_old_file(self, posterior, tmp_path):
        export.write_parquet(posterior, tmp_path / "out")
        before = (tmp_path / "out").read_bytes()
        with pytest.raises(OptionError, match="names of this kind cannot be written"):
            export.write_parquet(posterior, tmp_path / "out", names=[1, "a", *range(2, N)])
        with pytest.raises(OptionError, match="k must be a whole number"):
            export.write_parquet(posterior, tmp_path / "out", "links", k=0)
        assert (tmp_path / "out").read_bytes() == before
        assert [f.name for f in tmp_path.iterdir()] == ["out"]

    def test_bad_options(self, posterior, tmp_path):
        with pytest.raises(OptionError, match="'embeddings', 'forest', 'links'"):
            export.write_parquet(posterior, tmp_path / "out", "edges")
        with pytest.raises(OptionError, match="rows_per_group"):
            export.write_parquet(posterior, tmp_path / "out", rows_per_group=0)

    @pytest.mark.parametrize("folder", [".", "/", ""])
    def test_a_folder_is_no_file(self, posterior, folder):
        with pytest.raises(InputError, match="is a folder; give the name of a file in it"):
            export.write_parquet(posterior, folder)


@pytest.mark.parametrize(
    ("package", "ask"),
    [
        ("pandas", lambda q, path: q.to_pandas()),
        ("networkx", lambda q, path: q.to_networkx()),
        ("torch_geometric.data", lambda q, path: q.to_pyg()),
        ("pyarrow", lambda q, path: export.write_parquet(q, path / "out")),
    ],
)
def test_a_missing_package_is_named_with_the_way_to_get_it(posterior, package, ask, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=rf"'{package.split('.')[0]}': pip install"):
        ask(posterior, tmp_path)


@pytest.mark.parametrize("table", [acvae.export.embeddings_table, acvae.export.links_table])
def test_what_is_no_posterior(table):
    with pytest.raises(acvae.exceptions.InputError, match="export takes a Posterior"):
        table(object())
