"""What a call may end in: a right answer, or an error of `acvae.exceptions`; all else is a raw error."""

from __future__ import annotations

import os
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, settings

from acvae.exceptions import AcvaeError, AcvaeWarning

EXAMPLES = int(os.environ.get("ACVAE_FUZZ", "400"))  # in all, shared among the tests of this folder
GO_ON = "ACVAE_FUZZ_COUNT" in os.environ  # count raw errors instead of failing with the first

counts: Counter[str] = Counter()


def share(part):
    """Settings with this part of all examples: the same ones in every test run, new ones when fuzzing."""
    return settings(
        max_examples=max(3, round(EXAMPLES * part)),
        derandomize="ACVAE_FUZZ" not in os.environ,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate] if GO_ON else [Phase.generate, Phase.shrink],
    )


def settle(function, given, *, finite=True):
    """Call with values by name; the answer, or None where it was refused by a typed error."""
    counts["calls"] += 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", AcvaeWarning)
            answer = function(**{name: argument.value for name, argument in given.items()})
            if finite:
                _need_finite(answer)
    except AcvaeError as error:
        _need_text(error)
        counts["refused"] += 1
        return None
    except Exception as error:
        counts["raw"] += 1
        if not GO_ON:
            raise
        counts[f"raw: {_where(error)}"] += 1
        return None
    counts["answered"] += 1
    return answer


def _need_text(error):
    assert len(str(error)) > 10, f"{type(error).__name__} does not say what is wrong"


def _need_finite(answer):
    if isinstance(answer, tuple):
        for part in answer:
            _need_finite(part)
    elif isinstance(answer, (float, np.floating)) or (
        isinstance(answer, np.ndarray) and answer.dtype.kind == "f"
    ):
        assert not np.isnan(answer).any(), "the answer has NaN"


def _where(error):
    """Type, and the last place inside the package."""
    inside = [f for f in traceback.extract_tb(error.__traceback__) if "/acvae/" in f.filename]
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno} {inside[-1].line}" if inside else "?"
    return f"{type(error).__name__} at {place}: {str(error)[:80]}"
