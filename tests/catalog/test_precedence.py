import semver
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.catalog.precedence import precedence_key

NUMBERS = st.integers(0, 10**20)
IDENTIFIER = NUMBERS.map(str) | st.from_regex(r"[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True)
PRERELEASE = st.lists(IDENTIFIER, max_size=3).map(".".join)
VERSION = st.builds(semver.Version, NUMBERS, NUMBERS, NUMBERS, PRERELEASE.map(lambda text: text or None))


@settings(deadline=None)
@given(VERSION, VERSION)
def test_keys_order_bytewise_as_versions_do(one, other):
    keys = [precedence_key(str(each)).encode() for each in (one, other)]
    assert one.compare(other) == (keys[0] > keys[1]) - (keys[0] < keys[1])


@settings(deadline=None)
@given(PRERELEASE, PRERELEASE)
def test_keys_of_one_release_order_bytewise_by_their_prereleases(one, other):
    versions = [semver.Version(1, 2, 3, text or None) for text in (one, other)]
    keys = [precedence_key(str(each)).encode() for each in versions]
    assert versions[0].compare(versions[1]) == (keys[0] > keys[1]) - (keys[0] < keys[1])


def test_build_metadata_makes_no_other_key():
    assert precedence_key("1.2.3+a") == precedence_key("1.2.3+b.1")
