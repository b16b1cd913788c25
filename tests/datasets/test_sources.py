"""Where raw files are found, and what is read from them."""

import gzip
import hashlib
import io
import tarfile

import pytest

from acvae.datasets.sources import RawFile, decode, fetch, locate, members, open_binary, reading
from acvae.exceptions import DataError
from file_server import CONTENT, SHA256

# ---------------------------------------------------------------------- where files are


RAW = RawFile("data.bin", folder="set", page="http://example.org/page", also=("data",))


def test_order_of_places(private_cache, tmp_path, monkeypatch):
    root, environment = tmp_path / "root", tmp_path / "environment"
    monkeypatch.setenv("ACVAE_DATA", str(environment))
    root.mkdir()
    assert locate(RAW, root) is None
    for folder in (private_cache / "set", environment, root / "set"):  # each goes before the ones so far
        folder.mkdir(parents=True)
        (folder / "data.bin").touch()
        assert locate(RAW, root) == folder / "data.bin"
    assert locate(RAW) == environment / "data.bin"


def test_an_unpacked_form_is_found(private_cache, tmp_path):
    (tmp_path / "set" / "data").mkdir(parents=True)
    assert fetch(RAW, tmp_path) == tmp_path / "set" / "data"


def test_a_root_that_does_not_exist(private_cache, tmp_path):
    with pytest.raises(DataError, match="nowhere' does not exist"):
        locate(RAW, tmp_path / "nowhere")


def test_a_missing_file_says_which_whence_and_where_to(private_cache, tmp_path):
    with pytest.raises(DataError) as caught:
        fetch(RAW, tmp_path)
    for part in ("'data.bin'", "http://example.org/page", str(private_cache / "set"), "$ACVAE_DATA"):
        assert part in str(caught.value)


def test_fetch_downloads_into_the_cache(private_cache, server):
    raw = RawFile("data.bin", folder="set", page="", url=server.url, sha256=SHA256)
    assert fetch(raw, progress=False) == private_cache / "set" / "data.bin"
    assert fetch(raw, progress=False).read_bytes() == CONTENT
    assert len(server.requests) == 1


def test_fetch_says_what_to_do_when_the_publisher_fails(private_cache, server):
    server.status = 404
    raw = RawFile("data.bin", folder="set", page="", url=server.url)
    with pytest.raises(DataError, match=r"'data.bin' is not here, and .* answered 404 .* put it in"):
        fetch(raw, progress=False)


# ---------------------------------------------------------------------- reading


def pack(path, files, links=()):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, to in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, to
            archive.addfile(info)


def test_members_reads_archives_and_folders_alike(tmp_path):
    files = {"top/1998/a.abs": b"first", "top/b.abs": b"second", "top/c.txt": b"other"}
    pack(tmp_path / "packed.tar.gz", files)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    packed = [(name, file.read()) for name, file in members(tmp_path / "packed.tar.gz", (".abs",))]
    unpacked = [(name, file.read()) for name, file in members(tmp_path / "top", (".abs",))]
    assert packed == [("top/1998/a.abs", b"first"), ("top/b.abs", b"second")]
    assert unpacked == [("1998/a.abs", b"first"), ("b.abs", b"second")]


def test_members_writes_nothing_and_follows_no_link(tmp_path):
    secret = tmp_path / "secret.abs"
    secret.write_text("secret")
    archive = tmp_path / "in" / "evil.tar.gz"
    archive.parent.mkdir()
    pack(archive, {"../escaped.abs": b"x", "/tmp-absolute.abs": b"y"}, [("link.abs", str(secret))])
    assert [(name, file.read()) for name, file in members(archive, (".abs",))] == [
        ("../escaped.abs", b"x"),
        ("/tmp-absolute.abs", b"y"),
    ]
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["evil.tar.gz", "in", "secret.abs"]


def read_all(path):
    with reading(path, "http://example.org/again"):
        return [file.read() for _, file in members(path, (".abs",))]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.6, 0.9, 0.999])
def test_an_archive_cut_short_is_told(tmp_path, share):
    path = tmp_path / "packed.tar.gz"
    lines = [hashlib.sha256(str(i).encode()).hexdigest().encode() * 20 for i in range(50)]
    pack(path, {f"{i}.{'abs' if i % 2 else 'txt'}": line for i, line in enumerate(lines)})
    whole = path.read_bytes()
    assert len(read_all(path)) == 25
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(DataError, match=r"packed.tar.gz' is damaged or cut short .*example.org/again"):
        read_all(path)


def test_a_flipped_bit_is_told(tmp_path):
    path = tmp_path / "packed.tar.gz"
    with gzip.open(tmp_path / "store.gz", "wb", compresslevel=0) as file:  # stored: only the checksum tells
        inner = io.BytesIO()
        with tarfile.open(fileobj=inner, mode="w") as archive:
            info = tarfile.TarInfo("a.abs")
            info.size = 1000
            archive.addfile(info, io.BytesIO(b"a" * 1000))
        file.write(inner.getvalue())
    damaged = bytearray((tmp_path / "store.gz").read_bytes())
    damaged[damaged.index(b"aaaa") + 100] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="damaged"):
        read_all(path)


def test_a_file_that_is_not_what_its_name_says(tmp_path):
    (tmp_path / "page.txt.gz").write_bytes(b"<html>not found</html>")
    with pytest.raises(DataError, match="damaged"), reading(tmp_path / "page.txt.gz"):
        open_binary(tmp_path / "page.txt.gz").read()
    with pytest.raises(DataError, match="does not exist"), reading(tmp_path / "none.txt"):
        open_binary(tmp_path / "none.txt")


def test_text_that_is_not_utf8_is_read_as_latin1():
    assert decode("Schrödinger".encode()) == ("Schrödinger", True)
    assert decode("Schrödinger".encode("latin-1")) == ("Schrödinger", False)
