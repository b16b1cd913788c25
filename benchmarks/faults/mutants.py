"""Spoil valid files of every kind in thousands of ways, open each, and count what comes of it.

    python benchmarks/faults/mutants.py                      5,000 mutants
    python benchmarks/faults/mutants.py --kind posterior     of kinds whose name has this in it
    python benchmarks/faults/mutants.py --kind "model vae" --only 17      one again, with its traceback

A mutant is refused by an error of `acvae.exceptions`, or reads as the valid file does, or, where no checksum
could tell (a text without one, or one that was mended), as another valid file. Everything else is a fault:
differences that a checksum should have shown, other errors, crashes, hangs, memory. Every mutant is opened in
a forked process with a limit on its address space; one that is silent for too long is killed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # threads do not survive a fork

import numpy as np  # noqa: E402
from file_kinds import Kind, make_kinds  # noqa: E402
from mutations import mutate  # noqa: E402

from acvae.exceptions import AcvaeError  # noqa: E402

REFUSED, EQUAL, OTHER = "refused", "equal", "another valid file"
UNSEEN, RAW, CRASH, HANG = "different despite a checksum", "raw error", "crash", "hang"
OUTCOMES = (REFUSED, EQUAL, OTHER, UNSEEN, RAW, CRASH, HANG)
FAULTS = (UNSEEN, RAW, CRASH, HANG)
SECONDS, ROOM = 30.0, 1 << 30
MOST_MEMORY = 500 << 20


def digest(value: Any) -> str:
    """Of plain data, to tell whether two are the same."""
    found = hashlib.sha256()
    _feed(found, value)
    return found.hexdigest()


def _feed(found: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype != object:
        found.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        _feed(found, [(str(key), value[key]) for key in value])
    elif isinstance(value, (list, tuple, np.ndarray)):
        found.update(f"[{len(value)}".encode())
        for item in value:
            _feed(found, item)
    else:
        found.update(repr(value).encode("utf-8", "surrogatepass") + b";")


class Bench:
    """One kind of file, its valid answer, and a place for its mutants."""

    def __init__(self, kind: Kind, home: Path) -> None:
        self.kind, self.valid = kind, kind.file.read_bytes()
        self.place = home / "mutant"
        self.answer = digest(kind.read(self.put(self.valid)))

    def put(self, data: bytes) -> Path:
        """Write a mutant, with what belongs beside it."""
        shutil.rmtree(self.place, ignore_errors=True)
        if self.kind.folder:
            shutil.copytree(self.kind.file.parent, self.place)
        else:
            self.place.mkdir(parents=True)
        (self.place / self.kind.file.name).write_bytes(data)
        return self.place / self.kind.file.name

    def mutant(self, number: int) -> tuple[bytes, bool]:
        return mutate(self.kind.form, self.valid, random.Random(f"{self.kind.name} {number}"))

    def open(self, number: int, show: bool = False) -> tuple[str, str]:
        """What comes of one mutant, and a word on it."""
        data, mended = self.mutant(number)
        path = self.put(data)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = digest(self.kind.read(path))
        except AcvaeError as error:
            if show:
                traceback.print_exc()
            return REFUSED, f"{type(error).__name__}: {error}"
        except Exception as error:
            if show:
                traceback.print_exc()
            where = traceback.extract_tb(error.__traceback__)[-1]
            return (
                RAW,
                f"{type(error).__name__}: {str(error)[:100]} ({Path(where.filename).name}:{where.lineno})",
            )
        if found == self.answer:
            return EQUAL, ""
        return (UNSEEN, "") if self.kind.checksum and not mended else (OTHER, "")


# ---------------------------------------------------------------------- processes


def in_children(bench: Bench, numbers: Iterable[int]) -> Iterable[tuple[int, str, str, int]]:
    """(number, outcome, word, bytes of memory beyond the file) of every mutant, in a child that lives."""
    left = list(numbers)
    while left:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            _work(bench, left, write)
        os.close(write)
        outcome, replies = CRASH, _Lines(read)
        while left:
            replies.next(None)  # the mutant is made, and is about to be opened
            line = replies.next(SECONDS)
            if line is None:
                outcome = HANG
                os.kill(child, signal.SIGKILL)
            if not line:
                break
            yield (left.pop(0), *json.loads(line))
        os.close(read)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if left:
            yield left.pop(0), outcome, f"exit code {status}", 0


class _Lines:
    """Lines from a pipe, as they come."""

    def __init__(self, pipe: int) -> None:
        self._pipe, self._rest = pipe, b""

    def next(self, seconds: float | None) -> bytes | None:
        """The next line; nothing at the end, None if there is none within so many seconds."""
        while b"\n" not in self._rest:
            if not select.select([self._pipe], [], [], seconds)[0]:
                return None
            data = os.read(self._pipe, 1 << 16)
            if not data:
                return b""
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _work(bench: Bench, numbers: list[int], write: int) -> None:
    """In the child: never returns."""
    code = 70
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        size = _status("VmSize")
        resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
        for number in numbers:
            file = len(bench.mutant(number)[0])
            os.write(write, b"made\n")
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
            before = _status("VmRSS")
            outcome, word = bench.open(number)
            beyond = max(0, _status("VmHWM") - before - file)
            os.write(write, (json.dumps([outcome, word, beyond]) + "\n").encode())
        code = 0
    finally:
        os._exit(code)


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10
    raise KeyError(name)


# ---------------------------------------------------------------------- all of it


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=5000, help="mutants in all (5000)")
    parser.add_argument("--kind", default="", help="kinds whose names have this in them (all)")
    parser.add_argument(
        "--only", type=int, help="one mutant of one kind, in this process, with its traceback"
    )
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="acvae-mutants-"))
    try:
        kinds = [kind for kind in make_kinds(home) if args.kind in kind.name]
        if args.only is not None:
            print(*Bench(kinds[0], home).open(args.only, show=True))
            return 0
        return _report(kinds, args.count, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _report(kinds: list[Kind], count: int, home: Path) -> int:
    total, most, started = Counter[str](), 0, time.perf_counter()
    width = max(len(kind.name) for kind in kinds)
    print(f"{'':{width}}  " + "  ".join(OUTCOMES) + "  MB")
    for index, kind in enumerate(kinds):
        each = count // len(kinds) + (index < count % len(kinds))
        bench, own, memory = Bench(kind, home), Counter[str](), 0
        for number, outcome, word, beyond in in_children(bench, range(each)):
            own[outcome] += 1
            memory = max(memory, beyond)
            if outcome in FAULTS or beyond > MOST_MEMORY:
                print(f"  {kind.name} {number}: {outcome}, {beyond >> 20} MB {word}", flush=True)
        cells = (f"{own[outcome]:{len(outcome)}}" for outcome in OUTCOMES)
        print(f"{kind.name:{width}}  " + "  ".join(cells) + f"  {memory >> 20}", flush=True)
        total.update(own)
        most = max(most, memory)
    listed = ", ".join(f"{total[outcome]:,} {outcome}" for outcome in OUTCOMES)
    print(f"{total.total():,} mutants of {len(kinds)} kinds of files: {listed};")
    print(f"at most {most >> 20} MB beyond the file's size; {time.perf_counter() - started:.0f} s")
    return int(any(total[outcome] for outcome in FAULTS) or most > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
