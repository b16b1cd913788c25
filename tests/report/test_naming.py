"""Clusters are named by what their members have in common, not by what everybody has."""

import numpy as np
import scipy.sparse as sp

from acvae.report.naming import common_features
from acvae.report.reasons import telling_features
from report.reading import unpack
from report.samples import make_entry

NAMES = np.array(["everywhere", "first", "second", "rare", "lone"], dtype=object)
LABELS = np.repeat([0, 1, 2], 20)


def table() -> sp.csr_array:
    x = np.zeros((60, 5))
    x[:, 0] = 1
    x[:18, 1] = 1  # nine of ten in the first cluster
    x[20:40, 2] = 1  # all of the second
    x[45:60, 2] = 0
    x[0, 3] = x[1, 3] = 1  # two members only
    x[59, 4] = 1
    return sp.csr_array(x)


def test_the_most_telling_features_name_a_cluster():
    assert common_features(LABELS, table(), NAMES) == [["first"], ["second"], []]


def test_negative_and_stored_zero_values_are_not_there():
    x = table()
    x.data[:] = np.where(x.indices == 1, -1.0, np.where(x.indices == 2, 0.0, x.data))
    assert common_features(LABELS, x, NAMES) == [[], [], []]


def test_lift_is_what_counts_among_equally_frequent_features():
    x = np.zeros((100, 2))
    x[:10] = 1
    x[10:50, 1] = 1  # the second feature is frequent elsewhere, too
    labels = np.repeat([0, 1], [10, 90])
    assert common_features(labels, sp.csr_array(x), np.array(["own", "shared"], dtype=object))[0] == [
        "own",
        "shared",
    ]


def test_a_vertex_keeps_its_rarest_features():
    from dataclasses import replace

    entry = replace(make_entry(n=60), features=table(), feature_names=NAMES)
    found = telling_features(entry)
    assert found is not None
    rows = unpack(found["ids"]).reshape(60, found["k"])
    named = [[found["names"][f] for f in row if f != 0xFFFF] for row in rows]
    assert named[0] == ["rare", "first"]
    assert named[25] == ["second"]
    assert named[59] == []  # nobody shares its lone feature, and all have the other
    assert telling_features(replace(entry, feature_names=None)) is None
