"""LibraryThing, on raw files written here in the published format."""

import io
import json
import tarfile
import warnings

import pytest

from acvae.datasets import load
from acvae.datasets.librarything import parse_review
from acvae.exceptions import DataError, OptionError

pytestmark = pytest.mark.usefixtures("private_cache")


def line(work, user, **more):
    review = {"work": work, "user": user, "unixtime": 1363046400, "comment": 'It\'s "fine"] = {\n', **more}
    return f"reviews[({work!r}, {user!r})] = {review!r}"


# Book 10 is rated twice and reviewed once without stars, 20 twice, 30 once.
REVIEWS = [
    line("10", "zoë", stars=4.0),
    line("10", "bob", stars=3.5),
    line("10", "ann"),
    line("20", "bob", stars=1.0),
    line("20", "ann", stars=5.0, flags=[]),
    line("30", "eve", stars=5.0),
]
EDGES = "bob ann\nann zoë\nzoë bob\nbob eve\nbob bob\nbob stranger\n"


def files(reviews=REVIEWS, edges=EDGES, name="reviews.txt"):
    text = "reviews = {}\n" + "\n".join(reviews) + "\n"
    return {f"lthing_data/{name}": text.encode(), "lthing_data/edges.txt": edges.encode()}


def pack(folder, contents):
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / "lthing_data.tar.gz", "w:gz") as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return folder


def unpack(folder, contents):
    for name, content in contents.items():
        (folder / "librarything" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "librarything" / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("store", [pack, unpack])
def test_published_format(tmp_path, store):
    data = load("librarything", root=store(tmp_path / "raw", files()), min_ratings=2)
    assert data.graph.names.tolist() == ["ann", "bob", "zoë"]
    assert data.graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert data.feature_names.tolist() == ["10", "20"]
    assert data.features.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]
    expected = {"reviews": 6, "reviews_without_stars": 1, "reviews_unreadable": 0, "rating_rows": 5}
    expected |= {"items": 3, "items_kept": 2, "friendship": "any", "self_relations": 1}
    assert {key: data.details[key] for key in expected} == expected


def test_lines_that_are_only_the_braces(tmp_path):
    reviews = [text.partition(" = ")[2] for text in REVIEWS]
    data = load("librarything", root=pack(tmp_path, files(reviews, name="reviews.json")), min_ratings=2)
    assert data.features.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]


def test_the_order_of_files_and_lines_does_not_matter(tmp_path):
    backwards = dict(reversed(files(REVIEWS[::-1]).items()))
    data = load("librarything", root=pack(tmp_path, backwards), min_ratings=2)
    assert data.graph.names.tolist() == ["ann", "bob", "zoë"]
    assert data.features.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]


def test_a_directed_list_of_friends_keeps_the_mutual_ones(tmp_path):
    root = pack(tmp_path, files(edges="bob ann\nann bob\nann zoë\n"))
    data = load("librarything", root=root, min_ratings=2)
    assert data.graph.names.tolist() == ["ann", "bob"]
    assert data.details["friendship"] == "mutual"
    assert data.details["share_both_ways"] == 0.5
    assert load("librarything", root=root, min_ratings=2, friendship="any").graph.n_edges == 2


def test_the_reading_of_friendship_can_be_forced(tmp_path):
    root = pack(tmp_path, files())
    with pytest.raises(DataError, match="nothing is left"):
        load("librarything", root=root, min_ratings=2, friendship="mutual")
    with pytest.raises(OptionError, match="'auto', 'mutual', 'any'"):
        load("librarything", root=root, friendship="both")


def test_nothing_in_the_file_is_run(tmp_path):
    victim = tmp_path / "victim"
    evil = f"reviews[('1', 'x')] = __import__('pathlib').Path({str(victim)!r}).touch()"
    reviews = REVIEWS * 40 + [evil]
    data = load("librarything", root=pack(tmp_path, files(reviews)), min_ratings=2)
    assert not victim.exists()
    assert data.details["reviews_unreadable"] == 1


@pytest.mark.parametrize(
    "text",
    ["", "reviews[('1','x')] = ", "reviews[('1','x')] = 5", "{'work': '1'}", "(" * 10_000, "reviews[1] = {}"],
)
def test_lines_that_are_no_review(text):
    assert parse_review(text) is None


def test_the_key_stands_in_for_missing_fields():
    assert parse_review("reviews[('1', 'x')] = {'stars': 2}") == {"stars": 2, "work": "1", "user": "x"}


def test_json_is_understood():
    review = {"work": "1", "user": "x", "stars": None, "flag": True}
    assert parse_review(json.dumps(review)) == review


def test_odd_backslashes_are_no_cause_for_warnings(tmp_path):
    reviews = [*REVIEWS, r"reviews[('40', 'ann')] = {'comment': 'C:\dir', 'stars': 1.0}"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = load("librarything", root=pack(tmp_path, files(reviews)), min_ratings=2)
    assert data.details["reviews"] == 7


def test_a_file_of_something_else_is_refused(tmp_path):
    with pytest.raises(DataError, match="'hello' is not a review"):
        load("librarything", root=pack(tmp_path, files(["hello", "world"])))


def test_no_reviews_at_all(tmp_path):
    with pytest.raises(DataError, match="it is empty"):
        load("librarything", root=pack(tmp_path, files([])))


@pytest.mark.parametrize(
    ("left_out", "missing"), [("reviews.txt", "no reviews.txt or"), ("edges.txt", "no edges.txt")]
)
def test_a_missing_part(tmp_path, left_out, missing):
    contents = {name: content for name, content in files().items() if not name.endswith(left_out)}
    with pytest.raises(DataError, match=missing):
        load("librarything", root=pack(tmp_path, contents))


def test_an_archive_cut_short(tmp_path):
    archive = pack(tmp_path, files()) / "lthing_data.tar.gz"
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(DataError, match="damaged or cut short"):
        load("librarything", root=tmp_path)


def test_names_that_are_not_utf8_still_match(tmp_path):
    contents = {name: content.decode().encode("latin-1") for name, content in files().items()}
    data = load("librarything", root=pack(tmp_path, contents), min_ratings=2)
    assert data.graph.names.tolist() == ["ann", "bob", "zoë"]


def test_too_few_ratings(tmp_path):
    with pytest.raises(DataError, match="0 of 3 items are rated at least 200 times"):
        load("librarything", root=pack(tmp_path, files()))
