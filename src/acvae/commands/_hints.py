"""What to do about an error, in the words of the command line; the library's own messages know none."""

from __future__ import annotations

import shlex
from typing import Any

from acvae.exceptions import AcvaeError

__all__ = ["with_hint"]

# By the name of the error's class, so that nothing is imported for them.
HINTS = {
    "NoRunError": "`acvae fit … --out RUN` makes a run",
    "OtherFilesError": "give a new folder to --out",
    "FinishedRunError": "give another --out, or --overwrite to replace it",
    "StoppedRunError": "`acvae fit --resume {where}` goes on with it",
    "OtherRunError": "`acvae fit --resume {where}` goes on with it, and --overwrite replaces it",
    "NotBegunError": "give the same `acvae fit` command again",
    "BusyRunError": "wait for it, or give another --out",
    "NoTrainLinksError": "(--all-edges)",
    "ClusterMemoryError": "(--memory, in megabytes)",
    "ResistanceMemoryError": "(--edge-weights sampled)",
}


def with_hint(error: AcvaeError) -> str:
    """The message, and what to do about it."""
    hint = HINTS.get(type(error).__name__)
    text = str(error)
    if hint is None:
        return text
    path: Any = getattr(error, "path", "")
    joint = " " if hint.startswith("(") else "; "
    return f"{text.removesuffix('.')}{joint}{hint.format(where=shlex.quote(str(path)))}."
