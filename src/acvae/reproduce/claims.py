"""Claims: of several runners on one folder of results, each run is done by one.

The process that does a run holds a lock beside its result, which the system lets go of when it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acvae._util.files import sweep
from acvae._util.locks import FileLock

__all__ = ["claim_on", "sweep_claims"]


def claim_on(result: Path) -> FileLock:
    """The lock of a run, by the path of its result."""
    return FileLock(result.with_name(f"{result.name}.claim"))


def sweep_claims(results: Iterable[Path]) -> None:
    """Remove what dead processes left: claims, and results they had begun to write."""
    for path in results:
        if not path.parent.is_dir():
            continue
        sweep(path.parent, [path.name])
        claim = claim_on(path)
        if claim.path.exists() and claim.acquire() is None:
            claim.release()
