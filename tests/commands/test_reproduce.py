"""`acvae reproduce` as it is called."""

import pytest

from acvae.commands.main import main


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["reproduce", "table9"], "there is no config table9.toml"),
        (["reproduce", "check"], "check needs a stored result"),
        (["reproduce", "check", "no.json"], "no.json is not a stored result"),
        (["reproduce", "table1", "results"], "'results' stands alone"),
        (["reproduce", "table1", "--only", "vea"], "--only vea fits no run"),
    ],
)
def test_errors_are_one_sentence_and_1(argv, message, capsys, tmp_path):
    assert main([*argv, "--results", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("acvae: ")
    assert message in error
    assert len(error.splitlines()) == 1


def test_results_are_written(tmp_path, capsys):
    out = tmp_path / "RESULTS.md"
    assert main(["reproduce", "results", "--results", str(tmp_path), "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    assert "not run" in out.read_text()
