"""Numbers in messages."""

__all__ = ["counted", "score_text"]


def counted(number: int, one: str, more: str | None = None) -> str:
    """ "1 edge", "1,200 edges"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def score_text(value: float) -> str:
    """Three decimals; two digits of what is smaller, as scores on large graphs are."""
    return f"{value:.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:.2g}"
