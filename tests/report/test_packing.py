"""Numbers and texts inside a page, as they are read again."""

import json

import numpy as np
import pytest

from acvae.report.packing import NOBODY, correlations, floats, ids, pack, script_json
from report.reading import unpack


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("s16", [-32768, 32767]),
        ("u8", [0, 255]),
        ("u16", [0, 65535]),
        ("u32", [0, 2**32 - 1]),
        ("f32", [0.5, -3]),
    ],
)
def test_every_kind_comes_back(kind, values):
    found = unpack(pack(np.array(values), kind))
    np.testing.assert_allclose(found * (32767 if kind == "s16" else 1), values, rtol=1e-12)


def test_numbers_lie_row_after_row():
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert unpack(floats(table)).tolist() == [0, 1, 2, 3, 4, 5]
    assert unpack(floats(table.T)).tolist() == [0, 3, 1, 4, 2, 5]


def test_correlations_are_rounded_and_held_within_one():
    found = unpack(correlations(np.array([-1.2, -1, 0, 0.33333, 1, 1.1])))
    np.testing.assert_allclose(found, [-1, -1, 0, 0.33333, 1, 1], atol=0.5 / 32767)


def test_ids_take_two_bytes_where_they_fit():
    assert ids(np.array([0, NOBODY]), 0xFFFE)["kind"] == "u16"
    wide = ids(np.array([70_000, NOBODY]), 100_000)
    assert wide["kind"] == "u32"
    assert unpack(wide).tolist() == [70_000, 0xFFFFFFFF]


def test_two_bytes_keep_one_value_for_nobody():
    assert ids(np.array([0]), 0xFFFF)["kind"] == "u32"
    assert unpack(ids(np.array([NOBODY, 3]), 10)).tolist() == [0xFFFF, 3]


def test_json_within_a_script():
    value = {"a": "</script><!--&", "é": ["\u2028", 1.5, None]}
    text = script_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))


def test_script_json_has_nothing_html_reads():
    text = script_json({"a": "<!-- <script> & \u2028", "b": [1.5, None]})
    assert not set(text) & set("<>&\u2028")
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(float("nan"))
