"""Kill `acvae fit` at every file operation and at random moments, go on, compare with a run never stopped.

    python benchmarks/faults/kill.py                  every kill point, and 50 random moments
    python benchmarks/faults/kill.py --random 0       the kill points alone
    python benchmarks/faults/kill.py --model vae

A kill point is the moment before an operation on the run's folder (a file opened to write, renamed, removed,
a folder made or removed), and the middle of each file's writing, when half of it is there. After each kill
the same command is given again, or, if it is refused, `--resume`. Lost: neither was taken, or the run is not
finished. Different: another set of files than a run never stopped, or other bytes in one of them (`timing` in
run.json aside). Every process is forked from this one, so that no time goes into importing libraries.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # threads do not survive a fork

from acvae.commands.main import main as acvae  # noqa: E402
from acvae.methods import METHODS  # noqa: E402
from acvae.runs import Run  # noqa: E402

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Saboteur:
    """An audit hook that kills its process at one of the operations on a folder, or only counts them."""

    def __init__(self, folder: Path, at: int | None, middle: bool, told: int | None = None) -> None:
        self.folder, self.at, self.middle, self.told = str(folder), at, middle, told
        self.count, self.busy = 0, False

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if self.busy or event not in EVENTS or not self._is_ours(event, args):
            return
        self.busy = True
        if self.told is not None:
            os.write(self.told, f"{event} {args[0]}\n".encode())
        if self.count == self.at:
            if self.middle and event == "os.rename":
                os.truncate(str(args[0]), os.path.getsize(str(args[0])) // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1
        self.busy = False

    def _is_ours(self, event: str, args: tuple[object, ...]) -> bool:
        if event == "os.truncate" and isinstance(args[0], int):
            return True
        if event == "open" and not (isinstance(args[2], int) and args[2] & WRITES):
            return False
        return str(args[0]).startswith(self.folder)


def in_child(work: Callable[[], int], after: float | None = None) -> int:
    """The exit code of what a forked process does, −9 if it was killed; `after` seconds it is killed."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        code = 70
        with contextlib.suppress(BaseException):
            code = work()
        os._exit(code)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content(folder: Path) -> dict[str, bytes]:
    """All files, without what time makes of them."""
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    if "run.json" in found:
        about = json.loads(found["run.json"])
        about.pop("timing", None)
        found["run.json"] = json.dumps(about).encode()
    return found


def go_on(command: list[str], folder: Path, expected: dict[str, bytes]) -> tuple[str, str]:
    """What became of a folder that a killed process left: how it went on, and what is wrong with it."""
    code, how = in_child(lambda: acvae(command)), "the same command"
    if code != 0:
        code, how = in_child(lambda: acvae(["fit", "--resume", str(folder), "--quiet"])), "--resume"
    if code != 0 or not folder.is_dir() or not Run(folder).finished:
        return how, "lost"
    found = content(folder)
    if found == expected:
        return how, ""
    names = sorted(found.keys() ^ expected.keys())
    return how, f"different: {names or [name for name in found if found[name] != expected[name]]}"


def operations(command: list[str], folder: Path) -> list[str]:
    """The operations of a whole run, in their order."""
    read, write = os.pipe()

    def work() -> int:
        sys.addaudithook(Saboteur(folder, None, False, write))
        return acvae(command)

    assert in_child(work) == 0
    os.close(write)
    with os.fdopen(read) as file:
        return file.read().splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="acvae-eb")
    parser.add_argument("--random", type=int, default=50, help="kills at random moments (50)")
    parser.add_argument("--points", type=int, default=None, help="at most so many kill points (all)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="acvae-kill-"))
    folder, rng = home / "run", random.Random(args.seed)
    command = ["fit", "tree", "--data-option", "n_vertices=60", "--data-option", "n_features=20"]
    command += ["--model", args.model, "--latent-dim", "3", "--out", str(folder), "--quiet"]
    if METHODS[args.model].takes("epochs"):
        command += ["--epochs", "8", "--checkpoint-every", "2", "--evaluate-every", "3"]
    try:
        assert acvae(command) == 0  # in this process: everything is imported and compiled
        shutil.rmtree(folder)
        listed = operations(command, folder)
        expected = content(folder)
        started = time.perf_counter()
        shutil.rmtree(folder)
        assert in_child(lambda: acvae(command)) == 0
        whole = time.perf_counter() - started
        points = [(n, False) for n in range(len(listed))]
        points += [(n, True) for n, text in enumerate(listed) if text.startswith("os.rename")]
        if args.points is not None:
            points = rng.sample(points, min(args.points, len(points)))
        report = Counter[str]()
        for at, middle in points:
            shutil.rmtree(folder, ignore_errors=True)

            def sabotaged(at: int = at, middle: bool = middle) -> int:
                sys.addaudithook(Saboteur(folder, at, middle))
                return acvae(command)

            killed = in_child(sabotaged)
            how, wrong = go_on(command, folder, expected)
            _note(report, killed, how, wrong, f"{'in' if middle else 'before'} {at}: {listed[at]}")
        print(f"{len(points)} kill points of {len(listed)} file operations: {_shown(report)}")
        report = Counter()
        while report["killed"] < args.random:
            shutil.rmtree(folder, ignore_errors=True)
            number, killed = report["killed"], 0
            for _ in range(rng.randint(1, 3)):  # several times in a row, now and then
                killed = min(killed, in_child(lambda: acvae(command), after=rng.uniform(0, whole)))
            if killed != -signal.SIGKILL:  # it was done before
                whole *= 0.9
                continue
            how, wrong = go_on(command, folder, expected)
            _note(report, killed, how, wrong, f"random moment {number}")
        if args.random:
            print(f"{args.random} random moments: {_shown(report)}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _note(report: Counter[str], killed: int, how: str, wrong: str, where: str) -> None:
    report["killed"] += killed == -signal.SIGKILL
    report[how] += 1
    report["lost"] += wrong == "lost"
    report["different"] += wrong.startswith("different")
    if wrong:
        print(f"  {where}: {wrong}")


def _shown(report: Counter[str]) -> str:
    ways = ", ".join(f"{report[how]} by {how}" for how in ("the same command", "--resume"))
    lost, different = report["lost"], report["different"]
    return f"{report['killed']} killed, gone on with {ways}; {lost} lost, {different} different"


if __name__ == "__main__":
    main()
