"""The page in a real browser: search, links and why, paths, map, deep links, screens and themes."""

import functools
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from acvae.report import write_report
from acvae.report.links import predicted_links
from report.samples import make_entry
from report.test_payload import Predictor
from report.waiting import wait_until

WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def report_file(tmp_path_factory):
    history = [{"epoch": e, "elbo": -5.0 / e, "kl": 0.5, "settled": 0.1 * e} for e in range(1, 4)]
    classes = np.arange(40) % 3
    entries = [
        replace(make_entry("forest"), history=history, classes=classes, class_names=["ant", "bee", "cat"]),
        replace(make_entry("plain", forest=False), history=history, predictor=Predictor()),
    ]
    return write_report(entries, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def open_page(open_file, report_file):
    return lambda **how: open_file(report_file, **how)


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


def search(page, text: str) -> None:
    page.fill("#search", text)
    page.press("#search", "Enter")


def test_verdict_and_links_come_first(open_page):
    page = open_page()
    assert "better than chance" in page.locator("#verdict").inner_text()
    tops = [
        page.locator(at).first.bounding_box()["y"]
        for at in ("#verdict", "#links-heading", "#scores-heading", "#training-heading")
    ]
    assert tops == sorted(tops)
    rows = page.locator(".links li > button")
    assert rows.count() == 10
    assert "–" in rows.first.inner_text()  # a pair of vertices, with a reason
    assert rows.first.locator(".why").inner_text()
    page.locator(".more").click()
    assert rows.count() > 10


@pytest.mark.parametrize("screen", [WIDE, PHONE], ids=["wide", "phone"])
def test_from_search_to_path_by_keyboard_alone(open_page, screen):
    page = open_page(**screen)
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
    for _ in range(wanted + 2):  # the way back to all links comes first
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
    search(page, "vertex 7")
    rows = page.locator(".links").first.locator("li > button")
    shown = [row.locator(".name").evaluate("(e) => e.firstChild.textContent") for row in rows.all()]
    assert shown == [f"vertex {v}" for v in nearest[0]]
    numbers = [float(row.locator(".value").inner_text()) for row in rows.all()]
    assert numbers == pytest.approx(distance[0].tolist(), rel=6e-3)
    wanted = farthest_link(page, 7)
    rows.nth(wanted).click()
    path = page.evaluate("acvaeReport.state.pair.path")
    assert (path[0], path[-1]) == (7, nearest[0, wanted])
    expected = [q.pair_correlation(u, v).mean() for u, v in itertools.pairwise(path)]
    assert steps_of(page) == pytest.approx(expected, abs=6e-4)
    whole = page.evaluate(
        "(path) => acvaeReport.pathCorrelations(acvaeReport.runs[0], path).at(-1).soFar", path
    )
    assert whole == pytest.approx(q.pair_correlation(7, path[-1]).mean(), abs=1e-4)
    rows.nth(wanted).click()  # and closed again
    assert steps_of(page) == []


def test_common_neighbours_are_a_reason(open_page):
    page = open_page()
    entry = make_entry()
    nearest, _ = entry.posterior.nearest(np.arange(40), 10, exclude=entry.graph)
    v, place = next(
        (v, place)
        for v in range(40)
        for place in range(10)
        if len(np.intersect1d(entry.graph.neighbors(v), entry.graph.neighbors(nearest[v, place]))) == 1
    )
    (common,) = np.intersect1d(entry.graph.neighbors(v), entry.graph.neighbors(nearest[v, place]))
    search(page, f"vertex {v}")
    why = page.locator(".links").first.locator("li").nth(place).locator(".why").inner_text()
    assert why == f"1 common neighbour: vertex {common}"


def test_probabilities_and_the_models_own_reasons(open_page):
    page = open_page()
    page.select_option("#run", "1")
    search(page, "vertex 20")
    row = page.locator(".links").first.locator("li > button").first
    (who,), (chance,) = Predictor().predict_links([20], 1, make_entry("plain", forest=False).graph)
    assert row.locator(".why").inner_text() == f"20 is near {who[0]}"
    assert row.locator(".value").inner_text() == f"{100 * chance[0]:.0f}%"
    row.click()
    assert "<b>bold</b>" in page.locator(".reasons").inner_text()  # as it is, not in bold
    assert page.locator(".path").count() == 0  # no forest, no path


def vertex_on_screen(page, v: int) -> tuple[float, float]:
    box = page.locator("#map").bounding_box()
    x, y = page.evaluate(
        "(v) => { const r = acvaeReport; return r.project(r.state.run.maps[r.state.map], v, r.mapSize()); }",
        v,
    )
    return box["x"] + x, box["y"] + y


def test_a_click_on_the_map_chooses_a_vertex_and_hovering_names_it(open_page):
    page = open_page()
    x, y = vertex_on_screen(page, 5)
    page.mouse.move(x, y)
    assert page.locator("#tip").inner_text() == "vertex 5"
    page.mouse.click(x, y)
    assert page.locator("#chosen").inner_text() == "vertex 5"


def test_the_map_is_dragged_and_nothing_is_chosen_by_it(open_page):
    page = open_page()
    before = vertex_on_screen(page, 3)
    box = page.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + 10 * step, y + 5 * step)
    page.mouse.up()
    after = vertex_on_screen(page, 3)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((100, 50), abs=0.5)
    assert page.locator("#chosen").count() == 0
    page.evaluate("document.getElementById('zoom-out').click()")  # without scrolling to it
    assert vertex_on_screen(page, 3) == pytest.approx(before, abs=0.5)


def test_the_wheel_zooms_around_the_pointer(open_page):
    page = open_page()
    at, other = vertex_on_screen(page, 3), vertex_on_screen(page, 8)
    page.mouse.move(*at)
    for _ in range(3):
        page.mouse.wheel(0, -100)
    wait_until(page, "!acvaeReport.map.view.whole")
    page.wait_for_timeout(200)
    now, far = vertex_on_screen(page, 3), vertex_on_screen(page, 8)
    assert now == pytest.approx(at, abs=1.5)  # pointers are on whole pixels
    grown = np.exp(300 / 400)
    assert far[0] - now[0] == pytest.approx(grown * (other[0] - at[0]), abs=3)
    assert page.evaluate("scrollY") == 0  # the page stays where it is


def test_no_label_of_the_map_lies_on_another(open_page):
    page = open_page(**PHONE)
    boxes = page.evaluate("acvaeReport.map.boxes")
    assert len(boxes) >= 2
    assert not any(
        a["left"] < b["right"]
        and a["right"] > b["left"]
        and a["top"] < b["bottom"]
        and a["bottom"] > b["top"]
        for a, b in itertools.combinations(boxes, 2)
    )


def test_a_vertex_outside_the_view_is_brought_into_it(open_page):
    page = open_page()
    search(page, "vertex 3")
    page.click("#zoom-in")
    box = page.locator("#map").bounding_box()
    for v in range(10, 16):
        page.evaluate("(v) => acvaeReport.choose(v)", v)
        x, y = vertex_on_screen(page, v)
        assert box["x"] <= x <= box["x"] + box["width"]
        assert box["y"] <= y <= box["y"] + box["height"]


def test_nothing_found_is_said_and_the_old_result_is_gone(open_page):
    page = open_page()
    search(page, "vertex 12")
    assert page.locator("#chosen").inner_text() == "vertex 12"
    page.fill("#search", "vertx 13")
    assert "similar ones are listed" in page.locator("#status").inner_text()
    assert "vertex 13" in page.locator("#options li span:first-child").all_inner_texts()
    page.fill("#search", "qqqq")
    assert "No name is like" in page.locator("#status").inner_text()
    assert page.locator("#options").is_hidden()
    assert page.locator("#chosen").count() == 0
    assert page.evaluate("acvaeReport.state.chosen") is None
    page.press("#search", "Escape")
    assert page.input_value("#search") == ""


def test_a_large_page_says_of_which_vertices_it_has_links(open_file, tmp_path, monkeypatch):
    limited = functools.partial(predicted_links, large=100, seconds=0.0)
    monkeypatch.setattr("acvae.report.payload.predicted_links", limited)
    large = make_entry("large", n=400)
    first, last = (large.names[v] for v in np.argsort(-large.graph.degrees, kind="stable")[[0, -1]])
    page = open_file(write_report([large], tmp_path / "large.html", maps="pca"))
    assert "Among those of the 256 vertices with the most neighbours" in page.locator("#details").inner_text()
    search(page, last)
    told = page.locator("#details").inner_text()
    assert "Links not predicted on this page" in told
    assert "For this one: acvae links RUN NAME." in told
    search(page, first)
    assert "best predicted links" in page.locator("#details").inner_text()


def test_how_many_likely_pairs_are_links_is_told(open_file, tmp_path):
    bins = {"low": 0.1, "high": 0.9, "counted": True, "pairs": 20, "log_odds": 0.0}
    reliability = [{**bins, "predicted": p, "observed": p / 2, "links": 10 * p} for p in (0.2, 0.6)]
    entry = replace(make_entry(), predictor=Predictor())
    entry = replace(entry, scores={**entry.scores, "calibration": {"reliability": reliability}})
    page = open_file(write_report([entry], tmp_path / "likely.html", maps="pca"))
    told = "Of the pairs given 50% or more, 30% are held-out links (20 pairs"
    assert told in page.locator("#likely").inner_text()


def test_an_address_leads_to_a_vertex(open_page):
    page = open_page(address="#v=vertex%2017")
    assert page.locator("#chosen").inner_text() == "vertex 17"
    search(page, "vertex 4")
    assert page.evaluate("location.hash") == "#v=vertex%204"
    page.go_back()
    wait_until(page, "document.getElementById('chosen')?.textContent === 'vertex 17'")
    page.click("#all-links")
    assert page.evaluate("location.hash") == ""
    lost = open_page(address="#v=nobody")
    assert "no vertex “nobody”" in lost.locator("#status").inner_text()
    assert lost.locator("#chosen").count() == 0


def test_runs_maps_and_colours_can_be_changed(open_page):
    page = open_page()
    search(page, "vertex 3")
    page.check("input[value=pca]")
    page.check("input[value=class]")
    assert "ant (14)" in page.locator("#legend").inner_text()
    assert page.locator("#lengths-section").is_visible()
    page.select_option("#run", "1")
    assert page.evaluate("acvaeReport.state.run.label") == "plain"
    assert page.locator("#chosen").inner_text() == "vertex 3"  # the same vertex in the other run
    assert page.locator("#color-choice").is_hidden()  # it has no classes
    assert page.locator("#lengths-section").is_hidden()  # and no forest


def test_nothing_meaningless_is_shown(open_file, tmp_path):
    entry = replace(make_entry("plain", forest=False), history=[])
    page = open_file(write_report([entry], tmp_path / "plain.html", maps="pca"))
    text = page.locator("body").inner_text()
    for word in ("forest", "path", "settled", "Training", "ELBO"):
        assert word.lower() not in text.lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_picture_is_drawn_and_nothing_sticks_out(open_page, screen, scheme):
    page = open_page(**screen, scheme=scheme)
    for chart in page.locator(".chart:visible").all():
        assert chart.locator("svg").get_attribute("aria-label")
    assert page.locator(".chart:visible svg").count() == 5  # dendrogram, lengths, ELBO, KL, settled
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cells = page.locator("table td, table tbody th")
    for box in [cell.bounding_box() for cell in cells.all()]:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= screen["width"]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    lightness = sum(json.loads(background.replace("rgb(", "[").replace(")", "]")))
    assert lightness > 700 if scheme == "light" else lightness < 100


def test_paper_is_white_whatever_the_screen(open_page):
    page = open_page(scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    canvas, box = page.locator("#map").bounding_box(), page.evaluate("[map.width, map.height]")
    assert canvas["width"] / canvas["height"] == pytest.approx(box[0] / box[1], rel=0.02)  # not squeezed
    assert page.locator("#search").is_hidden()


def test_theme_changes_while_open(open_page):
    page = open_page()
    picture = "document.getElementById('map').toDataURL()"
    before = page.evaluate(picture)
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"(old) => {picture} !== old", before)
    assert page.evaluate(picture) != before
