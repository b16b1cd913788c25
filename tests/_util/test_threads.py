import threading

import pytest

from acvae._util import threads
from acvae._util.threads import n_threads, over_ranges, run_tasks


def test_threads_are_those_that_were_asked_for(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert n_threads() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "10000")
    assert n_threads() == 1


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_ranges_are_a_partition(count, uneven, monkeypatch):
    monkeypatch.setattr(threads, "n_threads", lambda: 3)
    seen, lock = [], threading.Lock()

    def work(start, stop):
        with lock:
            seen.extend(range(start, stop))

    over_ranges(work, count, uneven=uneven)
    assert sorted(seen) == list(range(count))


@pytest.mark.parametrize("uneven", [False, True])
def test_an_error_in_any_thread_is_told(uneven, monkeypatch):
    monkeypatch.setattr(threads, "n_threads", lambda: 2)

    def work(start, stop):
        if start <= 3 < stop:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        over_ranges(work, 10, uneven=uneven)


def test_each_task_is_done_once_with_the_number_of_its_thread():
    done, lock = [], threading.Lock()

    def task(number, slot):
        with lock:
            done.append((number, slot))

    run_tasks([lambda slot, k=k: task(k, slot) for k in range(20)], 2)
    assert sorted(number for number, _ in done) == list(range(20))
    assert {slot for _, slot in done} <= {0, 1}
