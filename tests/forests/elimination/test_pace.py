"""How long a core takes: by the last one, and by a product before there was any."""

import pytest

from acvae.forests.elimination import pace


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(pace, "_PACE", {})


def test_the_last_core_tells_of_others():
    pace.learn_pace(1000, 2.0)  # k³/3 in two seconds, so that all of k³ takes six
    assert pace.seconds_for(1000) == pytest.approx(6)
    assert pace.seconds_for(2000) == pytest.approx(48)


def test_small_ones_and_clocks_that_stand_tell_nothing():
    pace.learn_pace(1000, 2.0)
    pace.learn_pace(pace.LEAST - 1, 9.0)
    pace.learn_pace(5000, 0.0)
    assert pace.seconds_for(1000) == pytest.approx(6)


def test_before_any_the_machine_is_asked():
    guess = pace.seconds_for(2000)
    assert 1e-3 < guess < 1e3
    assert pace.seconds_for(4000) == pytest.approx(8 * guess)
    assert pace.seconds_for(0) == 0


def test_factorising_is_learnt_from():
    import numpy as np

    from acvae.forests.elimination import eliminate, factorise

    n = pace.LEAST + 50
    edges = np.argwhere(np.triu(np.ones((n, n)), 1))  # complete: all of it is core
    order = eliminate(n, edges)
    assert order.core_size >= pace.LEAST
    factorise(order, edges, np.full(len(edges), -1.0), np.full(n, float(n)))
    assert "dense" in pace._PACE
