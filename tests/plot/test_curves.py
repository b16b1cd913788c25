"""Curves of training, and figures as files."""

import numpy as np
import pytest

from acvae import plot
from acvae.exceptions import InputError

HISTORY = [
    {"epoch": e, "elbo": -10.0 / e, **({"test_ncrr": e / 10} if e % 2 == 0 else {})} for e in range(1, 7)
]


def test_curves_of_one_history(ax) -> None:
    plot.curves(HISTORY, ax)
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), [-10.0 / e for e in range(1, 7)])
    assert ax.get_ylabel() == "ELBO"
    assert ax.get_legend() is None


def test_curves_of_several_are_drawn_where_they_were_measured(ax) -> None:
    plot.curves({"a": HISTORY, "b": HISTORY[:1]}, ax, figure="test_ncrr")
    (line,) = ax.lines  # b was never evaluated
    assert line.get_xdata().tolist() == [2, 4, 6]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a"]


def test_curves_name_what_there_is(ax) -> None:
    with pytest.raises(InputError, match="no history has the figure 'nmi'; there are elbo, epoch, test_ncrr"):
        plot.curves(HISTORY, ax, figure="nmi")


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_figures_can_be_saved(ax, kind, tmp_path) -> None:
    plot.curves(HISTORY, ax)
    ax.figure.savefig(tmp_path / f"curves.{kind}")
    assert (tmp_path / f"curves.{kind}").stat().st_size > 1000
