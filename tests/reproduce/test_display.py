"""What is shown while a grid runs."""

import io

from acvae.reproduce.display import Display
from acvae.reproduce.pool import Outcome
from acvae.reproduce.spec import RunSpec


def test_time_left_goes_by_data_set_and_method():
    shown = io.StringIO()
    display = Display(shown)
    specs = [RunSpec("d", m, None, r, "link-prediction", "tree") for m in ("vae", "cvae-ind") for r in (0, 1)]
    display.start(specs, 3, 2, {("d", "vae"): [100.0], ("d", "cvae-ind"): [300.0]})
    assert display._time_left() == "about 7 min left"  # (2·100 + 2·300) s over two processes
    assert shown.getvalue() == "3 runs are stored, 4 are to do, 2 at a time.\n"


def spec(method, run=0):
    return RunSpec("d", method, None, run, "link-prediction", "tree")


def test_a_line_for_every_run():
    shown, specs = io.StringIO(), [spec("vae", run) for run in range(4)]
    display = Display(shown)
    display.start(specs, 0, 1, {})
    assert display._time_left() == "time left unknown"
    display.finished(Outcome(specs[1], 60.0, {"independent": 0.25, "bp": None}, None, ""))
    display.finished(Outcome(specs[0], None, {}, "it broke", "a long text"))
    display.finished(Outcome(specs[2], None, {}, None, "", elsewhere=True))
    display.finished(Outcome(specs[3], 120.0, {}, None, ""))
    display.end(1)
    assert shown.getvalue().splitlines()[:5] == [
        "0 runs are stored, 4 are to do.",
        "[1/4] d vae run 1: independent NCRR 0.250 in 60 s; about 3 min left",
        "[2/4] d vae run 0: FAILED: it broke; about 2 min left",
        "[3/4] d vae run 2: by another process; about 60 s left",
        "[4/4] d vae run 3: in 2 min",
    ]
    assert shown.getvalue().splitlines()[5].startswith("3 runs finished in 0 s, 1 failed; the error texts")


def test_a_method_never_seen_takes_what_others_take():
    display = Display(io.StringIO())
    display.start([spec("vae"), spec("cvae-ind")], 0, 1, {("d", "vae"): [20.0, 40.0], ("e", "vae"): [90.0]})
    assert display._time_left() == "about 80 s left"  # 30 of its own, and (20 + 40 + 90)/3


def test_nothing_is_shown_to_who_does_not_look():
    shown = io.StringIO()
    display = Display(shown, show=False)
    display.start([spec("vae")], 0, 1, {})
    display.finished(Outcome(spec("vae"), 1.0, {}, None, ""))
    display.end(0)
    assert shown.getvalue() == ""


def test_nothing_to_do_ends_without_a_word():
    shown = io.StringIO()
    display = Display(shown)
    display.start([], 7, 4, {})
    display.end(0)
    assert shown.getvalue() == "7 runs are stored, 0 are to do.\n"
