"""Files of arrays come back as they were, and nothing hostile in one gets further than an error."""

import hashlib
import json
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from acvae._util.arrays import json_array, parse_json, read_arrays, write_arrays
from acvae.exceptions import OptionError, SavedModelError

MINE = {"format": "mine", "version": 1}
KINDS = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def write(path, arrays=None, about=None):
    write_arrays(path, {"x": np.arange(6.0).reshape(2, 3)} if arrays is None else arrays, about or {}, **MINE)
    return path


def read(path):
    return read_arrays(path, **MINE, what="file of mine")


def by_hand(path, header, data=b"", length=None):
    """A file with any header at all."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


def entry(kind="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": kind, "shape": list(shape), "data_offsets": list(offsets)}


META = {"__metadata__": {"format": "mine", "version": "1"}}


class TestRoundTrip:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3), (1, 2, 3)])
    def test_every_type_and_shape(self, tmp_path, kind, shape):
        array = np.random.default_rng(0).integers(0, 2, shape).astype(kind)
        (found,) = read(write(tmp_path / "f", {"x": array}))[0].values()
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)

    def test_other_layouts_and_byte_orders(self, tmp_path):
        table = np.arange(6.0).reshape(2, 3)
        arrays = {"turned": table.T, "big": table.astype(">f8"), "every second": table[:, ::2]}
        for name, found in read(write(tmp_path / "f", arrays))[0].items():
            np.testing.assert_array_equal(found, arrays[name])

    def test_what_is_told_about_them(self, tmp_path):
        about = {"a": [1, 2.5, None, {"b": "päper"}], "n": np.int64(3), "not": float("nan")}
        about |= {"array": np.array([[1.5, 2], [3, 4]]), "range": range(3)}
        found = read(write(tmp_path / "f", about=about))[1]
        assert found["a"] == about["a"]
        assert found["array"] == [[1.5, 2.0], [3.0, 4.0]]
        assert found["range"] == [0, 1, 2]
        assert found["n"] == 3
        assert np.isnan(found["not"])

    def test_the_same_content_gives_the_same_bytes(self, tmp_path):
        arrays = {
            name: np.full(3, k, kind)
            for k, (name, kind) in enumerate([("a", "i4"), ("b", "f8"), ("c", "u1")])
        }
        first = write(tmp_path / "f", arrays, {"k": 1}).read_bytes()
        again = write(tmp_path / "g", dict(reversed(arrays.items())), {"k": 1}).read_bytes()
        assert first == again

    def test_others_can_read_them(self, tmp_path):
        np.testing.assert_array_equal(load_file(write(tmp_path / "f"))["x"], np.arange(6.0).reshape(2, 3))

    def test_nothing_else_is_left(self, tmp_path):
        write(tmp_path / "f")
        with pytest.raises(OptionError, match="'odd' of type object"):
            write(tmp_path / "f", {"odd": np.array([None])})
        assert [p.name for p in tmp_path.iterdir()] == ["f"]
        assert "x" in read(tmp_path / "f")[0]

    @pytest.mark.parametrize("name", ["about", "__metadata__"])
    def test_reserved_names(self, tmp_path, name):
        with pytest.raises(OptionError, match=name):
            write(tmp_path / "f", {name: np.zeros(1)})

    def test_what_json_cannot_hold(self, tmp_path):
        with pytest.raises(OptionError, match="a set cannot be stored"):
            write(tmp_path / "f", about={"x": {1}})

    def test_json_in_an_array_of_its_own(self):
        names = ["päper", 3, None]
        assert parse_json(json_array(names), "names") == names
        with pytest.raises(SavedModelError, match=r"names cannot be read: .*bytes, not as float64"):
            parse_json(np.zeros(3), "names")


class TestFilesOfOthers:
    def test_without_a_checksum(self, tmp_path):
        about = json_array({"k": 1})
        save_file(
            {"x": np.ones(2), "about": about}, tmp_path / "f", metadata={"format": "mine", "version": "1"}
        )
        arrays, told = read(tmp_path / "f")
        np.testing.assert_array_equal(arrays["x"], [1, 1])
        assert told == {"k": 1}

    def test_without_a_format(self, tmp_path):
        save_file({"x": np.ones(2)}, tmp_path / "f", metadata={"seed": "3"})
        with pytest.raises(SavedModelError, match="not a file of mine of acvae"):
            read(tmp_path / "f")

    def test_without_what_it_tells(self, tmp_path):
        save_file({"x": np.ones(2)}, tmp_path / "f", metadata={"format": "mine", "version": "1"})
        with pytest.raises(SavedModelError, match="it has no 'about' that tells what it holds"):
            read(tmp_path / "f")


class TestRefusal:
    def check_refused(self, path, match):
        with pytest.raises(SavedModelError, match=match):
            read(path)

    def test_no_file_and_a_folder(self, tmp_path):
        self.check_refused(tmp_path / "nowhere", "there is no file .*nowhere")
        self.check_refused(tmp_path, "is a folder")

    @pytest.mark.parametrize("content", [b"", b"hello\n", b"{}", b"\0" * 100, b"\xff" * 1000])
    def test_other_files(self, tmp_path, content):
        (tmp_path / "f").write_bytes(content)
        self.check_refused(tmp_path / "f", "f is not a file of mine, or is damaged")

    def test_another_format_and_a_newer_version(self, tmp_path):
        by_hand(tmp_path / "f", {"__metadata__": {"format": "yours"}})
        self.check_refused(tmp_path / "f", "not a file of mine of acvae")
        by_hand(tmp_path / "f", {"__metadata__": {"format": "mine", "version": "2"}})
        self.check_refused(tmp_path / "f", "format 2.*reads 1: upgrade")
        by_hand(tmp_path / "f", {"__metadata__": {"format": "mine"}})
        self.check_refused(tmp_path / "f", "format 0.*reads 1: make the file again")
        for odd in ("new", "-1", "١", "1" * 5000, ""):
            by_hand(tmp_path / "f", {"__metadata__": {"format": "mine", "version": odd}})
            self.check_refused(tmp_path / "f", "no number")

    def test_every_cut(self, tmp_path):
        whole = write(tmp_path / "f").read_bytes()
        for length in range(len(whole)):
            (tmp_path / "f").write_bytes(whole[:length])
            self.check_refused(tmp_path / "f", "damaged")
        (tmp_path / "f").write_bytes(whole + b"\0")
        self.check_refused(tmp_path / "f", "damaged")

    def test_every_flipped_byte_of_the_data(self, tmp_path):
        whole = write(tmp_path / "f", about={"k": 1}).read_bytes()
        start = 8 + int.from_bytes(whole[:8], "little")
        for at in range(start, len(whole)):
            changed = bytearray(whole)
            changed[at] ^= 1
            (tmp_path / "f").write_bytes(changed)
            self.check_refused(tmp_path / "f", "checksum")

    def test_no_flipped_byte_of_the_header_gets_by(self, tmp_path):
        """Either it is refused, or the arrays and what is told of them are as they were."""
        whole = write(tmp_path / "f", about={"k": 1}).read_bytes()
        length = int.from_bytes(whole[:8], "little")
        for at in range(8 + length):
            changed = bytearray(whole)
            changed[at] ^= 1
            (tmp_path / "f").write_bytes(changed)
            try:
                arrays, about = read(tmp_path / "f")
            except SavedModelError:
                continue
            assert about == {"k": 1}
            np.testing.assert_array_equal(arrays["x"], np.arange(6.0).reshape(2, 3))

    def test_a_header_longer_than_the_file(self, tmp_path):
        for length in (1 << 63, (1 << 64) - 1, 1 << 40, 1000):
            self.check_refused(by_hand(tmp_path / "f", META, length=length), "header would have")

    def test_a_header_that_is_too_long(self, tmp_path):
        self.check_refused(by_hand(tmp_path / "f", b" " * (2 << 20)), "header would have 2,097,152")

    @pytest.mark.parametrize(
        "text",
        [
            b"[]", b"3", b"null", b'"x"', b"{", b'{"x": NaN}', b"[" * 100_000, b'{"a":' * 50_000,
            b'{"__metadata__": {}, "__metadata__": {"format": "mine"}}', b'{"__metadata__": {"format": 3}}',
            b'{"__metadata__": []}', b"\xff\xfe{}", b"9" * 5000,
        ],
    )  # fmt: skip
    def test_headers_that_are_no_headers(self, tmp_path, text):
        self.check_refused(by_hand(tmp_path / "f", text), "damaged")

    @pytest.mark.parametrize(
        "odd",
        [
            None, [], 3, {}, entry() | {"more": 1}, entry(kind="F128"), entry(kind=["F32"]), entry(kind=None),
            entry(shape=(2.0,)), entry(shape=(True, 2)), entry(shape=(-2,)), entry(shape=(-1, -2)),
            entry(shape=(3,)), entry(shape=(1 << 61, 1 << 61)), entry(shape=(1 << 61, 4)),
            entry(shape=(10**4000,)),
            entry(offsets=(8, 0)), entry(offsets=(-8, 0)), entry(offsets=(0, 8, 16)), entry(offsets=(0,)),
            entry(offsets=(0.0, 8.0)), entry(offsets=(4, 12)), entry(shape=[1] * 100 + [2]),
            entry(shape=(4,), offsets=(0, 16)), {**entry(), "shape": 2}, {**entry(), "data_offsets": "08"},
        ],
    )  # fmt: skip
    def test_arrays_that_are_not_there(self, tmp_path, odd):
        self.check_refused(by_hand(tmp_path / "f", META | {"x": odd}, b"\0" * 8), "damaged")

    def test_overlaps_and_gaps(self, tmp_path):
        both = META | {"x": entry(), "y": entry(offsets=(4, 12))}
        self.check_refused(by_hand(tmp_path / "f", both, b"\0" * 12), "begins at byte 4, not 8")
        both = META | {"x": entry(), "y": entry(offsets=(12, 20))}
        self.check_refused(by_hand(tmp_path / "f", both, b"\0" * 20), "begins at byte 12, not 8")

    def test_bools_that_are_neither(self, tmp_path):
        self.check_refused(
            by_hand(tmp_path / "f", META | {"x": entry("BOOL", (1,), (0, 1))}, b"\2"), "neither true"
        )

    @pytest.mark.parametrize(
        "text", [b"[1]", b"{", b"[" * 40 + b"]" * 40, b'{"a": 1, "a": 2}', b"[" * 100_000]
    )
    def test_odd_json_inside(self, tmp_path, text):
        place = {"about": entry("U8", (len(text),), (0, len(text)))}
        self.check_refused(by_hand(tmp_path / "f", META | place, text), "damaged")

    def test_a_hostile_file_takes_no_memory(self, tmp_path):
        many = json.dumps({f"a{k}": entry("F32", (0,), (0, 0)) for k in range(10_000)}).encode()
        tracemalloc.start()
        try:
            for header in (META | {"x": entry(shape=(1 << 40,), offsets=(0, 1 << 42))}, many):
                self.check_refused(by_hand(tmp_path / "f", header), "damaged|not a file of mine")
            assert tracemalloc.get_traced_memory()[1] < 40e6
        finally:
            tracemalloc.stop()


def test_the_checksum_is_of_the_header_and_the_arrays(tmp_path):
    """The recipe, written out once more."""
    whole = write(tmp_path / "f", {"x": np.ones(2, np.float32)}, {}).read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    told = [["format", "mine"], ["version", "1"]]
    entries = [["x", "F32", [2], 0, 8], ["about", "U8", [2], 8, 10]]
    text = json.dumps([told, entries], separators=(",", ":")).encode()
    assert header["__metadata__"]["sha256"] == hashlib.sha256(text + whole[8 + length :]).hexdigest()
