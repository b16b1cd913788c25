"""RunConfig: everything a training depends on, as a flat TOML file with the names of the command line.

dataset = "debian"          # or features = "words.csv" and edges = "links.csv"
model = "acvae-eb"
split_seed = 0
epochs = 200
gamma = 0.1
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acvae._util.checks import whole_number
from acvae.datasets import Dataset, from_files, load
from acvae.exceptions import DataError, OptionError, did_you_mean
from acvae.runs.methods import METHODS, make_model, method_options

__all__ = ["DATASET_KEYS", "FILE_KEYS", "OPTION_KEYS", "RunConfig", "read_config", "to_toml"]

DATASET_KEYS = ("dataset", "data_root", "data_options")
FILE_KEYS = (
    *("features", "edges", "id_column", "columns", "text_column", "max_words", "header", "row_ids", "ids"),
    *("source_column", "target_column", "edges_header", "isolated", "name"),
)
PATH_KEYS = ("data_root", "features", "edges", "ids", "out")
RUN_KEYS = ("model", "split_seed", "all_edges", "evaluate_every", "checkpoint_every")
OPTION_KEYS = tuple(dict.fromkeys(option for name in METHODS for option in method_options(name)))
KEYS = (*DATASET_KEYS, *FILE_KEYS, *RUN_KEYS, *OPTION_KEYS)


@dataclass(frozen=True)
class RunConfig:
    """What to train on what.

    Attributes
    ----------
    data
        What `acvae.datasets.load` or `from_files` is called with, by the keys of the file.
    model
        One of `METHODS`.
    options
        All options of the model.
    split_seed
        Seed of the held-out test edges, or None to train on all edges.
    evaluate_every
        Epochs between evaluations while training, or None for none.
    checkpoint_every
        Epochs between checkpoints.
    """

    data: dict[str, Any]
    model: str = "acvae-eb"
    options: dict[str, Any] = field(default_factory=dict)
    split_seed: int | None = 0
    evaluate_every: int | None = None
    checkpoint_every: int = 10

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> RunConfig:
        """From the keys of a file; everything that can be checked without the data is."""
        for key in values:
            if key not in KEYS:
                raise OptionError(f"there is no setting {key!r}.{_settings_like(key)}")
        model = values.get("model", "acvae-eb")
        options = {key: value for key, value in values.items() if key in OPTION_KEYS}
        chosen = make_model(model, options, progress=False).get_params(deep=False)
        every = values.get("evaluate_every")
        if every is not None:
            whole_number("evaluate_every", every, minimum=1)
        all_edges = values.get("all_edges", False)
        seed = whole_number("split_seed", values.get("split_seed", 0), minimum=0)
        if all_edges and every is not None:
            raise OptionError("evaluate_every needs held-out edges, and with all_edges there are none.")
        return cls(
            data=_data(values),
            model=model,
            options={key: chosen[key] for key in method_options(model)},
            split_seed=None if all_edges else seed,
            evaluate_every=every,
            checkpoint_every=whole_number("checkpoint_every", values.get("checkpoint_every", 10), minimum=1),
        )

    def values(self) -> dict[str, Any]:
        """What `from_values` takes."""
        split = {"all_edges": True} if self.split_seed is None else {"split_seed": self.split_seed}
        every = {} if self.evaluate_every is None else {"evaluate_every": self.evaluate_every}
        return {
            **self.data,
            "model": self.model,
            **split,
            **every,
            "checkpoint_every": self.checkpoint_every,
            **self.options,
        }

    @property
    def data_name(self) -> str:
        """For people."""
        return str(
            self.data.get("dataset")
            or self.data.get("name")
            or Path(self.data["features"]).name.split(".")[0]
        )

    def load_data(self) -> Dataset:
        """Read or generate the data set."""
        if "dataset" in self.data:
            options = self.data.get("data_options", {})
            return load(self.data["dataset"], root=self.data.get("data_root"), **options)
        return from_files(**self.data)

    def make_model(self, *, progress: bool) -> Any:
        """The untrained model."""
        return make_model(self.model, self.options, progress=progress)


def _data(values: dict[str, Any]) -> dict[str, Any]:
    dataset = {key: values[key] for key in DATASET_KEYS if key in values}
    files = {key: values[key] for key in FILE_KEYS if key in values}
    if "dataset" in dataset:
        if files:
            raise OptionError(
                f"{next(iter(files))} is for data in your own files, but the data set "
                f"{dataset['dataset']!r} was asked for."
            )
        return dataset
    if "features" not in files or "edges" not in files:
        missing = [key for key in ("features", "edges") if key not in files]
        if len(missing) == 2:
            raise OptionError("no data were named: give the name of a data set, or features and edges.")
        raise OptionError(f"features= and edges= belong together, and {missing[0]}= is missing.")
    if dataset:
        raise OptionError(
            f"{next(iter(dataset))} is for named data sets, not for features and edges of yours."
        )
    return files


def read_config(path: str | Path) -> dict[str, Any]:
    """The settings in a TOML file; relative paths in it are taken from its own folder."""
    file = Path(path)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"there is no file {str(file)!r}.") from None
    except OSError as error:
        raise DataError(f"{str(file)!r} cannot be read ({error.strerror}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{str(file)!r} is not valid TOML: {error}.") from None
    for key in values:
        if key not in (*KEYS, "out"):
            raise OptionError(f"{str(file)!r} has an unknown setting {key!r}.{_settings_like(key)}")
    for key in PATH_KEYS:
        if key in values:
            values[key] = str(file.resolve().parent / Path(str(values[key])).expanduser())
    return values


def _settings_like(key: str) -> str:
    """Those that may have been meant, or all."""
    return did_you_mean(key, KEYS) or f" There are {', '.join(KEYS)}."


def to_toml(values: dict[str, Any]) -> str:
    """Plain values as TOML, one line each."""
    return "".join(f"{_key(key)} = {_toml(value)}\n" for key, value in values.items() if value is not None)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, str)):  # JSON's texts are TOML's, but for one control character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
