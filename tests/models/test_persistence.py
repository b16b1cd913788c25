"""Saved models come back whole, and what is not one is refused with a reason."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import acvae
from acvae._util.arrays import read_arrays, write_arrays
from acvae.exceptions import AcvaeError, FeatureError, NotFittedError, OptionError, SavedModelError
from acvae.nn import Bernoulli

KIND = {"format": "acvae-model", "version": 2}
TINY = {"latent_dim": 2, "hidden_dim": 3, "epochs": 2, "progress": False}


def data():
    x = np.random.default_rng(0).poisson(0.8, (10, 5)).astype(float)
    return x, acvae.Graph(10, [(0, 1), (1, 2), (0, 2), (3, 4), (5, 6), (6, 7), (5, 7), (4, 8)])


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.safetensors"
    acvae.ACVAE(**TINY, pair_hidden_dim=4).fit(*data()).save(path)
    return path


class TestRoundTrip:
    def test_everything_comes_back(self, tmp_path):
        x, graph = data()
        named = acvae.Graph(10, graph.edges, [f"päper {i}" for i in range(10)])
        model = acvae.ACVAE("saddle-point", **TINY, pair_hidden_dim=4, tau=0.8, seed=7).fit(x, named)
        model.save(tmp_path / "m")
        back = acvae.load(tmp_path / "m")
        assert type(back) is acvae.ACVAE
        assert back.get_params() == model.get_params()
        assert back.history_ == model.history_
        assert back.n_features_in_ == 5
        np.testing.assert_array_equal(back.weights_, model.weights_)
        np.testing.assert_array_equal(back.graph_.edges, graph.edges)
        assert back.graph_.names.tolist() == named.names.tolist()
        for name, value in model.module_.state_dict().items():
            assert torch.equal(back.module_.state_dict()[name], value)

    def test_a_loaded_model_can_be_saved_and_trained_again(self, saved, tmp_path):
        model = acvae.load(saved)
        model.save(tmp_path / "again")
        np.testing.assert_array_equal(acvae.load(tmp_path / "again").posterior_.mean, model.posterior_.mean)
        before = model.posterior_.mean.copy()
        np.testing.assert_array_equal(model.fit(*data()).posterior_.mean, before)

    def test_numpy_numbers_among_the_options(self, tmp_path):
        model = acvae.VAE(
            **(TINY | {"latent_dim": np.int64(2)}), seed=np.int32(3), learning_rate=np.float32(0.01)
        )
        model.fit(data()[0], callbacks=[lambda state: {"seen": np.float32(state.epoch)}])
        model.save(tmp_path / "m")
        back = acvae.load(tmp_path / "m")
        assert back.seed == 3
        assert back.history_[-1]["seen"] == 2

    @pytest.mark.parametrize("scales", [np.array([1.0, 5.0]), range(1, 6, 4), (1.0, np.float32(5))])
    def test_options_that_are_lists_of_any_kind(self, tmp_path, scales):
        model = acvae.GraphGaussian(latent_dim=2, scales=scales, progress=False).fit(*data())
        model.save(tmp_path / "m")
        back = acvae.load(tmp_path / "m")
        assert list(back.scales) == [1, 5]
        assert back.scales_ == model.scales_ == (1.0, 5.0)

    def test_learnt_scales_of_the_gaussian_are_kept(self, tmp_path):
        model = acvae.VAE(**TINY, likelihood="gaussian").fit(np.random.default_rng(0).normal(size=(10, 5)))
        model.save(tmp_path / "m")
        kept = acvae.load(tmp_path / "m").module_.likelihood.log_std
        assert torch.equal(kept, model.module_.likelihood.log_std)
        assert kept.abs().max() > 0

    def test_an_existing_file_is_replaced_and_nothing_else_is_left(self, saved):
        acvae.VAE(**TINY).fit(data()[0]).save(saved)
        assert type(acvae.load(saved)) is acvae.VAE
        assert [p.name for p in saved.parent.iterdir()] == [saved.name]

    def test_columns_of_a_data_frame_are_kept(self, tmp_path):
        frame = pd.DataFrame(data()[0], columns=[f"wörd {i}" for i in range(5)])
        acvae.VAE(**TINY).fit(frame).save(tmp_path / "m")
        back = acvae.load(tmp_path / "m")
        assert back.feature_names_in_.tolist() == list(frame.columns)
        assert back.transform(frame).shape == (10, 2)
        with pytest.raises(FeatureError, match="should match those that were passed during fit"):
            back.transform(frame.rename(columns={"wörd 0": "other"}))

    def test_without_column_names_there_are_none_afterwards(self, saved):
        assert not hasattr(acvae.load(saved), "feature_names_in_")

    @pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
    def test_others_may_read_it_where_they_may_read_other_files(self, saved):
        plain = saved.with_name("plain.txt")
        plain.write_text("")
        assert saved.stat().st_mode == plain.stat().st_mode

    def test_text_paths_work(self, saved):
        assert acvae.load(str(saved)).n_features_in_ == 5


class TestNothingIsPickled:
    def test_the_file_is_safetensors_and_json(self, saved):
        with safe_open(saved, framework="np") as file:
            assert file.metadata()["format"] == "acvae-model"
            assert file.metadata()["version"] == "2"
        assert not any(array.dtype == object for array in load_file(saved).values())

    def test_loading_never_unpickles(self, saved, monkeypatch):
        def refuse(*args, **kwargs):
            raise AssertionError("unpickled")

        for target in ("pickle.load", "pickle.loads", "pickle.Unpickler", "torch.load"):
            monkeypatch.setattr(target, refuse)
        assert acvae.load(saved).posterior_.n_vertices == 10

    def test_a_pickle_is_not_a_model(self, tmp_path):
        path = tmp_path / "evil.pkl"
        path.write_bytes(pickle.dumps({"a": 1}))
        with pytest.raises(SavedModelError, match=r"evil\.pkl"):
            acvae.load(path)


class TestRefusal:
    def test_missing_file(self, tmp_path):
        with pytest.raises(SavedModelError, match=r"there is no file .*nowhere"):
            acvae.load(tmp_path / "nowhere")

    def test_directory(self, tmp_path):
        with pytest.raises(SavedModelError):
            acvae.load(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"hello\n", b"{}", b"\0" * 100, b"\xff" * 1000])
    def test_other_files(self, tmp_path, content):
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(SavedModelError, match=r"notes\.txt is not a saved model"):
            acvae.load(path)

    def test_someone_elses_safetensors(self, tmp_path):
        for metadata in (None, {"format": "pt"}):
            save_file({"w": np.zeros(3)}, tmp_path / "other", metadata=metadata)
            with pytest.raises(SavedModelError, match="not a saved model of acvae"):
                acvae.load(tmp_path / "other")

    @pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999])
    def test_truncated_files(self, saved, share):
        whole = saved.read_bytes()
        saved.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(SavedModelError, match=r"model\.safetensors is not"):
            acvae.load(saved)

    def test_one_byte_short(self, saved):
        saved.write_bytes(saved.read_bytes()[:-1])
        with pytest.raises(SavedModelError, match="damaged"):
            acvae.load(saved)

    @pytest.mark.parametrize(("version", "way"), [("3", "upgrade acvae"), ("1", "make the file again")])
    def test_another_version(self, saved, version, way):
        save_file(load_file(saved), saved, metadata={"format": "acvae-model", "version": version})
        with pytest.raises(SavedModelError, match=rf"in format {version}, this .* reads 2: {way}"):
            acvae.load(saved)

    def test_version_that_is_no_number(self, saved):
        save_file(load_file(saved), saved, metadata={"format": "acvae-model", "version": "new"})
        with pytest.raises(SavedModelError, match="damaged"):
            acvae.load(saved)

    @pytest.mark.parametrize("part", ["posterior.mean", "module.encoder.hidden.weight"])
    def test_a_missing_part_is_named(self, saved, part):
        arrays = load_file(saved)
        del arrays[part]
        save_file(arrays, saved, metadata={"format": "acvae-model", "version": "2"})
        with pytest.raises(
            SavedModelError, match=f"(?s)not a complete saved model.*{part.partition('.')[2] or part}"
        ):
            acvae.load(saved)

    @pytest.mark.parametrize("name", ["Robot", "annotations", "estimator"])
    def test_unknown_models(self, saved, name):
        arrays = load_file(saved)
        about = arrays["about"].tobytes().replace(b'"ACVAE"', f'"{name}"'.encode())
        arrays["about"] = np.frombuffer(about, dtype=np.uint8)
        save_file(arrays, saved, metadata={"format": "acvae-model", "version": "2"})
        with pytest.raises(SavedModelError):
            acvae.load(saved)

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            (
                {"n_features": 10**9},
                r"of shape \(5, 3\), not float32 of \(1000000000, 3\)|would take [\d.]+ GB",
            ),
            ({"n_features": 10**30}, "not a complete saved model"),
            ({"n_features": -5}, "n_features must be a whole number"),
            ({"n_features": 5.0}, "n_features must be a whole number"),
            ({"history": [3]}, "its history is not one row"),
            ({"feature_names": ["a"]}, "feature_names are not 5 texts"),
            ({"n_vertices": 11}, "its graph has 11 vertices, its posterior others"),
        ],
    )
    def test_what_is_declared_is_held_against_the_arrays(self, saved, changes, match):
        arrays, about = read_arrays(saved, **KIND, what="model")
        write_arrays(saved, arrays, about | changes, **KIND)
        with pytest.raises(SavedModelError, match=match):
            acvae.load(saved)

    @pytest.mark.parametrize("device", [2**63, 10**400, None, [], "x"])
    def test_devices_that_are_none(self, saved, device):
        arrays, about = read_arrays(saved, **KIND, what="model")
        about["options"]["device"] = device
        write_arrays(saved, arrays, about, **KIND)
        with pytest.raises(AcvaeError, match="device="):
            acvae.load(saved).transform(data()[0])

    @pytest.mark.parametrize("option", ["hidden_dim", "latent_dim", "pair_hidden_dim"])
    def test_options_that_declare_huge_networks_take_no_memory(self, saved, option):
        arrays, about = read_arrays(saved, **KIND, what="model")
        about["options"][option] = 10**9
        write_arrays(saved, arrays, about, **KIND)
        with pytest.raises(SavedModelError, match=r"of shape|would take [\d.]+ GB"):
            acvae.load(saved)

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            (lambda a: a[:-1], "of shape"),
            (lambda a: a.astype(np.float64), "is float64 of shape"),
            (lambda a: a * np.float32("nan"), "is not finite"),
        ],
    )
    @pytest.mark.parametrize("name", ["module.encoder.hidden.weight", "module.pair_encoder.bias"])
    def test_networks_that_do_not_fit(self, saved, name, change, match):
        arrays, about = read_arrays(saved, **KIND, what="model")
        write_arrays(saved, arrays | {name: change(arrays[name])}, about, **KIND)
        with pytest.raises(SavedModelError, match=match):
            acvae.load(saved)

    def test_weights_of_other_edges(self, saved):
        arrays, about = read_arrays(saved, **KIND, what="model")
        write_arrays(saved, arrays | {"weights": arrays["weights"][1:]}, about, **KIND)
        with pytest.raises(SavedModelError, match=r"its 'weights' has the shape \(7,\), not \(8\)"):
            acvae.load(saved)

    def test_before_fit_there_is_nothing_to_save(self, tmp_path):
        with pytest.raises(NotFittedError, match="save needs a fitted model"):
            acvae.VAE().save(tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_likelihoods_of_ones_own_cannot_be_saved(self, tmp_path):
        model = acvae.VAE(**TINY, likelihood=Bernoulli()).fit((data()[0] > 0).astype(float))
        with pytest.raises(OptionError, match="named likelihood"):
            model.save(tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_models_of_ones_own_are_saved_under_a_name(self, tmp_path):
        class Mine(acvae.VAE):
            pass

        with pytest.raises(
            OptionError,
            match=r"only models that acvae knows can be saved: give acvae.methods.register\(name, Mine\)",
        ):
            Mine(**TINY).fit(data()[0]).save(tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_names_that_json_cannot_hold(self, tmp_path):
        x, graph = data()
        model = acvae.VAE(**TINY).fit(x, acvae.Graph(10, graph.edges, [(i, i) for i in range(10)]))
        with pytest.raises(OptionError, match="strings or whole numbers"):
            model.save(tmp_path / "m")

    def test_history_that_json_cannot_hold(self, tmp_path):
        with pytest.raises(OptionError, match="a dict from names to numbers"):  # refused where it comes in
            acvae.VAE(**TINY).fit(data()[0], callbacks=[lambda state: {"odd": object()}])
        model = acvae.VAE(**TINY).fit(data()[0])
        model.history_.append({"odd": object()})
        with pytest.raises(AcvaeError, match="object"):
            model.save(tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_a_failed_save_leaves_the_old_file(self, saved):
        before = saved.read_bytes()
        model = acvae.VAE(**TINY, likelihood=Bernoulli()).fit((data()[0] > 0).astype(float))
        with pytest.raises(OptionError):
            model.save(saved)
        assert saved.read_bytes() == before
