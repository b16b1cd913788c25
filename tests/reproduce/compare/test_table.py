import numpy as np
import pytest

from acvae.reproduce.compare import (
    interval,
)


def test_the_interval_is_students() -> None:
    found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    # t of 0.975 with four degrees of freedom is 2.776; the standard error is √(2.5/5).
    assert found.mean == 3.0
    assert found.half == pytest.approx(2.776445 * np.sqrt(0.5), rel=1e-6)
    assert str(interval([0.25])) == "0.250"
    assert str(interval([None])) == "–"
