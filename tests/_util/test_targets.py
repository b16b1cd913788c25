"""Where a file is to be written is looked at before anything is computed for it."""

import pytest

from acvae._util.targets import as_target
from acvae.exceptions import InputError


def test_a_new_file_and_one_that_is_there(tmp_path):
    target = tmp_path / "model.safetensors"
    assert as_target("path", target) == target
    target.write_bytes(b"old")
    assert as_target("path", str(target)) == target
    assert target.read_bytes() == b"old"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder; give the name of a file in it"):
        as_target("path", tmp_path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder '.*missing'\. Make it first"):
        as_target("path", tmp_path / "missing" / "model.safetensors")
