"""Options in messages: as in Python, or by the names that whoever calls the library has for them."""

import pytest

from acvae._util.checks import choice, whole_number
from acvae._util.options import called_by, option, setting, the_option
from acvae.exceptions import OptionError


def capitals(name, value):
    return None if name == "unknown" else name.upper() if value is None else f"{name.upper()}:{value}"


def test_as_in_python():
    assert (option("tau"), the_option("tau")) == ("tau", "the option tau")
    assert setting("missing", "mean") == "missing='mean'"
    assert setting("row_ids", True) == "row_ids=True"
    assert len(setting("name", "x" * 10_000)) < 300  # as all values in messages


def test_as_somebody_else_calls_them_and_only_for_so_long():
    with called_by(capitals):
        assert (option("tau"), the_option("tau"), setting("tau", 1)) == ("TAU", "TAU", "TAU:1")
        assert (option("unknown"), the_option("unknown"), setting("unknown", 1)) == (
            "unknown",
            "the option unknown",
            "unknown=1",
        )
        with called_by(lambda name, value: None):
            assert option("tau") == "tau"
        assert option("tau") == "TAU"
    assert option("tau") == "tau"


def test_also_after_an_error():
    with pytest.raises(RuntimeError), called_by(capitals):
        raise RuntimeError
    assert option("tau") == "tau"


def test_checks_call_options_so():
    with called_by(capitals):
        with pytest.raises(OptionError, match=r"^EPOCHS must be a whole number of at least 1, not 0"):
            whole_number("epochs", 0, minimum=1)
        with pytest.raises(OptionError, match=r"^SOLVER:fast is unknown; choose one of 'auto', 'exact'"):
            choice("solver", "fast", ("auto", "exact"))
