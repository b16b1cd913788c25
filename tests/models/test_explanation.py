"""What an explanation says of itself; that its figures are right is tested with GraphGaussian."""

from acvae.models.explanation import Explanation

STATISTICS = [(f"statistic {k}", float(k), 0.1 * k) for k in range(1, 8)]  # add 0.1 … 0.7, 2.8 in all


def made(statistics=(), features=(), paths=(), linked=False):
    return Explanation("a", "b", 0.25, 0.01, list(statistics), list(features), list(paths), linked)


def test_the_strongest_statistics_are_listed_and_the_others_added_up():
    lines = str(made(STATISTICS)).splitlines()
    assert lines[0] == "a – b: probability of a link 0.25"
    assert [line.split(" = ")[0].strip() for line in lines[1:6]] == [
        f"statistic {k}" for k in range(7, 2, -1)
    ]
    assert lines[6] == "  the 2 others in .statistics: adds 0.30 together"
    assert len(lines) == 7


def test_what_takes_away_is_said_to():
    assert "  x = 2 takes 0.50" in str(made([("x", 2.0, -0.5)])).splitlines()


def test_a_link_that_is_there_already_is_told():
    assert "They are linked already" in str(made(linked=True))


def test_features_known_by_number_are_called_features():
    assert made(features=[(3, 2.0), (1, 1.0)]).words() == ["both have features 3, 1"]
    assert made(features=[(3, 2.0), (1, 1.0)]).words(["t", "u", "v", "w"]) == ["both have w, u"]
    assert made(features=[("tea", 2.0)] * 7).words(most=2) == ["both have tea, tea and 5 more"]


def test_a_neighbour_of_both_is_named_once():
    paths = [("a", "u", 0.5), ("b", "u", 0.4), ("b", "w", 0.3), ("a", "x", 0.001)]
    assert made(paths=paths).words() == [
        "correlation flows through u (linked to both, 50%), w (linked to b, 30%)"
    ]
