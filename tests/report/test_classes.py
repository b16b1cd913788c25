"""Classes as colours of a map."""

from dataclasses import replace

import numpy as np

from acvae.report.classes import MOST_CLASSES, class_payload
from acvae.report.payload import payload
from report.reading import unpack
from report.samples import make_entry


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


def test_classes_without_names_are_called_by_their_numbers():
    classes = np.array([3, 3, 1, 1, 1, 7])
    found = class_payload(replace(make_entry(n=6), classes=classes, class_names=["a", "b"]))
    assert found["classes"] == [
        {"name": "b", "size": 3},
        {"name": "class 3", "size": 2},
        {"name": "class 7", "size": 1},
    ]
    assert unpack(found["of"]).tolist() == [1, 1, 0, 0, 0, 2]


def test_one_class_is_no_colour():
    assert class_payload(replace(make_entry(n=6), classes=np.array([0, 0, 0, -1, -1, -1]))) is None


def test_more_classes_than_colours_share_the_last():
    classes = np.concatenate([np.repeat(np.arange(MOST_CLASSES), 2), [90, 91]])
    found = class_payload(replace(make_entry(n=len(classes)), classes=classes))
    assert len(found["classes"]) == MOST_CLASSES + 1
    assert found["classes"][-1] == {"name": None, "size": 2}
    assert unpack(found["of"])[-2:].tolist() == [MOST_CLASSES] * 2
