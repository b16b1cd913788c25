"""Files appear whole or not at all, whoever writes them at the same time."""

import errno
import os
import threading

import pytest

from acvae._util.files import replacing, stale_partials
from acvae.exceptions import StorageError


def write_half(path, error):
    with replacing(path) as partial:
        partial.write_text("ne")
        raise error


@pytest.mark.parametrize("folder", [".", "/"])
def test_a_folder_is_no_file(folder):
    with pytest.raises(StorageError, match="cannot be written: it is a folder"), replacing(folder):
        pass


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_what_cannot_be_written_leaves_the_old_file(code, tmp_path):
    path = tmp_path / "f"
    path.write_text("old")
    with pytest.raises(StorageError, match="f' cannot be written") as caught:
        write_half(path, OSError(code, os.strerror(code)))
    assert caught.value.strerror == os.strerror(code)
    assert os.strerror(code) in str(caught.value)
    assert isinstance(caught.value, OSError)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path):
    with (
        pytest.raises(StorageError, match="No such file or directory"),
        replacing(tmp_path / "a" / "f") as part,
    ):
        part.write_text("new")


def test_another_error_is_not_changed(tmp_path):
    with pytest.raises(KeyError):
        write_half(tmp_path / "f", KeyError())
    assert list(tmp_path.iterdir()) == []


def test_threads_do_not_write_to_one_file(tmp_path):
    """The one that began first ends last: its text stays, whole."""
    began, ended = threading.Event(), threading.Event()

    def slow():
        with replacing(tmp_path / "f") as partial, partial.open("w") as file:
            file.write("slow ")
            began.set()
            ended.wait(10)
            file.write("and whole")

    thread = threading.Thread(target=slow)
    thread.start()
    began.wait(10)
    with replacing(tmp_path / "f") as partial:
        partial.write_text("quick")
    assert (tmp_path / "f").read_text() == "quick"
    ended.set()
    thread.join()
    assert (tmp_path / "f").read_text() == "slow and whole"
    assert len(list(tmp_path.iterdir())) == 1


def test_partials_of_the_dead(tmp_path):
    dead = 999_999_999
    names = [f"f.{dead}.partial", f"f.{dead}-77.partial", f"f.{os.getppid()}.partial", f"g.{dead}.partial"]
    names += ["f.partial", f"f.{dead}.part"]
    for name in names:
        (tmp_path / name).write_text("")
    assert sorted(p.name for p in stale_partials(tmp_path, ["f"])) == sorted(names[:2])
