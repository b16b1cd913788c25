"""The figures that the paper prints: Tang, Liang, Ruozzi, Jebara, Learning Correlated Latent
Representations with Adaptive Priors.
"""

from __future__ import annotations

__all__ = ["TABLE1", "TABLE2", "TABLE3", "TABLE4", "TABLE5"]

Row = tuple[str, str]  # method, kind of evaluation
Figure = tuple[float, float]  # mean, standard deviation

# NCRR by data set.
TABLE1: dict[str, dict[Row, Figure]] = {
    "epinions": {
        ("vae", "independent"): (0.005, 0.001),
        ("graphsage", "independent"): (0.012, 0.003),
        ("cvae-ind", "independent"): (0.016, 0.000),
        ("cvae-corr", "pairwise"): (0.017, 0.001),
        ("acvae-eb", "pairwise"): (0.013, 0.000),
        ("acvae-sp", "pairwise"): (0.010, 0.003),
        ("acvae-eb", "bp"): (0.034, 0.003),
        ("acvae-sp", "bp"): (0.035, 0.001),
    },
    "citation-1998": {
        ("vae", "independent"): (0.018, 0.004),
        ("graphsage", "independent"): (0.020, 0.002),
        ("cvae-ind", "independent"): (0.040, 0.003),
        ("cvae-corr", "pairwise"): (0.058, 0.002),
        ("acvae-eb", "pairwise"): (0.049, 0.001),
        ("acvae-sp", "pairwise"): (0.039, 0.002),
        ("acvae-eb", "bp"): (0.126, 0.005),
        ("acvae-sp", "bp"): (0.123, 0.007),
    },
    "librarything": {
        ("vae", "independent"): (0.006, 0.000),
        ("graphsage", "independent"): (0.004, 0.001),
        ("cvae-ind", "independent"): (0.012, 0.001),
        ("cvae-corr", "pairwise"): (0.020, 0.001),
        ("acvae-eb", "pairwise"): (0.018, 0.001),
        ("acvae-sp", "pairwise"): (0.018, 0.001),
        ("acvae-eb", "bp"): (0.032, 0.002),
        ("acvae-sp", "bp"): (0.032, 0.001),
    },
}

# Normalised mutual information, on LibraryThing.
TABLE2: dict[Row, Figure] = {
    ("graphsage", "independent"): (0.002, 0.000),
    ("cvae-ind", "independent"): (0.010, 0.004),
    ("cvae-corr", "pairwise"): (0.002, 0.000),
    ("acvae-eb", "bp"): (0.012, 0.003),
    ("acvae-sp", "bp"): (0.011, 0.002),
}

# (ELBO, NCRR) by data set, method and γ, with belief propagation.
TABLE3: dict[str, dict[str, dict[float, Figure]]] = {
    "epinions": {
        "acvae-eb": {0.001: (-31.8, 0.034), 0.1: (-36.4, 0.031), 10.0: (-61.3, 0.028), 1000.0: (-674, 0.028)},
        "acvae-sp": {0.001: (-31.9, 0.031), 0.1: (-38.3, 0.035), 10.0: (-119, 0.034), 1000.0: (-1535, 0.037)},
    },
    "citation-1998": {
        "acvae-eb": {0.001: (-7.48, 0.126), 0.1: (-7.91, 0.113), 10.0: (-24.4, 0.112), 1000.0: (-184, 0.099)},
        "acvae-sp": {0.001: (-7.48, 0.124), 0.1: (-8.59, 0.121), 10.0: (-49.2, 0.120), 1000.0: (-288, 0.054)},
    },
}

# (ELBO, NCRR) on Citation by method and γ, without belief propagation.
TABLE4: dict[str, dict[float, Figure]] = {
    "acvae-eb": {0.001: (-7.47, 0.012), 0.1: (-7.88, 0.031), 10.0: (-23.8, 0.043), 1000.0: (-183, 0.049)},
    "acvae-sp": {0.001: (-7.48, 0.010), 0.1: (-8.51, 0.025), 10.0: (-47.9, 0.037), 1000.0: (-286, 0.039)},
    "cvae-corr": {0.001: (-7.48, 0.011), 0.1: (-8.49, 0.023), 10.0: (-42.3, 0.042), 1000.0: (-267, 0.058)},
}

# NCRR on the larger Citation; the paper could not run CVAE at that size.
TABLE5: dict[Row, float] = {
    ("vae", "independent"): 0.002,
    ("graphsage", "independent"): 0.002,
    ("acvae-eb", "bp"): 0.076,
    ("acvae-sp", "bp"): 0.073,
}
