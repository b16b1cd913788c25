"""A joint on a forest: belief propagation along its paths."""
