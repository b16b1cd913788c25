"""The page as a text: complete, asking nobody, and safe with any name."""

import base64
import hashlib
import re

import pytest

from acvae.exceptions import OptionError, RunError
from acvae.report import render, write_report
from acvae.report.payload import payload
from report.reading import page_data
from report.samples import NASTY, make_entry


@pytest.fixture(scope="module")
def nasty_page() -> str:
    names = [NASTY, "ключ", "a'b\"c", *(f"v{i}" for i in range(37))]
    entry = make_entry(f"run {NASTY}", names=names, data=NASTY)
    return render([entry], payload([entry], maps="pca"), title=NASTY)


def test_names_come_back_as_they_were(nasty_page):
    data = page_data(nasty_page)
    assert data["names"][0][:3] == [NASTY, "ключ", "a'b\"c"]
    assert data["runs"][0]["label"] == f"run {NASTY}"


def test_names_are_never_markup(nasty_page):
    assert "alert(1)" in nasty_page
    assert "<script>alert" not in nasty_page
    assert nasty_page.count("</script>") == 2  # of the data and of our own script
    assert nasty_page.endswith("</script>\n</body>\n</html>\n")


def test_nothing_is_asked_of_another_host(nasty_page):
    ours = nasty_page.replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert not re.search(r"https?:|//[a-z]+\.[a-z]", ours.replace("</", ""))
    assert not re.search(r"<(link|img|iframe|object)\b(?![^>]*href=\"data:)", ours)


def test_the_policy_lets_run_what_is_ours_and_nothing_else(nasty_page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', nasty_page)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", nasty_page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(
        r"\son\w+=|\sstyle=", re.sub(r"<script.*?</script>", "", nasty_page, flags=re.DOTALL)
    )


def test_places_to_fill_are_all_filled(nasty_page):
    assert set(re.findall(r"\{\{\w+\}\}", nasty_page)) == {"{{data}}"}  # of the name, not of the page


def test_it_is_written(tmp_path, entry):
    said: list[str] = []
    path = write_report(
        [entry, make_entry("v", forest=False)], tmp_path / "r.html", maps="pca", say=said.append
    )
    page = path.read_text(encoding="utf-8")
    assert "Predicted links of toy" in page
    assert "2 runs, 40 vertices" in page
    assert path.stat().st_size < 2e5
    assert any("clusters" in text for text in said)


def test_what_cannot_be_written_is_an_error(tmp_path, entry):
    with pytest.raises(RunError, match="is a folder"):
        write_report([entry], tmp_path)
    with pytest.raises(RunError, match="there is no folder"):
        write_report([entry], tmp_path / "no" / "r.html")
    with pytest.raises(OptionError, match="at least one run"):
        write_report([], tmp_path / "r.html")
