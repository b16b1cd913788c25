"""Every test in a folder of its own and without a network; what all examples ended in is told at the end."""

import socket
from collections import Counter

import numpy as np
import pytest

from acvae import datasets
from fuzz.outcomes import counts
from fuzz.subjects import EDGES, NAMES, features


@pytest.fixture(autouse=True)
def _closed(tmp_path, monkeypatch):
    """A path such as "a" may be taken and written to; a data set may be asked for that is not here."""

    def refuse(*_, **__):
        raise OSError("no network in tests")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for place in ("ACVAE_DATA", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(place, str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _files(tmp_path):
    """One of each kind, in the working folder."""
    rows = "".join(f"{name},{i % 3},{i * 7 % 5},{'xy'[i % 2]},a word {i}\n" for i, name in enumerate(NAMES))
    (tmp_path / "table.csv").write_text("id,a,b,kind,text\n" + rows)
    (tmp_path / "plain.csv").write_text(
        "id,a,b\n" + "".join(f"{name},{i},1\n" for i, name in enumerate(NAMES))
    )
    pairs = "".join(f"{NAMES[u]},{NAMES[v]},{1 + u}\n" for u, v in EDGES)
    (tmp_path / "pairs.csv").write_text("source,target,weight\n" + pairs)
    (tmp_path / "numbers.txt").write_text("".join(f"{u} {v}\n" for u, v in EDGES))
    (tmp_path / "ids.txt").write_text("\n".join(NAMES) + "\n")
    np.save(tmp_path / "matrix.npy", features())
    np.savez(tmp_path / "all.npz", features=features(), edges=np.array(EDGES))
    datasets.save_features(tmp_path / "mapped", features())


@pytest.fixture(autouse=True)
def _counted(request):
    counts.clear()
    yield
    request.node.user_properties.append(("fuzz", dict(counts)))


def pytest_terminal_summary(terminalreporter):
    total = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                for name, found in report.user_properties:
                    if name == "fuzz":
                        total.update(found)
    if total["calls"]:
        told = ", ".join(f"{total[name]:,} {name}" for name in ("calls", "answered", "refused", "raw"))
        terminalreporter.write_line(f"fuzz: {told} errors")
        for name, count in sorted(total.items(), key=lambda item: -item[1]):
            if name.startswith("raw: "):
                terminalreporter.write_line(f"  {count:4d}  {name}")
