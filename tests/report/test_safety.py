"""Whatever things are called, the page shows it as text and runs nothing."""

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
import scipy.sparse as sp

from acvae.commands.main import main as acvae
from acvae.report import write_report
from report.samples import NASTY, make_entry
from report.waiting import wait_until

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


def test_tooltips_of_the_map_are_texts(open_file, nasty_file):
    page = open_file(nasty_file)
    shown = page.evaluate(
        """() => { const r = acvaeReport, map = document.getElementById("map"), shown = [];
        const box = map.getBoundingClientRect();
        for (let v = 0; v < r.state.run.n; v++) {
          const [x, y] = r.project(r.state.run.maps[r.state.map], v, r.mapSize());
          map.dispatchEvent(new PointerEvent("pointermove",
            { clientX: box.left + x, clientY: box.top + y, pointerType: "mouse" }));
          const tip = document.getElementById("tip");
          shown.push([tip.textContent, tip.children.length]);
        }
        return shown; }"""
    )
    assert {children for _, children in shown} == {0}
    assert len({text for text, _ in shown} & set(NAMES)) >= len(NAMES) - 2  # but where points lie on others


def every_view(page):
    """All that the page can show of the first names: links, paths, both colours, both runs, the search."""
    for run in "01":
        page.select_option("#run", run)
        for colour in ("class", "cluster"):
            page.check(f"input[value={colour}]")
            for v in range(4):
                page.evaluate("(v) => acvaeReport.choose(v)", v)
                page.locator(".links").first.locator("li > button").first.click()
                yield
    for name in NAMES:
        page.fill("#search", name[:12])
        yield
    page.press("#search", "Escape")


ALL_LABELS = """() => [...document.querySelectorAll("[title], [aria-label], svg title")].map((e) =>
    [e.getAttribute("title"), e.getAttribute("aria-label"), e.textContent].join(" "))"""


def test_no_attribute_is_made_of_a_name(open_file, nasty_file):
    """No handler, no address: names are in texts, labels and titles alone, and there whole."""
    page, labels = open_file(nasty_file), set()
    for _ in every_view(page):
        found = page.evaluate(
            """() => { const addresses = /^(src|href|xlink:href|action|formaction|srcdoc|data)$/i;
            return [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes]
            .filter((a) => /^on/i.test(a.name) || (addresses.test(a.name) && !/^(#|data:,$)/.test(a.value)))
            .map((a) => `${e.tagName} ${a.name}=${a.value}`)); }"""
        )
        assert found == []
        assert page.locator("img, iframe, object, embed, form, base, svg script, b, svg[onload]").count() == 0
        labels |= set(page.evaluate(ALL_LABELS))
    for name in NAMES[:4]:  # whole, quotes and all
        assert any(name in label for label in labels), name


def test_names_in_the_address_are_texts(open_file, nasty_file):
    for text in ("<img src=x onerror=alert(8)>", "</script><script>alert(9)</script>", "%00", "__proto__"):
        page = open_file(nasty_file, address=f"#v={quote(text)}")
        assert page.locator("img").count() == 0


RUN_NAMES = ["<img src=x onerror=alert(1)>", "'\"><svg onload=alert(2)>", "&lt;b&gt; {{data}}"]


def test_file_names_of_runs_are_texts(open_file, tmp_path):
    """From folders of real runs, by the command."""
    command = ["fit", "tree", "--data-option", "n_vertices=30", "--data-option", "n_features=8", "--quiet"]
    folders = [tmp_path / name for name in RUN_NAMES]
    for folder in folders:
        assert acvae([*command, "--latent-dim", "4", "--out", str(folder)]) == 0
    target = tmp_path / "<script>alert(3)<script>.html"
    assert acvae(["report", *map(str, folders), "--map", "pca", "-o", str(target), "--quiet"]) == 0
    page = open_file(target)
    options = page.locator("#run option").all_inner_texts()
    assert [any(name in option for option in options) for name in RUN_NAMES] == [True] * 3
    for number in range(3):
        page.select_option("#run", str(number))
        table = page.locator("table").first.inner_text()
        assert all(name in table for name in RUN_NAMES)
    assert page.locator("img, svg[onload]").count() == 0


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


INJECTED = [
    "<script>window.ran = true</script>",
    "<img src=x onerror='window.ran = true'>",
    "<svg onload='window.ran = true'></svg>",
    "<iframe srcdoc='<script>parent.ran = true</script>'></iframe>",
    "<a id=away href='javascript:window.ran = true'>x</a>",
    "<form action='https://example.invalid'><button id=away>x</button></form>",
    "<base href='https://example.invalid'><link rel=stylesheet href=x.css>",
    "<script src='data:text/javascript,window.ran = true'></script>",
    "<style>body { display: none }</style>",
    "<p style='display: none' id=styled>x</p>",
]


@pytest.mark.parametrize("markup", INJECTED)
def test_markup_in_the_file_itself_does_nothing(markup, browser, nasty_file, tmp_path):
    """As if a name had become part of the page when it was written: it neither runs, asks nor hides."""
    text = nasty_file.read_text(encoding="utf-8")
    path = tmp_path / "injected.html"
    path.write_text(text.replace("<header>", markup + "<header>", 1), encoding="utf-8")
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    wait_until(page, "performance.getEntriesByName('page-ready').length > 0")
    if page.locator("#away").count():
        page.locator("#away").click(no_wait_after=True)
    page.wait_for_timeout(50)
    assert page.evaluate("window.ran") is None
    assert page.url == path.as_uri()
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
    if page.locator("#styled").count():
        assert page.evaluate("getComputedStyle(document.getElementById('styled')).display") != "none"
    assert [url for url in asked if not url.startswith(("file:", "about:"))] == []
    page.close()
