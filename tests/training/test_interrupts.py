"""Signals: taken where they may be, obeyed at a check, and given back."""

import signal
import threading

import pytest

from acvae.exceptions import StoppedError
from acvae.training.interrupts import Interrupts, is_interrupt


@pytest.fixture
def installed():
    made = Interrupts(terminate=True)
    made.install()
    yield made
    made.remove()


def test_the_first_asks_and_the_second_raises(installed):
    installed.check()
    signal.raise_signal(signal.SIGINT)
    assert installed.asked_to_stop
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        installed.check()


def test_while_something_is_stored_the_second_waits(installed):
    signal.raise_signal(signal.SIGINT)
    with installed.held_back():
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_launcher_is_obeyed_at_a_check(installed):
    signal.raise_signal(signal.SIGTERM)
    assert installed.told_to_end
    with pytest.raises(StoppedError, match="SIGTERM"):
        installed.check()


def test_after_the_loss_of_another_it_ends_with_a_message(installed):
    before = signal.getsignal(signal.SIGTERM)
    try:
        installed.end_with("the other one is gone")
        with pytest.raises(SystemExit, match="the other one is gone"):
            signal.raise_signal(signal.SIGTERM)
        installed.remove()
        assert signal.getsignal(signal.SIGTERM) != before  # it stays to the end of the process
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_handlers_are_given_back():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    made = Interrupts()
    made.install()
    assert signal.getsignal(signal.SIGINT) != before[signal.SIGINT]
    assert signal.getsignal(signal.SIGTERM) == before[signal.SIGTERM]  # not asked for
    made.remove()
    assert {number: signal.getsignal(number) for number in before} == before


def test_a_handler_of_a_users_own_stays():
    def mine(number, frame):
        pass

    before = signal.signal(signal.SIGINT, mine)
    try:
        made = Interrupts()
        made.install()
        assert signal.getsignal(signal.SIGINT) is mine
        made.remove()
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_taken():
    before, seen = signal.getsignal(signal.SIGINT), []

    def work():
        made = Interrupts(terminate=True)
        made.install()
        seen.append(signal.getsignal(signal.SIGINT))
        made.remove()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_what_compiled_code_makes_of_an_interrupt():
    def wrapped(inner, outer):
        try:
            try:
                raise inner
            except BaseException as error:
                raise outer from error
        except BaseException as error:
            return error

    assert is_interrupt(KeyboardInterrupt())
    assert is_interrupt(wrapped(KeyboardInterrupt(), SystemError()))
    assert not is_interrupt(wrapped(KeyboardInterrupt(), ValueError()))  # someone's own, on purpose
    assert not is_interrupt(wrapped(ValueError(), SystemError()))
    assert not is_interrupt(None)
