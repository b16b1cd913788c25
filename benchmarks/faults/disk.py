"""Train into disks that are too small, and into one that becomes read-only; then give room and go on.

    sudo python benchmarks/faults/disk.py

Each disk is a file system in memory of a few kilobytes, mounted for this. Unclear: another outcome than a
finished run or an error of `acvae.exceptions` that says what the system said. Different: after the disk was
made larger (or writable), the same command does not end with the bytes of a run that had room from the start.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kill import content

from acvae.exceptions import AcvaeError
from acvae.runs import RunConfig, fit_run

VALUES = {
    "dataset": "tree",
    "data_options": {"n_vertices": 60, "n_features": 20},
    "model": "acvae-eb",
    "latent_dim": 3,
    "epochs": 6,
    "checkpoint_every": 1,
    "device": "cpu",
}


def mount(place: Path, *options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "acvae", str(place)], check=True)


def attempt(folder: Path) -> str:
    """How a training ends: "finished", the text of its error, or what else came."""
    try:
        fit_run(RunConfig.from_values(VALUES), folder, progress=False)
    except AcvaeError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"unclear: {error!r}"
    return "finished"


def main() -> None:
    if os.geteuid() != 0:
        sys.exit("only root may mount file systems")
    home = Path(tempfile.mkdtemp(prefix="acvae-disk-"))
    disk = home / "disk"
    disk.mkdir()
    try:
        expected = content(fit_run(RunConfig.from_values(VALUES), home / "whole", progress=False).path)
        whole = sum(map(len, expected.values())) // 1024
        sizes = range(4, 2 * whole + 100, 8)  # KB
        full = kept = unclear = different = 0
        for size in sizes:
            mount(disk, f"size={size}k")
            try:
                told = attempt(disk / "run")
                full += told != "finished"
                unclear += told != "finished" and "No space left on device" not in told
                kept += told.endswith("checkpoint.safetensors'.")
                mount(disk, "remount", "size=100m")
                if told != "finished":
                    again = attempt(disk / "run")
                    unclear += again != "finished"
                different += content(disk / "run") != expected
            finally:
                subprocess.run(["umount", str(disk)], check=True)
        print(
            f"{len(sizes)} small disks: {full} full, {kept} of them with a checkpoint kept; "
            f"{unclear} unclear, {different} different"
        )
        _read_only(disk, expected)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _stop_after_a_checkpoint(folder: Path) -> None:
    replace = os.replace

    def interrupting(source: str, target: str) -> None:
        replace(source, target)
        if Path(target).name == "checkpoint.safetensors":
            raise KeyboardInterrupt

    os.replace = interrupting  # type: ignore[assignment]
    with contextlib.suppress(KeyboardInterrupt):
        fit_run(RunConfig.from_values(VALUES), folder, progress=False)
    os.replace = replace


def _read_only(disk: Path, expected: dict[str, bytes]) -> None:
    """Before the first file, and when a training that was stopped is to go on."""
    mount(disk, "size=100m")
    try:
        mount(disk, "remount", "ro")
        told = [attempt(disk / "run")]
        mount(disk, "remount", "rw")
        _stop_after_a_checkpoint(disk / "run")
        mount(disk, "remount", "ro")
        told.append(attempt(disk / "run"))
        mount(disk, "remount", "rw")
        kept = (disk / "run" / "checkpoint.safetensors").is_file()
        told.append(attempt(disk / "run"))
        clear = kept and all("Read-only file system" in text for text in told[:2])
        same = told[2] == "finished" and content(disk / "run") == expected
        print(
            f"read-only: {'clear' if clear else f'unclear: {told}'}, "
            f"{'gone on to the same bytes' if same else 'different'}"
        )
    finally:
        subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    main()
