"""From settings to a finished run, and from a stopped run to the same finished one."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from acvae._util.checks import as_path, flag, function, instance
from acvae._util.options import setting
from acvae._util.text import counted
from acvae.datasets import Dataset
from acvae.engine.distributed import join
from acvae.exceptions import AcvaeError, OptionError, RunError, StoppedError
from acvae.gaussian.posterior import Posterior
from acvae.metrics import LinkScores
from acvae.runs.config import FILE_KEYS, RunConfig
from acvae.runs.errors import NoTrainLinksError
from acvae.runs.folder import CHECKPOINT, Run
from acvae.runs.rankings import links_of
from acvae.runs.scores import link_scores, score_model
from acvae.runs.writer import GO_ON, NEW, RunWriter, check_idle, leftovers, place_for
from acvae.splits import EdgeSplit, split_edges
from acvae.training import Checkpoint, LinkPrediction, sharded

__all__ = ["fit_model", "fit_run", "follow_run", "load", "resume_run", "split"]

PAIRS_AT_MOST = 100_000_000  # bytes of a pair network's tables that are kept beside a joint

Say = Callable[[str], None]


def _silent(text: str) -> None:
    """Nobody is told."""


def fit_run(
    config: RunConfig,
    path: str | Path,
    *,
    overwrite: bool = False,
    progress: bool = True,
    say: Say = _silent,
) -> Run:
    """Load, split, train and evaluate; `say` is told what is going on.

    If it cannot be trained, nothing stays behind. If it is stopped, however it is, the same call goes on.
    """
    started, folder = time.perf_counter(), as_path("path", path)
    config = instance("config", config, RunConfig, OptionError).settled()
    for name, value in (("overwrite", overwrite), ("progress", progress)):
        flag(name, value)
    function("say", say)
    found = place_for(folder, config, overwrite=overwrite)
    if found != NEW:
        if found == GO_ON:
            say(f"going on with the training that was stopped in {folder}")
        return resume_run(folder, progress=progress, say=say)
    data = load(config, say)
    parts = split(config, data, say)
    with RunWriter(folder) as writer:
        place_for(folder, config, overwrite=overwrite, fresh=True)  # someone may have been quicker
        try:
            writer.begin(config, data, parts)
            _train(writer, config, data, parts, progress, started)
        except StoppedError:
            raise
        except AcvaeError as error:
            if (folder / CHECKPOINT).is_file():
                raise _kept(error, folder) from error
            writer.discard()
            raise
    return Run(folder)


def resume_run(path: str | Path, *, progress: bool = True, say: Say = _silent) -> Run:
    """Go on with a training that was stopped, to the same result as without the stop."""
    started = time.perf_counter()
    run = Run(path)
    flag("progress", progress)
    function("say", say)
    check_idle(run.path)
    if run.finished:
        if leftovers(run.path):
            with RunWriter(path) as writer:
                writer.tidy()
        say(f"{path} is finished already")
        return run
    with RunWriter(path) as writer:
        _load_message(run.config, say)
        data = run.load_data()
        try:
            _train(writer, run.config, data, run.split, progress, started)
        except StoppedError:
            raise
        except AcvaeError as error:
            raise _kept(error, run.path) from error
    return Run(path)


def follow_run(config: RunConfig, path: str | Path) -> None:
    """Take part, as another process than the first, in what `fit_run` or `resume_run` does there.

    Nothing is written or printed.
    """
    config = instance("config", config, RunConfig, OptionError).settled()
    data = config.load_data()
    fit_model(config, data, split(config, data), folder=as_path("path", path), progress=False)


# ---------------------------------------------------------------------- the steps, for the grid too


def load(config: RunConfig, say: Say = _silent) -> Dataset:
    """The data set, with a word on its size."""
    _load_message(config, say)
    data = config.load_data()
    n, n_features = data.features.shape
    size = f"{counted(n, 'vertex', 'vertices')} with {counted(n_features, 'feature')}"
    say(f"{data.name}: {size}, {counted(data.graph.n_edges, 'edge')}")
    if "summary" in data.details:
        say(str(data.details["summary"]))
    return data


def split(config: RunConfig, data: Dataset, say: Say = _silent) -> EdgeSplit | None:
    """The held-out edges of the config, or None if it has none."""
    if config.split_seed is None:
        return None
    parts = split_edges(data.graph, seed=config.split_seed, fraction=config.test_fraction)
    say(
        f"{counted(parts.test.n_edges, 'test edge')} held out (split seed {parts.seed}), "
        f"{parts.train.n_edges:,} to train on"
    )
    if parts.train.n_edges == 0 and data.graph.n_edges:
        raise NoTrainLinksError(
            f"holding out test edges leaves none of the {data.graph.n_edges} to train on; "
            "use all edges instead."
        )
    return parts


def fit_model(
    config: RunConfig,
    data: Dataset,
    parts: EdgeSplit | None,
    *,
    callbacks: Sequence[Any] = (),
    folder: Path | None = None,
    progress: bool,
) -> tuple[Any, dict[str, LinkScores]]:
    """The trained model, and the scores that are known, by ranking: of a moment ago, or by many processes."""
    watching = list(callbacks)
    links = None
    if parts is not None and config.evaluate_every is not None:
        links = LinkPrediction(parts, config.evaluate_every)
        watching.append(links)
    model = config.make_model(progress=progress)
    takes = inspect.signature(model.fit).parameters
    more: dict[str, Any] = {"callbacks": watching} if "callbacks" in takes else {}
    if folder is not None and "checkpoint" in takes:
        more["checkpoint"] = Checkpoint(folder / CHECKPOINT, every=config.checkpoint_every)
    if data.observed is not None and not data.observed.all():
        if not config.method.completes:
            raise OptionError(
                f"{setting('missing', 'evidence')} leaves vertices without features, and the model "
                f"{config.model} does not take such; {setting('missing', 'mean')} or 'zero' fills them in."
            )
        more["observed"] = data.observed
    model.fit(data.features, data.graph if parts is None else parts.train, **more)
    own, known = config.method.ranking, {}
    latest = None if links is None else links.latest
    if latest is not None and latest.epoch == config.options["epochs"]:
        known[own] = latest.scores
    world = join(torch.device(config.options.get("device", "cpu")))
    if parts is not None and world.size > 1:
        rankers = {own: model.posterior_, "link": links_of(model)}
        for name, ranking in rankers.items():
            if ranking is not None and name not in known:
                known[name] = sharded.link_scores(world, ranking, parts.train, parts.test)
    return model, known


def _train(
    writer: RunWriter,
    config: RunConfig,
    data: Dataset,
    parts: EdgeSplit | None,
    progress: bool,
    started: float,
) -> None:
    """All of it; the run's time is that since `started`, with data read and scores computed."""
    try:
        model, known = fit_model(
            config,
            data,
            parts,
            callbacks=[_Guard(writer)],
            folder=writer.path,
            progress=progress,
        )
    except OSError as error:
        raise RunError(f"the training in {str(writer.path)!r} stopped: {error.strerror or error}.") from error
    pairs = _pairs(config, model, data)
    told = {name: link_scores(each) for name, each in known.items()}
    scores = score_model(config, model, parts, pairs=pairs, known=told, progress=progress)
    writer.finish(model, pairs=pairs, scores=scores, seconds=time.perf_counter() - started)


class _Guard:
    """A callback that stops a training whose folder is gone, before a checkpoint makes another."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer

    def __call__(self, state: Any) -> None:
        self._writer.check_still_there()


def _pairs(config: RunConfig, model: Any, data: Dataset) -> Posterior | None:
    """What the pair network beside a joint says, if its tables are small."""
    rankings = config.method.rankings
    if "pairwise" not in rankings or config.method.ranking == "pairwise":
        return None
    if 8 * data.graph.n_vertices * config.options.get("pair_hidden_dim", 0) > PAIRS_AT_MOST:
        return None
    pairs: Posterior = model.pairwise_posterior(data.features)
    return pairs


def _kept(error: AcvaeError, folder: Path) -> AcvaeError:
    """The same error, with a word on what is left."""
    if not (folder / CHECKPOINT).is_file():
        return error
    try:
        return type(error)(f"{error} The last checkpoint is kept in {str(folder / CHECKPOINT)!r}.")
    except TypeError:  # one that needs more than a text
        return error


def _load_message(config: RunConfig, say: Say) -> None:
    files = any(key in FILE_KEYS for key in config.data)
    own = config.data.get("features") or config.data.get("edges")
    say(f"reading {own}" if files else f"loading {config.data['dataset']}")
