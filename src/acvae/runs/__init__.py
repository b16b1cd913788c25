"""Runs: one training kept in a folder, complete enough to be asked, evaluated and repeated."""

from acvae.runs.config import RunConfig, read_config
from acvae.runs.folder import Run
from acvae.runs.scores import score_run
from acvae.runs.training import fit_run, follow_run, resume_run

__all__ = ["Run", "RunConfig", "fit_run", "follow_run", "read_config", "resume_run", "score_run"]
