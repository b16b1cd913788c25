"""Do one stored run again and compare it with what is stored.

Training is the same to the last digit with the same code, versions and kind of machine, and then every digit
has to agree. Elsewhere sums may be taken in another order, which training amplifies; then figures have to
agree within `TOLERANCE`, and the split exactly.

The tolerance is what another rounding alone does. The same code was run on one machine with other kernels of
OpenBLAS and of MKL (OPENBLAS_CORETYPE=Haswell and SkylakeX, MKL_CBWR=AVX2 and none): citation-1998, VAE and
ACVAE_EB at γ = 0.001 with two seeds each, ACVAE_SP at γ = 0.001 and GraphSAGE with one. The largest
differences, over all evaluations on the way and what was selected:

    NCRR 0.0062   MRR 0.0127   Hits@10 0.0145   ELBO 0.31%   log-likelihood 0.95%
    KL and structure 6.6%      share of settled weights 0.026

On Epinions, CVAE_corr at γ = 1000 and ACVAE_SP at γ = 0.1, 22,000 steps with 1,000 hidden units of the pair
network: with the kernels that the stored runs were made with, 3e−6 in NCRR and else nothing; with others

    NCRR of train links 0.0103   ELBO 0.79%   structure 11.3%   the rest within the above

KL is that of a VAE late in training, where nothing holds it and the likelihood makes up for it. Where two
evaluations are nearly as good, another rounding selects another one; the ELBO, KL and correlation there are
those of another epoch and say nothing, and the scores alone are compared.
"""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from acvae.exceptions import AcvaeError, DataError
from acvae.reproduce.pool import run_in_processes
from acvae.reproduce.spec import RunSpec
from acvae.reproduce.store import Result, read_result

__all__ = ["TOLERANCE", "CheckError", "Checked", "check_result", "differences"]


class Tolerance(NamedTuple):
    """How far figures may be from the stored ones: scores and shares absolutely, the ELBO relatively."""

    ncrr: float = 0.0065
    train_ncrr: float = 0.011
    mrr: float = 0.013
    hits: float = 0.015
    nmi: float = 0.002
    elbo: float = 0.0085
    likelihood: float = 0.01
    kl: float = 0.12
    correlation: float = 0.005
    settled: float = 0.03


TOLERANCE = Tolerance()
ABSOLUTE = ("ncrr", "mrr", "hits", "nmi", "correlation", "settled")
SCORES = ("ncrr", "mrr", "hits_at_10", "nmi_arithmetic", "nmi_geometric")


class CheckError(AcvaeError, RuntimeError):
    """A run that could not be done again."""


class Checked(NamedTuple):
    """One line for every figure that differs too much, none if all agree; and what has changed since then.

    `exact` tells whether every digit had to agree, `digits` how many figures are not the same to the last.
    """

    differences: list[str]
    changed: list[str]
    exact: bool
    digits: int


def check_result(path: Path, *, data_root: Path | None = None) -> Checked:
    """Run again with the stored spec and threads, and compare."""
    stored = read_result(path)
    if stored is None:
        raise DataError(f"{path} is not a stored result; give a run=….json that `acvae reproduce` wrote.")
    spec = RunSpec.from_json(stored["spec"])
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "run.json")
        (outcome,) = run_in_processes(
            [spec], lambda _: target, jobs=1, threads=stored["threads"], data_root=data_root
        )
        if outcome.error is not None:
            raise CheckError(f"{spec.name} could not be run again: {outcome.error}")
        again = read_result(target)
    assert again is not None
    changed: list[str] = []
    again = {**again, "machine": again["machine"] if "machine" in stored else None}  # older ones tell none
    for part in ("code", "versions", "machine"):
        _compare(part, stored.get(part), again.get(part), changed)
    exact = differences(stored, again)
    return Checked(
        exact if not changed else differences(stored, again, TOLERANCE), changed, not changed, len(exact)
    )


def differences(stored: Result, again: Result, tolerance: Tolerance | None = None) -> list[str]:
    """One line for every figure that is not the same: the split, the scores and the history.

    With a tolerance, figures may be as far apart as it allows; what a selection was taken at may differ.
    """
    lines: list[str] = []
    _compare("data", stored.get("data"), again.get("data"), lines)
    _compare("history", stored.get("history"), again.get("history"), lines, tolerance)
    selected, now = stored.get("selected") or {}, again.get("selected") or {}
    for kind in sorted(selected.keys() | now.keys()):
        a, b = selected.get(kind), now.get(kind)
        if tolerance is not None and a and b and a.get("epoch") != b.get("epoch"):
            a, b = ({name: found.get(name) for name in SCORES} for found in (a, b))
        _compare(f"selected.{kind}", a, b, lines, tolerance)
    return lines


def _compare(where: str, a: Any, b: Any, lines: list[str], tolerance: Tolerance | None = None) -> None:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            _compare(f"{where}.{key}", a.get(key), b.get(key), lines, tolerance)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            _compare(f"{where}[{index}]", x, y, lines, tolerance)
    elif a != b and not (tolerance is not None and _near(where, a, b, tolerance)):
        lines.append(f"{where}: stored {a!r}, now {b!r}")


def _near(where: str, a: Any, b: Any, tolerance: Tolerance) -> bool:
    """Whether two figures are as good as the same, by what they are."""
    parts = re.split(r"[.\[\]_]+", where)
    if parts[-1] == "epoch" or "cluster" in parts:  # of two that are nearly as good, either is taken
        return True
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in (a, b)):
        return False
    if "ncrr" in parts and "train" in parts:
        return bool(abs(a - b) <= tolerance.train_ncrr)
    for name in ABSOLUTE:
        if name in parts:
            return bool(abs(a - b) <= getattr(tolerance, name))
    relative = (
        tolerance.elbo if "elbo" in parts else tolerance.likelihood if "likelihood" in parts else tolerance.kl
    )
    return bool(abs(a - b) <= relative * max(abs(a), abs(b), 0.1))
