"""The history of a training, read from a file that may be anything."""

import pytest

from acvae._util.history import checked_history
from acvae.exceptions import SavedModelError


def test_rows_come_back_as_they_are():
    rows = [{"epoch": 1, "elbo": -3.5}, {"epoch": 2, "mine": "x"}]
    assert checked_history(rows, ("epoch",)) is rows
    assert checked_history([]) == []


@pytest.mark.parametrize("odd", [None, {}, [3], [[]], "rows"])
def test_what_is_no_list_of_rows(odd):
    with pytest.raises(SavedModelError, match="one row of figures per epoch"):
        checked_history(odd)


@pytest.mark.parametrize("row", [{}, {"epoch": 1.0}, {"epoch": -1}, {"epoch": True}, {"epoch": "1"}])
def test_rows_without_what_is_needed(row):
    with pytest.raises(SavedModelError, match="a row without 'epoch'"):
        checked_history([{"epoch": 1}, row], ("epoch",))
