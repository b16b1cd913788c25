"""`import acvae` is cheap, and everything it promises is there."""

import ast
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize("name", sorted({*acvae.__all__, *dir(acvae)}))
def test_every_public_name_can_be_had(name):
    assert getattr(acvae, name) is not None
    assert name in dir(acvae)


def test_what_everyone_needs_can_be_taken_in_at_a_glance():
    assert len(acvae.__all__) <= 25


def named_in_texts():
    """Names within the package that its messages and docstrings tell, such as acvae.methods.register."""
    for path in Path(acvae.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                # Not who is run as a program, nor a file's ending, nor a name with a place left open.
                yield from re.findall(
                    r"(?<![\w.-])(?<!-m )acvae((?:\.[A-Za-z_]\w*)+)(?!\w*[…{*(])", node.value
                )


def test_what_messages_and_docstrings_name_can_be_had():
    names = sorted(set(named_in_texts()))
    assert len(names) > 10
    assert {name.split(".")[1] for name in names} <= {*dir(acvae), "commands"}
    for name in names:
        assert pkgutil.resolve_name("acvae" + name) is not None


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'ACVEA'"):
        _ = acvae.ACVEA


@pytest.mark.parametrize("package", ["", ".forests", ".gaussian", ".runs"])
def test_names_that_are_imported_when_used_are_listed(package):
    """By a shell that completes names, and by tools that make documents."""
    code = f"import acvae{package} as p; print(sorted(set(p.__all__) - set(dir(p))))"
    assert run(code) == "[]"
