"""Ids of rows: distinct, and matched with those that the edges name."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from acvae._util.options import option, the_option
from acvae._util.text import counted
from acvae._util.vertex_names import id_text
from acvae.exceptions import DataError

__all__ = ["DUPLICATES", "Distinct", "common_spelling", "distinct", "merge_rows", "why_none_match"]

DUPLICATES = ("error", "first", "mean")
"""What can be done about an id that stands in more than one row."""


class Distinct(NamedTuple):
    """Distinct ids, and the position among them of every row (n,)."""

    names: list[str]
    group: npt.NDArray[np.int64]

    @property
    def first(self) -> npt.NDArray[np.int64]:
        """(ids,) the first row of each."""
        return np.unique(self.group, return_index=True)[1]


def distinct(names: list[str], duplicates: str, path: Path, hint: str = "") -> Distinct:
    """The ids in order of appearance; empty ones are refused, and repeated ones unless allowed.

    `hint` is a sentence on what repeated ids may mean.
    """
    position: dict[str, int] = {}
    first: dict[str, int] = {}
    repeated: dict[str, int] = {}
    for row, name in enumerate(names):
        if not name:
            raise DataError(f"{str(path)!r}, row {row + 1}: the id is empty.")
        if name in position:
            repeated.setdefault(name, row)
        else:
            position[name], first[name] = len(position), row
    if not position:
        raise DataError(f"{str(path)!r} has no rows.")
    if repeated and duplicates == "error":
        name, row = next(iter(repeated.items()))
        others = f" ({len(repeated):,} ids are repeated)" if len(repeated) > 1 else ""
        raise DataError(
            f"{str(path)!r} has the id {name!r} twice, in rows {first[name] + 1} and {row + 1}{others}. Say "
            f"by {the_option('duplicates')} what to keep: the 'first' row of each, or the 'mean' of its rows."
            + hint
        )
    return Distinct(list(position), np.array([position[name] for name in names], dtype=np.int64))


def merge_rows(matrix: Any, rows: Distinct, duplicates: str) -> Any:
    """One row (ids, D) for each distinct id: its first, or the mean of its rows."""
    if len(rows.names) == len(rows.group):
        return matrix
    if duplicates == "first":
        return matrix[rows.first]
    share = 1 / np.bincount(rows.group)[rows.group]
    n = len(rows.group)
    average = sp.csr_array((share, (rows.group, np.arange(n))), shape=(len(rows.names), n))
    merged = average @ matrix
    return merged.astype(matrix.dtype)


def common_spelling(names: list[str], ends: Iterable[str]) -> dict[str, str] | None:
    """How to spell the ends of edges so that 1282.0 is 1282: a table from each to the id it means.

    None where no end is won by it, or where two ids would become one.
    """
    plain = {id_text(name): name for name in names}
    if len(plain) < len(names):
        return None
    known = set(names)
    won = {end: plain[id_text(end)] for end in ends if end not in known and id_text(end) in plain}
    return won or None


def why_none_match(names: list[str], ends: Iterable[str]) -> str:
    """A sentence on what the two sides seem to write differently, or nothing."""
    listed = list(ends)
    as_they_are = set(names) & set(listed)
    if as_they_are:
        return (
            f" {counted(len(as_they_are), 'id')} of the edges {'is' if len(as_they_are) == 1 else 'are'} "
            f"known, but never at both ends: say by {the_option('source_column')} and "
            f"{option('target_column')} where the ends are."
        )
    for change, told in (
        (lambda text: id_text(text), "one side writes whole numbers with a decimal point (1282.0 for 1282)"),
        (lambda text: text.lstrip("0"), "one side writes numbers with leading zeros (007 for 7)"),
        (str.lower, "capital letters differ"),
    ):
        both = {change(name) for name in names} & {change(end) for end in listed}
        if both:
            return f" It seems that {told}: {counted(len(both), 'id')} would match then."
    return ""
