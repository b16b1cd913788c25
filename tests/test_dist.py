"""What is claimed and what is shipped: lower bounds that are tried, and a wheel with everything in it."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def claimed():
    """{package: lower bound} of what the package and its tests need."""
    extras = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"], *extras["baselines"], *extras["tables"], *extras["test"]]
    found = (re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in lines if not line.startswith("acvae"))
    return {match[1]: match[2] for match in found}


def test_every_lower_bound_is_the_version_that_is_tried():
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    tried = dict(line.split("==") for line in lines if "==" in line)
    for package, bound in claimed().items():
        parts = bound.split(".")
        assert tried[package].split(".")[: len(parts)] == parts, f"{package}>={bound} was not tried"
        assert set(tried[package].split(".")[len(parts) :]) <= {"0"}, f"{package}: an older one is admitted"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="building needs hatchling, and fetching it the network")
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "content")
    return folder / "content"


def test_the_wheel_has_every_file_of_the_package(wheel):
    here = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "acvae").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    there = {path.relative_to(wheel).as_posix() for path in wheel.rglob("*") if path.is_file()}
    assert here <= there
    configs = {
        f"acvae/reproduce/configs/{path.name}" for path in (ROOT / "experiments").glob("[tf]*[1-5].toml")
    }
    assert configs
    assert configs <= there


def test_the_wheel_works_without_this_folder(wheel, tmp_path):
    code = (
        "import acvae, acvae.reproduce.config as c; from acvae.commands.main import main; "
        f"assert acvae.__file__.startswith({str(wheel)!r}), acvae.__file__; "
        "assert c.load_experiment('table1').runs; "
        "raise SystemExit(main(['--version']))"
    )
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("acvae ")
