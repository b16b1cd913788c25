import pytest

import acvae
from acvae.exceptions import OptionError
from acvae.models.registry import estimator_named, register_estimator


@pytest.mark.parametrize("name", ["ACVAE", "CVAE", "GraphGaussian", "GraphSAGE", "VAE"])
def test_the_package_s_own(name):
    assert estimator_named(name) is getattr(acvae, name)


def test_what_is_none():
    assert estimator_named("Nobody") is None
    assert estimator_named(3) is None
    with pytest.raises(OptionError, match="an estimator is a class or 'module:Class', not ':VAE'"):
        register_estimator(":VAE")
    with pytest.raises(OptionError, match="an estimator is a class with fit"):
        register_estimator(int)
