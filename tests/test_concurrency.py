"""Fits beside each other, in threads, in a process forked after import, by joblib: the same to the bit."""

import multiprocessing
import threading

import joblib
import numpy as np
import pytest
import torch

import acvae

N = 60
GRAPH = acvae.Graph(N, [(i, (i * 7 + 1) % N) for i in range(N)] + [(0, i) for i in range(2, 30)])
COUNTS = np.random.default_rng(0).poisson(1.0, (N, 12)).astype(float) + np.eye(N, 12)
MODELS = ("vae", "acvae", "cvae", "graphsage", "graph-gaussian")


def fit(name, seed=0):
    """Means, some distances and the NCRR of a fit: what users of it would compare."""
    tiny = {"latent_dim": 2, "hidden_dim": 4, "epochs": 3, "seed": seed, "progress": False}
    model = {
        "vae": lambda: acvae.VAE(**tiny),
        "acvae": lambda: acvae.ACVAE(**tiny, pair_hidden_dim=5),
        "cvae": lambda: acvae.CVAE(**tiny, pair_hidden_dim=5),
        "graphsage": lambda: acvae.GraphSAGE(**tiny),
        "graph-gaussian": lambda: acvae.GraphGaussian(latent_dim=4, seed=seed, progress=False),
    }[name]()
    q = model.fit(COUNTS, GRAPH).posterior_
    score = acvae.metrics.ncrr(q, GRAPH, acvae.Graph(N, [(1, 5), (2, 9)]))
    return q.mean, q.distances(np.arange(5)), np.array(score)


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_two_fits_in_two_threads():
    expected = {name: fit(name) for name in MODELS}
    found, failed = {}, []

    def work(names):
        try:
            for name in names:
                found[threading.current_thread().name, name] = fit(name)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(names,)) for names in (MODELS, MODELS[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(found) == 2 * len(MODELS)
    assert all(same(result, expected[name]) for (_, name), result in found.items())


def _send(name, end):
    end.send(fit(name))
    end.close()


@pytest.mark.parametrize("name", ["acvae", "graph-gaussian"])
def test_a_fork_after_import(name, monkeypatch):
    """Also after a fit, when pools of threads are there that no child has."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # of our own pool
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    expected = fit(name)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(name, there))
    child.start()
    there.close()
    try:
        assert here.poll(120), "the forked process gave no answer"
        assert same(here.recv(), expected)
    finally:
        child.join(10)
        if child.is_alive():
            child.kill()
            child.join()
        torch.set_num_threads(before)
    assert child.exitcode == 0


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib(backend):
    seeds = (0, 1)
    expected = {(name, seed): fit(name, seed) for name in ("acvae", "graph-gaussian") for seed in seeds}
    found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit)(*which) for which in expected)
    for result, wanted in zip(found, expected.values(), strict=True):
        assert same(result, wanted)
