"""What a stranger does: two tables, five commands, files that other tools read. Prints how long each took.

    python tests/strangers_path.py FOLDER                      a few seconds
    python tests/strangers_path.py FOLDER --size acm           3,025 papers, 1,870 words: under two minutes

The tables are made up: papers with names, a type, a year with gaps and words; who cites whom, with weights.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

SIZES = {"small": (120, 40, 400), "acm": (3025, 1870, 13_128)}  # vertices, words, edges
TYPES = ("database", "vision", "theory")
LIMIT = 120.0  # seconds, at the size of ACM


def make_tables(folder: Path, n: int, n_words: int, n_edges: int, seed: int = 0) -> tuple[Path, Path]:
    """papers.csv and cites.csv, joined by name; papers of a type share words and cite each other."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, len(TYPES), n)
    theme = rng.integers(0, max(2, n // 40), n)  # narrower than a type
    names = [f"Paper {i} of Müller, A." for i in range(n)]
    words_of = rng.random((theme.max() + 1, n_words)) < 0.05
    has = rng.random((n, n_words)) < 0.01 + 0.35 * words_of[theme] + 0.01 * (
        np.arange(n_words) % len(TYPES) == kind[:, None]
    )
    papers, cites = folder / "papers.csv", folder / "cites.csv"
    with papers.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "type", "year", *(f"word {j}" for j in range(n_words))])
        for i in range(n):
            year = "" if rng.random() < 0.05 else str(rng.integers(1990, 2012))
            writer.writerow([names[i], TYPES[kind[i]], year, *has[i].astype(int).tolist()])
    members = [np.flatnonzero(theme == t) for t in range(theme.max() + 1)]
    edges: dict[tuple[int, int], float] = {}
    while len(edges) < n_edges:
        u = int(rng.integers(n))
        v = int(rng.choice(members[theme[u]]) if rng.random() < 0.9 else rng.integers(n))
        if u != v:
            edges[min(u, v), max(u, v)] = round(float(rng.gamma(2.0)) + 0.1, 2)
    with cites.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["citing", "cited", "weight"])
        writer.writerows((names[u], names[v], weight) for (u, v), weight in edges.items())
    return papers, cites


def commands(papers: Path, cites: Path, folder: Path) -> list[list[str]]:
    """The five."""
    run = str(folder / "run")
    tables = ["--features", str(papers), "--edges", str(cites)]
    columns = ["--class-column", "type", "--missing", "mean"]
    return [
        ["fit", *tables, *columns, "--out", run],
        ["evaluate", run],
        ["links", run, "--out", str(folder / "links.csv")],
        ["export", run, "--embeddings", str(folder / "embeddings.csv")],
        ["report", run, "-o", str(folder / "report.html")],
    ]


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Make the tables, run the commands, print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=SIZES, default="small")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    papers, cites = make_tables(args.folder, *SIZES[args.size])
    total = 0.0
    for command in commands(papers, cites, args.folder):
        started, before = time.perf_counter(), _processor_seconds()
        done = subprocess.run([sys.executable, "-m", "acvae.commands.main", *command, "--quiet"], check=False)
        took = time.perf_counter() - started
        total += took
        print(
            f"{took:7.1f} s ({_processor_seconds() - before:.1f} s of processors)  acvae {command[0]}",
            flush=True,
        )
        if done.returncode:
            return done.returncode
    print(f"{total:7.1f} s  in all")
    return int(args.size == "acm" and total > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
