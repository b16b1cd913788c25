"""`tests/` mirrors the package: a module has a test file of its name, or stands here with a reason."""

from pathlib import Path

import pytest

import acvae

HOME, TESTS = Path(acvae.__file__).parent, Path(__file__).parent

ONE_WHOLE = "one algorithm in several files, and only the whole has an oracle"
BY_ITS_USER = "made for one user, and every branch of it is a case of that user"
COMMAND = "seen from the shell only: its cases are command lines"
PICTURE = "a picture is looked at as a whole, by the same few checks for all"
NO_CODE = "names or types alone"

# The test file that a module is tested in, why, and the module.
ELSEWHERE = {
    ("commands/test_links.py", BY_ITS_USER): ["_util/table_writer", "runs/links"],
    ("test_new_model.py", BY_ITS_USER): ["_util/plugins", "report/entry"],
    ("test_import.py", NO_CODE): ["_util/version", "exceptions"],
    ("clustering/test_complete.py", ONE_WHOLE): [
        *(
            "clustering/candidates",
            "clustering/cluster_distances",
            "clustering/merges",
            "clustering/on_demand",
        ),
    ],
    ("commands/test_fit.py", COMMAND): [
        *("commands/_fit_flags", "commands/_options", "commands/_settings", "commands/_usage"),
    ],
    ("commands/test_main.py", COMMAND): [
        "__main__",
        "commands/_hints",
        "commands/_output",
    ],
    ("commands/test_neighbors.py", COMMAND): ["commands/_names"],
    ("datasets/test_debian.py", BY_ITS_USER): [
        "datasets/debian_index",
    ],
    ("datasets/test_sources.py", BY_ITS_USER): ["datasets/download"],
    ("datasets/test_epinions.py", BY_ITS_USER): ["datasets/ratings"],
    ("datasets/test_registry.py", BY_ITS_USER): ["datasets/dataset"],
    ("datasets/test_tables.py", ONE_WHOLE): [
        *("datasets/edge_files", "datasets/headers", "datasets/ids", "datasets/matrix_files"),
        *("datasets/table_features", "datasets/table_files"),
    ],
    ("engine/test_fused.py", ONE_WHOLE): [
        *(
            "engine/fused_batch",
            "engine/kernels/elementwise",
            "engine/kernels/first_layer",
            "engine/workspace",
        ),
    ],
    ("families/test_conformance.py", NO_CODE): ["families/base"],
    ("families/test_forest.py", BY_ITS_USER): ["families/shared_forest"],
    ("forests/elimination/test_factor.py", ONE_WHOLE): [
        *("forests/elimination/inverse", "forests/elimination/order"),
    ],
    ("gaussian/test_posterior.py", ONE_WHOLE): ["gaussian/conversion"],
    ("gaussian/forest/test_distances.py", ONE_WHOLE): ["gaussian/forest/distance_kernels"],
    ("gaussian/forest/test_density.py", ONE_WHOLE): ["gaussian/forest/divergence"],
    ("gaussian/test_extremes.py", BY_ITS_USER): ["gaussian/far_points"],
    ("gaussian/graph/test_local.py", ONE_WHOLE): [
        *("gaussian/graph/conjugate_gradients", "gaussian/graph/push", "gaussian/graph/rows"),
        "gaussian/graph/solver",
    ],
    ("gaussian/test_left_out.py", ONE_WHOLE): ["gaussian/forest/left_out"],
    ("gaussian/graph/test_joint.py", ONE_WHOLE): ["gaussian/graph/distances"],
    ("links/test_evaluation.py", BY_ITS_USER): ["links/judging"],
    ("links/test_of_posterior.py", ONE_WHOLE): [
        *("links/prediction", "links/ranking", "links/statistics/posterior"),
    ],
    ("links/test_candidates.py", BY_ITS_USER): ["links/statistics/candidates"],
    ("links/test_statistics.py", ONE_WHOLE): [
        *("links/statistics/cosines", "links/statistics/degrees", "links/statistics/paths"),
        *("links/statistics/graph", "links/statistics/neighbourhood", "links/statistics/scales"),
        *("links/statistics/symmetry", "links/statistics/walk"),
    ],
    ("links/test_stored.py", BY_ITS_USER): ["links/statistics/stored"],
    ("metrics/test_metrics.py", ONE_WHOLE): ["metrics/link_scores", "metrics/ranks"],
    ("models/test_conformance.py", ONE_WHOLE): ["models/conventions", "models/estimator"],
    ("models/test_graph_gaussian.py", ONE_WHOLE): [
        *("models/graph_extension", "models/graph_inputs"),
    ],
    ("models/test_tuning.py", BY_ITS_USER): ["models/scoring"],
    ("models/test_persistence.py", BY_ITS_USER): ["nn/autoencoder"],
    ("nn/test_features.py", BY_ITS_USER): ["_util/csr_entries", "nn/layers"],
    ("nn/test_likelihoods.py", BY_ITS_USER): ["nn/kernels/multinomial"],
    ("nn/test_pair_encoder.py", BY_ITS_USER): ["nn/kernels/pair_layer"],
    ("families/test_sage.py", BY_ITS_USER): ["nn/sage"],
    ("plot/test_forest.py", PICTURE): ["plot/labels", "plot/style", "plot/trees"],
    ("report/test_groups.py", BY_ITS_USER): ["report/classes", "report/dendrogram", "report/directions"],
    ("report/test_payload.py", BY_ITS_USER): [
        *("report/links", "report/packing", "report/paths", "report/reasons", "report/work"),
    ],
    ("report/test_page.py", BY_ITS_USER): ["report/scores"],
    ("reproduce/test_check.py", BY_ITS_USER): ["reproduce/claims"],
    ("reproduce/compare/test_rules.py", ONE_WHOLE): [
        *("reproduce/compare/ranking", "reproduce/compare/rule_methods"),
    ],
    ("reproduce/compare/test_store.py", BY_ITS_USER): ["reproduce/compare/tasks"],
    (
        "reproduce/compare/test_networks.py",
        "a network is judged by what it has learnt, by one test for all",
    ): [
        *("reproduce/compare/method", "reproduce/compare/network_methods"),
        *("reproduce/compare/networks/autoencoders", "reproduce/compare/networks/common"),
        *("reproduce/compare/networks/dgi", "reproduce/compare/networks/layers"),
        *("reproduce/compare/networks/ncn", "reproduce/compare/networks/node2vec"),
        *("reproduce/compare/networks/tensors", "reproduce/compare/networks/training"),
    ],
    ("reproduce/test_beyond.py", BY_ITS_USER): ["reproduce/compare/probabilities"],
    ("reproduce/test_runner.py", ONE_WHOLE): [
        *("reproduce/display", "reproduce/execute", "reproduce/worker"),
    ],
    ("reproduce/test_tables.py", ONE_WHOLE): [
        *("reproduce/paper", "reproduce/report", "reproduce/store"),
    ],
    ("reproduce/test_config.py", BY_ITS_USER): ["reproduce/spec"],
    ("runs/test_runs.py", ONE_WHOLE): [
        *("runs/errors", "runs/folder", "runs/graph_file", "runs/rankings"),
        *("runs/scores", "runs/training"),
    ],
    ("training/test_checkpoint.py", BY_ITS_USER): ["training/interrupts"],
    ("engine/test_distributed.py", "needs several processes"): ["training/sharded"],
}
LISTED = [module for modules in ELSEWHERE.values() for module in modules]


def own_test(module):
    path = Path(module)
    return TESTS / path.parent / f"test_{path.name.lstrip('_')}.py"


def modules():
    found = (path.relative_to(HOME).with_suffix("") for path in HOME.rglob("*.py"))
    return sorted(path.as_posix() for path in found if path.name != "__init__")


@pytest.mark.parametrize("module", modules())
def test_a_module_has_a_test_file_of_its_name_or_a_reason(module):
    assert own_test(module).is_file() != (module in LISTED), (
        f"write {own_test(module).relative_to(TESTS)}, or say in ELSEWHERE where {module} is tested and why"
    )


def test_exceptions_are_of_modules_that_are_there_and_name_files_that_are():
    assert sorted(LISTED) == sorted(set(LISTED) & set(modules()))
    assert [file for file, _ in ELSEWHERE if not (TESTS / file).is_file()] == []
