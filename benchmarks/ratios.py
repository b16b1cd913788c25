"""How benchmarks print and keep what they measured: a ratio is its median and its spread over repeats.

`store` writes the lines of one benchmark to benchmarks/results/NAME.json; `python benchmarks/readme.py` makes
benchmarks/README.md of those files, so that no figure in it is typed by hand.
"""

import json
import multiprocessing
import os
import platform
import sys
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["Line", "apart", "peak_memory", "spread", "store", "timed"]

RESULTS = Path(__file__).parent / "results"


class Line(NamedTuple):
    """One line of the table: what was measured, the figure, and what was asked of it (if anything)."""

    what: str  # "belief propagation / bare product"
    figure: str  # "1.42× (1.38–1.51 over 5)"
    asked: str = ""  # "≤ 2×"
    holds: bool | None = None  # None where nothing was asked


def apart(work, *arguments):
    """The result of a function in a fresh process, whose peak memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def timed(work):
    """Seconds that a call takes, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes (getrusage would count its parent's too)."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def spread(ratios) -> str:
    """For example "1.42× (1.38–1.51 over 5)"."""
    values = np.asarray(ratios)
    return f"{np.median(values):.2f}× ({values.min():.2f}–{values.max():.2f} over {len(values)})"


def _plain(holds) -> bool | None:
    """NumPy's truth values as Python's."""
    return None if holds is None else bool(holds)


def store(name: str, title: str, lines: list[Line], note: str = "") -> None:
    """Print the lines as a table and keep them for the README."""
    width = max(len(line.what) for line in lines)
    for line in lines:
        verdict = "" if line.holds is None else ("   holds" if line.holds else "   does not hold")
        asked = f"   (asked {line.asked})" if line.asked else ""
        print(f"{line.what:<{width}}   {line.figure}{asked}{verdict}")
    RESULTS.mkdir(exist_ok=True)
    content = {
        "title": title,
        "command": "python "
        + " ".join(["benchmarks/" + Path(sys.argv[0]).name, *map(_argument, sys.argv[1:])]),
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "lines": [{**line._asdict(), "holds": _plain(line.holds)} for line in lines],
        "note": note,
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _argument(text: str) -> str:
    """An argument as another machine would be given it: a folder of this one is none of its business."""
    return "FOLDER" if Path(text).is_absolute() else text
