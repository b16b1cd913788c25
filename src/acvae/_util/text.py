"""Numbers and values in messages."""

__all__ = ["SHOWN", "counted", "score_text", "shown"]

SHOWN = 200  # characters of a value in a message


def counted(number: int, one: str, more: str | None = None) -> str:
    """ "1 edge", "1,200 edges"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def score_text(value: float) -> str:
    """Three decimals; two digits of what is smaller, as scores on large graphs are."""
    return f"{value:.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:.2g}"


def shown(value: object) -> str:
    """A value as messages show it: never long, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # a whole number of thousands of digits, an object that fails
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… (of type {type(value).__name__})"
