"""How files are fetched: whole or not at all, resumed, checked, against a server on this machine."""

import pytest

from acvae.datasets.download import download
from acvae.exceptions import DataError
from file_server import CONTENT, SHA256, Server


def get(server, target, **options):
    download(server.url, target, progress=False, patience=0, **options)


def test_download_puts_the_whole_file_in_place_and_leaves_nothing_else(server, tmp_path):
    target = tmp_path / "new" / "data.bin"
    get(server, target, sha256=SHA256)
    assert target.read_bytes() == CONTENT
    assert [file.name for file in target.parent.iterdir()] == ["data.bin"]


def test_a_file_that_is_there_is_not_asked_for_again(server, tmp_path):
    target = tmp_path / "data.bin"
    target.write_bytes(b"mine")
    get(server, target, sha256=SHA256)
    assert target.read_bytes() == b"mine"
    assert server.requests == []


def test_a_broken_transfer_goes_on_where_it_stopped(server, tmp_path):
    server.break_after = [1000, 500]
    target = tmp_path / "data.bin"
    get(server, target)
    assert target.read_bytes() == CONTENT
    assert [request.get("Range") for request in server.requests] == [None, "bytes=1000-", "bytes=1500-"]
    assert server.requests[1]["If-Range"] == '"v1"'


def test_a_later_call_resumes_what_an_earlier_one_left(server, tmp_path):
    target = tmp_path / "data.bin"
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:777])
    get(server, target, sha256=SHA256)
    assert target.read_bytes() == CONTENT
    assert server.requests[0]["Range"] == "bytes=777-"


def test_without_checksum_or_validator_a_partial_file_is_not_trusted(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(b"of another version")
    get(server, tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert "Range" not in server.requests[0]


def test_a_file_changed_by_its_publisher_is_fetched_from_the_start(server, tmp_path):
    server.break_after = [1000] * 4
    with pytest.raises(DataError, match="connection was lost"):
        get(server, tmp_path / "data.bin")
    server.content, server.etag = CONTENT[::-1], '"v2"'
    get(server, tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT[::-1]


def test_a_server_without_ranges_is_read_from_the_start(server, tmp_path):
    server.honours_range = False
    server.break_after = [1000]
    get(server, tmp_path / "data.bin", sha256=SHA256)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("checksum", [SHA256, None])
def test_a_partial_file_that_is_already_whole(server, tmp_path, checksum):
    (tmp_path / "data.bin.part").write_bytes(CONTENT)
    get(server, tmp_path / "data.bin", sha256=checksum)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_partial_file_that_is_too_long_is_thrown_away(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT + b"more")
    get(server, tmp_path / "data.bin", sha256=SHA256)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_failed_checksum_leaves_nothing(server, tmp_path):
    with pytest.raises(DataError, match=f"fails its checksum .*{SHA256}.*expected {'0' * 64}"):
        get(server, tmp_path / "data.bin", sha256="0" * 64)
    assert not list(tmp_path.glob("data.bin")) + list(tmp_path.glob("*.part*"))


def test_a_publisher_that_does_not_have_the_file_is_asked_once(server, tmp_path):
    server.status = 404
    with pytest.raises(DataError, match=r"127\.0\.0\.1:\d+ answered 404"):
        get(server, tmp_path / "data.bin")
    assert len(server.requests) == 1
    assert not (tmp_path / "data.bin").exists()


def test_a_busy_publisher_is_asked_again(server, tmp_path):
    server.status = 503
    with pytest.raises(DataError, match="answered 503"):
        get(server, tmp_path / "data.bin")
    assert len(server.requests) == 4


def test_a_publisher_that_is_down(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as gone:
        url = gone.url
    with pytest.raises(DataError, match="could not be reached"):
        download(url, tmp_path / "data.bin", progress=False, patience=0)


def test_a_place_that_cannot_be_written(server, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DataError, match="cannot be stored"):
        get(server, tmp_path / "file" / "data.bin")


def test_what_cannot_be_read_beside_a_partial_file_is_no_mark_of_its_version(server, tmp_path):
    part = tmp_path / "data.bin.part"
    for told in ("", "[]", '{"url": "http://elsewhere", "validator": "1"}', '{"validator": "1"}'):
        part.write_bytes(b"of another version")
        part.with_name("data.bin.part.json").write_text(told)
        get(server, tmp_path / "data.bin")
        assert (tmp_path / "data.bin").read_bytes() == CONTENT
        assert "Range" not in server.requests[-1]
        (tmp_path / "data.bin").unlink()


def test_a_weak_mark_is_no_mark(server, tmp_path):
    server.etag = 'W/"v1"'
    server.break_after = [1000]
    get(server, tmp_path / "data.bin")
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert "Range" not in server.requests[1]  # from the start: nothing would tell of a change
