"""The notebook runs from top to bottom, without Jupyter, and is stored as plain JSON without outputs."""

import json
import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOK = EXAMPLES / "pandas_to_links.ipynb"


@pytest.fixture(scope="module")
def cells():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


@pytest.fixture(scope="module")
def after(cells):
    """The names that the cells leave behind, with `shown` for the figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(EXAMPLES)
        plt.switch_backend("agg")
        shown = []
        patch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
        namespace = {"__name__": "notebook"}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec(compile(source(cell), f"{NOTEBOOK.name}:{cell['id']}", "exec"), namespace)
        yield {**namespace, "shown": shown}
    plt.close("all")


def test_hidden_links_rank_better_than_chance(after):
    assert after["score"].test > 2 * after["score"].random


def test_links_are_new_and_have_probabilities(after):
    links, graph = after["links"], after["graph"]
    assert len(links) == 3 * graph.n_vertices
    assert links["probability"].between(0, 1).all()
    pairs = np.array([[graph.index(a), graph.index(b)] for a, b in links[["who", "may know"]].to_numpy()])
    assert not graph.has_edges(pairs).any()
    assert not (links["who"] == links["may know"]).any()


def test_friends_tell_more_of_missing_features_than_the_average(after):
    assert after["expected"].shape == after["truth"].shape
    assert after["error"](after["expected"]) < after["error"](after["average"])


def test_the_picture_shows_every_one(after):
    (figure,) = after["shown"]
    dots = sum(len(group.get_offsets()) for group in figure.axes[0].collections)
    assert dots == after["graph"].n_vertices


def test_it_is_stored_without_outputs_or_paths(cells):
    for cell in cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not re.search(r"""["'`]/\w""", source(cell)), "an absolute path"
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_the_tables_are_those_that_the_program_makes(tmp_path):
    runpy.run_path(str(EXAMPLES / "people.py"))["main"](tmp_path)
    for name in ("people.csv", "knows.csv"):
        made, stored = pd.read_csv(tmp_path / name), pd.read_csv(EXAMPLES / name)
        pd.testing.assert_frame_equal(made, stored)
