"""Data sets: one file each, saying where the raw data come from and how they are read and cleaned."""

from acvae.datasets.archives import from_archive
from acvae.datasets.dataset import Dataset
from acvae.datasets.mapped import open_features, save_features
from acvae.datasets.registry import NAMES, Description, available, load
from acvae.datasets.tables import from_files

__all__ = [
    "NAMES",
    "Dataset",
    "Description",
    "available",
    "from_archive",
    "from_files",
    "load",
    "open_features",
    "save_features",
]
