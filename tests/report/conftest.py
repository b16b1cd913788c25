"""A run to make reports of, and a browser to open them in; skipped where there is none."""

import shutil

import pytest

from acvae.report import Entry
from report.samples import make_entry
from report.waiting import wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--headless=new", "--disable-gpu", "--disable-quic"]  # beside those that Playwright sets itself
READY = "performance.getEntriesByName('page-ready').length > 0"


@pytest.fixture
def entry() -> Entry:
    return make_entry()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'acvae[browser]'")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_file(browser):
    """Opens a page and, at the end, sees to it that nothing went wrong in it and nobody was asked."""
    errors, requests, contexts, files = [], [], [], set()

    def open_it(path, width=1400, height=900, scheme="light", address=""):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: (errors.append("a name ran as a script"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url.split("#")[0]))
        files.add(path.as_uri())
        page.goto(path.as_uri() + address)
        wait_until(page, READY)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert errors == []
    assert set(requests) <= files
