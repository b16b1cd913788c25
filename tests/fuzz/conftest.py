"""Counts what all examples ended in, and tells it at the end of the run."""

from collections import Counter

import pytest

from fuzz.outcomes import counts


@pytest.fixture(autouse=True)
def _counted(request):
    counts.clear()
    yield
    request.node.user_properties.append(("fuzz", dict(counts)))


def pytest_terminal_summary(terminalreporter):
    total = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                for name, found in report.user_properties:
                    if name == "fuzz":
                        total.update(found)
    if total["calls"]:
        told = ", ".join(f"{total[name]:,} {name}" for name in ("calls", "answered", "refused", "raw"))
        terminalreporter.write_line(f"fuzz: {told} errors")
        for name, count in sorted(total.items(), key=lambda item: -item[1]):
            if name.startswith("raw: "):
                terminalreporter.write_line(f"  {count:4d}  {name}")
