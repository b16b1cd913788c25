"""Claims of runners that share a folder of results."""

import os

from acvae.reproduce.claims import claim_on, sweep_claims


def test_what_dead_processes_left_is_swept_and_what_is_held_is_not(tmp_path):
    path = tmp_path / "run=0.json"
    stale, partial = tmp_path / "run=0.json.claim", tmp_path / "run=0.json.999999999.partial"
    stale.write_text("999999999\n")
    partial.write_text("half")
    held = claim_on(tmp_path / "run=1.json")
    with held:
        assert held.acquire() is None
        sweep_claims([path, tmp_path / "run=1.json"])
        assert not stale.exists()
        assert not partial.exists()
        assert held.still_there()
        assert claim_on(tmp_path / "run=1.json").holder() == os.getpid()


def test_a_run_is_claimed_by_one(tmp_path):
    path = tmp_path / "run=0.json"
    first, second = claim_on(path), claim_on(path)
    assert first.acquire() is None
    assert second.acquire() == os.getpid()
    assert (tmp_path / "run=0.json.claim").read_text() == f"{os.getpid()}\n"
    first.release()
    assert second.acquire() is None
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_results_stay_and_folders_need_not_be_there(tmp_path):
    path = tmp_path / "run=0.json"
    path.write_text("{}")
    sweep_claims([path, tmp_path / "none" / "run=1.json"])
    assert [left.name for left in tmp_path.iterdir()] == ["run=0.json"]
