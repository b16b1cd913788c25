"""Write benchmarks/README.md from the stored results of the benchmarks: python benchmarks/readme.py"""

import json
from pathlib import Path

from ratios import RESULTS

README = Path(__file__).parent / "README.md"
ORDER = (
    "training_step",
    "all_pairs",
    "spanning_forest",
    "resistances",
    "million",
    "fit_time",
    "graph_gaussian_cost",
    "distributed",
    "peers",
    "link_prediction_citation-1998",
    "link_prediction_debian",
    "link_prediction_epinions-tang",
    "whole_graph",
)

HEAD = """# Benchmarks

Each is one command that runs ours, its peers and the limit side by side, in turns, and prints ratios: the
median, and in brackets the least and the largest over its repeats. Times on another machine differ; ratios
should not, by much. Benchmarks are never run by the tests. `python benchmarks/readme.py` writes this page
from what the commands stored in `benchmarks/results/`.
"""


def section(result: dict) -> str:
    rows = [
        f"| {line['what']} | {line['figure']} | {line['asked']} | {verdict(line['holds'])} |"
        for line in result["lines"]
    ]
    parts = [
        f"## {result['title']}",
        f"`{result['command']}`, {result['date']}, {result['machine']}",
        "\n".join(["| | figure | asked | |", "| --- | --- | --- | --- |", *rows]),
    ]
    if result["note"]:
        parts.append(result["note"])
    return "\n\n".join(parts) + "\n"


def verdict(holds: bool | None) -> str:
    return "" if holds is None else "holds" if holds else "**does not hold**"


def main() -> None:
    stored = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")}
    names = [name for name in ORDER if name in stored] + sorted(set(stored) - set(ORDER))
    README.write_text("\n".join([HEAD, *(section(stored[name]) for name in names)]), encoding="utf-8")
    print(f"{README.name}: {len(names)} benchmarks")


if __name__ == "__main__":
    main()
