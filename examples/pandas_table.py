"""A pandas table of features and a table of links, joined by name; results as tables again.

The table is made up: people with a home town and a few habits, and who knows whom. People who know each other
mostly live in the same town and share its habits.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import acvae

TOWNS = ("Bern", "Oslo", "Porto")
HABITS = ("coffee", "tea", "chess", "skiing", "surfing", "hiking", "choir", "cinema", "bread", "fish")


def made_up(n_people: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Habits (0 and 1) by name, acquaintances by name, and everyone's town, which no model is told."""
    rng = np.random.default_rng(seed)
    names = [f"person-{i:03}" for i in range(n_people)]
    town = rng.integers(0, len(TOWNS), n_people)
    taste = rng.random((len(TOWNS), len(HABITS))) ** 2
    people = pd.DataFrame(
        (rng.random((n_people, len(HABITS))) < taste[town]).astype(int), index=names, columns=list(HABITS)
    )
    pairs = rng.integers(0, n_people, (12 * n_people, 2))
    met = (town[pairs[:, 0]] == town[pairs[:, 1]]) | (rng.random(len(pairs)) < 0.02)
    links = pd.DataFrame(np.array(names)[pairs[met][: 3 * n_people]], columns=["who", "knows"])
    return people, links, pd.Series([TOWNS[t] for t in town], index=names, name="town")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--out", type=Path, help="folder for embeddings.csv and links.csv")
    options = parser.parse_args(argv)

    people, links, town = made_up(options.people, seed=0)
    print(people.head(3).to_string(), "\n")
    print(links.head(3).to_string(index=False), "\n")

    graph = acvae.Graph.from_pandas(links, "who", "knows", vertices=people.index)
    model = acvae.ACVAE(likelihood="bernoulli", latent_dim=4, gamma=10, epochs=options.epochs)
    q = model.fit(people, graph).posterior_

    embeddings = q.to_pandas(graph).set_index("vertex")
    print(embeddings.filter(like="mean").head(3).round(3).to_string(), "\n")

    ids, distances = q.nearest(np.arange(graph.n_vertices), k=3, exclude=graph)
    suggested = pd.DataFrame(
        {
            "who": np.repeat(graph.names, 3),
            "might know": graph.names[ids.ravel()],
            "distance": distances.ravel(),
        }
    )
    print(suggested.head(6).round(2).to_string(index=False), "\n")
    same = (town[suggested["who"]].to_numpy() == town[suggested["might know"]].to_numpy()).mean()
    chance = (town.value_counts(normalize=True) ** 2).sum()
    print(f"{same:.0%} of the suggestions are in the same town; of random pairs, {chance:.0%}.")
    print("The model was told of habits and links, not of towns.")
    if options.out:
        embeddings.to_csv(options.out / "embeddings.csv")
        suggested.to_csv(options.out / "links.csv", index=False)
        print(f"written: {options.out}/embeddings.csv and links.csv")


if __name__ == "__main__":
    main()
