"""A posterior in a file of its own: it comes back to the bit, and no file reaches compiled code unchecked."""

import subprocess
import sys

import numpy as np
import pytest

import oracles
from acvae import Graph, Posterior
from acvae._util.arrays import read_arrays, write_arrays
from acvae.exceptions import SavedModelError
from acvae.gaussian import PairwiseMarginals

N, D = 9, 3
KIND = {"format": "acvae-posterior", "version": 1}


def marginals(rng, dtype):
    return rng.normal(size=(N, D)).astype(dtype), rng.uniform(0.5, 2, (N, D)).astype(dtype)


def make(kind, dtype="float32"):
    rng = np.random.default_rng(0)
    mean, std = marginals(rng, dtype)
    if kind == "forest":
        edges = oracles.forest_edges("random", N, rng)
        return Posterior(mean, std, edges, oracles.random_correlations(rng, len(edges), D), dtype=dtype)
    if kind == "graph":
        graph = Graph(N, oracles.random_graph_edges(rng, N, 14))
        rho = oracles.random_correlations(rng, graph.n_edges, D)
        return Posterior.on_graph(mean, std, graph, rho, dtype=dtype)
    network = PairwiseMarginals(*(rng.normal(size=s).astype(dtype) for s in [(N, 4), (N, 4), (4, D), (D,)]))
    return Posterior.from_correlations(mean, std, network, dtype=dtype)


@pytest.mark.parametrize("kind", ["forest", "graph", "pairwise"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_it_comes_back_to_the_bit(tmp_path, kind, dtype):
    q = make(kind, dtype)
    q.save(tmp_path / "q")
    back = Posterior.load(tmp_path / "q")
    assert repr(back) == repr(q)
    assert back.mean.dtype == dtype
    np.testing.assert_array_equal(back.mean, q.mean)
    np.testing.assert_array_equal(back.std, q.std)
    np.testing.assert_array_equal(back.distances(range(N)), q.distances(range(N)))
    if q.has_joint:
        np.testing.assert_array_equal(back.sample(2), q.sample(2))
    q.save(tmp_path / "again")
    assert (tmp_path / "q").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("kind", ["forest", "graph"])
def test_what_is_left_keeps_its_ids(tmp_path, kind):
    left = make(kind).condition({2: np.zeros(D), 5: np.ones(D)})
    left.save(tmp_path / "q")
    back = Posterior.load(tmp_path / "q")
    assert back.original_ids.tolist() == [0, 1, 3, 4, 6, 7, 8]
    np.testing.assert_array_equal(back.distances(range(7)), left.distances(range(7)))


def test_pytorch_is_not_needed(tmp_path):
    make("forest").save(tmp_path / "q")
    program = (
        "import sys, acvae\n"
        f"q = acvae.Posterior.load({str(tmp_path / 'q')!r})\n"
        "q.nearest([0]), q.distances(range(9)), q.pair_distance(0, 1)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def changed(tmp_path, kind, **changes):
    """A file with proper checksums, and arrays that do not belong together; None takes one away."""
    make(kind, "float64").save(tmp_path / "q")
    arrays, about = read_arrays(tmp_path / "q", **KIND, what="saved posterior")
    for name, value in changes.items():
        key = name.replace("__", ".")
        if value is None:
            del arrays[key]
        else:
            arrays[key] = np.asarray(value(arrays[key]) if callable(value) else value)
    write_arrays(tmp_path / "q", arrays, about, **KIND)
    return tmp_path / "q"


HOSTILE = [
    ("forest", {"mean": None}, "has no 'mean'"),
    ("forest", {"mean": lambda m: m[:5]}, r"'std' has the shape \(9, 3\), not \(5, 3\)"),
    ("forest", {"mean": lambda m: m[:5], "std": lambda s: s[:5]}, "not within 0…4"),
    ("forest", {"mean": lambda m: m * np.nan}, "'mean' is not finite"),
    ("forest", {"mean": lambda m: m.astype(np.float32)}, "'std' has the type float64"),
    ("forest", {"mean": lambda m: m.astype(np.float16)}, "the type float16"),
    ("forest", {"std": lambda s: -s}, "std must be positive"),
    ("forest", {"std": lambda s: s * 0}, "std must be positive"),
    ("forest", {"joint__edges": None}, "has no 'edges'"),
    ("forest", {"joint__edges": lambda e: e + 1}, "not within 0…8"),
    ("forest", {"joint__edges": lambda e: e - 1}, "not within 0…8"),
    ("forest", {"joint__edges": lambda e: e * (1 << 40)}, "not within 0…8"),
    ("forest", {"joint__edges": lambda e: e.astype(np.int32)}, "not int64"),
    ("forest", {"joint__edges": lambda e: e.T.copy()}, "the shape"),
    ("forest", {"joint__edges": lambda e: e[:3]}, r"'correlation' has the shape \(8, 3\), not \(3, 3\)"),
    ("forest", {"joint__edges": lambda e: e * 0}, "cycle"),
    ("forest", {"joint__edges": lambda e: np.vstack([e[:-1], e[:1]])}, "cycle"),
    ("forest", {"joint__correlation": lambda r: r[:, :2]}, r"not \(8, 3\)"),
    ("forest", {"joint__correlation": lambda r: r * 0 + 1}, "strictly between"),
    ("forest", {"joint__correlation": lambda r: r * np.inf}, "not finite"),
    ("graph", {"joint__links": lambda e: e + 5}, "not within 0…8"),
    ("graph", {"joint__links": lambda e: e[:, ::-1].copy()}, "not the smaller"),
    ("graph", {"joint__links": lambda e: e * 0}, "not the smaller"),
    ("graph", {"joint__links": lambda e: np.vstack([e[1:], e[-1:]])}, "twice"),
    ("graph", {"joint__off_diagonal": lambda x: x[1:]}, r"not \(14, 3\)"),
    ("graph", {"joint__off_diagonal": lambda x: x * np.nan}, "not finite"),
    ("graph", {"joint__diagonal": lambda x: x[1:]}, r"not \(9, 3\)"),
    ("graph", {"joint__diagonal": lambda x: -x}, "not positive"),
    ("pairwise", {"joint__first": lambda x: x[1:]}, r"not \(9, any\)"),
    ("pairwise", {"joint__first": lambda x: x[:, :0]}, r"not \(9, any\)"),
    ("pairwise", {"joint__second": lambda x: x[1:]}, r"not \(9, 4\)"),
    ("pairwise", {"joint__second": lambda x: x.astype(np.float32)}, "the type float32"),
    ("pairwise", {"joint__weight": lambda x: x.T.copy()}, r"not \(4, 3\)"),
    ("pairwise", {"joint__bias": lambda x: x[1:]}, r"not \(3\)"),
    ("pairwise", {"joint__bias": lambda x: x * np.nan}, "not finite"),
]


@pytest.mark.parametrize(("kind", "changes", "telling"), HOSTILE)
def test_arrays_that_do_not_belong_together(tmp_path, kind, changes, telling):
    path = changed(tmp_path, kind, **changes)
    with pytest.raises(SavedModelError, match=telling) as caught:
        Posterior.load(path)
    assert str(path) in str(caught.value)


def test_other_files(tmp_path):
    with pytest.raises(SavedModelError, match="there is no file"):
        Posterior.load(tmp_path / "nowhere")
    write_arrays(tmp_path / "q", {}, {}, format="acvae-model", version=1)
    with pytest.raises(SavedModelError, match="not a saved posterior of acvae"):
        Posterior.load(tmp_path / "q")
    write_arrays(tmp_path / "q", {}, {}, **KIND)
    with pytest.raises(SavedModelError, match="has no 'mean'"):
        Posterior.load(tmp_path / "q")
