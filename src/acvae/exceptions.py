"""Every error and warning a user can meet, by what went wrong.

Each also derives from the built-in that fits (`ValueError`, `KeyError`, …), so that code which does not
know this package still catches it. A message says what was given, what was expected and what to do.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class AcvaeError(Exception):
    """Root of all errors raised on purpose by this package."""


class InputError(AcvaeError, ValueError):
    """An argument that cannot be worked with."""


class GraphError(InputError):
    """Vertices or edges that do not form a graph, or not one this model can use."""


class FeatureError(InputError):
    """A feature matrix of the wrong shape or with values the likelihood does not allow."""


class PosteriorError(InputError):
    """Means, standard deviations, forest or correlations that do not form a joint Gaussian."""


class OptionError(InputError):
    """An option whose value is unknown or out of range."""


class UnknownNameError(AcvaeError, KeyError):
    """A vertex name or data set name that does not exist."""

    def __str__(self) -> str:  # KeyError shows the repr of its argument, quotes and all
        return str(self.args[0]) if self.args else ""


class NotFittedError(AcvaeError, ValueError, AttributeError):
    """A model was asked for a result before `fit`."""


class ClusterMemoryError(OptionError):
    """Clustering may use more memory than there is."""


class ResistanceMemoryError(GraphError):
    """A graph whose exact effective resistances take more memory than there is."""


class TrainingError(AcvaeError, RuntimeError):
    """Training cannot go on, for example because the objective is no longer finite."""


class StoppedError(TrainingError):
    """Training was stopped from outside, such as by the loss of another process; it can be gone on with."""


class SavedModelError(AcvaeError, ValueError):
    """A file that is not a saved model, is damaged, or is newer than this version."""


class StorageError(AcvaeError, OSError):
    """A file that cannot be written: the disk is full, the folder is missing or not to be written to.

    `strerror` is what the system said, such as "No space left on device".
    """

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.strerror = reason


class RunError(AcvaeError, ValueError):
    """A folder that holds no run, an unfinished one, or something that must not be overwritten."""


class DataError(AcvaeError, RuntimeError):
    """Raw data that are missing, damaged, or empty after preparation."""


class MissingDependencyError(AcvaeError, ImportError):
    """An optional package is needed for this call."""


class AcvaeWarning(UserWarning):
    """Root of all warnings given on purpose: the call goes on, but may not do what was meant."""


class AlignmentWarning(AcvaeWarning):
    """Rows of features and vertices were matched by position where names may say otherwise."""


class HeaderWarning(AcvaeWarning):
    """Nothing tells whether the first line of a table names its columns or is one of its rows."""


class TrainingWarning(AcvaeWarning):
    """Training came to its end, but what was learnt is not to be relied on."""


class IgnoredWeightsWarning(AcvaeWarning):
    """Weights of edges were given to a model that does not use them."""


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """A hint like " Did you mean 'debian'?", or an empty string when nothing is close."""
    try:
        matches = get_close_matches(str(given)[:100], [str(k) for k in known], n=3, cutoff=0.6)
    except Exception:  # what has no text is like nothing
        return ""
    return f" Did you mean {' or '.join(repr(m) for m in matches)}?" if matches else ""
