"""Checks at the door, shared by the public functions.

What is given may be anything, also objects whose own methods fail: whatever they raise while they are looked
at is answered by an error of `acvae.exceptions`.
"""

import errno
import importlib
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from acvae._util.options import option, setting
from acvae._util.text import SHOWN, shown
from acvae.exceptions import InputError, MissingDependencyError, OptionError, did_you_mean

LARGEST = 2**63 - 1  # what NumPy and compiled code can count to
REAL = (int, float, np.integer, np.floating)  # arrays, texts and fractions are no options

T = TypeVar("T")


def called(value: object) -> str:
    """What kind of thing was given: "the class int", "a list"."""
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def as_array(
    name: str, values: Any, error: type[InputError] = InputError, expected: str = "an array of numbers"
) -> npt.NDArray[Any]:
    """What NumPy makes of a sequence, an array or a tensor; its type and shape are the caller's to check."""
    try:
        return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    except Exception as problem:  # rows of different lengths, sparse tensors, objects that fail
        raise error(f"{name} must be {expected}: {str(problem)[:SHOWN]}") from None


def real_array(
    name: str, values: Any, error: type[InputError] = InputError, *, finite: bool = True
) -> npt.NDArray[np.float64]:
    """Real numbers of any shape, in double precision, and finite unless told."""
    array = as_array(name, values, error)
    if array.size == 0 and array.dtype.kind in "biufO":
        return np.zeros(array.shape)
    if array.dtype.kind not in "biuf":
        raise error(f"{name} must be real numbers, got {array.dtype}.")
    with np.errstate(over="ignore"):
        found = array.astype(np.float64)
    if finite and not np.isfinite(found).all():
        raise error(f"{name} must be finite, but has {found[~np.isfinite(found)][0]}.")
    return found


def as_labels(name: str, values: Any) -> npt.NDArray[Any]:
    """(n,) labels that can be told apart and put in order: numbers, booleans or texts."""
    array = as_array(name, values)
    if array.ndim == 1 and array.dtype == object:
        kinds = {type(x) for x in array.tolist()}
        array = array.astype(str) if kinds == {str} else array
    if array.ndim != 1 or array.dtype.kind not in "biufUST":
        raise InputError(f"{name} must be a list of numbers or texts, got {array.dtype} {array.shape}.")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InputError(f"{name} must be finite, but there is {array[~np.isfinite(array)][0]}.")
    return array


def as_list(
    name: str, values: Iterable[Any], error: type[InputError] = InputError, expected: str = "a list"
) -> list[Any]:
    """What can be gone through, as a list; a single text is refused."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError("a single text")
        return list(values)
    except Exception:
        raise error(f"{name} must be {expected}, not {type(values).__name__}.") from None


def instance(name: str, value: Any, kind: type[T], error: type[InputError] = InputError) -> T:
    """`value`, if it is of that class."""
    if isinstance(value, kind):
        return value
    raise error(f"{name} must be of the class {kind.__name__}, not {called(value)}.")


def as_path(name: str, value: Any, *, home: bool = False) -> Path:
    """A path of a file or folder, with ~ taken for a home folder if told; a number is none."""
    if not isinstance(value, (str, os.PathLike)):
        raise OptionError(f"{option(name)} must be a path, not {shown(value)}.")
    try:
        text = os.fspath(value)
        os.fsencode(text)
        if "\0" in text:
            raise ValueError("a null character")
        return _short_enough(Path(text).expanduser() if home else Path(text))
    except Exception as problem:
        raise OptionError(f"{option(name)} must be a path, not {shown(value)}: {problem}.") from None


def _short_enough(path: Path) -> Path:
    """The path, unless no file can have that name; whether there is one is not looked at."""
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("the name is too long") from None
    return path


def is_hashable(value: object) -> bool:
    """Whether it can be looked up; a signalling NaN, say, only looks as if it could."""
    try:
        hash(value)
    except Exception:
        return False
    return True


def optional_text(name: str, value: Any) -> str | None:
    """A text, or None."""
    if value is None or isinstance(value, str):
        return value
    raise OptionError(f"{option(name)} must be a text, not {shown(value)}.")


def texts(name: str, value: Any) -> list[str]:
    """A list of texts; one text is a list of one, and None of none."""
    if value is None or isinstance(value, str):
        return [] if value is None else [value]
    found = as_list(name, value, OptionError, "a text or a list of texts")
    for one in found:
        if not isinstance(one, str):
            raise OptionError(f"{option(name)} must be a text or a list of texts, but has {shown(one)}.")
    return found


def is_mapping(value: object) -> bool:
    """A dict or the like; SciPy's `dok_array` says that it is one, and is not."""
    return isinstance(value, Mapping) and not hasattr(value, "shape")


def by_name(name: str, value: Any) -> dict[str, Any]:
    """A dict of values by their names."""
    if not isinstance(value, dict):
        raise OptionError(f"{option(name)} must be a dict, not {called(value)}.")
    for key in value:
        if not isinstance(key, str):
            raise OptionError(f"{option(name)} must be a dict with texts for keys, but has {shown(key)}.")
    return value


def function(name: str, value: Any) -> Any:
    """What can be called."""
    if callable(value):
        return value
    raise OptionError(f"{option(name)} must be a function, not {shown(value)}.")


def flag(name: str, value: Any) -> bool:
    """True or false, and nothing else."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise OptionError(f"{option(name)} must be True or False, not {shown(value)}.")


def seed_number(name: str, value: Any) -> int:
    """A seed: a whole number of up to 128 bits, as NumPy draws them itself."""
    return whole_number(name, value, minimum=0, maximum=2**128 - 1)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """`value` if it is one of `allowed`; otherwise an error that names them all."""
    if isinstance(value, str) and value in allowed:
        return value
    raise OptionError(
        f"{setting(name, value)} is unknown; choose one of {', '.join(map(repr, allowed))}."
        + did_you_mean(value, allowed)
    )


def whole_number(name: str, value: Any, *, minimum: int, maximum: int = LARGEST) -> int:
    """`value` as an int of at least `minimum`; floats and booleans are refused."""
    try:
        number = operator.index(value)
    except Exception:
        number = None
    if number is None or isinstance(value, bool) or number < minimum:
        raise OptionError(f"{option(name)} must be a whole number of at least {minimum}, not {shown(value)}.")
    if number > maximum:
        raise OptionError(f"{option(name)} must be a whole number of at most {maximum}, not {shown(value)}.")
    return number


def real_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> float:
    """`value` as a finite float within the given bounds."""
    bounds = [
        text
        for text, bound in (
            (f"above {above}", above),
            (f"at least {at_least}", at_least),
            (f"below {below}", below),
            (f"at most {at_most}", at_most),
        )
        if bound is not None
    ]
    expected = "a finite number" + (f" {' and '.join(bounds)}" if bounds else "")
    try:
        number = float(value) if isinstance(value, REAL) else math.nan
    except Exception:
        raise OptionError(f"{option(name)} must be {expected}, not {shown(value)}.") from None
    if (
        not math.isfinite(number)
        or isinstance(value, bool)
        or (above is not None and number <= above)
        or (at_least is not None and number < at_least)
        or (below is not None and number >= below)
        or (at_most is not None and number > at_most)
    ):
        raise OptionError(f"{option(name)} must be {expected}, not {shown(value)}.")
    return number


def optional_import(module: str, *, needed_for: str, install: str) -> ModuleType:
    """Import a package that is not a hard dependency, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{needed_for} needs the package {module.split('.')[0]!r}: pip install {install}"
        ) from error
