"""Numbers in messages."""

from acvae._util.text import counted, score_text


def test_counted():
    assert [counted(n, "edge") for n in (0, 1, 2, 1200)] == ["0 edges", "1 edge", "2 edges", "1,200 edges"]
    assert counted(2, "vertex", "vertices") == "2 vertices"


def test_scores_of_large_graphs_keep_two_digits():
    assert [score_text(v) for v in (1.0, 0.0351, 0.01, 0.00294, 0.0000312, 0.0)] == [
        *("1.000", "0.035", "0.010", "0.0029", "3.1e-05", "0.000")
    ]
