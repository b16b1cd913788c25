"""The page in a real browser; skipped where there is none: pip install 'acvae[browser]', and chromium."""

import itertools
import json
import shutil

import pytest

from acvae.report import write_report
from report.samples import NASTY, make_entry

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
READY = "performance.getEntriesByName('map-ready').length > 0"


@pytest.fixture(scope="module")
def report_file(tmp_path_factory):
    names = [NASTY, *(f"vertex {v}" for v in range(1, 40))]
    entries = [make_entry("forest", names=names), make_entry("plain", names=names, forest=False)]
    return write_report(entries, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser, report_file):
    """Opens the page and, at the end, sees to it that nothing went wrong in it and nobody was asked."""
    errors, requests, contexts = [], [], []

    def open_it(viewport=WIDE, scheme="light"):
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: (errors.append("a name ran as a script"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(report_file.as_uri())
        page.wait_for_function(READY)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert errors == []
    assert set(requests) == {report_file.as_uri()}


def steps_of(page) -> list[float]:
    return [float(text) for text in page.locator(".path .step strong").all_inner_texts()]


def farthest_link(page, vertex: int) -> int:
    """The number of the predicted link at the end of the longest path."""
    return page.evaluate(
        """(v) => { const r = acvaeReport, run = r.runs[0];
        const lengths = r.predictedLinks(run, v).map((l) => (r.treePath(run, v, l.vertex) || []).length);
        return lengths.indexOf(Math.max(...lengths)); }""",
        vertex,
    )


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_from_search_to_path_by_keyboard_alone(open_page, viewport):
    page = open_page(viewport)
    for _ in range(12):  # to the search box from the top of the page
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "search":
            break
    page.keyboard.type("VERTEX 1")
    assert page.locator("#search").get_attribute("aria-expanded") == "true"
    options = page.locator("#options li span:first-child").all_inner_texts()
    assert options[0] == "vertex 1"  # the whole name first
    assert set(options[1:]) == {f"vertex {v}" for v in range(10, 20)}
    page.keyboard.press("ArrowDown")
    active = page.locator("#search").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    assert page.locator("#chosen").inner_text() == "vertex 1"
    wanted = farthest_link(page, 1)
    for _ in range(wanted + 1):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    button = page.locator(".links").first.locator("li > button").nth(wanted)
    assert button.get_attribute("aria-expanded") == "true"
    assert len(steps_of(page)) >= 2
    page.keyboard.press("Tab")  # a vertex on the path
    name = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    assert page.locator("#chosen").inner_text() == name


def test_shown_path_and_links_are_those_of_the_posterior(open_page):
    page = open_page()
    entry = make_entry()
    q = entry.posterior
    nearest, distance = q.nearest([7], 10, exclude=entry.graph)
    page.fill("#search", "vertex 7")
    page.press("#search", "Enter")
    rows = page.locator(".links").first.locator("li > button")
    shown = [row.locator(".name").inner_text() for row in rows.all()]
    names = [NASTY, *(f"vertex {v}" for v in range(1, 40))]
    assert shown == [names[v].replace("\u2028", " ") if v == 0 else names[v] for v in nearest[0]]
    numbers = [float(row.locator(".distance").inner_text()) for row in rows.all()]
    assert numbers == pytest.approx(distance[0].tolist(), rel=6e-3)
    wanted = farthest_link(page, 7)
    rows.nth(wanted).click()
    path = page.evaluate("acvaeReport.state.chosen.path")
    assert (path[0], path[-1]) == (7, nearest[0, wanted])
    expected = [q.pair_correlation(u, v).mean() for u, v in itertools.pairwise(path)]
    assert steps_of(page) == pytest.approx(expected, abs=6e-4)
    whole = page.evaluate(
        "(path) => acvaeReport.pathCorrelations(acvaeReport.runs[0], path).at(-1).soFar", path
    )
    assert whole == pytest.approx(q.pair_correlation(7, path[-1]).mean(), abs=1e-5)
    marked = page.evaluate("document.getElementById('map').data.at(-2).customdata")
    assert list(marked.values() if isinstance(marked, dict) else marked) == path
    rows.nth(wanted).click()  # and closed again
    assert steps_of(page) == []


def test_a_click_on_the_map_chooses_a_vertex(open_page):
    page = open_page()
    box = page.locator("#map").bounding_box()
    x, y = page.evaluate(
        """() => { const map = document.getElementById("map"), { xaxis, yaxis } = map._fullLayout;
        const { x, y } = acvaeReport.runs[0].maps.tsne;
        return [xaxis.l2p(x[5]) + xaxis._offset, yaxis.l2p(y[5]) + yaxis._offset]; }"""
    )
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.wait_for_timeout(200)
    page.mouse.click(box["x"] + x, box["y"] + y)
    page.wait_for_selector("#chosen")
    assert page.locator("#chosen").inner_text() == "vertex 5"


VIEW = """() => { const { xaxis, yaxis } = document.getElementById("map")._fullLayout;
    return [...xaxis.range, ...yaxis.range]; }"""
MOVED = "(old) => document.getElementById('map')._fullLayout.xaxis.range[0] !== old[0]"
AT_REST = "() => !document.querySelector('#map .main-svg').style.transform"


def test_the_map_is_dragged_and_nothing_is_chosen_by_it(open_page):
    page = open_page()
    box, before = page.locator("#map").bounding_box(), page.evaluate(VIEW)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + 10 * step, y + 5 * step)
    assert page.evaluate(VIEW) == before  # an image is moved, and nothing drawn
    assert "translate(100px, 50px)" in page.locator("#map .main-svg").first.get_attribute("style")
    page.mouse.up()
    page.wait_for_function(MOVED, arg=before)
    page.wait_for_function(AT_REST)
    unit = (before[1] - before[0]) / box["width"]
    expected = [before[0] - 100 * unit, before[1] - 100 * unit, before[2] + 50 * unit, before[3] + 50 * unit]
    assert page.evaluate(VIEW) == pytest.approx(expected, abs=1e-3 * abs(before[1] - before[0]))
    assert page.locator("#chosen").count() == 0


def test_the_wheel_zooms_around_the_pointer(open_page):
    page = open_page()
    box, before = page.locator("#map").bounding_box(), page.evaluate(VIEW)
    across, down = 0.3, 0.6
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
    for _ in range(3):
        page.mouse.wheel(0, -100)
    page.wait_for_function(MOVED, arg=before)
    page.wait_for_function(AT_REST)
    left, right, low, high = page.evaluate(VIEW)
    assert right - left < 0.8 * (before[1] - before[0])
    assert (right - left) / (high - low) == pytest.approx(
        (before[1] - before[0]) / (before[3] - before[2]), rel=1e-3
    )
    for now, then in (
        (left + across * (right - left), before[0] + across * (before[1] - before[0])),
        (high - down * (high - low), before[3] - down * (before[3] - before[2])),
    ):
        assert now == pytest.approx(then, abs=5e-3 * abs(before[1] - before[0]))
    assert page.evaluate("scrollY") == 0  # the page stays where it is


def test_all_pictures_are_there_on_paper(open_page):
    page = open_page(PHONE)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    for chart in ("dendrogram", "lengths", "curve-elbo", "curve-settled"):
        page.wait_for_selector(f"#{chart} .main-svg", state="attached")
    assert page.locator("#curve-settled .main-svg").count() > 0


def test_names_are_shown_as_they_are(open_page):
    page = open_page()
    page.fill("#search", "</script>")
    page.press("#search", "Enter")
    assert page.locator("#chosen").text_content() == NASTY


def test_a_vertex_outside_the_view_is_brought_into_it(open_page):
    page = open_page()
    seen = """async (v) => { await acvaeReport.choose(v); const { x, y } = acvaeReport.runs[0].maps.tsne;
        const { xaxis, yaxis } = document.getElementById("map")._fullLayout;
        return [[x[v], xaxis.range], [y[v], yaxis.range]].every(([p, [a, b]]) => a <= p && p <= b); }"""
    assert page.evaluate(seen, 3)
    page.click("#zoom-in")
    assert all(page.evaluate(seen, v) for v in range(10, 16))


def test_no_button_of_the_map_leaves_the_page(open_page):
    page = open_page()
    titles = page.locator("#map .modebar-btn").evaluate_all("all => all.map((b) => b.dataset.title)")
    assert titles == ["Zoom in", "Zoom out", "Reset axes"]


def test_nothing_found_is_said_and_similar_names_offered(open_page):
    page = open_page()
    page.fill("#search", "vertx 12")
    assert "similar ones are listed" in page.locator("#status").inner_text()
    assert "vertex 12" in page.locator("#options li span:first-child").all_inner_texts()
    page.fill("#search", "qqqq")
    assert "No name is like" in page.locator("#status").inner_text()
    assert page.locator("#options").is_hidden()
    page.press("#search", "Escape")
    assert page.input_value("#search") == ""


def test_runs_and_maps_can_be_changed(open_page):
    page = open_page()
    page.fill("#search", "vertex 3")
    page.press("#search", "Enter")
    page.check("input[value=pca]")
    page.select_option("#run", "1")
    page.wait_for_function("acvaeReport.state.run.label === 'plain'")
    assert page.locator("#chosen").inner_text() == "vertex 3"  # the same vertex in the other run
    page.locator(".links").first.locator("li > button").first.click()
    assert "has no forest" in page.locator(".path").inner_text()
    assert "no forest" in page.locator("#map-remark").inner_text()
    page.locator("#lengths").scroll_into_view_if_needed()
    page.wait_for_function("document.getElementById('lengths').textContent.includes('no forest')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_picture_is_drawn_and_nothing_sticks_out(open_page, viewport, scheme):
    page = open_page(viewport, scheme)
    for chart in ("dendrogram", "lengths", "curve-elbo", "curve-kl", "curve-ncrr", "curve-settled"):
        page.locator(f"#{chart}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{chart} .main-svg")
        assert page.locator(f"#{chart}").get_attribute("aria-label")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    lightness = sum(json.loads(background.replace("rgb(", "[").replace(")", "]")))
    assert lightness > 700 if scheme == "light" else lightness < 100


def test_theme_changes_while_open(open_page):
    page = open_page()
    before = page.evaluate("document.getElementById('map').layout.font.color")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("(old) => document.getElementById('map').layout.font.color !== old", arg=before)
    assert page.evaluate("document.getElementById('map').layout.font.color") != before


def test_first_picture_comes_before_plotly(open_page):
    page = open_page()
    first, ready = page.evaluate(
        "['first-picture', 'map-ready'].map((n) => performance.getEntriesByName(n)[0].startTime)"
    )
    assert first < ready
    assert page.locator("#preview").count() == 0  # plotly's map has taken its place
