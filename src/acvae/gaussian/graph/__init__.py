"""A joint on a whole graph: a sparse precision, solved by elimination."""
