"""How Sphinx builds these pages: `make docs`."""

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from acvae import __version__  # noqa: E402

project = "acvae"
author = "the acvae developers"
copyright = "the acvae developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "mathml"]
exclude_patterns = ["_build", "_ext"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"acvae {__version__}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False

# The docstrings use single backticks for code.
default_role = "code"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # they are in the source; in a signature they hide the defaults
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"


def _as_written(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings as they are written here, in the terms that Sphinx reads.

    An indented paragraph before the first section is an equation or code. A plain paragraph after the
    parameters belongs to the text above them. A star before a word is a star.
    """
    paragraphs = [p.splitlines() for p in re.split(r"\n\s*\n", "\n".join(lines)) if p.strip()]
    text: list[list[str]] = []
    sections: list[list[str]] = []
    for paragraph in paragraphs:
        heading = len(paragraph) > 1 and set(paragraph[1].strip()) == {"-"}
        if heading or (sections and any(line.startswith(" ") for line in paragraph)):
            sections.append(paragraph)
        elif not sections and paragraph[0].startswith("    "):
            text.append(["::", "", *paragraph])
        else:
            text.append([re.sub(r"(?<![\w*`])\*(?=\w)", r"\\*", line) for line in paragraph])
    lines[:] = [line for paragraph in text + sections for line in [*paragraph, ""]]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _as_written, priority=100)  # before napoleon
