"""The cache of prepared data: when it is used, and that it never harms."""

import os
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from acvae import Graph
from acvae._util.arrays import json_array, read_arrays, write_arrays
from acvae.datasets import Dataset
from acvae.datasets.prepared import fingerprint, prepared


def example(names=("a", "b", "c")):
    return Dataset(
        name="example",
        features=sp.csr_array(np.array([[0, 1.5], [0, 0], [2, 0]], dtype=np.float32)),
        graph=Graph(3, [[2, 0], [0, 1]], names),
        feature_names=np.array(["x", "ü"]),
        labels=np.array([1, 0, 1]),
        source="by hand",
        details={"count": 3, "share": 0.25},
    )


@pytest.fixture
def cached(tmp_path):
    """Calls `prepared` with chosen changes; counts how often the data set was really built."""
    source = tmp_path / "raw.txt"
    source.write_text("raw")

    def call(build=example, **changes):
        def counting():
            call.builds += 1
            return build()

        given = {"sources": [source], "options": {"words": 50}, "version": 1, "folder": tmp_path / "cache"}
        return prepared("example", counting, **(given | changes))

    call.builds, call.source, call.folder = 0, source, tmp_path / "cache"
    return call


def assert_same(a, b):
    assert (a.name, a.source, a.details) == (b.name, b.source, b.details)
    assert a.graph == b.graph
    assert a.features.dtype == b.features.dtype == np.float32
    np.testing.assert_array_equal(a.features.toarray(), b.features.toarray())
    np.testing.assert_array_equal(a.feature_names, b.feature_names)
    np.testing.assert_array_equal(a.labels, b.labels)


def test_the_second_call_reads_what_the_first_stored(cached):
    first, second = cached(), cached()
    assert cached.builds == 1
    assert_same(first, example())
    assert_same(second, example())


def test_optional_parts_may_be_absent(cached):
    def plain():
        return Dataset("example", sp.csr_array((2, 1), dtype=np.float32), Graph(2, [[0, 1]]))

    cached(plain)
    again = cached(plain)
    assert cached.builds == 1
    assert (again.graph.names, again.feature_names, again.labels) == (None, None, None)


@pytest.mark.parametrize("change", [{"options": {"words": 51}}, {"version": 2}])
def test_other_options_or_another_version_are_built_anew(cached, change):
    cached()
    cached(**change)
    assert cached.builds == 2


def test_a_changed_source_is_built_anew(cached):
    cached()
    cached.source.write_text("new")
    cached()
    assert cached.builds == 2


def test_the_place_of_the_sources_does_not_matter(cached, tmp_path):
    cached()
    (tmp_path / "elsewhere").mkdir()
    os.replace(cached.source, tmp_path / "elsewhere" / "raw.txt")
    cached(sources=[tmp_path / "elsewhere" / "raw.txt"])
    assert cached.builds == 1


def test_a_folder_is_known_by_what_it_holds(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_text("a")
    marks = {fingerprint("x", [tmp_path / "folder"], {}, 1)}
    (tmp_path / "folder" / "b").write_text("b")
    marks.add(fingerprint("x", [tmp_path / "folder"], {}, 1))
    (tmp_path / "folder" / "b").write_text("bb")
    marks.add(fingerprint("x", [tmp_path / "folder"], {}, 1))
    assert len(marks) == 3


def damage_cut(entry):
    entry.write_bytes(entry.read_bytes()[:-100])


def damage_flip(entry):
    content = bytearray(entry.read_bytes())
    for i in range(200, len(content), 97):
        content[i] ^= 0xFF
    entry.write_bytes(content)


def damage_empty(entry):
    entry.write_bytes(b"")


def rewrite(entry, **changes):
    """The entry with other arrays, and a checksum that fits them."""
    kind = {"format": "acvae-prepared", "version": 2}
    arrays, about = read_arrays(entry, **kind, what="entry")
    write_arrays(entry, arrays | changes, about, **kind)


def damage_inconsistent(entry):
    rewrite(entry, indices=np.array([50, 51], dtype=np.int32))


def damage_names(entry):
    rewrite(entry, names=json_array(["a", ["b"], "c"]))


def damage_foreign(entry):
    with entry.open("wb") as file:
        np.savez(file, something=np.arange(3))


@pytest.mark.parametrize(
    "damage", [damage_cut, damage_flip, damage_empty, damage_inconsistent, damage_names, damage_foreign]
)
def test_a_damaged_entry_is_built_anew(cached, damage):
    cached()
    (entry,) = cached.folder.iterdir()
    damage(entry)
    assert_same(cached(), example())
    assert cached.builds == 2
    assert_same(cached(), example())
    assert cached.builds == 2  # the damaged entry was replaced


def test_names_of_mixed_kinds_are_not_stored(cached):
    cached(lambda: example(names=["a", 1, ("b", 2)]))
    assert not cached.folder.exists()


def test_everything_a_data_set_has_comes_back(cached):
    def whole():
        return replace(
            example(names=[30, 10, 20]),
            graph=Graph(3, [[2, 0], [0, 1]], [30, 10, 20], weights=[0.5, 2]),
            class_names=np.array(["no", "yes"]),
            display_names=np.array(["A", "A", "\u2028"]),
            observed=np.array([True, False, True]),
        )

    cached(whole)
    found, wanted = cached(whole), whole()
    assert cached.builds == 1
    assert_same(found, wanted)
    for name in ("class_names", "display_names", "observed"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


def test_the_same_content_gives_the_same_bytes(cached, tmp_path):
    cached()
    cached(folder=tmp_path / "other")
    (one,), (other,) = cached.folder.iterdir(), (tmp_path / "other").iterdir()
    assert one.read_bytes() == other.read_bytes()


def test_partial_files_of_the_dead_are_swept_those_of_the_living_are_not(cached):
    cached()
    (entry,) = cached.folder.iterdir()
    entry.unlink()
    dead, living = (entry.with_name(f"{entry.name}.{pid}.partial") for pid in (999_999_999, os.getppid()))
    dead.write_bytes(b"half")
    living.write_bytes(b"half")
    cached()
    assert sorted(cached.folder.iterdir()) == sorted([entry, living])


def test_a_failed_build_leaves_nothing(cached):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cached(fail)
    assert not cached.folder.exists()


def test_a_cache_that_cannot_be_written_costs_only_time(cached, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert_same(cached(folder=tmp_path / "file" / "cache"), example())
