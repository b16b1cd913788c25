"""Whatever things are called, the page shows it as text and runs nothing."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.report import write_report
from report.samples import NASTY, make_entry

NAMES = [
    NASTY,
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)",
    "javascript:alert(4)",
    "</style><style>body{display:none}</style>",
    "<!--",
    "]]>",
    "${alert(5)}",
    "%3Cscript%3Ealert(6)%3C/script%3E",
    "<svg/onload=alert(7)>",
    "__proto__",
]


class Talker:
    """Explains in tags."""

    def predict_links(self, rows, k, exclude):
        found = make_entry().posterior.nearest(rows, k, exclude=exclude)[0]
        return found, np.full(found.shape, 0.5)

    def explain(self, i, j):
        return f"<img src=x onerror=alert({i})>"


@pytest.fixture(scope="module")
def nasty_file(tmp_path_factory):
    names = [*NAMES, *(f"vertex {v}" for v in range(len(NAMES), 40))]
    features = sp.csr_array(np.kron(np.eye(2), np.ones((20, 1))))
    entry = replace(
        make_entry(NAMES[1], names=names, data=NAMES[2]),
        model=NAMES[4],
        predictor=Talker(),
        features=features,
        feature_names=np.array([NAMES[1], NAMES[2]], dtype=object),
        classes=np.arange(40) % 2,
        class_names=[NAMES[1], NAMES[10]],
    )
    folder = tmp_path_factory.mktemp("report")
    return write_report(
        [entry, replace(entry, label=NAMES[2])], folder / "report.html", title=NAMES[1], maps="pca"
    )


def test_every_name_can_be_found_and_is_shown_as_it_is(open_file, nasty_file):
    page = open_file(nasty_file)
    for v, name in enumerate(NAMES):
        page.evaluate("(v) => acvaeReport.choose(v)", v)
        assert page.locator("#chosen").evaluate("(e) => e.textContent") == name
        page.locator(".links").first.locator("li > button").first.click()
        again = open_file(nasty_file, address=page.evaluate("location.hash"))
        assert again.locator("#chosen").evaluate("(e) => e.textContent") == name
    assert page.locator("img, iframe, object").count() == 0
    assert page.locator("script").count() == 2


def test_titles_runs_classes_and_reasons_are_texts(open_file, nasty_file):
    page = open_file(nasty_file)
    assert page.locator("h1").inner_text() == NAMES[1]
    assert page.title() == NAMES[1]
    assert NAMES[1] in page.locator("#run option").first.inner_text()
    page.check("input[value=class]")
    assert NAMES[10] in page.locator("#legend").inner_text()
    assert "onerror=alert" in page.locator(".why").first.inner_text()
    page.select_option("#run", "1")
    assert NAMES[2] in page.locator("table").inner_text()


def test_a_tooltip_is_text(open_file, nasty_file):
    page = open_file(nasty_file)
    page.evaluate(
        """() => { const r = acvaeReport, box = document.getElementById("map").getBoundingClientRect();
        for (let v = 0; v < 12; v++) {
          const [x, y] = r.project(r.state.run.maps[r.state.map], v, r.mapSize());
          document.getElementById("map").dispatchEvent(new PointerEvent("pointermove",
            { clientX: box.left + x, clientY: box.top + y, pointerType: "mouse" }));
        } }"""
    )
    assert page.locator("#tip *").count() == 0
    assert page.locator("#tip").evaluate("(e) => e.textContent") != ""


def test_a_script_that_got_in_would_not_run(browser, nasty_file):
    """The policy holds even if all escaping failed."""
    page = browser.new_page()
    page.goto(nasty_file.as_uri())
    page.evaluate(
        """() => { const s = document.createElement("script"); s.textContent = "window.ran = true";
        document.body.append(s);
        document.body.insertAdjacentHTML("beforeend", "<p onclick='window.ran = true' id=p>x</p>");
        document.getElementById("p").click(); }"""
    )
    assert page.evaluate("window.ran") is None
    page.close()
