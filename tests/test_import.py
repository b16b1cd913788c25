"""`import acvae` is cheap, and everything it promises is there."""

import subprocess
import sys

import pytest

import acvae


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_costs_at_most_half_a_second_on_top_of_torch():
    code = "import torch, time; t = time.perf_counter(); import acvae; print(time.perf_counter() - t)"
    assert min(float(run(code)) for _ in range(3)) <= 0.5


def test_heavy_packages_wait_until_they_are_needed():
    code = (
        "import sys, acvae; "
        "print(*[m for m in ('numba', 'sklearn', 'scipy', 'torch_geometric', 'matplotlib', 'pandas') "
        "if m in sys.modules])"
    )
    assert run(code) == ""


@pytest.mark.parametrize("name", acvae.__all__)
def test_every_public_name_can_be_had(name):
    assert getattr(acvae, name) is not None
    assert name in dir(acvae)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'ACVEA'"):
        _ = acvae.ACVEA


@pytest.mark.parametrize("package", ["", ".forests", ".gaussian", ".links.statistics", ".runs"])
def test_names_that_are_imported_when_used_are_listed(package):
    """By a shell that completes names, and by tools that make documents."""
    code = f"import acvae{package} as p; print(sorted(set(p.__all__) - set(dir(p))))"
    assert run(code) == "[]"
