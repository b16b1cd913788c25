"""The README's table of link prediction beside peers, from the stored results of `peers.py`.

    python experiments/beyond/readme.py            # print it
    python experiments/beyond/readme.py --write    # put it in README.md, between beyond:begin and beyond:end

A cell is the mean test NCRR over the splits that are stored, with a 95 % interval, and how many splits these
are; the best of a column is in bold once all its rows are of as many splits. What is not stored is a dash; a
data set without any result has no column.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from acvae.reproduce.compare import Store, interval
from acvae.reproduce.compare.methods import methods_of

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- beyond:begin -->\n).*?(<!-- beyond:end -->)", re.DOTALL)
DATA = {
    "citation-1998": "Citation 1998",
    "debian": "Debian",
    "acm": "ACM",
    "amazon-photo": "Amazon Photo",
    "dblp": "DBLP",
    "epinions": "Epinions",
}
EMPTY = (
    "*No results are stored yet.\n"
    "`python experiments/beyond/peers.py links citation-1998 debian acm amazon-photo dblp` makes them, and\n"
    "`python experiments/beyond/readme.py --write` puts the table here.*\n"
)


def table(store: Store, data: Sequence[str] = tuple(DATA)) -> str:
    """Markdown: a row per method that has results, ours last, a column per data set."""
    stored = {
        name: {m: found for m in methods_of("links") if (found := store.results("links", name, m))}
        for name in data
    }
    columns = [name for name in data if stored[name]]
    if not columns:
        return EMPTY
    lines = ["| | " + " | ".join(DATA.get(name, name) for name in columns) + " |"]
    lines.append("| --- |" + " ---: |" * len(columns))
    best = {name: best_of(list(stored[name].values())) for name in columns}
    for method, about in methods_of("links").items():
        if not any(method in stored[name] for name in columns):
            continue
        cells = [cell(stored[name].get(method, []), best[name]) for name in columns]
        lines.append(f"| {about.label} | " + " | ".join(cells) + " |")
    chance = [interval(r["random_ncrr"] for r in next(iter(stored[n].values()))).mean for n in columns]
    lines.append("| *chance* | " + " | ".join(f"{value:.3f}" for value in chance) + " |")
    return "\n".join(lines) + "\n"


def best_of(rows: Sequence[Sequence[dict[str, float]]]) -> float | None:
    """The largest mean of a column, if there are several rows and all are of as many splits."""
    if len(rows) < 2 or len({len(found) for found in rows}) > 1:
        return None
    return max(interval(result["ncrr"] for result in found).mean for found in rows)


def cell(results: Sequence[dict[str, float]], best: float | None) -> str:
    """Mean ± half of the interval (splits), the best of a column in bold."""
    if not results:
        return "–"
    found = interval(result["ncrr"] for result in results)
    text = f"**{found}**" if found.mean == best else str(found)
    return f"{text} ({found.values})"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--write", action="store_true", help="replace the block of the README")
    parser.add_argument("--readme", type=Path, default=README)
    options = parser.parse_args(argv)
    found = table(Store(options.results))
    if not options.write:
        print(found, end="")
        return
    text = options.readme.read_text(encoding="utf-8")
    if not BLOCK.search(text):
        parser.error(f"{options.readme} has no block from beyond:begin to beyond:end")
    options.readme.write_text(BLOCK.sub(lambda m: m[1] + found + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
