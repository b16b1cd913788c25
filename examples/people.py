"""Makes people.csv and knows.csv: 120 made-up people with habits and a town, and who knows whom.

People of a town share its habits, and mostly meet friends of friends. The two files lie beside this program;
the README and the notebook start from them.

    python examples/people.py examples
"""

import csv
import sys
from pathlib import Path

import numpy as np

FIRST = (
    *("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana"),
    *("Kai", "Lea", "Mia", "Nils", "Ola", "Pia", "Rui", "Sara", "Tim", "Uma"),
)
LAST = ("Berg", "Costa", "Dahl", "Frei", "Gomes", "Haug")
HABITS = ("coffee", "tea", "chess", "skiing", "surfing", "hiking", "choir", "cinema", "baking", "fishing")
TOWNS = ("Bern", "Oslo", "Porto")


def main(folder: Path, seed: int = 1, meetings: int = 1100) -> None:
    """Write the two files."""
    rng = np.random.default_rng(seed)
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    n = len(names)
    town = rng.integers(0, len(TOWNS), n)
    taste = rng.random((len(TOWNS), len(HABITS))) ** 2
    habits = (rng.random((n, len(HABITS))) < taste[town]).astype(int)
    known: list[set[int]] = [set() for _ in names]
    for _ in range(meetings):
        a, b = rng.integers(0, n, 2).tolist()
        if known[a] and rng.random() < 0.6:  # a friend of a friend
            b = int(rng.choice(sorted(known[int(rng.choice(sorted(known[a])))])))
        elif town[a] != town[b] and rng.random() > 0.02:
            continue
        if a != b:
            known[a].add(b)
            known[b].add(a)
    with open(folder / "people.csv", "w", newline="") as file:
        rows = ([name, *row, TOWNS[t]] for name, row, t in zip(names, habits.tolist(), town, strict=True))
        csv.writer(file, lineterminator="\n").writerows([["name", *HABITS, "town"], *rows])
    with open(folder / "knows.csv", "w", newline="") as file:
        pairs = ([names[a], names[b]] for a in range(n) for b in sorted(known[a]) if a < b)
        csv.writer(file, lineterminator="\n").writerows([["who", "knows"], *pairs])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
