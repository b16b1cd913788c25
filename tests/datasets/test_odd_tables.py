"""Files that are plausible and not as expected: each is read, or the message says what to do."""

import re

import pandas as pd
import pytest
import scipy.sparse as sp

from acvae.datasets import from_files
from acvae.exceptions import DataError


@pytest.fixture
def path(write):
    """Edges a–b–c."""
    return write("edges.csv", "source,target\na,b\nb,c\n")


def dense(data):
    return data.features.toarray() if sp.issparse(data.features) else data.features


def refusal(*args, **options):
    with pytest.raises(DataError) as error:
        from_files(*args, **options)
    return str(error.value)


# ---------------------------------------------------------------------- what is read


def test_unicode_text_of_a_spreadsheet(tmp_path, path):
    """UTF-16 with its mark, parted by tabs."""
    file = tmp_path / "sheet.txt"
    file.write_bytes("id\tGröße\na\t1\nb\t2\nc\t3\n".encode("utf-16"))
    data = from_files(file, path)
    assert data.feature_names.tolist() == ["Größe"]
    assert dense(data).tolist() == [[1], [2], [3]]


def test_true_and_false_are_one_and_zero(write, path):
    data = from_files(write("f.csv", "id,member,x\na,True,1\nb,FALSE,2\nc,true,3\n"), path)
    assert dense(data).tolist() == [[1, 1], [0, 2], [1, 3]]


def test_the_index_of_a_frame_in_parquet_holds_the_ids(tmp_path, path):
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]}, index=pd.Index(["a", "b", "c"], name="Name"))
    frame.to_parquet(tmp_path / "f.parquet")  # where it stands last
    data = from_files(tmp_path / "f.parquet", path)
    assert data.graph.names.tolist() == ["a", "b", "c"]
    assert data.feature_names.tolist() == ["x", "y"]


def test_self_loops_are_told_of(write):
    edges = write("loops.csv", "source,target\na,b\na,a\nb,b\n")
    data = from_files(write("f.csv", "id,x\na,1\nb,2\n"), edges)
    assert "2 self-loops left out" in data.details["summary"]
    assert data.graph.n_edges == 1


# ---------------------------------------------------------------------- what is refused


def test_an_index_of_pandas_before_the_names(write, path):
    told = refusal(write("f.csv", ",Name,x\n0,a,1\n1,b,2\n2,c,3\n"), path)
    assert told.endswith(
        "column 'Name': 'a' is not a finite number (3 cells of this column are like that). If 'Name' holds "
        "the ids, name it in the option id_column; to leave a column out, name the others in the option "
        "columns."
    )
    named = from_files(
        write("f.csv", ",Name,x\n0,a,1\n1,b,2\n2,c,3\n"), path, id_column="Name", columns=["x"]
    )
    assert named.graph.n_edges == 2


@pytest.mark.parametrize("cell", ["1,000", "5%", "$12.50", "1 000", "12 €"])
def test_numbers_with_signs_are_to_be_written_plainly(cell, write, path):
    told = refusal(write("f.csv", f'id,x\na,"{cell}"\nb,"{cell}"\nc,"{cell}"\n'), path)
    assert f"'{cell}' is not a finite number" in told
    assert "Write the numbers of 'x' plainly, as 1000 and 0.05 for 1,000 and 5%" in told
    assert "categor" not in told


def test_only_classes(write, path):
    told = refusal(write("f.csv", "id,type\na,u\nb,v\nc,u\n"), path, class_column="type")
    assert "has no column of features besides 'id', 'type'. A column of kinds becomes features" in told


def test_an_end_that_is_missing(write):
    features = write("f.csv", "id,x\na,1\nb,2\n")
    told = refusal(features, write("e.csv", "source,target\na,b\na,\nb,\n"))
    assert told.endswith(
        "row 2: one end of the edge is missing (2 rows are like that). Fill it in, or take the row out."
    )


@pytest.mark.parametrize(
    "content",
    [",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", "0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n"],
    ids=["named", "bare"],
)
def test_an_adjacency_matrix_is_no_list_of_edges(content, write):
    features = write("f.csv", "id,x\na,1\nb,2\nc,3\n")
    told = refusal(features, write("adjacency.csv", content), edges_header=content.startswith(","))
    assert re.search(
        r"looks like an adjacency matrix of [34] vertices\. Edges are a table with an edge a row", told
    )


def test_features_and_edges_swapped(write, path):
    many = write("many.csv", "source,target\na,b\na,c\nb,c\n")
    assert refusal(many, path).endswith("It looks like a table of edges; were features and edges swapped?")


def test_known_ids_at_one_end_alone(write):
    features = write("f.csv", "id,x\na,1\nb,2\n")
    told = refusal(features, write("e.csv", "person,score\na,5\nb,7\n"))
    assert "2 ids of the edges are known, but never at both ends" in told
    assert "say by the option source_column and target_column where the ends are" in told


@pytest.mark.parametrize(
    ("name", "advice"),
    [("f.xlsx", "Save the sheet as CSV."), ("f.edgelist", "A table of text can be renamed to .txt.")],
)
def test_endings_that_are_not_read(name, advice, tmp_path, path):
    (tmp_path / name).write_text("a b\n")
    assert refusal(tmp_path / name, path).endswith(advice)
