"""NumPy's files come back as they were; headers that lie are refused before anything is allocated."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from acvae.datasets.numpy_files import map_npy, read_npy, read_npz
from acvae.exceptions import DataError

ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6).reshape(2, 3)),
    np.arange(4, dtype=">i4"),
    np.array(["a", "ü"]),
    np.array(3.5),
    np.zeros((0, 4), dtype=np.float32),
    np.array([True, False]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype} {a.shape}")
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_round_trip(array, version, tmp_path):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, array, version=version, allow_pickle=False)
    np.savez_compressed(tmp_path / "x.npz", a=array, b=array)
    for found in (read_npy(path), map_npy(path), *read_npz(tmp_path / "x.npz").values()):
        np.testing.assert_array_equal(found, array)
    assert read_npy(path).dtype.isnative
    assert read_npy(path).flags.writeable


def with_header(text, data=b"\0" * 48):
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


def described(descr="<f8", shape="(6,)"):
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}\n"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\x93NUMPY", b"\x93NUMPY\x09\x00", b"PK\x03\x04", with_header("("), with_header("(" * 9000),
        with_header("{}"), with_header("__import__('os').system('true')"),
        with_header(described(shape="(7,)")),
        with_header(described(shape="(1099511627776,)")), with_header(described(shape="(-6,)")),
        with_header(described(shape="(6.0,)")), with_header(described(shape="6")),
        with_header(described(shape="(" + "1," * 40 + "6)")), with_header(described("|O")),
        with_header(described("|V8")), with_header(described("<U1000000000")), with_header(described("|S0")),
        with_header(described("<M8[s]")), with_header(described(), b"\0" * 47),
        with_header(described(), b"\0" * 49),
    ],
)  # fmt: skip
def test_refused_without_memory(content, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as packed:
        packed.writestr("x.npy", content)
    tracemalloc.start()
    try:
        for read, file in ((read_npy, path), (map_npy, path), (read_npz, tmp_path / "x.npz")):
            with pytest.raises(DataError, match=r"x\.np[yz]'"):
                read(file)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_small_files_that_unpack_to_much(tmp_path):
    """220 MB of zeros in 1 MB."""
    np.savez_compressed(tmp_path / "x.npz", x=np.zeros(220 << 20, dtype=np.uint8))
    with pytest.raises(DataError, match=r"more than 209,715,200 bytes when unpacked.* unpack it first"):
        read_npz(tmp_path / "x.npz")


def test_members_that_are_no_arrays(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as packed:
        packed.writestr("notes.txt", "hello")
    with pytest.raises(DataError, match=r"holds 'notes\.txt', which is no array"):
        read_npz(tmp_path / "x.npz")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(tmp_path):
    array = io.BytesIO()
    np.save(array, np.zeros(3))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as packed:
        packed.writestr("a.npy", array.getvalue())
        packed.writestr("a.npy", array.getvalue())
    with pytest.raises(DataError, match="two arrays of the same name"):
        read_npz(tmp_path / "x.npz")
