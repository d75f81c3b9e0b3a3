from pathlib import Path

import pytest

from registry.app import Started
from registry.cli.serving import _say
from registry.settings import Settings


@pytest.mark.parametrize(
    ("made", "chosen", "told", "why"),
    [
        ("cards_abc", None, "shown this once", "the first start shows the token"),
        (None, None, "Lost it?", "a later start says where it was shown, and the way out"),
        (None, "chosen-by-the-administrator", None, "who chose a token knows it"),
    ],
)
def test_a_start_says_how_to_come_by_the_admin_token(capsys, made, chosen, told, why):
    settings = Settings(
        database_url=None, database_direct_url=None, data_dir=Path("/nowhere"), pg_bin=None, admin_token=chosen
    )
    _say(settings, Started("http://127.0.0.1:8080", made))
    said = capsys.readouterr().out
    assert ("token" in said, (told or "") in said) == (told is not None, True), why
    assert said.startswith("The registry answers at http://127.0.0.1:8080\n")
