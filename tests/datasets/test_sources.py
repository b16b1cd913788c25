"""Where raw files are found, and how they are fetched: against a server on this machine."""

import gzip
import hashlib
import http.server
import io
import re
import tarfile
import threading

import pytest

from acvae.datasets.download import download
from acvae.datasets.sources import RawFile, decode, fetch, locate, members, open_binary, reading
from acvae.exceptions import DataError

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves CONTENT at any path; attributes make it misbehave."""

    daemon_threads = True
    content = CONTENT
    etag: str | None = '"v1"'
    honours_range = True
    status = 200
    break_after: list[int]  # bytes to send before the connection is dropped, one entry per request

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.break_after, self.requests = [], []
        self.url = f"http://127.0.0.1:{self.server_port}/data.bin"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        if server.status != 200:
            self.send_error(server.status)
            return
        start, size = 0, len(server.content)
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        same = self.headers.get("If-Range") in (None, server.etag)
        if wanted and server.honours_range and same:
            start = int(wanted[1])
            if start >= size:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(size - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        self.end_headers()
        stop = start + server.break_after.pop(0) if server.break_after else size
        self.wfile.write(server.content[start:stop])

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server, target, **options):
    download(server.url, target, progress=False, patience=0, **options)


# ---------------------------------------------------------------------- download


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
