"""Whether the first line of a table names its columns."""

from collections import Counter
from collections.abc import Iterable

from acvae.datasets.table_files import MISSING_TEXTS, RawTable, is_number

__all__ = ["edges_alone_have_header", "edges_have_header", "features_have_header", "named_ends"]

ALONE = 0.1  # share of edges that are a component of their own
# What columns of edges are often called.
_ENDS = frozenset(
    (
        *("source", "target", "from", "to", "src", "dst", "head", "tail", "u", "v", "i", "j", "id1", "id2"),
        *("node1", "node2", "node_1", "node_2", "vertex1", "vertex2"),
    )
)


def edges_have_header(rows: RawTable, known: set[str]) -> bool:
    """Not if the first line names a known id, or is made of whole numbers just as all known ids are."""
    if rows.names is not None:
        return True
    first = rows.cells[0][:2]
    if any(cell in known for cell in first):
        return False
    return not all(map(_is_whole, first)) or not all(map(_is_whole, known))


def edges_alone_have_header(rows: RawTable) -> bool | None:
    """Where no ids are known: if the first line is no edge such as the others are.

    Its words never recur, and they are usual ones for columns, or stand above whole numbers, or both ends of
    nearly every other edge have further ones. None where they never recur, and those of others do not either.
    """
    if rows.names is not None:
        return True
    ends = named_ends(rows.cells[0])
    if ends is not None and not any({*ends} & {*row} for row in rows.cells[1:]):
        return True
    first, below = rows.cells[0][:2], [row[:2] for row in rows.cells[1:]]
    times = Counter(cell for row in below for cell in row)
    if any(cell in times for cell in first) or all(map(_is_whole, first)) or not below:
        return False
    if all(map(_is_whole, times)):
        return True
    alone = sum(all(times[cell] == 1 for cell in row) for row in below)
    return True if alone <= ALONE * len(below) else None


def named_ends(cells: Iterable[str]) -> tuple[str, str] | None:
    """The cells, wherever they stand, called source and target, or the only two called as ends often are."""
    names = [cell for cell in cells if cell.lower() in _ENDS]
    if {"source", "target"} <= set(names):
        return "source", "target"
    return (names[0], names[1]) if len(names) == 2 else None


def features_have_header(rows: RawTable, named: Iterable[str], ends: set[str]) -> bool:
    """What the first line is, by what stands below it; `named` are the columns that the user speaks of.

    A text above a column of numbers is a name. Where instead a number stands above numbers, the line holds
    data, unless it begins with "id" or nothing, or its first cell is no end of an edge (`ends`) while the one
    below is. Without any column of numbers the first line is a header.
    """
    if rows.names is not None or len(rows.cells) < 2:
        return True
    first, below = rows.cells[0], rows.cells[1:]
    asked = list(named)
    as_names = all(name in first for name in asked)
    as_places = all(name.isdigit() and int(name) < len(first) for name in asked)
    if as_names != as_places:
        return as_names
    numbers_above = False
    for j, cell in enumerate(first):
        if cell.lower() in MISSING_TEXTS:
            continue
        column = [row[j] for row in below if len(row) > j and row[j].lower() not in MISSING_TEXTS]
        if not column or not all(is_number(other, rows.comma) for other in column):
            continue
        if not is_number(cell, rows.comma):
            return True
        numbers_above = numbers_above or j > 0 or len(first) == 1
    if not numbers_above:
        return True
    if first[0].lower() in ("", "id"):
        return True
    return first[0] not in ends and below[0][:1] != [] and below[0][0] in ends


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()
