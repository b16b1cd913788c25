"""The printed figures: the same rows everywhere, and figures that can be what they are called."""

from acvae.methods import METHODS
from acvae.reproduce import paper, tables


def test_printed_figures_cover_the_same_rows_on_every_data_set():
    rows = set(paper.TABLE1["epinions"])
    assert all(set(figures) == rows for figures in paper.TABLE1.values())
    assert rows <= set(tables.LABELS)


def test_methods_can_be_evaluated_so():
    for table in (*paper.TABLE1.values(), paper.TABLE2, paper.TABLE5):
        for method, kind in table:
            assert kind in METHODS[method].rankings


def test_scores_are_shares_and_bounds_fall_with_gamma():
    scores = [figure for table in (*paper.TABLE1.values(), paper.TABLE2) for figure in table.values()]
    assert all(0 < mean < 1 and 0 <= std < mean for mean, std in scores)
    assert all(0 < score < 1 for score in paper.TABLE5.values())
    for table in (*paper.TABLE3.values(), paper.TABLE4):
        for by_gamma in table.values():
            bounds = [bound for _, (bound, _) in sorted(by_gamma.items())]
            assert bounds == sorted(bounds, reverse=True)
            assert all(0 < score < 1 for _, score in by_gamma.values())


def test_tables_that_tell_the_same_agree():
    """Table 1 has one of the figures of tables 3 and 4, but for a unit of its last digit."""

    def near(figure, by_gamma):
        return min(abs(figure - score) for _, score in by_gamma.values()) < 0.0015

    for data, methods in paper.TABLE3.items():
        for method, by_gamma in methods.items():
            assert near(paper.TABLE1[data][method, "bp"][0], by_gamma)
    for method, by_gamma in paper.TABLE4.items():
        assert near(paper.TABLE1["citation-1998"][method, "pairwise"][0], by_gamma)
