"""Static figures with matplotlib, for papers and READMEs; and places for maps."""

from acvae.plot.curves import curves
from acvae.plot.distance_reliability import reliability
from acvae.plot.forest import forest_map, forest_neighborhood, forest_tree
from acvae.plot.gamma import gamma_sweep
from acvae.plot.layout import map_coordinates
from acvae.plot.link_reliability import Reliability, bin_probabilities, link_reliability

__all__ = [
    "Reliability",
    "bin_probabilities",
    "curves",
    "forest_map",
    "forest_neighborhood",
    "forest_tree",
    "gamma_sweep",
    "link_reliability",
    "map_coordinates",
    "reliability",
]
