"""Users, items and relations: which are kept, by hand."""

import numpy as np
import pytest

from acvae.datasets.ratings import mutual_pairs, rated_items_dataset
from acvae.exceptions import DataError

# User 7 rated 1, 1 again, and 2; user 3 rated 1; user 5 rated 2; user 9 rated 4, which no one else did.
USERS, ITEMS = np.array([7, 7, 7, 3, 5, 9]), np.array([1, 1, 2, 1, 2, 4])
PAIRS = np.array([(3, 7), (7, 3), (7, 5), (9, 7), (7, 9), (5, 5), (3, 8)])


def made(**options):
    given = {"min_ratings": 2, "mutual": False, "source": "by hand", "details": {"crawl": "mine"}}
    return rated_items_dataset("users", USERS, ITEMS, PAIRS, **{**given, **options})


def test_kept_are_popular_items_and_users_joined_by_them():
    data = made()
    assert data.graph.names.tolist() == ["3", "5", "7"]  # 9 rated nothing popular, 8 nothing at all
    assert data.graph.edges.tolist() == [[0, 2], [1, 2]]
    assert data.feature_names.tolist() == ["1", "2"]
    assert data.features.toarray().tolist() == [[1, 0], [0, 1], [1, 1]]  # rated twice is rated
    assert data.features.dtype == np.float32


def test_what_was_counted():
    told = made().details
    assert told["crawl"] == "mine"
    assert (told["rating_rows"], told["users_with_rating"]) == (6, 4)
    assert (told["items"], told["items_kept"]) == (3, 2)
    assert (told["relation_rows"], told["self_relations"]) == (7, 1)
    assert (told["relations"], told["relations_kept"], told["users_kept"]) == (4, 2, 3)
    assert told["related_users_without_kept_rating"] == 2  # 8 and 9
    assert told["related_users_without_any_rating"] == 1  # 8


def test_mutual_relations_alone():
    data = made(mutual=True)
    assert data.graph.names.tolist() == ["3", "7"]
    assert data.graph.edges.tolist() == [[0, 1]]
    assert data.feature_names.tolist() == ["1", "2"]
    assert made(mutual=True, min_ratings=1).graph.names.tolist() == ["3", "7", "9"]


def test_names_of_ids():
    data = made(user_names=np.array([f"u{k}" for k in range(10)]), item_names=np.array(list("abcde")))
    assert data.graph.names.tolist() == ["u3", "u5", "u7"]
    assert data.feature_names.tolist() == ["b", "c"]


def test_nothing_is_left():
    with pytest.raises(DataError, match=r"0 of 3 items are rated at least 4 times, 0 users .* 4 relations"):
        made(min_ratings=4)


def test_mutual_pairs_agree_with_a_double_loop():
    pairs = np.random.default_rng(0).integers(0, 12, size=(90, 2))
    given = set(map(tuple, pairs.tolist()))
    expected = sorted([u, v] for u, v in given if u < v and (v, u) in given)
    assert mutual_pairs(pairs).tolist() == expected
    assert mutual_pairs(np.empty((0, 2), dtype=np.int64)).shape == (0, 2)
