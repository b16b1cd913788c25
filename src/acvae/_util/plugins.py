"""Packages that bring models of their own: found by their entry points, imported when they are missed.

A package says in its pyproject.toml which of its modules registers them:

    [project.entry-points."acvae.models"]
    springs = "springs"

Nothing that a run's folder or a file holds is ever imported: only what was installed.
"""

import warnings
from functools import cache

from acvae.exceptions import AcvaeWarning

__all__ = ["GROUP", "load_plugins"]

GROUP = "acvae.models"


@cache
def load_plugins() -> None:
    """Import the modules that installed packages name for it, once; they register what they bring.

    One that cannot be imported is left out with a warning, so that it stands in nobody's way.
    """
    from importlib.metadata import entry_points  # which takes its time to import, and is seldom needed

    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except Exception as error:  # whatever a stranger's module raises
            owner = "" if entry.dist is None else f" of the package {entry.dist.name}"
            warnings.warn(
                f"the models {entry.name!r}{owner} are left out, for {entry.value} cannot be imported: "
                f"{type(error).__name__}: {error}",
                AcvaeWarning,
                stacklevel=2,
            )
