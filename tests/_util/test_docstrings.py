from acvae._util.docstrings import described_parameters


def test_descriptions_come_from_the_docstring():
    text = """Something.

    Parameters
    ----------
    a, b
        Two things
        at once.
    c
        Another.

    Those of others too.
    """
    assert described_parameters(text) == {
        "a": "Two things at once.",
        "b": "Two things at once.",
        "c": "Another.",
    }
    assert described_parameters("nothing") == {}
