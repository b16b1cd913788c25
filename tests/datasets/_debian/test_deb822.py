import pytest

from acvae.datasets import debian
from acvae.datasets._debian.deb822 import related_packages, stanzas
from acvae.exceptions import DataError


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a (>= 1), b (<< 2~rc1), c", ["a", "b", "c"]),
        ("python3:any, python3.11:any", ["python3", "python3.11"]),
        ("a | b (= 1) | c:native, d", ["a", "b", "c", "d"]),
        ("a [amd64 !i386] <!nocheck>, g++", ["a", "g++"]),
        ("a,\nb,\n", ["a", "b"]),
        (" , | ,", []),
        ("a(>=1),b[amd64]", ["a", "b"]),
    ],
)
def test_relations_keep_every_name_and_nothing_else(field, expected):
    assert related_packages(field) == expected


def test_stanzas_join_continuation_lines_and_read_a_dot_as_an_empty_line(tmp_path):
    path = tmp_path / "control"
    path.write_bytes(b"\n\nA: 1\nLong: first\n second\n .\n\tthird\n\n  \nB:2\r\n\r\nC: x:y\n")
    assert list(stanzas(path)) == [{"a": "1", "long": "first\nsecond\n\nthird"}, {"b": "2"}, {"c": "x:y"}]


def test_stanzas_pass_over_what_is_not_a_field(tmp_path):
    path = tmp_path / "control"
    path.write_bytes(
        b" no field to continue\n# comment: no\nnoise\n of noise\nA: 1\nA: 2\n of 2\n: none\n x\n"
    )
    assert list(stanzas(path)) == [{"a": "1"}]


def test_stanzas_replace_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "control"
    path.write_bytes(b"Package: a\nMaintainer: Andr\xe9\n")
    assert list(stanzas(path)) == [{"package": "a", "maintainer": "Andr�"}]


def test_lz4_says_how_to_unpack(tmp_path):
    path = tmp_path / "Packages.lz4"
    path.write_bytes(b"\x04\x22\x4d\x18 and so on")
    with pytest.raises(DataError, match="lz4 -d"):
        debian.load(path)


def test_missing_file_and_folder_are_named(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*nowhere: No such file"):
        debian.load(tmp_path / "nowhere")
    with pytest.raises(DataError, match="cannot read"):
        debian.load(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"hello\nworld\n", b"Name: x\nSection: python\n", bytes(99)]
)
def test_what_is_no_index_is_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a Debian package index"):
        debian.load(path)
