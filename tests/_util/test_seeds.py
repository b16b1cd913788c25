from itertools import product

from acvae._util.seeds import stream_seed


def test_every_seed_purpose_and_process_has_a_stream_of_its_own():
    cases = list(product(range(20), ("networks", "batches", "noise"), ((), (1,), (2,))))
    seeds = [stream_seed(seed, purpose, *numbers) for seed, purpose, numbers in cases]
    assert len(set(seeds)) == len(cases)
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seeds == [stream_seed(seed, purpose, *numbers) for seed, purpose, numbers in cases]
