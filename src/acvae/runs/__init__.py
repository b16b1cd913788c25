"""Runs: one training kept in a folder, complete enough to be asked, evaluated and repeated.

What trains is imported when it is first used, so that a stored run is asked without any network.
"""

import importlib
from typing import Any

from acvae.runs.config import RunConfig, read_config
from acvae.runs.folder import Run

_LATER = {
    "fit_run": "training",
    "follow_run": "training",
    "resume_run": "training",
    "score_run": "scores",
}

__all__ = ["Run", "RunConfig", "fit_run", "follow_run", "read_config", "resume_run", "score_run"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"acvae.runs.{_LATER[name]}"), name)
    raise AttributeError(f"module 'acvae.runs' has no attribute {name!r}")
