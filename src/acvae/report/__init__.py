"""The report: runs side by side on one self-contained HTML page; figures for papers."""

from typing import TYPE_CHECKING

from acvae._util.lazy import when_used

if TYPE_CHECKING:
    from acvae.report.entry import Entry
    from acvae.report.page import render, write_report

__all__ = ["Entry", "render", "write_report"]

# Figures are drawn without loading what the page needs.
__getattr__ = when_used(__name__, {"Entry": "entry", "render": "page", "write_report": "page"})
