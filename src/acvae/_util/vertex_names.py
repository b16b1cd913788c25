"""Names of vertices: kept as they are, numbered, looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from acvae._util.checks import as_list
from acvae._util.text import shown
from acvae.exceptions import GraphError, UnknownNameError, did_you_mean

IntArray = npt.NDArray[np.int64]


def as_names(names: Iterable[Any], n: int | None = None) -> npt.NDArray[Any]:
    """Names as a one-dimensional array: integers and strings natively, all else as objects."""
    if isinstance(names, (str, bytes)):
        raise GraphError("names must be a sequence with one name per vertex, not a single string.")
    array = (
        np.array(names)
        if isinstance(names, np.ndarray)
        else array_of_names(as_list("names", names, GraphError))
    )
    if array.ndim != 1:
        raise GraphError(f"names must be one-dimensional, got shape {array.shape}.")
    if n is not None and len(array) != n:
        raise GraphError(f"{len(array)} names were given for {n} vertices.")
    if len(lookup_table(array)) != len(array):
        seen: set[Any] = set()
        repeated = next(x for x in array.tolist() if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise GraphError(f"names must be distinct, but {shown(repeated)} occurs more than once.")
    array.flags.writeable = False
    return array


def array_of_names(values: list[Any]) -> npt.NDArray[Any]:
    """Integers and strings natively, if NumPy can hold them; all else as objects."""
    if not is_uniform(values):
        return object_array(values)
    array = np.asarray(values)
    return array if array.dtype.kind in "iU" else object_array(values)  # integers beyond 64 bits


def is_uniform(values: list[Any]) -> bool:
    """Whether all are strings or all integers, so that NumPy keeps them as they are."""
    kinds = {type(v) for v in values}
    return kinds <= {str, np.str_} or kinds <= {int, np.int64, np.int32}


def is_range(names: npt.NDArray[Any] | None) -> bool:
    """Whether the names are 0 … n-1 in order, so that names and ids are the same; so are no names."""
    if names is None:
        return True
    return bool(names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names))))


def object_array(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # NumPy would look into sequences
        array[place] = value
    return array


def factorize(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], IntArray]:
    """Distinct values and each entry's position among them; sorted where the values compare."""
    try:
        names, ids = np.unique(values, return_inverse=True)
        return names, ids.reshape(-1)
    except Exception:  # names that do not compare
        names = object_array(list(dict.fromkeys(hashable(values))))
        return names, positions_of(lookup_table(names), values)


def hashable(names: npt.NDArray[Any]) -> list[Any]:
    listed = names.tolist()
    try:
        set(listed)
    except Exception as error:
        raise GraphError(f"names must be hashable: {error}.") from None
    return listed


def lookup_table(names: npt.NDArray[Any]) -> dict[Any, int]:
    return {name: i for i, name in enumerate(hashable(names))}


def positions_of(lookup: Mapping[Any, int], values: npt.NDArray[Any]) -> IntArray:
    try:
        return np.array([lookup[v] for v in hashable(values)], dtype=np.int64)
    except KeyError as error:
        missing = error.args[0]
        raise UnknownNameError(
            f"an edge names {shown(missing)}, which is not among the vertices.{did_you_mean(missing, lookup)}"
        ) from None


def id_text(value: Any) -> str:
    """A name as text; a whole number that was stored as a float (1282.0) as the number it is (1282)."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    whole, point, zeros = text.partition(".")
    return whole if point and zeros and not zeros.strip("0") and whole.removeprefix("-").isdigit() else text


def order_of(given: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> IntArray | None:
    """(n,) where each wanted name stands among the given ones, or None unless both hold the same names.

    Names are compared as they are, and if that fails as text, so that 1282, "1282" and 1282.0 agree.
    """
    for texts in (False, True):
        here, there = ([id_text(x) for x in side] if texts else hashable(side) for side in (given, wanted))
        position = {name: i for i, name in enumerate(here)}
        if len(position) == len(here) == len(there) == len(set(there)) and position.keys() == set(there):
            return np.array([position[name] for name in there], dtype=np.int64)
    return None


def examples(names: Iterable[Any], count: int = 3) -> str:
    """ "'a', 'b', 'c', …": the first few, as they would be written in Python."""
    listed = [x.item() if isinstance(x, np.generic) else x for x in names]
    return ", ".join(map(shown, listed[:count])) + (", …" if len(listed) > count else "")
