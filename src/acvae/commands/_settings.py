"""Settings of `acvae fit` from a config file and from flags; flags win."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["merge", "output_folder"]


def merge(file: dict[str, Any], flags: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings to use, and a note on those of the file that a flag makes pointless.

    A flag replaces not only its own setting: other data make the old data's settings void, another model
    the options that it does not take.
    """
    from acvae.methods import METHODS, option_names
    from acvae.runs.config import DATASET_KEYS, FILE_KEYS

    void: set[str] = {"out"}
    if str(flags.get("dataset", "")).lower().endswith(".npz") and "features" not in flags:
        flags = {"features": flags["dataset"], **flags}  # which is no name of a data set: one file for all
        del flags["dataset"]
        void |= {*FILE_KEYS, *DATASET_KEYS}
    elif "dataset" in flags:
        same = flags["dataset"] == file.get("dataset")
        void |= {*FILE_KEYS} if same else {*FILE_KEYS, "data_options"}
    elif "features" in flags:
        void |= {*DATASET_KEYS}
    if flags.get("all_edges"):
        void |= {"split_seed", "test_fraction", "evaluate_every"}
    elif {"split_seed", "test_fraction", "evaluate_every"} & flags.keys():
        void |= {"all_edges"}
    notes = []
    model = flags.get("model")
    if model in METHODS:
        known = METHODS[model].options
        foreign = [key for key in file if key in option_names() and key not in known]
        void |= {*foreign}
        if foreign:
            notes.append(f"left out of the config, for {model} does not take it: {', '.join(foreign)}")
    return {key: value for key, value in file.items() if key not in void} | flags, notes


def output_folder(given: Path | None, file: dict[str, Any], config: Path | None) -> Path | None:
    """--out, else the config's `out`, else the run that the config is the record of."""
    if given is not None:
        return given
    if "out" in file:
        return Path(file["out"])
    if config is not None and (config.parent / "run.json").is_file():
        return config.parent
    return None
