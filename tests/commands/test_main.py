"""The command line: exit codes and messages."""

import subprocess
import sys

import pytest

from acvae import __version__
from acvae.commands import reproduce
from acvae.commands.main import COMMANDS, main


def test_an_unknown_command_is_answered_with_those_there_are(capsys):
    assert main(["neighbours"]) == 2
    assert capsys.readouterr().err.endswith(
        "acvae: error: there is no command 'neighbours'; there are fit, evaluate, links, neighbors, "
        "cluster, export, compare, report, datasets, reproduce. Did you mean 'neighbors'?\n"
    )


def test_the_help_has_every_command_on_one_line(capsys):
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in COMMANDS:
        assert sum(line.startswith(f"    {name} ") and len(line) > 30 for line in lines) == 1


def test_help_and_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"acvae {__version__}"
    assert main(["reproduce", "--help"]) == 0
    assert "acvae reproduce table1 --quick" in capsys.readouterr().out


@pytest.mark.parametrize(("argv", "code"), [(["--version"], 0), (["neighbours"], 2)])
def test_python_m_acvae_is_the_command(argv, code, capsys):
    told = subprocess.run([sys.executable, "-m", "acvae", *argv], capture_output=True, text=True, check=False)
    assert told.returncode == code
    assert main(argv) == code
    here = capsys.readouterr()
    assert (told.stdout, told.stderr) == (here.out, here.err)


@pytest.mark.parametrize("extra", [["-k", "2"], ["--zzz=3"], ["-o"]])
def test_an_option_behind_two_dashes_is_taken_for_a_name(extra, capsys):
    assert main(["links", "RUN", "--", "NAME", *extra]) == 2
    told = f"after -- everything is a name, and {extra[0]!r} is one too many; options stand before it.\n"
    assert capsys.readouterr().err.endswith(told)
    assert main(["links", "RUN", "--zzz", "--", "NAME"]) == 2
    assert capsys.readouterr().err.endswith("there is no option --zzz.\n")
    assert main(["links", "RUN", "--", "NAME", "more"]) == 2
    assert capsys.readouterr().err.endswith("'more' is one argument too many.\n")


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["reproduce"], ["reproduce", "table1", "--jobs", "0"]])
def test_wrong_usage_is_2(argv, capsys):
    assert main(argv) == 2
    assert "usage: acvae" in capsys.readouterr().err


def test_interrupt_is_130_and_says_how_to_go_on(monkeypatch, capsys):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "run", interrupted)
    assert main(["reproduce", "table1"]) == 130
    assert "stopped; finished runs are stored; the same command goes on" in capsys.readouterr().err
