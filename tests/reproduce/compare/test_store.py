import json

import numpy as np
import pytest

from acvae.exceptions import DataError
from acvae.reproduce.compare import (
    RULES,
    Store,
)
from acvae.reproduce.compare.tasks import TASKS
from reproduce.compare.samples import small


def test_results_are_kept_and_not_made_again(tmp_path) -> None:
    data, store, task = small(), Store(tmp_path), TASKS["links"]
    chosen = [method for method in RULES if method.name in ("cosine", "katz")]
    said: list[str] = []
    task.run(data, chosen, range(2), store, said.append)
    assert len(said) == 8
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert sorted(files) == ["cosine.0.json", "cosine.1.json", "katz.0.json", "katz.1.json"]
    (tmp_path / "links" / "small" / "katz.1.json").unlink()
    task.run(data, chosen, range(2), store, said.append)
    assert len(said) == 10
    again = json.loads((tmp_path / "links" / "small" / "katz.1.json").read_text())
    before = json.loads(files["katz.1.json"])
    assert {k: v for k, v in again.items() if "seconds" not in k} == {
        k: v for k, v in before.items() if "seconds" not in k
    }
    rows = task.rows("small", ["katz", "cosine", "gae"], range(2), store)
    assert list(rows) == ["Katz", "cosine of the features"]
    assert rows["Katz"]["ncrr"].mean == pytest.approx(
        np.mean([found["ncrr"] for found in store.results("links", "small", "katz")])
    )
    text = task.table("small", ["katz"], range(2), store)
    assert "| Katz |" in text
    assert text.splitlines()[-1].endswith("| 2 |")
    (tmp_path / "links" / "small" / "katz.1.json").write_text('{"method": "other"}')
    with pytest.raises(DataError, match="katz"):
        store.get("links", "small", "katz", 1)
