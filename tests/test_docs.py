"""Every Python block of the documents and the README is run, in order, one namespace per page.

A `text` block straight after a Python block is what that block prints; words must be the same and numbers
close. The tables of `examples/` are there to be read. A block under a line that starts with "Not run in the
tests:" is left out. Pages in SHORTENED train for a single epoch, and what they print is not compared; with
ACVAE_DOCS_FULL=1 they are run as they are written.
"""

import contextlib
import io
import os
import re
import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import pytest
import torch

import acvae
from acvae.methods import METHODS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]
SHORTENED = {"start.md", "gamma-tau.md", "figures.md"}
# The figures are those of this PyTorch: others draw other initial weights from a seed (`trunc_normal_`).
AS_PRINTED = f"torch=={torch.__version__.split('+')[0]}" in (ROOT / "constraints.txt").read_text().split()
FULL = bool(os.environ.get("ACVAE_DOCS_FULL"))
NOT_RUN = "Not run in the tests:"
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*?$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


class Block(NamedTuple):
    line: int
    code: str
    skipped: bool
    prints: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = list(FENCE.finditer(text))
    out = []
    for at, match in enumerate(found):
        if match[1] != "python":
            continue
        before = text[: match.start()].rstrip().rsplit("\n\n", 1)[-1]
        after = found[at + 1] if at + 1 < len(found) else None
        follows = after and after[1] == "text" and not text[match.end() : after.start()].strip()
        out.append(
            Block(
                text.count("\n", 0, match.start()) + 2,
                match[2],
                NOT_RUN in before,
                after[2] if after and follows else None,
            )
        )
    return out


def same_output(printed: str, shown: str) -> bool:
    """Words equal, numbers within a tenth: other machines may round differently while training."""
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", shown).split():
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True)
    return all(abs(float(a) - float(b)) <= 0.02 + 0.1 * abs(float(b)) for a, b in pairs)


@pytest.fixture(autouse=True)
def models_of_a_page():
    """What a page registers is gone after it."""
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").mkdir()
    for table in (ROOT / "examples").glob("*.csv"):
        shutil.copy(table, tmp_path / "examples")
    shortened = page.name in SHORTENED and not FULL
    namespace = {"__name__": "page"}
    for block in blocks(page):
        if block.skipped:
            continue
        code = re.sub(r"\bepochs=\d+", "epochs=1", block.code) if shortened else block.code
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Blank lines in front keep the line numbers of a traceback those of the page.
            exec(compile("\n" * (block.line - 1) + code, str(page), "exec"), namespace)
        if block.prints is not None and not shortened and AS_PRINTED:
            assert same_output(printed.getvalue(), block.prints), (
                f"{page.name}:{block.line} prints\n{printed.getvalue()}\nbut the page shows\n{block.prints}"
            )
    plt.close("all")


def test_few_blocks_are_left_out_and_each_with_a_reason():
    skipped = [(p, b) for p in PAGES for b in blocks(p) if b.skipped]
    assert len(skipped) <= 5
    for page, block in skipped:
        lines = page.read_text().splitlines()[: block.line - 1]
        reason = next(line for line in reversed(lines) if NOT_RUN in line)
        assert len(reason.split(NOT_RUN)[1].split()) >= 3


def test_every_public_name_is_in_the_api():
    text = (DOCS / "api" / "index.md").read_text()
    for name in acvae.__all__:
        assert f"`{name}`" in text, name


def test_links_and_images_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_drawings_are_drawn(tmp_path):
    main = runpy.run_path(str(DOCS / "drawings.py"))["main"]
    main(["--out", str(tmp_path), "--only", "models", "paths", "updates"])
    for name in ("models", "paths", "updates"):
        assert "</svg>" in (tmp_path / f"{name}.svg").read_text()
        assert (DOCS / "images" / f"{name}.svg").exists()


def test_the_picture_of_the_readme_is_drawn(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    drawing = runpy.run_path(str(DOCS / "picture.py"))
    data = acvae.datasets.load("tree", n_vertices=90)
    data = replace(data, graph=acvae.Graph(90, data.graph.edges, [f"leaf {v}" for v in range(90)]))
    data = replace(data, feature_names=[f"word {j}" for j in range(data.features.shape[1])])
    split = acvae.split_edges(data.graph, seed=0)
    model = acvae.GraphGaussian(latent_dim=8, progress=False).fit(data.features, split.train)
    figure = drawing["picture"](model, data, split, "leaf 3")
    _, links = figure.axes
    ids, chances = model.predict_links(["leaf 3"], k=10)
    assert [text.get_text() for text in links.get_yticklabels()] == [f"leaf {v}" for v in ids[0]]
    told = [text.get_text() for text in links.texts]
    for v, chance, text in zip(ids[0].tolist(), chances[0], told, strict=True):
        assert text.startswith(f"{100 * chance:.0f} %")
        assert ("hidden" in text) == bool(split.test.has_edges([[3, v]])[0])
    plt.close(figure)
    assert (DOCS / "images" / "links.png").exists()


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("test 0.174", "test  0.175\n", True),
        ("test 0.174", "test 0.274", False),
        ("test 0.174", "train 0.174", False),
        ("1 2", "1 2 3", False),
        ("-1.5e-3", "0.0", True),
        ("100 of 5", "105 of 5", True),
    ],
)
def test_outputs_are_compared_word_by_word_and_number_by_number(printed, shown, same):
    assert same_output(printed, shown) is same
