"""Stages: one bar, with the time left by a guess and then by the pace."""

import io
import time

import pytest

from acvae._util.progress import expect
from acvae._util.stages import Stages


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("acvae._util.stages.time.monotonic", lambda: now[0])
    return now


def silent(sizes, seconds=None):
    return Stages("fit", sizes, seconds=seconds, show=False)


def test_a_stage_that_says_nothing_is_told_of(monkeypatch):
    monkeypatch.setattr("acvae._util.progress.SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr("acvae._util.stages.SECONDS_BETWEEN_LOOKS", 0.01)
    stream = io.StringIO()
    with Stages("fit", {"first": 50, "second": 50}, stream=stream) as stages:
        time.sleep(0.05)
        stages.at("first", 1.0)
        time.sleep(0.2)
    assert "fit: 50 %, second, about " in stream.getvalue()
    assert stream.getvalue().endswith("fit: 100 %\n")


def test_without_a_guess_nothing_is_known_until_something_is_done(clock):
    stages = silent({"first": 1, "second": 3})
    clock[0] += 10
    assert stages.seconds_left() is None
    stages.at("first", 1.0)  # a quarter in ten seconds
    assert stages.seconds_left() == 30
    clock[0] += 12
    assert stages.seconds_left() == 18


def test_a_guess_is_told_from_the_start_and_gives_way_to_the_pace(clock):
    stages = silent({"first": 1, "second": 1}, seconds=100)
    assert stages.seconds_left() == 100
    clock[0] += 20
    assert stages.seconds_left() == 80
    clock[0] += 80
    stages.at("first", 1.0)  # 100 s for what was to take 50
    assert stages.seconds_left() == pytest.approx(50 * 102 / 52)


def test_what_is_known_better_on_the_way_counts(clock):
    stages = silent({"first": 1, "second": 1}, seconds=20)
    clock[0] += 10
    stages.at("first", 1.0)
    stages.plan("second", 600.0)
    assert stages.seconds_left() == 600
    stages.at("second", 0.5)
    assert stages.seconds_left() < 300  # half of it in no time


def test_a_stage_that_takes_longer_slows_the_others_and_never_ends_in_the_past(clock):
    stages = silent({"first": 10, "second": 10}, seconds=20)
    before = 0.0
    for seconds in (11, 50, 200, 1000):
        clock[0] = 100 + seconds
        assert stages.seconds_left() > max(before, 0.8 * seconds)  # the second will take as long, about
        before = stages.seconds_left()


def test_who_does_the_work_may_know_better(clock):
    stages = silent({"first": 1, "second": 1}, seconds=20)
    stages.expect(90.0)
    assert stages.seconds_left() > 90 + 10  # and the second is to take longer, too
    clock[0] += 60
    assert 30 < stages.seconds_left() < 150
    unknown = silent({"first": 1, "second": 1})
    unknown.expect(90.0)
    assert unknown.seconds_left() == 90


def test_the_innermost_wait_hears_what_is_expected():
    with Stages("fit", {"first": 1}, seconds=1, stream=io.StringIO()) as stages:
        expect(500.0)
        assert 400 < stages.seconds_left() <= 501  # and the stage itself
    expect(7.0)  # nobody waits any more
    assert stages.seconds_left() > 400


def test_a_terminal_sees_stage_and_time_beside_the_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    with Stages("fit", {"first": 50, "second": 50}, seconds=600, stream=stream) as stages:
        stages.at("first", 1.0)
        stages._progress.doing("second")
        time.sleep(0.01)
    assert "second, about " in stream.getvalue()
    assert "100%" in stream.getvalue()
