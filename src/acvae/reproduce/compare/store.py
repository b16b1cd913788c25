"""Results as JSON, a file for each (task, data set, method, split): what is there is not made again."""

import json
from pathlib import Path
from typing import Any

from acvae._util.version import __version__
from acvae.exceptions import DataError
from acvae.runs.files import plain, read_json, write_text

__all__ = ["Store"]


class Store:
    """A folder of results: `TASK/DATA/METHOD.SPLIT.json`."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, task: str, data: str, method: str, split: int) -> Path:
        """Where a result is, or would be."""
        return self.folder / task / data / f"{method}.{split}.json"

    def get(self, task: str, data: str, method: str, split: int) -> dict[str, Any] | None:
        """A stored result, or None."""
        path = self.path(task, data, method, split)
        if not path.is_file():
            return None
        found = read_json(path)
        if not isinstance(found, dict) or found.get("method") != method or found.get("split") != split:
            raise DataError(f"{str(path)!r} is not a result of {method} on split {split}; remove or mend it.")
        return found

    def put(self, task: str, data: str, method: str, split: int, values: dict[str, Any]) -> dict[str, Any]:
        """Write a result whole, and give it back as it is read."""
        path = self.path(task, data, method, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        key = {"task": task, "data": data, "method": method, "split": split}
        full: dict[str, Any] = plain({**key, **values, "version": __version__})
        write_text(path, json.dumps(full, indent=1, ensure_ascii=False) + "\n")
        return full

    def results(self, task: str, data: str, method: str) -> list[dict[str, Any]]:
        """All results of a method, by split."""
        files = (self.folder / task / data).glob(f"{method}.*.json")
        splits = sorted(int(path.name.rsplit(".", 2)[1]) for path in files)
        return [found for split in splits if (found := self.get(task, data, method, split)) is not None]
