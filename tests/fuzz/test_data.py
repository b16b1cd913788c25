"""Data sets, tables and matrices read from anywhere, with any options."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acvae
from acvae import datasets
from fuzz import good
from fuzz.odd import calls, small_odd
from fuzz.outcomes import settle, share
from fuzz.subjects import N

columns = st.sampled_from(["id", "a", "b", "kind", "text", "source", "nowhere", None])
some_columns = st.one_of(columns, st.lists(columns, max_size=3))
missing = st.sampled_from(["error", "mean", "zero", "evidence"])
TABLES = {"features": st.just("plain.csv"), "edges": st.just("pairs.csv")}
WITH_TEXT = TABLES | {"features": st.just("table.csv"), "categorical": st.just("auto")}
ENDS = {f"{end}_column_": columns for end in ("source", "target", "weight")}
NAMED = {
    "id_column_": columns,
    "columns_": some_columns,
    "text_column_": some_columns,
    "categorical_": st.one_of(st.just("auto"), some_columns),
    "label_column_": columns,
    "class_column_": columns,
}
READ = {
    "max_words_": good.whole,
    "missing_": missing,
    "duplicates_": st.sampled_from(["error", "first", "mean"]),
    "decimal_": st.sampled_from([".", ",", None]),
    "header_": good.flags,
    "row_ids_": good.flags,
}
JOINED = {
    "combine_": st.sampled_from(["equal", "sum", "mean", "max"]),
    "edges_header_": good.flags,
    "isolated_": st.sampled_from(["keep", "drop"]),
    "name_": st.just("mine"),
}
MATRIX = {
    "features": st.sampled_from(["matrix.npy", "mapped", "all.npz"]),
    "edges": st.sampled_from(["pairs.csv", "numbers.txt"]),
    "ids_": st.sampled_from(["ids.txt", "table.csv", None]),
    "missing_": missing,
}
DATA = {
    "from_files": (datasets.from_files, TABLES),
    "from_files, columns": (datasets.from_files, WITH_TEXT | NAMED),
    "from_files, ends": (datasets.from_files, TABLES | ENDS),
    "from_files, read": (datasets.from_files, WITH_TEXT | READ),
    "from_files, joined": (datasets.from_files, TABLES | JOINED),
    "from_files, matrix": (datasets.from_files, MATRIX),
    "from_files, one": (datasets.from_files, {"features": st.just("all.npz"), "missing_": missing}),
    "from_archive": (
        datasets.from_archive,
        {"path": st.sampled_from(["all.npz", "matrix.npy"]), "missing_": missing, "name_": st.just("a")},
    ),
    "load": (
        datasets.load,
        {"name": st.sampled_from(["tree", "debian", "acm", "epinions"]), "root_": st.just(".")},
    ),
    "tree": (
        lambda **named: datasets.load("tree", **named),
        {"n_vertices": st.integers(2, 30), "n_features_": good.whole, "seed_": good.seeds},
    ),
    "available": (datasets.available, {"root_": st.just(".")}),
    "open_features": (datasets.open_features, {"folder": st.sampled_from(["mapped", ".", "table.csv"])}),
    "save_features": (
        datasets.save_features,
        {"folder": st.sampled_from(["saved", "table.csv"]), "matrix": good.counts},
    ),
}


@pytest.mark.usefixtures("_files")
@share(0.06)
@given(calls(DATA, small_odd))
def test_read_from_anywhere(call):
    name, given = call
    found = settle(DATA[name][0], given)
    if isinstance(found, acvae.datasets.Dataset):
        assert found.features.shape[0] == found.graph.n_vertices
        if name.startswith("from_"):
            assert found.graph.n_vertices <= N + 1  # a header taken for a row
