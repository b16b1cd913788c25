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
    ("test_import.py", NO_CODE): ["_util/version"],
    ("commands/test_fit.py", COMMAND): ["commands/_fit_flags"],
    ("commands/test_main.py", COMMAND): ["__main__"],
    ("datasets/test_debian.py", BY_ITS_USER): ["datasets/debian_index"],
    ("engine/test_fused.py", ONE_WHOLE): ["engine/fused_batch"],
    ("families/test_conformance.py", NO_CODE): ["families/base"],
    ("models/test_conformance.py", ONE_WHOLE): ["models/estimator"],
    (
        "reproduce/compare/test_network_methods.py",
        "a network is judged by what it has learnt, by one test for all",
    ): [
        *("reproduce/compare/method", "reproduce/compare/networks/autoencoders"),
    ],
    ("reproduce/test_runner.py", ONE_WHOLE): ["reproduce/execute", "reproduce/worker"],
    ("runs/test_folder.py", NO_CODE): ["runs/errors"],
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
