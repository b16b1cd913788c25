import lzma

import pytest

from acvae.datasets import debian
from acvae.exceptions import DataError


@pytest.mark.parametrize(
    "content",
    [b"", b"text", lzma.compress(b"no json"), lzma.compress(b"[]"), lzma.compress(b'{"format": 1}')],
)
def test_what_is_no_snapshot_is_refused(tmp_path, content):
    path = tmp_path / "snapshot"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a snapshot"):
        debian.load(snapshot=path)


def test_missing_snapshot_is_named(tmp_path):
    with pytest.raises(DataError, match="cannot read"):
        debian.load(snapshot=tmp_path / "nowhere")
