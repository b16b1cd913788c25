"""Runs spread over worker processes. A run that fails, or takes its process down, fails alone."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from acvae.reproduce.spec import RunSpec

__all__ = ["Outcome", "fast_kernels", "run_in_processes"]

# Threads are fixed before a library is loaded: one each, because runs are what is done in parallel.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS")
# Always one: with two or more, OpenBLAS 0.3.30 crashes in the Cholesky factor of 20,000 rows or more, which
# CVAE's weights need (https://github.com/OpenMathLib/OpenBLAS/issues/2562).
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
CORE_TYPE = "OPENBLAS_CORETYPE"
AVX512 = frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})  # what SkylakeX kernels use
LOG_TAIL = 2000


class Outcome(NamedTuple):
    """How a run ended: how long it took and its scores, or what went wrong.

    `elsewhere`: it was left to another process, which is at it or has done it.
    """

    spec: RunSpec
    seconds: float | None
    ncrr: dict[str, float | None]
    error: str | None
    details: str
    elsewhere: bool = False


def run_in_processes(
    specs: Sequence[RunSpec],
    target: Callable[[RunSpec], Path],
    *,
    jobs: int,
    threads: int = 1,
    data_root: Path | None = None,
) -> Iterator[Outcome]:
    """Do all runs, `jobs` at a time, and yield each as it ends. Leaving the loop stops what is running.

    `target` says where what comes of a run is written: a result for a name that ends in .json, the trained
    model's posterior for one in .safetensors.
    """
    waiting = deque(specs)
    workers: list[_Worker] = []
    with selectors.DefaultSelector() as ready:
        try:
            while waiting or any(worker.spec is not None for worker in workers):
                while waiting and sum(worker.spec is not None for worker in workers) < jobs:
                    worker = next((w for w in workers if w.spec is None), None)
                    if worker is None:
                        worker = _Worker(threads, data_root)
                        workers.append(worker)
                        ready.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
                    spec = waiting.popleft()
                    worker.start(spec, target(spec))
                for key, _ in ready.select():
                    worker = key.data
                    outcome = worker.finish()
                    if worker.dead:
                        ready.unregister(key.fileobj)
                        workers.remove(worker)
                        worker.stop()
                    yield outcome
        finally:
            for worker in workers:
                worker.stop()


def fast_kernels(cpu: str) -> dict[str, str]:
    """The variable that gives an AMD processor with AVX-512 OpenBLAS's kernels for it, from /proc/cpuinfo.

    Left alone, OpenBLAS takes those for AVX2 there, and a product of matrices takes twice as long.
    """
    lines = dict(line.split(":", 1) for line in cpu.splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in lines.items()}
    is_amd = fields.get("vendor_id") == "AuthenticAMD"
    return {CORE_TYPE: "SkylakeX"} if is_amd and set(fields.get("flags", "").split()) >= AVX512 else {}


def _this_cpu() -> str:
    try:
        return Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""


class _Worker:
    """One process and the run it is doing."""

    def __init__(self, threads: int, data_root: Path | None) -> None:
        environment = {
            **fast_kernels(_this_cpu()),
            **os.environ,
            **dict.fromkeys(THREAD_VARIABLES, str(threads)),
            **ONE_THREAD,
        }
        if data_root is not None:
            environment["ACVAE_DATA"] = str(data_root)
        self.spec: RunSpec | None = None
        self.dead = False
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acvae.reproduce.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
        )

    def start(self, spec: RunSpec, path: Path) -> None:
        self.spec = spec
        job = {"spec": spec.as_json(), "path": str(path.resolve())}
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # if it died between two runs, its output's end says so
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()

    def finish(self) -> Outcome:
        assert self.process.stdout is not None
        assert self.spec is not None
        spec, self.spec = self.spec, None
        line = self.process.stdout.readline()
        if line:
            reply: dict[str, Any] = json.loads(line)
            return Outcome(
                spec,
                reply.get("seconds"),
                reply.get("ncrr", {}),
                reply.get("error"),
                reply.get("details", ""),
                reply.get("elsewhere", False),
            )
        self.dead = True
        code = self.process.wait()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return Outcome(spec, None, {}, f"its process {how}", self._log_tail())

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # a job was still on its way
                    pipe.close()
        self._log.close()

    def _log_tail(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-LOG_TAIL:]
