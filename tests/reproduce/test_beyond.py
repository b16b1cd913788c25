"""The part of RESULTS.md beyond the paper, from stored results."""

import json

from acvae.reproduce.beyond import ablation_table, beyond
from acvae.reproduce.compare import Store
from acvae.reproduce.report import write_report


def test_nothing_stored_is_nothing_said(tmp_path):
    assert beyond(tmp_path) == ""


def test_every_table_that_has_results_is_there(tmp_path):
    folder = tmp_path / "beyond" / "results"
    store = Store(folder)
    for split, ncrr in enumerate((0.2, 0.3)):
        store.put("links", "debian", "katz", split, {"label": "Katz", "ncrr": ncrr})
    store.put(
        "calibration",
        "acm",
        "graph-gaussian",
        0,
        {"calibration_error": 0.01, "calibration_error_of_links": 0.03, "log_loss": 5.5},
    )
    store.put(
        "calibration",
        "acm",
        "katz",
        0,
        {
            "calibration_error": 0.02,
            "calibration_error_of_links": 0.04,
            "log_loss": 6.5,
            "bound_calibration_error": 0.01,
            "bound_calibration_error_of_links": 0.02,
            "bound_log_loss": 6.25,
        },
    )
    for split, head in enumerate((0.5, 0.5)):
        store.put("inputs", "acm", "graph-gaussian", split, {"ncrr": {"head": head, "log walk": 0.25}})
    (folder / "ablation.json").write_text(json.dumps({"the default": {"acm 0": 0.46, "acm 1": 0.5}}))
    text = beyond(folder)
    half = 12.706 * 0.05  # Student's t at one degree of freedom, times the error of the mean
    assert f"| Katz | 0.250 ± {half:.3f} |" in text
    assert "| acm | GraphGaussian | 0.010 | 0.030 | 5.500 | 1 |" in text
    assert "| acm | Katz | 0.020 | 0.040 | 6.500 | 1 |" in text
    assert "| acm | *Katz (a bound)* | 0.010 | 0.020 | 6.250 | 1 |" in text
    assert "| log walk | 0.250 ± 0.000 |" in text
    assert "| the default | 0.4600 | 0.5000 |" in text
    assert "| the default | 0.5000 | – |" in ablation_table(folder / "ablation.json", ["acm 1", "acm 2"])
    assert "classified" not in text
    write_report(tmp_path / "results", tmp_path / "RESULTS.md", tmp_path / "discussion.md")
    page = (tmp_path / "RESULTS.md").read_text()
    assert page.endswith(f"## Beyond the paper\n\n{text}\n")
