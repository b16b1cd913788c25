"""Correlated representation learning: one exact joint Gaussian over the embeddings of related points."""
