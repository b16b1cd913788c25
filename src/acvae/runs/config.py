"""RunConfig: everything a training depends on, as a flat TOML file with the names of the command line.

dataset = "debian"          # or features = "words.csv" and edges = "links.csv"
model = "acvae-eb"
split_seed = 0
epochs = 200
gamma = 0.1
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acvae._util.checks import as_path, by_name, flag, optional_text, real_number, whole_number
from acvae._util.options import option
from acvae.exceptions import DataError, OptionError, did_you_mean
from acvae.methods import DEFAULT_METHOD, METHODS, Method, method_named, option_names

if TYPE_CHECKING:
    from acvae.datasets import Dataset

__all__ = ["DATASET_KEYS", "FILE_KEYS", "RunConfig", "all_keys", "read_config", "read_toml"]

DATASET_KEYS = ("dataset", "data_root", "data_options")
FILE_KEYS = (
    *("features", "edges", "id_column", "columns", "text_column", "max_words", "categorical", "missing"),
    *("duplicates", "decimal", "header", "row_ids", "ids", "source_column", "target_column"),
    *("weight_column", "combine", "edges_header", "isolated", "name", "label_column", "class_column"),
)
ARCHIVE_KEYS = ("features", "missing", "name")  # for one file that holds both
PATH_KEYS = ("data_root", "features", "edges", "ids", "out")
RUN_KEYS = ("model", "split_seed", "test_fraction", "all_edges", "evaluate_every", "checkpoint_every")
TEST_FRACTION, CHECKPOINT_EVERY = 0.05, 10


def all_keys() -> tuple[str, ...]:
    """Every setting there is."""
    return (*DATASET_KEYS, *FILE_KEYS, *RUN_KEYS, *option_names())


@dataclass(frozen=True)
class RunConfig:
    """What to train on what.

    Attributes
    ----------
    data
        What `acvae.datasets.load` or `from_files` is called with, by the keys of the file.
    model
        The name of a method in `acvae.methods`.
    options
        All options of the model.
    split_seed
        Seed of the held-out test edges, or None to train on all edges.
    test_fraction
        Share of its edges that each vertex gives to the test set.
    evaluate_every
        Epochs between evaluations while training, or None for none.
    checkpoint_every
        Epochs between checkpoints.
    """

    data: dict[str, Any]
    model: str = DEFAULT_METHOD
    options: dict[str, Any] = field(default_factory=dict)
    split_seed: int | None = 0
    test_fraction: float = TEST_FRACTION
    evaluate_every: int | None = None
    checkpoint_every: int = CHECKPOINT_EVERY

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> RunConfig:
        """From the keys of a file; everything that can be checked without the data is."""
        known = all_keys()
        for key in by_name("values", values):
            if key not in known:
                raise OptionError(f"there is no setting {key!r}.{_settings_like(key, known)}")
        method = method_named(values.get("model", DEFAULT_METHOD))
        given = {key: value for key, value in values.items() if key in option_names()}
        chosen = method.make(given).get_params(deep=False)
        return cls._of(values, method.name, {name: chosen[name] for name in method.options})

    @classmethod
    def recorded(cls, values: dict[str, Any]) -> RunConfig:
        """From the record of a run, whose options were checked when it was made, and are when it is used."""
        others = {*DATASET_KEYS, *FILE_KEYS, *RUN_KEYS}
        options = {key: value for key, value in values.items() if key not in others}
        return cls._of(values, method_named(values.get("model")).name, options)

    @classmethod
    def _of(cls, values: dict[str, Any], model: str, options: dict[str, Any]) -> RunConfig:
        every, all_edges = values.get("evaluate_every"), flag("all_edges", values.get("all_edges", False))
        if every is not None:
            whole_number("evaluate_every", every, minimum=1)
            if "epochs" not in options:
                raise OptionError(f"{option('evaluate_every')} needs epochs, and the model {model} has none.")
        seed = whole_number("split_seed", values.get("split_seed", 0), minimum=0)
        fraction = real_number(
            "test_fraction", values.get("test_fraction", TEST_FRACTION), above=0, at_most=1
        )
        if all_edges:
            for key in ("evaluate_every", "test_fraction"):
                if values.get(key) is not None:
                    raise OptionError(
                        f"{option(key)} needs held-out edges, and with {option('all_edges')} there are none."
                    )
        data = _data(values)
        if not {"dataset", "features"} & data.keys() and not method_named(model).completes:
            others = [method.name for method in METHODS.values() if method.completes]
            raise OptionError(
                f"the model {model} needs features, and {option('features')} is missing; edges alone are "
                f"enough for {' or '.join(others)}."
            )
        return cls(
            data=data,
            model=model,
            options=options,
            split_seed=None if all_edges else seed,
            test_fraction=fraction,
            evaluate_every=every,
            checkpoint_every=whole_number(
                "checkpoint_every", values.get("checkpoint_every", CHECKPOINT_EVERY), minimum=1
            ),
        )

    def values(self) -> dict[str, Any]:
        """What `from_values` takes."""
        split: dict[str, Any] = {"all_edges": True}
        if self.split_seed is not None:
            split = {"split_seed": self.split_seed, "test_fraction": self.test_fraction}
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
    def method(self) -> Method:
        """The model as the registry knows it."""
        return method_named(self.model)

    @property
    def data_name(self) -> str:
        """For people."""
        return str(
            self.data.get("dataset")
            or self.data.get("name")
            or Path(self.data.get("features") or self.data["edges"]).name.split(".")[0]
        )

    def load_data(self) -> Dataset:
        """Read or generate the data set."""
        from acvae import datasets  # which a run that is only asked does without

        if "dataset" in self.data:
            options = self.data.get("data_options", {})
            return datasets.load(self.data["dataset"], root=self.data.get("data_root"), **options)
        return datasets.from_files(**{"features": None, **self.data})

    def make_model(self, *, progress: bool) -> Any:
        """The untrained model."""
        return self.method.make(self.options, progress=progress)

    def settled(self) -> RunConfig:
        """As it is recorded: with the device that "auto" means here, and paths from the root."""
        options = self.options
        if "device" in options:
            from acvae.models.estimator import resolve_device

            options = {**options, "device": str(resolve_device(options["device"]))}
        data: dict[str, Any] = {
            key: str(as_path(key, value, home=True).absolute()) if key in PATH_KEYS else value
            for key, value in self.data.items()
        }
        return replace(self, options=options, data=data)


def _data(values: dict[str, Any]) -> dict[str, Any]:
    for key in PATH_KEYS:
        if key in values:
            as_path(key, values[key])
    optional_text("dataset", values.get("dataset"))
    by_name("data_options", values.get("data_options", {}))
    dataset = {key: values[key] for key in DATASET_KEYS if key in values}
    files = {key: values[key] for key in FILE_KEYS if key in values}
    if "dataset" in dataset:
        if files:
            raise OptionError(
                f"{option(next(iter(files)))} is for data in your own files, but the data set "
                f"{dataset['dataset']!r} was asked for."
            )
        return dataset
    if "features" not in files:
        if "edges" not in files:
            raise OptionError("no data were named: give the name of a data set, or features and edges.")
    elif "edges" not in files:
        if not str(files["features"]).lower().endswith(".npz"):
            raise OptionError(
                f"{option('features')} and {option('edges')} belong together, and "
                f"{option('edges')} is missing; one file for both is an .npz "
                "with named arrays."
            )
        more = [key for key in files if key not in ARCHIVE_KEYS]
        if more:
            raise OptionError(
                f"{option(more[0])} is for features and edges in two files, and there is no "
                f"{option('edges')} beside "
                f"{Path(str(files['features'])).name!r}."
            )
    if dataset:
        raise OptionError(
            f"{option(next(iter(dataset)))} is for named data sets, not for features and edges of yours."
        )
    return files


def read_config(path: str | Path) -> dict[str, Any]:
    """The settings in a TOML file; relative paths in it are taken from its own folder."""
    values = read_toml(path)
    known = (*all_keys(), "out")
    for key in values:
        if key not in known:
            raise OptionError(f"{str(path)!r} has an unknown setting {key!r}.{_settings_like(key, known)}")
    return values


def read_toml(path: str | Path) -> dict[str, Any]:
    """What a TOML file holds, with paths as `read_config` takes them."""
    file = as_path("path", path)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"there is no file {str(file)!r}.") from None
    except OSError as error:
        raise DataError(f"{str(file)!r} cannot be read ({error.strerror}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{str(file)!r} is not valid TOML: {error}.") from None
    for key in PATH_KEYS:
        if key in values:
            values[key] = str(file.resolve().parent / as_path(key, values[key], home=True))
    return values


def _settings_like(key: str, known: tuple[str, ...]) -> str:
    """Those that may have been meant, or all."""
    return did_you_mean(key, known) or f" There are {', '.join(known)}."
