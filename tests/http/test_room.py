import pytest

from registry.core.errors import Unavailable
from registry.http.room import Room


def test_what_a_request_held_is_free_when_it_ends_also_when_it_was_refused_more():
    room = Room(10)
    one, other = {}, {}
    room.take(one, 4)
    room.take(one, 4)
    with pytest.raises(Unavailable):
        room.take(other, 3)
    room.take(other, 2)
    with pytest.raises(Unavailable):
        room.take(one, 1)
    room.leave(one)
    room.leave(one)
    room.take(other, 8)
    with pytest.raises(Unavailable):
        room.take(one, 1)
