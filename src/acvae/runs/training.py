"""From settings to a finished run, and from a stopped run to the same finished one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from acvae._util.text import counted
from acvae.datasets import Dataset
from acvae.engine.distributed import join
from acvae.exceptions import AcvaeError, RunError, StoppedError
from acvae.metrics import LinkScores
from acvae.runs.config import FILE_KEYS, PATH_KEYS, RunConfig
from acvae.runs.folder import CHECKPOINT, Run, check_free
from acvae.runs.scores import link_scores, score_run
from acvae.splits import EdgeSplit, split_edges
from acvae.training import Checkpoint, LinkPrediction, sharded

__all__ = ["fit_run", "follow_run", "resume_run"]

Say = Callable[[str], None]


def fit_run(
    config: RunConfig,
    path: str | Path,
    *,
    overwrite: bool = False,
    progress: bool = True,
    say: Say = lambda text: None,
) -> Run:
    """Load, split, train and evaluate; `say` is told what is going on.

    If it cannot be trained, nothing stays behind. If it is interrupted, a checkpoint does.
    """
    folder = Path(path)
    check_free(folder, overwrite=overwrite)
    config = _settled(config)
    data = _load(config, say)
    split = _split(config, data, say)
    run = Run.create(folder, config, data, split, overwrite=overwrite)
    try:
        return _train(run, data, split, progress)
    except StoppedError:
        raise
    except AcvaeError:
        if not run.finished:
            run.discard()
        raise


def follow_run(config: RunConfig, path: str | Path) -> None:
    """Take part, as another process than the first, in what `fit_run` or `resume_run` does there.

    Nothing is written or printed.
    """
    config = _settled(config)
    data = config.load_data()
    _fit(config, data, _split(config, data), Path(path), progress=False)


def resume_run(path: str | Path, *, progress: bool = True, say: Say = lambda text: None) -> Run:
    """Go on with a training that was stopped, to the same result as without the stop."""
    run = Run(path)
    if run.finished:
        say(f"{path} is finished already")
        return run
    _load_message(run.config, say)
    data = run.load_data()
    split = None if run.config.split_seed is None else run.split_of(data.graph)
    return _train(run, data, split, progress)


def _split(config: RunConfig, data: Dataset, say: Say = lambda text: None) -> EdgeSplit | None:
    if config.split_seed is None:
        return None
    split = split_edges(data.graph, seed=config.split_seed)
    say(
        f"{counted(split.test.n_edges, 'test edge')} held out (split seed {split.seed}), "
        f"{split.train.n_edges:,} to train on"
    )
    if split.train.n_edges == 0 and data.graph.n_edges:
        raise RunError(
            f"holding out test edges leaves none of the {data.graph.n_edges} to train on; "
            "use all edges instead (--all-edges)."
        )
    return split


def _train(run: Run, data: Dataset, split: EdgeSplit | None, progress: bool) -> Run:
    model, scores = _fit(run.config, data, split, run.path, progress=progress)
    run.write_model(model)
    if split is not None:
        own_links = None if scores is None else link_scores(scores)
        run.write_scores(score_run(run, own_links=own_links, pair_network=False, progress=progress))
    return run


def _fit(
    config: RunConfig, data: Dataset, split: EdgeSplit | None, folder: Path, *, progress: bool
) -> tuple[Any, LinkScores | None]:
    """The trained model, and its scores if they are known: evaluated a moment ago, or by many processes."""
    callbacks = []
    if split is not None and config.evaluate_every is not None:
        callbacks.append(LinkPrediction(split, config.evaluate_every))
    model = config.make_model(progress=progress)
    checkpoint = Checkpoint(folder / CHECKPOINT, every=config.checkpoint_every)
    model.fit(
        data.features,
        data.graph if split is None else split.train,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )
    latest = callbacks[0].latest if callbacks else None
    if latest is not None and latest.epoch == config.options["epochs"]:
        return model, latest.scores
    world = join(torch.device(config.options["device"]))
    if split is not None and world.size > 1:
        return model, sharded.link_scores(world, model.posterior_, split.train, split.test)
    return model, None


def _settled(config: RunConfig) -> RunConfig:
    """The config as it is recorded: with the device that "auto" means here, and paths from the root."""
    from acvae.models.estimator import resolve_device

    options = {**config.options, "device": str(resolve_device(config.options["device"]))}
    data: dict[str, Any] = {
        key: str(Path(value).expanduser().absolute()) if key in PATH_KEYS else value
        for key, value in config.data.items()
    }
    return replace(config, options=options, data=data)


def _load_message(config: RunConfig, say: Say) -> None:
    files = any(key in FILE_KEYS for key in config.data)
    say(f"reading {config.data['features']}" if files else f"loading {config.data['dataset']}")


def _load(config: RunConfig, say: Say) -> Dataset:
    _load_message(config, say)
    data = config.load_data()
    n, n_features = data.features.shape
    size = f"{counted(n, 'vertex', 'vertices')} with {counted(n_features, 'feature')}"
    say(f"{data.name}: {size}, {counted(data.graph.n_edges, 'edge')}")
    if "summary" in data.details:
        say(str(data.details["summary"]))
    return data
