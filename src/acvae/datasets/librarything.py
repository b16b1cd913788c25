"""LibraryThing: readers, the books they reviewed and who is whose friend.

Published by Julian McAuley (J. McAuley's social recommendation data; H. Lakkaraju, J. McAuley, J. Leskovec,
2013) as `lthing_data.tar.gz` with two files. `reviews.txt` is a Python program, one assignment a line:

    reviews = {}
    reviews[('73960', 'van_stef')] = {'work': '73960', 'user': 'van_stef', 'stars': 4.0, 'comment': …}

some copies have instead `reviews.json`, with only the part in braces on each line. `edges.txt` has two user
names a line. The lines are read as literals; nothing in them is ever run.

Preparation, as for Epinions with 200 instead of 100. A review counts as a rating when it gives stars, which
not all do. Friendships are taken as the file gives them: when more than one in a hundred of its pairs stands
there in both directions the list is read as directed, and only mutual pairs are kept; otherwise every
friendship is there once and is kept.
"""

import ast
import json
import warnings
from array import array
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from acvae._util.checks import choice, whole_number
from acvae._util.edge_lists import IntArray
from acvae.datasets.dataset import Dataset
from acvae.datasets.prepared import prepared
from acvae.datasets.ratings import mutual_pairs, rated_items_dataset
from acvae.datasets.sources import RawFile, decode, fetch, members, reading
from acvae.exceptions import DataError

__all__ = ["CHOICES", "load"]

_VERSION = 1
PAGE = "https://cseweb.ucsd.edu/~jmcauley/datasets.html#social_data"
ARCHIVE = RawFile(
    "lthing_data.tar.gz",
    folder="librarything",
    page=PAGE,
    url="https://mcauleylab.ucsd.edu/public_datasets/data/librarything/lthing_data.tar.gz",
    also=("lthing_data", "lthing_data.tar"),
)
CHOICES = ((ARCHIVE,),)
"""Sets of raw files of which one is needed."""

_UNREADABLE = 0.01
"""Share of the lines that may be garbled before the file as a whole is refused."""
_DIRECTED = 0.01
"""Share of the pairs standing in both directions above which the list is taken as directed."""


class _Codes:
    """Numbers for names, in the order in which they are met."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.of.setdefault(name, len(self.of))

    def names(self) -> npt.NDArray[np.str_]:
        return np.array(list(self.of), dtype=str)


def load(
    root: str | PathLike[str] | None = None, *, min_ratings: int = 200, friendship: str = "auto"
) -> Dataset:
    """LibraryThing: users joined by friendship, with the books they rated.

    `friendship` says how the list of friends is read: `"mutual"` keeps pairs given in both directions,
    `"any"` all pairs, `"auto"` looks which of the two the list is made for.
    """
    whole_number("min_ratings", min_ratings, minimum=1)
    choice("friendship", friendship, ("auto", "mutual", "any"))
    path = fetch(ARCHIVE, root)
    return prepared(
        "librarything",
        lambda: _prepare(path, min_ratings, friendship),
        sources=(path,),
        options={"min_ratings": min_ratings, "friendship": friendship},
        version=_VERSION,
    )


def _prepare(path: Path, min_ratings: int, friendship: str) -> Dataset:
    users, items = _Codes(), _Codes()
    ratings: IntArray | None = None
    friends: IntArray | None = None
    details: dict[str, Any] = {}
    with reading(path, ARCHIVE.url):
        for name, content in members(path, ("reviews.txt", "reviews.json", "edges.txt")):
            base = name.rsplit("/", 1)[-1]
            if base == "edges.txt" and friends is None:
                friends, counts = read_edges(content, users)
            elif base in ("reviews.txt", "reviews.json") and ratings is None:
                ratings, counts = read_reviews(content, users, items, str(path))
            else:
                continue
            details |= counts
    for part, missing in ((ratings, "reviews.txt or reviews.json"), (friends, "edges.txt")):
        if part is None:
            raise DataError(f"{str(path)!r} holds no {missing}. Fetch it again from {PAGE}.")
    assert ratings is not None
    assert friends is not None

    # Vertices in the order of their names, whatever the order of the lines.
    user_names, user_rank = _sorted_names(users)
    item_names, item_rank = _sorted_names(items)
    friends = user_rank[friends]
    both_ways = _share_both_ways(friends)
    mutual = friendship == "mutual" or (friendship == "auto" and both_ways > _DIRECTED)
    return rated_items_dataset(
        "librarything",
        user_rank[ratings[:, 0]],
        item_rank[ratings[:, 1]],
        friends,
        min_ratings=min_ratings,
        mutual=mutual,
        user_names=user_names,
        item_names=item_names,
        source=f"LibraryThing, collected by Julian McAuley ({PAGE}): users joined by "
        f"{'mutual ' if mutual else ''}friendship; features say which of the books rated at least "
        f"{min_ratings} times the user has rated.",
        details=details | {"friendship": "mutual" if mutual else "any", "share_both_ways": both_ways},
    )


def read_reviews(
    lines: IO[bytes], users: _Codes, items: _Codes, source: str
) -> tuple[IntArray, dict[str, Any]]:
    """(user, work) of every review that gives stars (r, 2), and what was met on the way."""
    codes = array("q")
    total = starless = unreadable = 0
    first_bad = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=SyntaxWarning)  # of odd backslashes in a review's text
        warnings.simplefilter("ignore", category=DeprecationWarning)
        for raw in _with_progress(lines, "reviews"):
            line = decode(raw)[0].strip()
            if not line or line.replace(" ", "") == "reviews={}":
                continue
            total += 1
            review = parse_review(line)
            if review is None:
                unreadable += 1
                first_bad = first_bad or line
            elif review.get("stars") is None:
                starless += 1
            else:
                codes.append(users(str(review["user"])))
                codes.append(items(str(review["work"])))
    if not total or unreadable > _UNREADABLE * total:
        found = f"{first_bad[:60]!r} is not a review" if total else "it is empty"
        raise DataError(f"the reviews in {source!r} cannot be read: {found}. Fetch them again from {PAGE}.")
    counts = {"reviews": total, "reviews_without_stars": starless, "reviews_unreadable": unreadable}
    return np.array(codes, dtype=np.int64).reshape(-1, 2), counts


def parse_review(line: str) -> dict[str, Any] | None:
    """The review on one line, or None when the line is none. Literals are read, never evaluated."""
    if line.startswith("reviews["):
        key, _, line = line.partition("] = ")
    else:
        key = ""
    review = _literal(line.rstrip(";"))
    if not isinstance(review, dict):
        return None
    if "user" not in review or "work" not in review:
        pair = _literal(key.removeprefix("reviews["))
        if not isinstance(pair, tuple) or len(pair) != 2:
            return None
        review = {**review, "work": pair[0], "user": pair[1]}
    return review


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_edges(lines: IO[bytes], users: _Codes) -> tuple[IntArray, dict[str, Any]]:
    """(user, user) of every line with two names (t, 2), and the number of other lines."""
    codes = array("q")
    unreadable = 0
    for raw in lines:
        names = decode(raw)[0].split()
        if len(names) == 2:
            codes.extend((users(names[0]), users(names[1])))
        elif names:
            unreadable += 1
    return np.array(codes, dtype=np.int64).reshape(-1, 2), {"edge_lines_unreadable": unreadable}


def _share_both_ways(pairs: IntArray) -> float:
    """Of the distinct unordered pairs, the share that stands there in both directions."""
    proper = pairs[pairs[:, 0] != pairs[:, 1]]
    distinct = len(np.unique(np.sort(proper, axis=1), axis=0))
    return len(mutual_pairs(proper)) / distinct if distinct else 0.0


def _sorted_names(codes: _Codes) -> tuple[npt.NDArray[np.str_], IntArray]:
    names, rank = np.unique(codes.names(), return_inverse=True)
    return names, rank.reshape(-1).astype(np.int64)


def _with_progress(lines: Iterable[bytes], what: str) -> Iterable[bytes]:
    """A count of lines while they are read, where someone is watching."""
    shown: Iterable[bytes] = tqdm(lines, desc=what, unit=" lines", unit_scale=True, leave=False, disable=None)
    return shown
