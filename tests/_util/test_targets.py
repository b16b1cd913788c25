"""Where a file is to be written is looked at before anything is computed for it."""

import pytest

from acvae._util.targets import check_target
from acvae.exceptions import InputError


def test_a_new_file_and_one_that_is_there(tmp_path):
    target = tmp_path / "model.safetensors"
    assert check_target(target) is None
    target.write_bytes(b"old")
    check_target(str(target))
    assert target.read_bytes() == b"old"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder; give the name of a file in it"):
        check_target(tmp_path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder '.*missing'\. Make it first"):
        check_target(tmp_path / "missing" / "model.safetensors")
