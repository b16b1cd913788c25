"""One text in every packing, and archives that are not what was published."""

import bz2
import gzip
import io
import tarfile

import pytest

from acvae.datasets.packed_text import read_packed_text
from acvae.datasets.sources import reading
from acvae.exceptions import DataError

TEXT = b" 1 2 1\n 2 1 1\n"


def member(name, content=TEXT, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info, content


def tar(*members, form=tarfile.GNU_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content) if info.isreg() else None)
    return out.getvalue()


def written(tmp_path, content, name="trust_data.txt.bz2"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


ONE = tar(member("trust_data.txt"))
PACKINGS = {
    "plain": TEXT,
    "gz": gzip.compress(TEXT),
    "bz2": bz2.compress(TEXT),
    "tar": ONE,
    "tar.bz2": bz2.compress(ONE),
    "tar.gz": gzip.compress(ONE),
    "tar.bz2, POSIX headers": bz2.compress(tar(member("trust_data.txt"), form=tarfile.PAX_FORMAT)),
    "tar.bz2 with its folder": bz2.compress(
        tar(member("./data", b"", tarfile.DIRTYPE), member("./data/trust_data.txt"))
    ),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_first_bytes_say_what_a_file_is(packing, tmp_path):
    # The same misleading name for all of them: a plain text named .bz2 is read as well.
    assert read_packed_text(written(tmp_path, PACKINGS[packing])) == TEXT


HOSTILE = {
    "../trust_data.txt": (tar(member("../trust_data.txt")), "leads out of the archive"),
    "a/../../b": (tar(member("a/../../b")), "leads out of the archive"),
    "absolute": (tar(member("/etc/passwd")), "leads out of the archive"),
    "Windows": (tar(member("..\\b.txt")), "leads out of the archive"),
    "drive": (tar(member("C:b.txt")), "leads out of the archive"),
    "folder outside": (tar(member("../x", b"", tarfile.DIRTYPE), member("a")), "leads out of the archive"),
    "symbolic link": (tar(member("a", b"", tarfile.SYMTYPE, "/etc/passwd")), "'a' is a link"),
    "hard link": (tar(member("a"), member("b", b"", tarfile.LNKTYPE, "a")), "'b' is a link"),
    "device": (tar(member("null", b"", tarfile.CHRTYPE)), "'null' is a link, a device"),
    "pipe": (tar(member("pipe", b"", tarfile.FIFOTYPE)), "'pipe' is a link, a device"),
    "second file": (tar(member("a"), member("b")), "a second file, 'b'"),
    "second archive": (ONE + tar(member("b")), "something that is no member"),
    "no file": (tar(member("a", b"", tarfile.DIRTYPE)), "holds no file"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_archives_of_anything_but_one_file_are_refused(what, tmp_path):
    content, message = HOSTILE[what]
    path = written(tmp_path, bz2.compress(content))
    with pytest.raises(DataError, match=message) as caught:
        read_packed_text(path)
    assert "is refused" in str(caught.value)
    assert "get it from its publisher" in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]  # nothing was unpacked


def test_a_sparse_member_cannot_ask_for_memory(tmp_path):
    # A sparse file of GNU tar: a header that says 1 TB, of which nothing is stored.
    info = tarfile.TarInfo("big.txt")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[483:495] = b"16000000000\0"  # the real size, in octal
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = written(tmp_path, bytes(header) + bytes(1024))
    with pytest.raises(DataError, match=r"'big\.txt' is a link, a device or another special file"):
        read_packed_text(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_no_more_is_read_than_allowed(pack, tmp_path):
    path = written(tmp_path, pack(b"1 2 1\n" * 1000))
    assert len(read_packed_text(path, 6000)) == 6000
    with pytest.raises(DataError, match="more than 5,999 bytes when unpacked"):
        read_packed_text(path, 5999)


@pytest.mark.parametrize("packing", [name for name in PACKINGS if name != "plain"])
def test_files_that_are_cut_short(packing, tmp_path):
    whole = PACKINGS[packing]
    cut = whole[:-5] if packing != "tar" else whole[:520]
    path = written(tmp_path, cut)
    message = r"damaged or cut short .* Fetch it again from http://x"
    with pytest.raises(DataError, match=message), reading(path, "http://x"):
        read_packed_text(path)
