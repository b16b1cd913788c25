"""A table of a page, as it is read."""


def row(text, *starts):
    """The cells of the first table row that begins with the given cells."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[: len(starts)] == list(starts):
            return cells
    raise AssertionError(f"no row {starts} in\n{text}")
