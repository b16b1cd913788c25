"""Every odd value in every argument of every function, while the others are good.

What examples drawn at random reach by chance is gone through in order here: all of it when fuzzing, every
fortieth value in an ordinary run.
"""

import itertools
import os

import matplotlib.pyplot as plt
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz import test_data, test_graphs, test_metrics, test_models, test_posteriors
from fuzz.odd import ODD, Given
from fuzz.outcomes import settle
from fuzz.subjects import MODELS, POSTERIORS, features, graph

STEP = 1 if "ACVAE_FUZZ" in os.environ else 40
LARGE = (
    "2**62",
    "2**63",
    "2**64",
    "10**5000",
    "'1e308'",
    "'inf'",
)  # where such would be taken, and take for ever


def _fits(kind):
    cls, options = test_models.OPTIONS[kind]

    def fit(features, graph, **named):
        made = cls(**named)
        if kind != "graph-gaussian":
            made.set_params(epochs=1)
        return made.set_params(progress=False).fit(features, graph)

    return fit, options | {"features": st.just(features()), "graph": st.just(graph())}


def _drawn(function):
    def draw(**named):
        figure, ax = plt.subplots()
        try:
            return function(**named, ax=ax)
        finally:
            plt.close(figure)

    return draw


TABLES = {
    "graphs made": lambda: test_graphs.MADE,
    "graphs asked": lambda: test_graphs.ASKED,
    "posteriors made": lambda: test_posteriors.MADE,
    "scores": lambda: test_metrics.SCORED,
    "tables": lambda: test_metrics.TABLES,
    "plots": lambda: {name: (_drawn(f), good) for name, (f, good) in test_metrics.PLOTS.items()},
    "figures": lambda: test_metrics.FIGURES,
    "data": lambda: test_data.DATA,
    "choosing": lambda: test_models.CHOSEN,
    "fits": lambda: {kind: _fits(kind) for kind in test_models.OPTIONS},
    **{f"posterior {kind}": (lambda kind=kind: test_posteriors._asked(kind)) for kind in POSTERIORS},
    **{f"model {kind}": (lambda kind=kind: test_models._asked(kind)) for kind in MODELS},
}
SMALL_ONLY = ("plots", "figures", "data", "choosing")  # where large ones would be taken, and take for ever


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("kind", TABLES)
@settings(
    max_examples=1,
    derandomize=STEP > 1,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(data=st.data())
def test_every_value(kind, data):
    names = [name for name in ODD if kind not in SMALL_ONLY or name not in LARGE]
    at = 0
    for called, (function, good) in sorted(TABLES[kind]().items()):
        right = {name: Given("good", data.draw(strategy)) for name, strategy in good.items()}
        for odd_one, name in itertools.product(good, names):
            at += 1
            if at % STEP:
                continue
            given = {key.rstrip("_"): it for key, it in right.items() if at % 2 or not key.endswith("_")}
            given[odd_one.rstrip("_")] = Given(f"<{name}>", ODD[name]())
            try:
                settle(function, given, finite=kind != "scores")
            except Exception as error:
                error.add_note(f"{called}: {odd_one} was <{name}>")
                raise
