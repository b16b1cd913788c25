"""Complete linkage in bounded memory, and the tree of its merges."""
