"""Figures and pages are light: no torch, no matplotlib at import; figures know nothing of pages."""

import ast
import subprocess
import sys
from pathlib import Path

import acvae.plot
import acvae.report


def test_neither_loads_torch_or_matplotlib():
    code = (
        "import sys, acvae.plot, acvae.report, acvae.report.page; "
        "print(sorted({'torch', 'matplotlib', 'sklearn', 'plotly'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_figures_do_not_import_pages():
    files = list(Path(acvae.plot.__file__).parent.glob("*.py"))
    assert len(files) > 8
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("acvae.report") for name in names), file.name
