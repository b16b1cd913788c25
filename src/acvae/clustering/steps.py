"""What progress is reported to, shown or not."""

from typing import Protocol, Self

__all__ = ["Steps", "steps"]


class Steps(Protocol):
    """Counts units of work within a `with` block."""

    def advance(self, units: int = 1, /) -> None:
        """So many more are done."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class _Silent:
    def advance(self, units: int = 1, /) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def steps(total: int, label: str, *, show: bool) -> Steps:
    """Progress through `total` units of work, or silence."""
    if not show:
        return _Silent()
    from acvae._util.progress import Progress  # PyTorch comes with it

    return Progress(total, label)
