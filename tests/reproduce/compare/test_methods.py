import pytest

from acvae.exceptions import UnknownNameError
from acvae.reproduce.compare import (
    methods,
)


def test_methods_by_name_and_by_kind() -> None:
    assert methods.kinds("links", ["katz", "rules"])[0] == "katz"
    assert set(methods.kinds("links", ["networks"])) == {"node2vec", "gae", "vgae", "sage", "ncn"}
    assert methods.kinds("completion") == list(methods.methods_of("completion"))
    with pytest.raises(UnknownNameError, match="Did you mean 'katz'"):
        methods.kinds("links", ["kats"])
