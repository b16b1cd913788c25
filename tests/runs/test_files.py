import numpy as np

from acvae.runs.files import plain, to_csv


def test_json_has_no_nan_and_csv_leaves_empty_what_is_not_there():
    values = {"a": float("nan"), "b": (1, np.float64(2.5)), 3: np.int64(4)}
    assert plain(values) == {"a": None, "b": [1, 2.5], "3": 4}
    assert to_csv([{"epoch": 1, "x": 0.1}, {"epoch": 2, "y": 3.0}]) == "epoch,x,y\n1,0.1,\n2,,3.0\n"
    assert to_csv([]) == "\n"
