"""Every test in a folder of its own and without a network; what all examples ended in is told at the end."""

import socket
from collections import Counter

import pytest

from fuzz.outcomes import counts


@pytest.fixture(autouse=True)
def _closed(tmp_path, monkeypatch):
    """A path such as "a" may be taken and written to; a data set may be asked for that is not here."""

    def refuse(*_, **__):
        raise OSError("no network in tests")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for place in ("ACVAE_DATA", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(place, str(tmp_path))
    monkeypatch.chdir(tmp_path)


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
