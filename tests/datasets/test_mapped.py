"""Features mapped from files: the same matrix, the same training to the bit, and nothing read into memory."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import acvae
from acvae.datasets import open_features, save_features
from acvae.exceptions import DataError, FeatureError
from acvae.nn import as_features


def counts(n=60, d=9, seed=0, ones=False):
    table = np.random.default_rng(seed).poisson(0.4, (n, d)).astype(np.float32)
    table[3] = 0
    return sp.csr_array(np.minimum(table, 1) if ones else table)


def is_mapped(array):
    """Whether the memory of an array belongs to a mapped file."""
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def same_matrix(a, b):
    return a.shape == b.shape and (a != b).nnz == 0


class TestFolder:
    @pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array, lambda x: x.toarray(), sp.csr_matrix])
    def test_what_is_opened_is_what_was_saved(self, tmp_path, convert):
        matrix = counts()
        save_features(tmp_path / "x", convert(matrix))
        opened = open_features(tmp_path / "x")
        assert same_matrix(opened, matrix)
        assert opened.dtype == np.float32
        assert all(is_mapped(a) for a in (opened.data, opened.indices, opened.indptr))

    def test_blocks_of_rows_from_a_generator_make_one_matrix(self, tmp_path):
        matrix = counts()
        save_features(tmp_path, (matrix[start : start + 7] for start in range(0, 60, 7)))
        assert same_matrix(open_features(tmp_path), matrix)

    def test_saving_again_replaces_a_longer_matrix(self, tmp_path):
        save_features(tmp_path, counts(n=60))
        save_features(tmp_path, counts(n=5))
        assert same_matrix(open_features(tmp_path), counts(n=5))

    def test_messy_blocks_are_tidied_and_left_as_they_were(self, tmp_path):
        data, indices, indptr = np.array([1.0, 2.0, 0.0, 5.0]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])
        messy = sp.csr_array((data, indices, indptr), shape=(2, 3))
        save_features(tmp_path, messy)
        opened = open_features(tmp_path)
        np.testing.assert_array_equal(opened.toarray(), [[0, 0, 3], [0, 5, 0]])
        assert opened.nnz == 2
        assert len(messy.data) == 4

    def test_a_matrix_without_entries(self, tmp_path):
        save_features(tmp_path, sp.csr_array((4, 3)))
        assert open_features(tmp_path).shape == (4, 3)

    def test_blocks_of_different_width_are_refused(self, tmp_path):
        with pytest.raises(FeatureError, match="block 1 of the features has 4 columns, the first 3"):
            save_features(tmp_path, iter([np.ones((2, 3)), np.ones((2, 4))]))

    @pytest.mark.parametrize("bad", [np.array([["a"]]), np.ones((2, 2), dtype=complex)])
    def test_what_is_no_matrix_of_numbers_is_refused(self, tmp_path, bad):
        with pytest.raises(FeatureError, match="block 0 of the features"):
            save_features(tmp_path, bad)

    def test_no_blocks_at_all_are_refused(self, tmp_path):
        with pytest.raises(FeatureError, match="no features to save"):
            save_features(tmp_path, iter([]))

    def test_a_folder_without_features_is_named(self, tmp_path):
        with pytest.raises(DataError, match=r"has no shape\.npy; see save_features"):
            open_features(tmp_path)

    def test_a_file_cut_short_is_named(self, tmp_path):
        save_features(tmp_path, counts())
        path = tmp_path / "data.npy"
        path.write_bytes(path.read_bytes()[:-8])
        with pytest.raises(DataError, match=r"data\.npy' should have \d+ bytes for float32"):
            open_features(tmp_path)

    def test_files_that_do_not_belong_together_are_refused(self, tmp_path):
        save_features(tmp_path, counts())
        np.save(tmp_path / "data.npy", np.ones(3, dtype=np.float32))
        with pytest.raises(DataError, match="do not make one CSR matrix"):
            open_features(tmp_path)

    def test_pickled_objects_are_not_read(self, tmp_path):
        save_features(tmp_path, counts())
        np.save(tmp_path / "data.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
        with pytest.raises(DataError, match=r"data\.npy' holds Python objects, which are not read"):
            open_features(tmp_path)

    def test_a_header_that_lies_takes_no_memory(self, tmp_path):
        save_features(tmp_path, counts())
        path = tmp_path / "data.npy"
        path.write_bytes(path.read_bytes().replace(b"'shape': (", b"'shape': (9999999"))
        with pytest.raises(DataError, match=r"data\.npy' should have [\d,]{12,} bytes for float32"):
            open_features(tmp_path)

    def test_written_only_in_part_it_is_no_folder_of_features(self, tmp_path, monkeypatch):
        """Neither the old matrix nor half of the new one."""
        save_features(tmp_path, counts())

        def fail(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "cumsum", fail)
        with pytest.raises(KeyboardInterrupt):
            save_features(tmp_path, counts())
        with pytest.raises(DataError, match=r"it has no shape\.npy"):
            open_features(tmp_path)


class TestTraining:
    @pytest.mark.parametrize("ones", [True, False])
    def test_mapped_features_are_not_copied(self, tmp_path, ones):
        save_features(tmp_path, counts(ones=ones))
        opened = open_features(tmp_path)
        features = as_features(opened)
        assert np.shares_memory(features.indices.numpy(), opened.indices)
        if ones:
            assert features.data is None
        else:
            assert np.shares_memory(features.data.numpy(), opened.data)

    def test_mapped_dense_features_are_not_copied(self, tmp_path):
        np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32))
        mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
        assert np.shares_memory(as_features(mapped).table.numpy(), mapped)

    @pytest.mark.parametrize("model", [acvae.ACVAE, acvae.VAE, acvae.GraphSAGE])
    def test_training_gives_the_same_bits_as_features_in_memory(self, tmp_path, model):
        matrix = counts()
        graph = acvae.Graph(60, np.random.default_rng(1).integers(0, 60, (150, 2)))
        save_features(tmp_path, matrix)
        in_memory, mapped = (
            model(epochs=2, seed=3, progress=False).fit(x, graph).posterior_
            for x in (matrix, open_features(tmp_path))
        )
        (one, kind), (other, of_other) = in_memory.pack(), mapped.pack()
        assert kind == of_other
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)

    def test_dense_training_gives_the_same_bits_too(self, tmp_path):
        table = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
        np.save(tmp_path / "x.npy", table)
        graph = acvae.Graph(30, np.random.default_rng(1).integers(0, 30, (60, 2)))
        in_memory, mapped = (
            acvae.ACVAE(likelihood="gaussian", epochs=2, progress=False).fit(x, graph).posterior_.mean
            for x in (table, np.load(tmp_path / "x.npy", mmap_mode="r"))
        )
        np.testing.assert_array_equal(in_memory, mapped)

    @pytest.mark.parametrize(("name", "value"), [("indices", 9), ("indices", -1)])
    def test_entries_outside_the_matrix_are_refused_when_training_starts(self, tmp_path, name, value):
        save_features(tmp_path, counts())
        array = np.load(tmp_path / f"{name}.npy")
        array[5] = value
        np.save(tmp_path / f"{name}.npy", array)
        with pytest.raises(FeatureError, match="sound CSR matrix, but row"):
            as_features(open_features(tmp_path))

    def test_columns_that_nothing_is_in_are_not_believed(self, tmp_path):
        save_features(tmp_path, counts())
        np.save(tmp_path / "shape.npy", np.array([counts().shape[0], 1 << 60]))
        with pytest.raises(DataError, match="do not make one CSR matrix"):
            open_features(tmp_path)

    def test_rows_that_do_not_follow_one_another_are_refused_at_once(self, tmp_path):
        save_features(tmp_path, counts())
        starts = np.load(tmp_path / "indptr.npy")
        starts[5] = 40
        np.save(tmp_path / "indptr.npy", starts)
        with pytest.raises(DataError, match="do not make one CSR matrix"):
            open_features(tmp_path)

    def test_values_that_are_not_finite_are_refused_when_training_starts(self, tmp_path):
        matrix = counts()
        save_features(tmp_path, matrix)
        data = np.load(tmp_path / "data.npy")
        data[10] = np.nan
        np.save(tmp_path / "data.npy", data)
        row = np.searchsorted(matrix.indptr, 10, side="right") - 1
        with pytest.raises(FeatureError, match=f"row {row}, column {matrix.indices[10]} is nan"):
            as_features(open_features(tmp_path))

    def test_column_numbers_of_either_size_mean_the_same(self):
        matrix = counts()
        wide = sp.csr_array(matrix.shape, dtype=np.float32)
        wide.data, wide.indices, wide.indptr = matrix.data, matrix.indices.astype(np.int64), matrix.indptr
        weight = torch.randn((9, 4), generator=torch.Generator().manual_seed(0))
        got = [as_features(x).rows(torch.tensor([5, 1, 5])).times(weight) for x in (matrix, wide)]
        assert torch.equal(*got)


def test_a_folder_is_a_file_of_features_for_from_files(tmp_path):
    matrix = counts()
    save_features(tmp_path / "words", matrix)
    (tmp_path / "links.csv").write_text("source,target\n0,1\n1,59\n")
    data = acvae.datasets.from_files(tmp_path / "words", tmp_path / "links.csv")
    assert same_matrix(data.features, matrix)
    assert is_mapped(data.features.data)
    assert data.graph.edges.tolist() == [[0, 1], [1, 59]]
