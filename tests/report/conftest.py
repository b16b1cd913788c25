"""A run to make reports of."""

import pytest

from acvae.report import Entry
from report.samples import make_entry


@pytest.fixture
def entry() -> Entry:
    return make_entry()
