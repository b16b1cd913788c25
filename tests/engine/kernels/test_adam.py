"""FlatAdam against torch.optim.Adam, step by step."""

import pytest
import torch

from acvae.engine.kernels import FlatAdam


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1, 7, 450_000])
def test_follows_torch_adam(dtype: torch.dtype, size: int) -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(size, generator=generator, dtype=dtype)
    ours, gradient = start.clone(), torch.zeros(size, dtype=dtype)
    theirs = torch.nn.Parameter(start.clone())
    reference = torch.optim.Adam([theirs], lr=0.01)
    adam = FlatAdam(ours, gradient, 0.01)
    for step in range(20):
        # Sizes from 1e-6 to 1e6, and now and then no gradient at all.
        values = torch.randn(size, generator=generator, dtype=dtype) * 10.0 ** (step % 13 - 6) * (step != 5)
        gradient.copy_(values)
        theirs.grad = values.clone()
        adam.step()
        reference.step()
        assert not gradient.any()  # ready for the next step
    tolerance = 1e-12 if dtype == torch.float64 else 2e-6
    torch.testing.assert_close(ours, theirs.detach(), rtol=tolerance, atol=tolerance)
    assert adam.count == 20
