"""Graph networks to compare with, on PyTorch Geometric's operators (the extra `baselines`)."""
