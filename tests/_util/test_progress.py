"""Progress: a bar on a terminal, plain lines elsewhere, silence on request."""

import io
import time

import numpy as np
import pytest

from acvae import ACVAE, CVAE, VAE, Graph
from acvae._util.progress import Progress, Waiting, duration, expect


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(stream, show=True, total=4):
    with Progress(total, "training", show=show, stream=stream) as progress:
        for step in range(total):
            progress.advance(ELBO=f"{-step:.1f}")
    return stream.getvalue()


def test_silent_when_asked():
    assert run(io.StringIO(), show=False) == ""
    assert run(Terminal(), show=False) == ""


def test_short_work_prints_one_plain_line_at_the_end():
    text = run(io.StringIO())
    assert text.count("\n") == 1
    assert text.startswith("training: 4/4  ELBO")  # the run's time is told once, at its end
    assert text.rstrip().endswith("ELBO -3.0")
    assert "\r" not in text


def test_long_work_prints_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr("acvae._util.progress.SECONDS_BETWEEN_LINES", 0.0)
    lines = run(io.StringIO()).splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        *(f"training: {i}/4, about 0 s left" for i in (1, 2, 3)),
        "training: 4/4",
    ]


def test_what_is_left_is_told(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("acvae._util.progress.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = Progress(10, "training", stream=stream, done=2)  # two were done by another process
    progress.doing("step 3")  # nothing is known yet, and too soon
    clock[0] = 140.0
    progress.advance()  # one of eight in 40 s
    assert stream.getvalue() == "training: 3/10, about 5 min left\n"
    clock[0] = 160.0
    progress.doing("forest update", 0.5)  # 1.5 in 60 s, 6.5 to go
    assert stream.getvalue().endswith("training: 3/10, forest update, about 4 min left\n")


@pytest.mark.parametrize(
    ("seconds", "said"), [(3, "3 s"), (89.6, "90 s"), (100, "2 min"), (5000, "83 min"), (9000, "2.5 h")]
)
def test_durations(seconds, said):
    assert duration(seconds) == said


def test_a_terminal_gets_a_bar():
    text = run(Terminal())
    assert "\r" in text
    assert "training: 100%" in text
    assert "4/4" in text


@pytest.mark.parametrize(("stream", "shown"), [(io.StringIO(), " s so far\n"), (Terminal(), "\r  0 s")])
def test_waiting_shows_the_seconds(monkeypatch, stream, shown):
    for name in ("SECONDS_TO_FIRST_LINE", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"acvae._util.progress.{name}", 0.01)
    with Waiting(stream=stream):
        time.sleep(0.2)
    assert shown in stream.getvalue()
    assert not stream.isatty() or stream.getvalue().endswith(" \r")  # a terminal's line is free again


@pytest.mark.parametrize(
    ("stream", "shown"), [(io.StringIO(), " s so far, about "), (Terminal(), " s, about ")]
)
def test_waiting_tells_what_is_left_of_what_it_took_the_last_time(monkeypatch, stream, shown):
    for name in ("SECONDS_TO_FIRST_LINE", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"acvae._util.progress.{name}", 0.01)
    with Waiting("forest", expected=80.0, stream=stream):
        time.sleep(0.2)
    assert f"forest: 0{shown}80 s left" in stream.getvalue()


def test_who_does_the_work_may_say_how_long_it_takes(monkeypatch):
    for name in ("SECONDS_TO_FIRST_LINE", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"acvae._util.progress.{name}", 0.05)
    expect(7.0)  # nobody waits
    stream, inner = io.StringIO(), io.StringIO()
    with Waiting("weights", stream=stream):
        time.sleep(0.12)
        assert "left" not in stream.getvalue()
        with Waiting("core", stream=inner):
            expect(50.0)
            time.sleep(0.12)
        expect(90.0)
        time.sleep(0.12)
    assert "core: 0 s so far, about 50 s left" in inner.getvalue()
    assert stream.getvalue().endswith("weights: 0 s so far, about 90 s left\n")


def test_an_update_after_an_epoch_is_told_with_what_is_left(monkeypatch, capsys):
    """The first update tells its seconds, the second what is left by the first."""
    from acvae.families.forest import ForestFamily

    for name in ("SECONDS_TO_FIRST_LINE", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"acvae._util.progress.{name}", 0.05)
    update = ForestFamily.after_epoch

    def slow(self, world):
        time.sleep(0.4)
        return update(self, world)

    monkeypatch.setattr(ForestFamily, "after_epoch", slow)
    graph = Graph(6, [(0, 1), (1, 2), (3, 4), (0, 2)])
    x = np.random.default_rng(0).poisson(1.0, (6, 4))
    ACVAE(latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=2).fit(x, graph)
    told = capsys.readouterr().err
    assert "ACVAE_EB: weights after epoch 1: 0 s so far\n" in told
    assert "ACVAE_EB: weights after epoch 2: 0 s so far, about 0 s left\n" in told


def test_short_waiting_and_silent_waiting_show_nothing(monkeypatch):
    stream = io.StringIO()
    with Waiting(stream=stream):
        pass
    monkeypatch.setattr("acvae._util.progress.SECONDS_BETWEEN_LINES", 0.001)
    with Waiting(show=False, stream=stream):
        time.sleep(0.05)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        (VAE(latent_dim=2, hidden_dim=3, epochs=2), ["VAE: 2/2", "ELBO", "KL"]),
        (CVAE(False, latent_dim=2, hidden_dim=3, epochs=2), ["CVAE_ind: 2/2", "settled", "edges/s"]),
        (CVAE(latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=2), ["CVAE_corr: 2/2", "mean ρ"]),
        (
            CVAE(posterior="graph", latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=2),
            ["CVAE_graph: 2/2", "mean ρ"],
        ),
        (
            ACVAE(latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=2),
            ["ACVAE_EB: 2/2", "mean ρ", "settled"],
        ),
        (ACVAE("saddle-point", latent_dim=2, hidden_dim=3, pair_hidden_dim=3, epochs=2), ["ACVAE_SP: 2/2"]),
    ],
    ids=["vae", "cvae-ind", "cvae-corr", "cvae-graph", "acvae-eb", "acvae-sp"],
)
def test_models_report_on_standard_error_or_not_at_all(model, shown, capsys):
    x = np.random.default_rng(0).poisson(1.0, (6, 4))
    graph = Graph(6, [(0, 1), (1, 2), (3, 4), (0, 2)])
    model.fit(x, graph)
    out, err = capsys.readouterr()
    assert out == ""
    assert all(text in err for text in shown)
    model.set_params(progress=False).fit(x, graph)
    assert capsys.readouterr() == ("", "")
