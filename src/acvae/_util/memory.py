"""How much memory there is to use."""

import os
from pathlib import Path

__all__ = ["available_memory"]


def available_memory() -> int | None:
    """Bytes that this process could still take: the machine's or its container's, or None if unknown."""
    known = [free for free in (_machine(), _container()) if free is not None]
    return min(known, default=None)


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _container() -> int | None:
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())  # "max" without a limit
        return max(0, limit - int((group / "memory.current").read_text()))
    except (OSError, ValueError):
        return None
