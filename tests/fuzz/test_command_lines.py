"""Command lines of random words: an exit code and a reason, never a traceback."""

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acvae.commands.main import COMMANDS, main
from fuzz.outcomes import GO_ON, counts, share

WORDS = (
    *("", " ", "-", "--", "0", "1", "-1", "2", "nan", "inf", "1e309", "9" * 30, "true", "a", "ä", "\udcff"),
    *(
        "debian",
        "tree",
        "none",
        "csv",
        "parquet",
        "../..",
        "/",
        "nowhere/at/all",
        "~",
        "*",
        "a\nb",
        "x" * 5000,
        "=",
        "@x",
    ),
    *(
        "acvae-eb",
        "graph-gaussian",
        "vae",
        "cvae-corr",
        "table1",
        "figure1",
        "check",
        "v1",
        "0,1",
        "[1]",
        "{}",
    ),
)
FLAGS = (
    *(
        "--k",
        "-k",
        "--out",
        "--model",
        "--seed",
        "--epochs",
        "--features",
        "--edges",
        "--resume",
        "--overwrite",
    ),
    *(
        "--data-root",
        "--json",
        "--memory",
        "--gamma",
        "--tau",
        "--scales",
        "--latent-dim",
        "--every",
        "--split",
    ),
    *("--names", "--by", "--quick", "--help", "--version", "--id-column", "--label-column", "--text-column"),
    *(
        "--device",
        "--likelihood",
        "--missing",
        "--config",
        "--set",
        "--test-fraction",
        "--table",
        "--no-such",
    ),
    *(
        "--weight-column",
        "--combine",
        "--duplicates",
        "--header",
        "--decimal",
        "--row-ids",
        "--progress",
        "-q",
    ),
)
# What would train a network for hours if it were understood.
LONG = {"reproduce": {"table1", "figure1", "check"}, "compare": {"tree"}, "fit": {"tree"}}


@st.composite
def command_lines(draw):
    command = draw(st.sampled_from([*COMMANDS, "no-such", ""]))
    words = [w for w in WORDS if w not in LONG.get(command, ())] + ["RUN", "FILE", "FOLDER", "TABLE", "PAIRS"]
    rest = draw(
        st.lists(
            st.one_of(
                st.sampled_from(words),
                st.sampled_from(FLAGS),
                st.tuples(st.sampled_from(FLAGS), st.sampled_from(words)).map("=".join),
            ),
            max_size=6,
        )
    )
    if command in ("evaluate", "links", "neighbors", "cluster", "export", "report") and draw(st.booleans()):
        rest.insert(0, "RUN")
    if command == "fit":
        rest += draw(
            st.sampled_from([["--epochs", "1"], ["--epochs", "1", "--features", "TABLE", "--edges", "PAIRS"]])
        )
    return [command, *rest]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A run, files and folders that words of a command line stand for."""
    folder = tmp_path_factory.mktemp("fuzz")
    table, pairs = folder / "table.csv", folder / "pairs.csv"
    table.write_text("id,a,b\n" + "".join(f"v{i},{i % 3},{(i * 7) % 5}\n" for i in range(12)))
    pairs.write_text("source,target\n" + "".join(f"v{i},v{(i * 5 + 1) % 12}\n" for i in range(12)))
    (folder / "file").write_bytes(b"\x00\xff no run")
    (folder / "folder").mkdir()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        told = ["--features", str(table), "--edges", str(pairs), "--out", str(folder / "run")]
        code = main(["fit", *told, "--model", "vae", "--epochs", "1"])
    assert code == 0
    return {
        "RUN": str(folder / "run"),
        "FILE": str(folder / "file"),
        "FOLDER": str(folder / "folder"),
        "TABLE": str(table),
        "PAIRS": str(pairs),
    }


@share(0.08)
@given(line=command_lines())
def test_random_words(line, places):
    counts["calls"] += 1
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # as a terminal: not all texts can be written
    err = io.StringIO()
    argv = [places.get(word, word) for word in line]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(argv)
    except Exception as error:
        counts["raw"] += 1
        if not GO_ON:
            raise
        from fuzz.outcomes import _where

        counts[f"raw: {_where(error)} {line}"] += 1
        return
    assert code in (0, 1, 2), line
    told = err.getvalue()
    assert "Traceback" not in told
    if code:
        assert told.strip(), f"{line} ended with {code} and no reason"
    counts["refused" if code else "answered"] += 1
