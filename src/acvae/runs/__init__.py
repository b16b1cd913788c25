"""Runs: one training kept in a folder, complete enough to be asked, evaluated and repeated.

What trains is imported when it is first used, so that a stored run is asked without any network.
"""

from acvae._util.lazy import when_used

_HOMES = {
    "Run": "folder",
    "RunConfig": "config",
    "fit_run": "training",
    "follow_run": "training",
    "read_config": "config",
    "resume_run": "training",
    "score_run": "scores",
}

__all__ = sorted(_HOMES)
__getattr__ = when_used(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
