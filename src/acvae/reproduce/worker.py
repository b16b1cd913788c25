"""A process that does one run after another: a line of JSON in for each, a line of JSON out when it is done.

The result itself goes straight to its file. When the input ends, because there is no more to do or because
the parent is gone, the process ends at once.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from acvae.exceptions import AcvaeError

__all__ = ["main"]


def main() -> None:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops us
    reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not mix with the replies
    jobs: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_read, args=(jobs,), daemon=True).start()
    while True:
        print(json.dumps(_serve(jobs.get())), file=reply, flush=True)


def _read(jobs: queue.Queue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)


def _serve(job: dict[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        scores = _do(job["spec"], Path(job["path"]))
    except AcvaeError as error:
        return {"error": str(error), "details": traceback.format_exc()}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "details": traceback.format_exc()}
    if scores is None:
        return {"elsewhere": True}
    return {"seconds": time.perf_counter() - started, "ncrr": scores}


def _do(values: dict[str, Any], path: Path) -> dict[str, Any] | None:
    """Do a run that nobody else does or has done; None if another process is at it or was quicker."""
    from acvae.reproduce.claims import claim_on
    from acvae.reproduce.spec import RunSpec
    from acvae.reproduce.store import holds

    spec = RunSpec.from_json(values)
    path.parent.mkdir(parents=True, exist_ok=True)
    with claim_on(path) as claim:
        if claim.acquire() is not None or holds(path, spec):
            return None
        return _run(spec, path)


def _run(spec: Any, path: Path) -> dict[str, Any]:
    """Run, write what the path's ending asks for, and return the test NCRR of each kind of evaluation."""
    from acvae.reproduce import execute
    from acvae.reproduce.store import write_result

    if path.suffix == ".safetensors":
        execute.save_posterior(spec, path)
        return {}
    result = execute.execute(spec)
    write_result(result, path)
    return {kind: taken.get("ncrr", {}).get("test") for kind, taken in result["selected"].items()}


if __name__ == "__main__":
    main()
