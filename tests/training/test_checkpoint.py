"""Checkpoints: stopped anywhere and gone on with, training ends with the same bits."""

import json
import signal

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from acvae import ACVAE, CVAE, VAE, Graph, GraphSAGE
from acvae._util.arrays import read_arrays, write_arrays
from acvae.engine.step import Stepper
from acvae.exceptions import OptionError, SavedModelError, TrainingError
from acvae.families import FamilyState, ForestFamily, PairwiseFamily
from acvae.nn import Autoencoder, Likelihood, as_features
from acvae.training import BatchSizes, Checkpoint, Plan, train

N = 30
SMALL = {"latent_dim": 2, "hidden_dim": 4, "epochs": 6, "progress": False, "device": "cpu", "seed": 3}
MODELS = {
    "acvae-eb": lambda: ACVAE(pair_hidden_dim=5, batch_edges=16, batch_vertices=8, **SMALL),
    "acvae-sp": lambda: ACVAE("saddle-point", pair_hidden_dim=5, batch_edges=16, **SMALL),
    "cvae-graph": lambda: CVAE(pair_hidden_dim=5, posterior="graph", batch_edges=16, **SMALL),
    "cvae-corr": lambda: CVAE(pair_hidden_dim=5, batch_edges=16, **SMALL),
    "cvae-ind": lambda: CVAE(False, batch_edges=16, **SMALL),
    "vae": lambda: VAE(batch_vertices=8, **SMALL),
    "graphsage": lambda: GraphSAGE(batch_edges=16, **SMALL),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.poisson(1.0, (N, 7)), Graph(N, rng.integers(0, N, (60, 2)))


def interrupt_after_epoch(number):
    """A callback; an interrupt that comes after the epoch's steps, before it is whole."""

    def callback(state):
        if state.epoch == number:
            raise KeyboardInterrupt

    return callback


def assert_same(model, other):
    for name, tensor in model.module_.state_dict().items():
        assert torch.equal(tensor, other.module_.state_dict()[name]), name
    (arrays, about), (others, about_others) = model.posterior_.pack(), other.posterior_.pack()
    assert about == about_others
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)
    if model.weights_ is not None:
        np.testing.assert_array_equal(model.weights_, other.weights_)
    without_time = [
        [{name: x for name, x in row.items() if name != "seconds"} for row in m.history_]
        for m in (model, other)
    ]
    assert without_time[0] == without_time[1]


@pytest.mark.parametrize("name", MODELS)
def test_interrupted_at_any_epoch_and_gone_on_with_gives_the_same_bits(name, data, tmp_path):
    whole = MODELS[name]().fit(*data)
    for stop in (1, 4):  # before any epoch is whole, and between two
        checkpoint = Checkpoint(tmp_path / f"{stop}.safetensors", every=2)
        with pytest.raises(KeyboardInterrupt):
            MODELS[name]().fit(*data, callbacks=[interrupt_after_epoch(stop)], checkpoint=checkpoint)
        again = MODELS[name]()
        again.fit(*data, checkpoint=checkpoint)
        assert_same(whole, again)


def test_interrupted_in_the_middle_of_an_epoch(data, tmp_path, monkeypatch):
    whole = MODELS["acvae-eb"]().fit(*data)
    steps_of_epoch = int(whole.history_[0]["steps"])
    assert steps_of_epoch > 2
    step, taken = Stepper.step, []

    def interrupted(self, *args):
        taken.append(1)
        if len(taken) == 2 * steps_of_epoch + 2:
            raise KeyboardInterrupt
        return step(self, *args)

    checkpoint = Checkpoint(tmp_path / "state", every=100)
    with monkeypatch.context() as patch:
        patch.setattr(Stepper, "step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)
    seen = []
    again = MODELS["acvae-eb"]().fit(
        *data, checkpoint=checkpoint, callbacks=[lambda state: seen.append(state.epoch)]
    )
    assert seen == [3, 4, 5, 6]
    assert_same(whole, again)


class TestSignals:
    """Ctrl-C as the system sends it: compiled code would turn a KeyboardInterrupt into something else."""

    @pytest.mark.parametrize("name", ["acvae-eb", "graphsage"])
    def test_the_first_one_stops_between_two_steps(self, name, data, tmp_path):
        def ctrl_c(state):
            if state.epoch == 3:
                signal.raise_signal(signal.SIGINT)

        checkpoint, seen = Checkpoint(tmp_path / "state"), []
        with pytest.raises(KeyboardInterrupt):
            MODELS[name]().fit(*data, callbacks=[ctrl_c], checkpoint=checkpoint)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert len(about(checkpoint.path)["history"]) == 3
        again = MODELS[name]().fit(*data, callbacks=[lambda s: seen.append(s.epoch)], checkpoint=checkpoint)
        assert seen == [4, 5, 6]
        assert_same(MODELS[name]().fit(*data), again)

    def test_the_second_one_stops_at_once(self, data, tmp_path):
        reached = []

        def ctrl_c_twice(state):
            signal.raise_signal(signal.SIGINT)
            reached.append(1)
            signal.raise_signal(signal.SIGINT)
            reached.append(2)

        checkpoint = Checkpoint(tmp_path / "state")
        with pytest.raises(KeyboardInterrupt):
            MODELS["vae"]().fit(*data, callbacks=[ctrl_c_twice], checkpoint=checkpoint)
        assert reached == [1]
        assert about(checkpoint.path)["history"] == []

    def test_in_the_last_epoch_it_stops_after_it(self, data, tmp_path):
        def ctrl_c(state):
            if state.epoch == state.epochs:
                signal.raise_signal(signal.SIGINT)

        checkpoint = Checkpoint(tmp_path / "state")
        with pytest.raises(KeyboardInterrupt):
            MODELS["vae"]().fit(*data, callbacks=[ctrl_c], checkpoint=checkpoint)
        assert len(about(checkpoint.path)["history"]) == 6

    def test_what_compiled_code_makes_of_an_interrupt_is_one_all_the_same(self, data, tmp_path):
        def mangled(state):
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as error:
                raise SystemError("returned a result with an exception set") from error

        checkpoint = Checkpoint(tmp_path / "state")
        with pytest.raises(KeyboardInterrupt):
            MODELS["vae"]().fit(*data, callbacks=[mangled], checkpoint=checkpoint)
        assert checkpoint.path.exists()

    def test_other_errors_pass_and_store_nothing(self, data, tmp_path):
        def broken(state):
            raise SystemError("a bug")

        checkpoint = Checkpoint(tmp_path / "state")
        with pytest.raises(SystemError, match="a bug"):
            MODELS["vae"]().fit(*data, callbacks=[broken], checkpoint=checkpoint)
        assert not checkpoint.path.exists()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_checkpoint_changes_nothing_and_a_finished_one_is_only_read(data, tmp_path):
    checkpoint = Checkpoint(tmp_path / "new" / "state", every=4)
    whole = MODELS["acvae-eb"]().fit(*data)
    kept = MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)
    assert_same(whole, kept)
    epochs = []
    again = MODELS["acvae-eb"]().fit(
        *data, checkpoint=checkpoint, callbacks=[lambda state: epochs.append(state.epoch)]
    )
    assert epochs == []
    assert_same(whole, again)
    assert [path.name for path in checkpoint.path.parent.iterdir()] == ["state"]


def test_is_stored_every_so_many_epochs_and_after_the_last(data, tmp_path):
    path = tmp_path / "state"
    stored = []

    def look(state):
        stored.append(len(about(path)["history"]) if path.exists() else 0)

    MODELS["vae"]().fit(*data, callbacks=[look], checkpoint=Checkpoint(path, every=4))
    assert stored == [0, 0, 0, 0, 4, 4]  # seen before the epoch is whole
    assert len(about(path)["history"]) == 6


def test_what_callbacks_added_to_the_history_is_kept(data, tmp_path):
    checkpoint = Checkpoint(tmp_path / "state")
    note = lambda state: {"double": np.float64(2 * state.epoch)}  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        MODELS["vae"]().fit(*data, callbacks=[note, interrupt_after_epoch(3)], checkpoint=checkpoint)
    model = MODELS["vae"]().fit(*data, callbacks=[note], checkpoint=checkpoint)
    assert [row["double"] for row in model.history_] == [2, 4, 6, 8, 10, 12]


def test_progress_goes_on_from_where_it_was(data, tmp_path, capsys):
    checkpoint = Checkpoint(tmp_path / "state")
    with pytest.raises(KeyboardInterrupt):
        MODELS["vae"]().fit(*data, callbacks=[interrupt_after_epoch(5)], checkpoint=checkpoint)
    MODELS["vae"]().set_params(progress=True).fit(*data, checkpoint=checkpoint)
    assert "VAE: 6/6 " in capsys.readouterr().err


def about(path):
    return json.loads(load_file(path)["about"].tobytes())


class Drifting(PairwiseFamily):
    """Weights take a random walk after each epoch, by a stream of its own, and all are remembered."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.stream, self.path = np.random.default_rng(7), []

    def after_epoch(self, world=None):
        self.path.append(self.weights)
        self.weights = np.clip(self.weights + 0.3 * self.stream.normal(size=len(self.weights)), 0, 1)
        return super().after_epoch()


class StoredDrifting(Drifting):
    """The same, and it owns its state: an array that grows, and the state of a random stream."""

    def state(self):
        path = np.array([*self.path, self.weights])
        return FamilyState({"path": path}, {"stream": self.stream.bit_generator.state})

    def restore(self, state):
        *self.path, self.weights = state.arrays["path"]
        self.stream.bit_generator.state = state.values["stream"]


def test_a_parameter_that_is_a_single_number(data, tmp_path):
    class Scaled(Likelihood):
        def __init__(self):
            super().__init__()
            self.log_scale = torch.nn.Parameter(torch.zeros(()))

        def forward(self, outputs, rows):
            away = rows.subtract_from(outputs).abs().sum(-1)
            return -away * torch.exp(-self.log_scale) - outputs.shape[-1] * self.log_scale

    def make():
        return VAE(likelihood=Scaled(), batch_vertices=8, **SMALL)

    checkpoint = Checkpoint(tmp_path / "state")
    with pytest.raises(KeyboardInterrupt):
        make().fit(*data, callbacks=[interrupt_after_epoch(3)], checkpoint=checkpoint)
    assert_same(make().fit(*data), make().fit(*data, checkpoint=checkpoint))


class TestAFamilysOwnState:
    PLAN = Plan(epochs=6, learning_rate=1e-2, progress=False)

    def make(self, data, kind, **options):
        features, graph = data
        module = Autoencoder(
            7, latent_dim=2, hidden_dim=4, pair_hidden_dim=5, generator=torch.Generator().manual_seed(0)
        )
        given = () if issubclass(kind, ForestFamily) else (np.full(graph.n_edges, 0.5),)
        return kind(module, as_features(features), graph, *given, sizes=BatchSizes(8, 16, 16), **options)

    def test_resumes_to_the_bit(self, data, tmp_path):
        whole = self.make(data, StoredDrifting)
        history = train(whole, self.PLAN)
        for stop in (1, 4):
            checkpoint = Checkpoint(tmp_path / str(stop), every=2)
            stopped = self.make(data, StoredDrifting)
            with pytest.raises(KeyboardInterrupt):
                train(stopped, self.PLAN, [interrupt_after_epoch(stop)], checkpoint)
            again = self.make(data, StoredDrifting)
            rows = train(again, self.PLAN, (), checkpoint)
            assert [row["elbo"] for row in rows] == [row["elbo"] for row in history]
            np.testing.assert_array_equal(again.weights, whole.weights)
            np.testing.assert_array_equal(again.path, whole.path)
            for a, b in zip(again.module.parameters(), whole.module.parameters(), strict=True):
                assert torch.equal(a, b)
        assert len(np.unique(whole.path, axis=0)) == 6

    def test_without_a_state_it_is_refused_before_training(self, data, tmp_path):
        class Bare:
            """What training needs, and nothing to store."""

            def __init__(self, family):
                self._family = family

            def __getattr__(self, name):
                if name in ("state", "restore"):
                    raise AttributeError(name)
                return getattr(self._family, name)

        family = self.make(data, PairwiseFamily)
        path = tmp_path / "state"
        with pytest.raises(TrainingError, match=r"Bare has no state and restore.*train without a checkpoint"):
            train(Bare(family), self.PLAN, [pytest.fail], Checkpoint(path))
        assert not path.exists()
        assert len(train(Bare(family), self.PLAN)) == 6

    def test_an_inherited_state_that_does_not_know_what_changes_is_refused(self, data, tmp_path):
        family = self.make(data, Drifting)
        with pytest.raises(TrainingError, match=r"after_epoch of its own and inherits state.*define both"):
            train(family, self.PLAN, [pytest.fail], Checkpoint(tmp_path / "state"))
        assert len(train(family, self.PLAN)) == 6

    def test_below_a_family_that_stores_itself_all_is_well(self, data, tmp_path):
        kind = type("Below", (ForestFamily,), {"figures": ForestFamily.figures})
        checkpoint = Checkpoint(tmp_path / "state")
        whole = self.make(data, kind, maximum=True)
        train(whole, self.PLAN, (), checkpoint)
        again = self.make(data, kind, maximum=True)
        train(again, self.PLAN, [pytest.fail], checkpoint)
        np.testing.assert_array_equal(again.weights, whole.weights)
        assert again.weight_state.step == 6

    @pytest.mark.parametrize(
        "state",
        [
            FamilyState({"names": np.array(["a", "b"])}, {}),
            FamilyState({"mixed": np.array([1, None])}, {}),
            FamilyState({}, {"by_vertex": {0: 1.5}}),
            FamilyState({}, {"pair": (1, 2)}),
            FamilyState({}, {"seen": {1, 2}}),
        ],
        ids=["text", "objects", "numbers as keys", "a tuple", "a set"],
    )
    def test_what_would_not_come_back_is_refused_before_training(self, state, data, tmp_path):
        kind = type("Odd", (StoredDrifting,), {"state": lambda self: state})
        with pytest.raises(TrainingError, match="the state of training cannot be stored: its"):
            train(self.make(data, kind), self.PLAN, [pytest.fail], Checkpoint(tmp_path / "state"))

    def test_numbers_of_any_kind_come_back(self, data, tmp_path):
        values = {"a": np.float64(0.1), "b": [1, None, True], "c": {"d": np.int64(3), "e": float("inf")}}
        arrays = {"x": np.arange(3, dtype=np.uint8), "y": np.array(2.5), "z": np.eye(2, order="F")[:, ::-1]}
        restored = []
        members = {
            "state": lambda self: FamilyState(arrays, values),
            "restore": lambda self, state: restored.append(state),
        }
        kind, checkpoint = type("Numbers", (Drifting,), members), Checkpoint(tmp_path / "state")
        train(self.make(data, kind), self.PLAN, (), checkpoint)
        train(self.make(data, kind), self.PLAN, (), checkpoint)
        (state,) = restored
        assert state.values == values
        for name, array in arrays.items():
            np.testing.assert_array_equal(state.arrays[name], array)
            assert state.arrays[name].dtype == array.dtype
            assert state.arrays[name].shape == array.shape


class TestRefusals:
    @pytest.fixture
    def checkpoint(self, data, tmp_path):
        checkpoint = Checkpoint(tmp_path / "state")
        MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)
        return checkpoint

    def test_other_options(self, data, checkpoint):
        model = MODELS["acvae-eb"]().set_params(epochs=9, gamma=0.5)
        with pytest.raises(OptionError, match=r"with epochs=6, gamma=0\.1, not epochs=9, gamma=0\.5; go on"):
            model.fit(*data, checkpoint=checkpoint)

    def test_another_model(self, data, checkpoint):
        with pytest.raises(OptionError, match="with model='ACVAE_EB'"):
            MODELS["vae"]().fit(*data, checkpoint=checkpoint)
        with pytest.raises(OptionError, match="delete it to start again"):
            MODELS["graphsage"]().fit(*data, checkpoint=checkpoint)

    def test_other_sizes_and_other_data(self, data, checkpoint):
        with pytest.raises(SavedModelError, match="of other data or other sizes"):
            MODELS["acvae-eb"]().set_params(hidden_dim=9).fit(*data, checkpoint=checkpoint)
        features, graph = data
        with pytest.raises(SavedModelError, match="of other data or other sizes"):
            MODELS["acvae-eb"]().fit(features[:, :5], graph, checkpoint=checkpoint)
        with pytest.raises(OptionError, match="n_edges"):
            MODELS["acvae-eb"]().fit(features, graph.with_edges(np.arange(9)), checkpoint=checkpoint)

    def test_damage(self, data, checkpoint, tmp_path):
        whole = checkpoint.path.read_bytes()
        checkpoint.path.write_bytes(whole[:50])
        with pytest.raises(SavedModelError, match=r"state is not a checkpoint, or is damaged"):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)
        save_file({"x": np.zeros(2)}, checkpoint.path)
        with pytest.raises(SavedModelError, match="but not a checkpoint of acvae"):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)
        save_file({"x": np.zeros(2)}, checkpoint.path, {"format": "acvae-checkpoint", "version": "99"})
        with pytest.raises(SavedModelError, match=r"in format 99, this acvae .* reads 2: upgrade"):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)

    def test_part_of_it_is_missing(self, data, checkpoint):
        arrays = load_file(checkpoint.path)
        del arrays["family.weights"]
        save_file(arrays, checkpoint.path, {"format": "acvae-checkpoint", "version": "2"})
        with pytest.raises(SavedModelError, match="does not fit this training: 'weights'"):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)

    def test_flipped_bytes_are_seen(self, data, checkpoint):
        whole = checkpoint.path.read_bytes()
        start = 8 + int.from_bytes(whole[:8], "little")
        for at in np.linspace(start, len(whole) - 1, 40).astype(int):
            changed = bytearray(whole)
            changed[at] ^= 4
            checkpoint.path.write_bytes(changed)
            with pytest.raises(SavedModelError):
                MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)

    @pytest.mark.parametrize(
        ("name", "change", "match"),
        [
            ("module.encoder.hidden.bias", lambda a: a * np.float32("nan"), "not made of finite float32"),
            ("module.encoder.hidden.bias", lambda a: a.astype(np.float64), "not made of finite float32"),
            ("family.weights", lambda a: a + 2, "weights are numbers from 0 to 1"),
            ("history", lambda rows: rows[1:], "not that of its epochs"),
            ("history", lambda rows: [{**row, "steps": "3"} for row in rows], "a row without 'steps'"),
            ("history", lambda rows: rows * 2, "not that of its epochs"),
            ("optimizer_count", lambda count: -1, "optimizer_count must be a whole number"),
            ("options", lambda options: 3, "does not tell its options"),
            ("rng", lambda state: {**state, "state": {"state": -1, "inc": 2**200}}, "does not fit this"),
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_refused_though_the_checksum_does(
        self, name, change, match, data, checkpoint
    ):
        kind = {"format": "acvae-checkpoint", "version": 2}
        arrays, about = read_arrays(checkpoint.path, **kind, what="checkpoint")
        part = arrays if name in arrays else about
        part[name] = change(part[name])
        write_arrays(checkpoint.path, arrays, about, **kind)
        with pytest.raises((SavedModelError, OptionError), match=match):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)

    def test_weights_of_other_edges(self, data, checkpoint):
        arrays = load_file(checkpoint.path)
        arrays["family.weights"] = arrays["family.weights"][1:]
        save_file(arrays, checkpoint.path, {"format": "acvae-checkpoint", "version": "2"})
        with pytest.raises(SavedModelError, match=r"does not fit this training: \d+ edges, but weights of"):
            MODELS["acvae-eb"]().fit(*data, checkpoint=checkpoint)

    @pytest.mark.parametrize("every", [0, 1.5, "2"])
    def test_every(self, every):
        with pytest.raises(OptionError, match="every must be a whole number of at least 1"):
            Checkpoint("x", every=every)
