"""What all figures have in common."""

from acvae.plot.style import PALETTE, bare, color, finish


def test_colours_come_again():
    assert len(set(PALETTE)) == len(PALETTE)
    assert [color(k) for k in range(len(PALETTE) + 1)] == [*PALETTE, PALETTE[0]]


def test_a_finished_figure_has_a_grid_and_no_frame(ax):
    ax.plot([0, 1], label="a")
    finish(ax, legend=True)
    shown = {name for name, side in ax.spines.items() if side.get_visible()}
    assert shown == {"left", "bottom"}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a"]
    assert all(line.get_visible() for line in ax.get_xgridlines())


def test_without_a_legend(ax):
    finish(ax, legend=False)
    assert ax.get_legend() is None


def test_bare_axes_show_nothing_but_what_is_drawn(ax):
    bare(ax)
    assert len(ax.get_xticks()) == len(ax.get_yticks()) == 0
    assert ax.get_aspect() == 1
    assert not any(side.get_visible() for side in ax.spines.values())
