from registry.http.memory import IMMUTABLE, Content, Memory, Prepared


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def content(size: int) -> Content:
    return Content(b"x" * size, "text/plain", str(size))


def prepared(body: bytes) -> Prepared:
    return Prepared.of(Content(body, "text/plain", "t"), {"Cache-Control": "no-cache"})


def test_what_was_used_longest_ago_is_dropped_first():
    memory = Memory(Clock(), limit_bytes=16_000)
    for number in range(11):
        memory.keep(number, content(1000 + number))
        memory.content(0)
    kept = [number for number in range(11) if memory.content(number)]
    assert kept == [0, 3, 4, 5, 6, 7, 8, 9, 10]


def test_what_is_kept_for_a_time_is_forgotten_after_it():
    clock = Clock()
    memory = Memory(clock)
    memory.keep("/a", prepared(b"a"), 1.0)
    clock.now = 0.9
    before = memory.answer("/a")
    clock.now = 1.0
    assert (before, memory.answer("/a")) == (prepared(b"a"), None)


def test_a_change_forgets_what_is_kept_for_a_time_only():
    memory = Memory(Clock())
    memory.keep("/a", prepared(b"a"), 1.0)
    memory.keep("/b", prepared(b"b"))
    memory.forget_changing()
    assert (memory.answer("/a"), memory.answer("/b")) == (None, prepared(b"b"))


def test_what_was_read_before_a_change_is_not_kept_after_it():
    memory = Memory(Clock())
    before = memory.changes
    memory.forget_changing()
    memory.keep("/a", prepared(b"a"), 1.0, before)
    memory.keep("/b", prepared(b"b"), 1.0, memory.changes)
    assert (memory.answer("/a"), memory.answer("/b")) == (None, prepared(b"b"))


def test_one_thing_never_takes_the_whole_room():
    memory = Memory(Clock(), limit_bytes=16_000)
    memory.keep("small", content(10))
    memory.keep("large", content(2_000))
    assert (memory.content("small"), memory.content("large")) == (content(10), None)


def test_keeping_again_replaces():
    memory = Memory(Clock(), limit_bytes=16_000)
    for _ in range(100):
        memory.keep("a", content(1000))
    memory.keep("b", content(1000))
    assert (memory.content("a"), memory.content("b")) == (content(1000), content(1000))


def test_an_answer_is_prepared_with_both_sets_of_headers():
    made = Prepared.of(Content(b"abc", "text/plain", "t"), {"Cache-Control": IMMUTABLE})
    assert made == Prepared(
        tag="t",
        body=b"abc",
        pinned=True,
        headers=(
            (b"content-type", b"text/plain"),
            (b"content-length", b"3"),
            (b"etag", b'"t"'),
            (b"cache-control", IMMUTABLE.encode()),
        ),
        headers_unchanged=((b"etag", b'"t"'), (b"cache-control", IMMUTABLE.encode())),
    )
