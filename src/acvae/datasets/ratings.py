"""Users who rate items and know one another: what Epinions and LibraryThing have in common."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.edge_lists import IntArray
from acvae.datasets.dataset import Dataset
from acvae.exceptions import DataError
from acvae.graph import Graph

__all__ = ["mutual_pairs", "rated_items_dataset"]


def rated_items_dataset(
    name: str,
    users: IntArray,
    items: IntArray,
    pairs: IntArray,
    *,
    min_ratings: int,
    mutual: bool,
    user_names: npt.NDArray[np.str_] | None = None,
    item_names: npt.NDArray[np.str_] | None = None,
    source: str,
    details: dict[str, Any],
) -> Dataset:
    """Users joined by their relations, each with the set of popular items it has rated.

    Items are kept that occur in at least `min_ratings` rows; the rows are counted as they stand, before any
    user is left out and with a user's repeated ratings of an item each counted. Of the relations those are
    kept that join two users with a rating of a kept item, and of the users those with such a relation.

    Parameters
    ----------
    users, items
        (r,) ids of who rated what, one entry per row of the raw file.
    pairs
        (t, 2) ids of users, as the raw file gives them.
    mutual
        Keep a pair only when both of its directions are there.
    user_names, item_names
        Name of every id; without them the ids are written out.
    """
    item_ids, column, rows_of_item = np.unique(items, return_inverse=True, return_counts=True)
    popular = rows_of_item >= min_ratings
    kept_rows = popular[column]
    raters = np.unique(users[kept_rows])

    proper = pairs[pairs[:, 0] != pairs[:, 1]]
    relations = mutual_pairs(proper) if mutual else np.unique(np.sort(proper, axis=1), axis=0)
    inside = relations[np.isin(relations, raters).all(axis=1)]
    vertices, ends = np.unique(inside, return_inverse=True)
    if not len(vertices):
        raise DataError(
            f"nothing is left of {name}: {popular.sum():,} of {len(item_ids):,} items are rated at least "
            f"{min_ratings} times, {len(raters):,} users rated one of them, and no two of these are joined "
            f"(of {len(relations):,} relations). Lower min_ratings, or see that both files are of one crawl."
        )

    kept_rows &= np.isin(users, vertices)
    new_column = np.cumsum(popular) - 1
    cells = (np.searchsorted(vertices, users[kept_rows]), new_column[column[kept_rows]])
    shape = (len(vertices), int(popular.sum()))
    features = sp.csr_array((np.ones(len(cells[0]), dtype=np.float32), cells), shape=shape)
    features.sum_duplicates()
    features.data[:] = 1

    return Dataset(
        name=name,
        features=features,
        graph=Graph(len(vertices), ends.reshape(-1, 2), _names_of(vertices, user_names)),
        feature_names=_names_of(item_ids[popular], item_names),
        source=source,
        details={
            **details,
            "rating_rows": len(users),
            "users_with_rating": len(np.unique(users)),
            "items": len(item_ids),
            "items_kept": shape[1],
            "min_ratings": min_ratings,
            "relation_rows": len(pairs),
            "self_relations": len(pairs) - len(proper),
            "relations": len(relations),
            "relations_kept": len(inside),
            "users_kept": shape[0],
            "related_users_without_kept_rating": len(np.setdiff1d(relations, raters)),
            "related_users_without_any_rating": len(np.setdiff1d(relations, users)),
        },
    )


def mutual_pairs(pairs: IntArray) -> IntArray:
    """Rows u < v of the pairs that stand in `pairs` in both directions; ids are not negative."""
    base = int(pairs.max(initial=0)) + 1
    forward = np.unique(pairs[:, 0] * base + pairs[:, 1])
    backward = np.unique(pairs[:, 1] * base + pairs[:, 0])
    both = np.stack(np.divmod(np.intersect1d(forward, backward, assume_unique=True), base), axis=1)
    return both[both[:, 0] < both[:, 1]]


def _names_of(ids: IntArray, names: npt.NDArray[np.str_] | None) -> npt.NDArray[np.str_]:
    return ids.astype(str) if names is None else names[ids]
