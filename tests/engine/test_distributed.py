"""Several processes, really started, on gloo over loopback: what they find is what one process finds."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from acvae import ACVAE, Graph, metrics
from acvae._util import threads
from acvae._util.seeds import stream_seed
from acvae.engine import distributed
from acvae.engine.distributed import ALONE, World
from acvae.exceptions import OptionError, StoppedError
from acvae.gaussian.posterior import Posterior
from acvae.training import Checkpoint

PROGRAM = Path(__file__).with_name("distributed_program.py")


@pytest.fixture(scope="module")
def alone():
    """The program's functions, called in this process."""
    spec = importlib.util.spec_from_file_location("distributed_program", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in distributed.ENVIRONMENT}
    return {**kept, "OMP_NUM_THREADS": "1", **more}


def run_pair(*command):
    """Two processes as any launcher starts them; what each printed, and how each ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    pair = [
        subprocess.Popen(
            [sys.executable, *map(str, command)],
            env=environment(RANK=str(r), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=port),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for r in range(2)
    ]
    ended = [process.communicate(timeout=100) for process in pair]
    return [(process.returncode, *texts) for process, texts in zip(pair, ended, strict=True)]


@pytest.fixture(scope="module")
def checked(tmp_path_factory, alone):
    """Everything that needs no death, in one start of two processes: one report from each."""
    folder = tmp_path_factory.mktemp("pair")
    alone.fit(Checkpoint(folder / alone.OF_ONE))
    ended = run_pair(PROGRAM, "check", folder)
    assert [code for code, *_ in ended] == [0, 0], ended
    return [json.loads((folder / f"report-{rank}.json").read_text()) for rank in range(2)]


class TestTwoProcesses:
    def test_the_same_weights_and_forest_from_the_same_masses(self, checked, alone):
        expected = alone.weights_and_forest(ALONE)
        assert [report["weights_and_forest"] for report in checked] == [expected, expected]

    def test_the_same_scores_from_the_same_posterior(self, checked, alone):
        expected = alone.scores(ALONE)
        assert [report["scores"] for report in checked] == [expected, expected]

    @pytest.mark.parametrize("solver", ["exact", "local"])
    def test_the_same_links_to_the_bit(self, checked, alone, solver):
        expected = json.loads(json.dumps(alone.shared_links(ALONE)))[solver]
        assert [report["links"][solver] for report in checked] == [expected, expected]

    def test_the_elbo_of_one_process(self, checked, alone):
        first, second = (report["elbo"] for report in checked)
        assert first == second
        assert first == pytest.approx(alone.elbo(ALONE), rel=1e-6)  # float32 masses, computed in other chunks

    @pytest.mark.parametrize("model", ["acvae", "cvae", "vae"])
    def test_a_fit_gives_all_the_same_bits(self, checked, model):
        first, second = (report["fits"][model] for report in checked)
        assert first == second
        assert first["finite"]

    def test_an_epoch_is_one_pass_over_the_edges_by_all_of_them(self, checked, alone):
        longest = -(-alone.GRAPH.n_edges // 2)
        assert checked[0]["fits"]["acvae"]["steps"] == -(-longest // alone.BATCH_EDGES)

    def test_stopped_and_gone_on_with_gives_the_same_bits(self, checked):
        for report in checked:
            assert report["resumed"] == report["fits"]["acvae"]
            assert report["resumed_epochs"] == [4, 5, 6]

    def test_another_number_of_processes_cannot_go_on(self, checked):
        for report in checked:
            assert "processes=1, not processes=2" in report["other_size"]

    def test_processes_that_were_started_differently_are_told_so(self, checked):
        assert "seed=1, the first with 0" in checked[1]["other_seed"]


def test_a_killed_process_ends_the_job_with_a_reason_and_a_checkpoint(tmp_path, checked):
    path = tmp_path / "state"
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    killed = subprocess.run(
        [*launcher, PROGRAM, "die", path], env=environment(), capture_output=True, text=True, timeout=100
    )
    assert killed.returncode != 0
    assert "process 0 of 2 lost the others" in killed.stderr
    assert f"The state after epoch 4 is in {path}; the same command goes on from it." in killed.stderr
    ended = run_pair(PROGRAM, "go-on", path)
    whole = checked[0]["fits"]["acvae"]
    assert [(code, json.loads(out)) for code, out, _ in ended] == [(0, whole), (0, whole)]


def test_the_command_line_writes_and_prints_once(tmp_path):
    run = tmp_path / "run"
    options = (
        "--model",
        "acvae-eb",
        "--epochs",
        "2",
        "--latent-dim",
        "2",
        "--batch-edges",
        "2000",
        "--checkpoint-every",
        "1",
    )
    first, second = run_pair("-m", "acvae.commands.main", "fit", "tree", *options, "--out", run)
    assert (first[0], second[0]) == (0, 0)
    assert "stored in" in first[1]
    assert "test edges held out" in first[2]
    assert second[1:] == ("", "")
    assert {p.name for p in run.iterdir()} >= {"model.safetensors", "scores.json", "history.csv"}
    scores = json.loads((run / "scores.json").read_text())["link_prediction"]["bp"]["ncrr"]
    assert 0 < scores["train"] <= 1


# ---------------------------------------------------------------------- without starting any


class Pretended(World):
    """The first of two, with nobody there: for what a process does on its own."""

    size = 2


def small_fit(monkeypatch, callbacks, checkpoint):
    monkeypatch.setattr("acvae.models.estimator.join", lambda device: Pretended())
    rng = np.random.default_rng(0)
    model = ACVAE(latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=5, device="cpu", progress=False)
    return model.fit(
        rng.random((20, 4)),
        Graph(20, rng.integers(0, 20, (40, 2))),
        callbacks=callbacks,
        checkpoint=checkpoint,
    )


def test_sigterm_from_a_launcher_leaves_a_checkpoint(monkeypatch, tmp_path):
    def terminate(state):
        if state.epoch == 2:
            signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    path = tmp_path / "state"
    try:
        with pytest.raises(StoppedError, match=r"SIGTERM.* after epoch 2 is in"):
            small_fit(monkeypatch, [terminate], Checkpoint(path, every=100))
        assert path.exists()
        with pytest.raises(SystemExit, match="after epoch 2"):  # a second one, while the error goes up
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_signal_while_the_checkpoint_is_stored_does_not_spoil_it(monkeypatch, tmp_path):
    from acvae.training import checkpoint as module

    write = module._write

    def interrupted_write(snapshot, path):
        signal.raise_signal(signal.SIGINT)
        write(snapshot, path)

    def ctrl_c(state):
        monkeypatch.setattr(module, "_write", interrupted_write)
        signal.raise_signal(signal.SIGINT)

    path = tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        small_fit(monkeypatch, [ctrl_c], Checkpoint(path, every=100))
    assert path.exists()


def test_more_processes_than_edges(monkeypatch):
    monkeypatch.setattr("acvae.models.estimator.join", lambda device: Pretended())
    with pytest.raises(OptionError, match="2 processes cannot share 1 edges"):
        ACVAE(epochs=1, progress=False).fit(np.eye(3), Graph(3, [(0, 1)]))


def test_without_a_launcher_a_process_is_alone(monkeypatch):
    for name in distributed.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    assert distributed.join(torch.device("cpu")) is ALONE
    assert distributed.is_leader()
    monkeypatch.setenv("RANK", "1")  # set for another purpose: no address to join at
    assert distributed.join(torch.device("cpu")) is ALONE
    assert distributed.is_leader()


def test_shares_cover_everything_once():
    for size in (1, 2, 3, 7):
        for count in (7, 20, 21):
            world = World()
            world.size = size
            seen = []
            for world.rank in range(size):
                seen += world.share(count).own
            assert seen == list(range(count))


def test_processes_of_a_machine_share_its_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert threads.n_threads() == 4
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "16")
    assert threads.n_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads.n_threads() == 3


def test_streams_of_processes_and_epochs_differ():
    numbers = [(), *((epoch, rank) for epoch in range(1, 50) for rank in range(1, 9))]
    assert len({stream_seed(0, "batches", *those) for those in numbers}) == len(numbers)


@pytest.mark.parametrize("parts", [2, 3, 50])
def test_ranks_of_parts_add_up_to_those_of_the_whole(parts):
    rng = np.random.default_rng(0)
    n = 700
    order = rng.permutation(n)
    forest = np.stack([order[1:], order[rng.integers(0, np.arange(1, n))]], axis=1)
    q = Posterior(
        rng.normal(size=(n, 3)), rng.uniform(0.5, 1, (n, 3)), forest, rng.uniform(0, 0.9, (n - 1, 3))
    )
    links = Graph(n, rng.integers(0, n, (1500, 2)))
    test = np.zeros(links.n_edges, dtype=bool)
    test[::3] = True
    train, held_out = Graph(n, links.edges[~test]), Graph(n, links.edges[test])
    whole = metrics.link_ranks(q, train, held_out)
    pieces = [metrics.link_ranks(q, train, held_out, part=(p, parts)) for p in range(parts)]
    np.testing.assert_array_equal(sum(p.train_rank for p in pieces), whole.train_rank)
    np.testing.assert_array_equal(sum(p.test_rank for p in pieces), whole.test_rank)
    assert all((p.train_rank == 0).any() for p in pieces)
