import pytest

from registry.http.accepting import prefers

CASES = [
    ("", "application/json", "nothing is asked for"),
    ("*/*", "application/json", "both are equal"),
    ("text/plain", "text/plain", "only text"),
    ("text/*", "text/plain", "text of any kind"),
    ("text/html, */*;q=0.1", "application/json", "a browser takes either"),
    ("application/json;q=0.5, text/plain", "text/plain", "text is ranked higher"),
    ("application/json, text/plain;q=0.9", "application/json", "JSON is ranked higher"),
    ("text/plain;q=0, */*", "application/json", "text is refused"),
    ("TEXT/PLAIN", "text/plain", "case folds"),
    ("text/plain;q=x", "application/json", "a weight that is none"),
    ("image/png", "application/json", "neither is taken; JSON is sent all the same"),
]


@pytest.mark.parametrize(("header", "chosen", "why"), CASES)
def test_the_representation_that_accept_ranks_higher_is_chosen(header, chosen, why):
    assert prefers(header, "application/json", "text/plain") == chosen, why
