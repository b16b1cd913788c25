"""Messages of the library, and what the command line adds to them."""

from pathlib import Path

from acvae import exceptions
from acvae.commands._hints import HINTS, with_hint
from acvae.exceptions import AcvaeError, ClusterMemoryError, GraphError
from acvae.runs import errors


def test_hints_are_of_errors_that_there_are():
    for name in HINTS:
        found = getattr(errors, name, None) or getattr(exceptions, name)
        assert issubclass(found, AcvaeError)


def test_every_obstacle_of_a_run_has_one():
    assert set(errors.__all__) <= set(HINTS)


def test_a_hint_follows_the_message():
    told = with_hint(errors.BusyRunError("another process has it.", Path("run")))
    assert told == "another process has it; wait for it, or give another --out."
    assert with_hint(ClusterMemoryError("too much.")) == "too much (--memory, in megabytes)."


def test_places_are_quoted_as_a_shell_reads_them():
    told = with_hint(errors.StoppedRunError("it was stopped.", Path("my run")))
    assert told == "it was stopped; `acvae fit --resume 'my run'` goes on with it."


def test_others_stay_as_they_are():
    assert with_hint(GraphError("no edges.")) == "no edges."
