"""The report: runs side by side on one self-contained HTML page; figures for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acvae.report.entry import Entry
    from acvae.report.page import render, write_report

__all__ = ["Entry", "render", "write_report"]


def __getattr__(name: str) -> Any:  # figures are drawn without loading what the page needs
    if name == "Entry":
        from acvae.report.entry import Entry

        return Entry
    if name in __all__:
        from acvae.report import page

        return getattr(page, name)
    raise AttributeError(f"module 'acvae.report' has no attribute {name!r}")
