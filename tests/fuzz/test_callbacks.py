"""Callbacks and checkpoints of every kind."""

from hypothesis import given
from hypothesis import strategies as st

import acvae
from acvae.training import Checkpoint, Clustering, LinkPrediction
from fuzz import good
from fuzz.odd import Given, arguments, calls, odd, small_odd
from fuzz.outcomes import settle, share
from fuzz.subjects import TINY, N, features, graph


class OwnError(Exception):
    """Of a user's callback; it is his, and must come out as it is. So is what `len` says of an EpochState."""


def _raising(state):
    raise OwnError


@st.composite
def callbacks(draw):
    """Lists of callbacks: those of the package, and a user's own that return anything."""
    kind = draw(st.sampled_from(["none", "link", "clustering", "returns", "raises", "odd", "odd in a list"]))
    if kind == "none":
        return Given("()", ())
    if kind == "raises":
        return Given("[raising]", [_raising])
    if kind == "odd":
        return draw(odd)
    value = draw(odd)
    if kind == "odd in a list":
        return Given(f"[{value}]", [value.value])
    if kind == "returns":
        return Given(f"[returns {value}]", [lambda state: value.value])
    return Given(f"[{kind}]", [LinkPrediction(SPLIT, 1)] if kind == "link" else [Clustering([0, 1] * 3, 1)])


SPLIT = acvae.split_edges(graph(), seed=0)
MADE = {
    "LinkPrediction": (
        LinkPrediction,
        {"split": st.just(SPLIT), "every_": good.whole, "pairwise_": good.flags, "prefix_": st.just("a_")},
    ),
    "Clustering": (
        Clustering,
        {
            "labels": st.just([0, 1] * 3),
            "every_": good.whole,
            "k_": st.integers(1, N),
            "prefix_": st.just("a_"),
        },
    ),
}


@share(0.04)
@given(callbacks(), st.sampled_from(["vae", "acvae", "graphsage"]))
def test_given_to_fit(given, kind):
    make = {
        "vae": lambda: acvae.VAE(**TINY),
        "acvae": lambda: acvae.ACVAE(**TINY, pair_hidden_dim=3),
        "graphsage": lambda: acvae.GraphSAGE(latent_dim=2, hidden_dim=3, epochs=1, progress=False),
    }[kind]

    def fit(callbacks):
        try:
            return make().fit(features(), graph(), callbacks=callbacks)
        except (OwnError, TypeError) as error:
            if isinstance(error, OwnError) or (isinstance(callbacks, list) and callbacks[0] is len):
                return error.__notes__[0]
            raise

    settle(fit, {"callbacks": given})


@share(0.03)
@given(st.data())
def test_made_of_anything_and_used(data):
    name, given = data.draw(calls(MADE))

    def use(**named):
        return acvae.VAE(**TINY).fit(features(), graph(), callbacks=[MADE[name][0](**named)])

    settle(use, given)


@share(0.01)
@given(arguments(small_odd, path=good.paths, every_=good.whole))
def test_checkpoints(given):
    settle(
        lambda **named: acvae.VAE(**TINY).fit(features(), graph(), checkpoint=Checkpoint(**named)),
        given,
    )


@share(0.01)
@given(odd)
def test_what_is_no_checkpoint(given):
    settle(
        lambda checkpoint: acvae.VAE(**TINY).fit(features(), graph(), checkpoint=checkpoint),
        {"checkpoint": given},
    )
