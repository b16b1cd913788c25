"""Why a link: words of the model, and features that few others have."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.exceptions import GraphError
from acvae.report.links import predicted_links
from acvae.report.reasons import MOST_WORDS, explanations, telling_features
from report.reading import unpack
from report.samples import Predictor, make_entry


def test_an_explanation_of_the_model_is_told_in_words(entry):
    """Not by its fields; features known by number get their names, and weak paths are left out."""
    from acvae.models.explanation import Explanation

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
    with_reasons = replace(entry, predictor=Predictor())
    found, *_ = predicted_links(with_reasons, 3)
    assert explanations(with_reasons, found, [[0, 0]], seconds=-1.0) == {}
    assert len(explanations(with_reasons, found, [[0, 0]])) > 40
    assert explanations(entry, found, [[0, 0]]) == {}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("one\n\n  two \n", ["one", "two"]),
        (("a", 3), ["a", "3"]),
        (list("abcdefgh"), list("abcdefgh")[:MOST_WORDS]),
        ("x" * 1000, ["x" * 300]),
    ],
)
def test_words_in_any_form(entry, told, words):
    class Explaining(Predictor):
        def explain(self, i, j):
            return told

    with_reasons = replace(entry, predictor=Explaining())
    found, *_ = predicted_links(with_reasons, 1)
    assert explanations(with_reasons, found, [[4, 0]])["4 0"] == words


def test_a_link_that_cannot_be_explained_is_left_out(entry):
    class Refusing(Predictor):
        def explain(self, i, j):
            if i == 4:
                raise GraphError("not this one")
            return [] if i == 5 else ["yes"]

    with_reasons = replace(entry, predictor=Refusing())
    found, *_ = predicted_links(with_reasons, 1)
    said = explanations(with_reasons, found, [[4, 0], [5, 0], [6, 0]])
    assert said["6 0"] == ["yes"]
    assert not {"4 0", "5 0"} & set(said)


X = sp.csr_array(
    np.array([[1, 1, 0, 1], [1, 0, 1, 0], [1, 1, 1, -1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
)


def made(x=X, names=("a", "b", "c", "d")):
    return replace(make_entry(n=6), features=x, feature_names=np.array(names, dtype=object))


def test_the_rarest_features_that_are_shared():
    found = telling_features(made(), k=2)
    # Of six, b is with 2, d with 2 of which one is below zero, a and c with 3.
    assert found["names"] == ["a", "b", "c", "d"]
    nobody = 0xFFFF
    assert unpack(found["ids"]).reshape(6, 2).tolist() == [
        *([1, 3], [0, 2], [1, 0], [2, nobody], [nobody, nobody], [nobody, nobody])
    ]


def test_where_features_tell_nothing():
    assert telling_features(make_entry(n=6)) is None
    assert telling_features(replace(made(), feature_names=None)) is None
    assert telling_features(made(x=sp.csr_array((6, 4)))) is None
    assert telling_features(made(x=sp.csr_array(np.eye(6)), names="abcdef")) is None  # no two have the same
    assert telling_features(made(x=sp.csr_array(np.ones((6, 4))))) is None  # all have all
