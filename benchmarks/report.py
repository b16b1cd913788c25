"""How long the report of a large graph takes: reading the run, making the page, and its first picture.

    python benchmarks/report.py FOLDER [--model vae] [--vertices 22470]

A graph of pages with names, types and words is made from a seed and kept in FOLDER, and so is the run of the
model on it; both are made if they are missing. What counts is the page, from when the run has been read, and
the time from opening the page to its first picture in chromium, which is left out where there is no browser
(pip install 'acvae[browser]', and chromium).
"""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from acvae.report import write_report
from acvae.report.entry import open_runs
from generated_graph import communities, make_features, make_graph
from ratios import Line, store

TYPES = np.array(["company", "government", "politician", "show"])
EPOCHS = {"graph-gaussian": None}  # the others: enough to have something to show
FLAGS = ["--headless=new", "--disable-gpu", "--disable-quic"]  # beside those that Playwright sets itself


def make_archive(path: Path, n: int) -> None:
    """Features, edges, names and types of n pages as plain arrays."""
    graph, features, community = make_graph(n), make_features(n), communities(n)
    np.savez(
        path,
        edges=graph.edges,
        indptr=features.indptr,
        indices=features.indices,
        values=features.data,
        shape=np.array(features.shape),
        names=np.array([f"Page {v} of community {c}" for v, c in enumerate(community.tolist())]),
        labels=TYPES[community % len(TYPES)],
        feature_names=np.array([f"word {w}" for w in range(features.shape[1])]),
    )


def fit(archive: Path, run: Path, model: str) -> None:
    """`acvae fit`, as a user would."""
    command = [sys.executable, "-m", "acvae.commands.main", "fit", str(archive), "--model", model]
    epochs = EPOCHS.get(model, 2)
    if epochs is not None:
        command += ["--epochs", str(epochs)]
    subprocess.run([*command, "--out", str(run)], check=True)


def first_picture(page: Path) -> float | None:
    """Seconds from the start of navigation until the page has drawn itself, or None without a browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    ready = "performance.getEntriesByName('page-ready')"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        opened = browser.new_page()
        opened.goto(page.resolve().as_uri())
        opened.wait_for_function(f"{ready}.length > 0")
        took = float(opened.evaluate(f"{ready}[0].startTime")) / 1000
        browser.close()
    return took


def main() -> int:
    """Make what is missing, and print the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="vae")
    parser.add_argument("--vertices", type=int, default=22_470)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    archive, run = args.folder / f"pages-{args.vertices}.npz", args.folder / f"{args.model}-{args.vertices}"
    if not archive.is_file():
        make_archive(archive, args.vertices)
    if not (run / "run.json").is_file():
        fit(archive, run, args.model)
    start = time.perf_counter()
    entries = open_runs([run])
    read = time.perf_counter() - start
    page = write_report(entries, run.with_suffix(".html"), progress=True)
    made = time.perf_counter() - start - read
    picture = first_picture(page)
    n, m = entries[0].graph.n_vertices, entries[0].graph.n_edges
    shown = "no chromium or no playwright here" if picture is None else f"{picture:.2f} s"
    megabytes = page.stat().st_size / 1e6
    store(
        f"report-{args.model}",
        f"The report of a large graph ({args.model}, n = {n:,}, {m:,} train links)",
        [
            Line("reading the run", f"{read:.1f} s"),
            Line(f"making the page, {megabytes:.1f} MB", f"{made:.1f} s", "< 60 s", made < 60),
            Line("first picture", shown, "< 3 s", None if picture is None else picture < 3),
        ],
    )
    return int(made >= 60 or (picture or 0.0) >= 3)


if __name__ == "__main__":
    sys.exit(main())
