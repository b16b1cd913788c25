"""Small files that unpack to much are refused while they are read, in every place that unpacks."""

import bz2
import gzip
import lzma
import tarfile
import tracemalloc

import pyarrow as pa
import pyarrow.parquet
import pytest

from acvae.datasets import from_files
from acvae.datasets._debian.deb822 import stanzas
from acvae.datasets.citation import read_edges
from acvae.datasets.sources import members, open_binary
from acvae.datasets.table_files import read_lines, read_rows
from acvae.datasets.unpacking import RATIO, TEXT, unpacked_limit
from acvae.exceptions import DataError

LINE = b"0 " * 2047 + b"0\n"
ZEROS = LINE * (TEXT // len(LINE) + 1)


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    """The same text, a little too long, in every package."""
    folder = tmp_path_factory.mktemp("bombs")
    (folder / "x.txt.gz").write_bytes(gzip.compress(ZEROS, 1))
    (folder / "x.txt.bz2").write_bytes(bz2.compress(ZEROS, 1))
    (folder / "x.txt.xz").write_bytes(lzma.compress(ZEROS, preset=0))
    (folder / "plain.txt").write_bytes(ZEROS)
    with tarfile.open(folder / "x.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(folder / "plain.txt", "x.abs")
    return folder


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("x.txt.gz", read_rows),
        ("x.txt.bz2", read_rows),
        ("x.txt.gz", read_lines),
        ("x.txt.gz", read_edges),
        ("x.txt.xz", lambda path: list(stanzas(path))),
        ("x.txt.gz", lambda path: list(stanzas(path))),
        ("x.tar.gz", lambda path: [content.read() for _, content in members(path, (".abs",))]),
    ],
)
def test_refused(name, read, bombs):
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"more than [\d,]+ bytes when unpacked.* unpack it first"):
            read(bombs / name)
        assert tracemalloc.get_traced_memory()[1] < 6 * TEXT
    finally:
        tracemalloc.stop()


def test_plain_files_and_real_packages_are_read(bombs, tmp_path):
    with open_binary(bombs / "plain.txt") as file:
        assert len(file.read()) == len(ZEROS)
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(ZEROS[:TEXT]))
    with open_binary(tmp_path / "x.txt.gz") as file:
        assert b"".join(file) == ZEROS[:TEXT]
    assert unpacked_limit(bombs / "plain.txt") == RATIO * len(ZEROS)


def test_a_parquet_file_of_one_value_many_times(tmp_path):
    table = pa.table({"id": pa.array(["a"]).take(pa.array([0] * 3_000_000, pa.int32()))})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match="says that it has 3,000,000 rows of 1 cells"):
        from_files(tmp_path / "x.parquet", tmp_path / "x.parquet")


def test_damage_that_page_checksums_show(tmp_path):
    """Of numbers that are not packed: a flipped bit would otherwise be another number."""
    table = pa.table({"id": list(range(50)), "x": [1.0 + k for k in range(50)]})
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(
        table, path, write_page_checksum=True, compression="none", use_dictionary=False
    )
    whole, wanted = path.read_bytes(), read_rows(path).cells
    start = whole.index(b"\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40")  # 1.0, 2.0
    for at in range(start, start + 400, 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(DataError, match="damaged"):
            read_rows(path)
    path.write_bytes(whole)
    assert read_rows(path).cells == wanted
