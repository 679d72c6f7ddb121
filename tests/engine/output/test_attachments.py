"""Viewers that come and go anywhere, with any credit, each see a suffix without gap or repeat."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import Settings
from engine.output.stream import OutputStream
from engine.output.viewer import Viewer
from engine.replay import Chunk, Replay, SizeMark, StreamItem

LIMITS = Settings(replay_chars=60_000, chunk_chars=9_000)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.binary(max_size=40), st.integers(1, 2_000)),
        st.tuples(st.just("attach"), st.floats(0, 1), st.booleans()),
        st.tuples(st.just("grant"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("detach"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("again"), st.integers(0, 5), st.just(0)),
    ),
    max_size=60,
)


class Watcher:
    """A viewer's memory: all it has seen, checked as it comes."""

    def __init__(self) -> None:
        self.seen = ""
        self.start = 0
        self.viewer: Viewer | None = None

    @property
    def position(self) -> int:
        return self.start + len(self.seen)

    def take(self, item: StreamItem) -> None:
        if isinstance(item, Replay):
            if item.base is not None:
                self.seen, self.start = "", item.start
            assert item.start == self.position
            self.seen += "".join(item.pieces)
            assert item.end == self.position
        elif isinstance(item, Chunk):
            assert item.start == self.position
            assert 0 < len(item.text) <= LIMITS.chunk_chars or item.marks
            self.seen += item.text
        else:
            assert item.position == self.position


async def play(plan: list[tuple[str, object, object]]) -> None:
    stream = OutputStream(asyncio.get_running_loop(), LIMITS, 80, 24)
    whole = bytearray()
    watchers: list[Watcher] = []
    for what, first, second in plan:
        watcher = watchers[first % len(watchers)] if isinstance(first, int) and watchers else None
        if what == "write":
            assert isinstance(first, bytes) and isinstance(second, int)
            data = first * second
            whole += data
            stream.feed(data)
        elif what == "attach":
            assert isinstance(first, float)
            new = Watcher()
            at = int(first * stream.buffer.end) if second else None
            new.start = at or 0
            new.viewer = stream.view(at, new.take)
            watchers.append(new)
        elif watcher is not None and watcher.viewer is not None:
            if what == "grant":
                watcher.viewer.grant()
            elif what == "detach":
                watcher.viewer.detach()
            elif watcher.viewer.detached:
                watcher.viewer = stream.view(watcher.position, watcher.take)
        await asyncio.sleep(0)
    stream.end()
    text = bytes(whole).decode("utf-8", "replace")
    assert stream.buffer.end == len(text)
    for watcher in watchers:
        viewer = watcher.viewer
        assert viewer is not None
        if viewer.detached:
            assert text.startswith(watcher.seen, watcher.start)
            continue
        for _ in range(2 + len(text) // LIMITS.chunk_chars):
            viewer.grant()
            await asyncio.sleep(0)
        assert watcher.start + len(watcher.seen) == len(text)
        assert text[watcher.start :] == watcher.seen


@settings(max_examples=300, deadline=None)
@given(steps)
def test_every_viewer_sees_a_suffix_without_gap_or_repeat(plan: list[tuple[str, object, object]]) -> None:
    asyncio.run(play(plan))


def test_the_property_would_see_a_gap() -> None:
    """The check itself: a watcher that misses one character fails."""
    watcher = Watcher()
    watcher.take(Replay(0, None, ("ab",), ()))
    try:
        watcher.take(Chunk(3, "d"))
    except AssertionError:
        return
    raise AssertionError("a gap went unseen")


async def _resized_in_silence() -> None:
    stream = OutputStream(asyncio.get_running_loop(), LIMITS, 80, 24)
    stream.feed(b"a line\n")
    items: list[StreamItem] = []

    def take(item: StreamItem) -> None:
        items.append(item)

    viewer = stream.view(None, take)
    viewer.grant()
    await asyncio.sleep(0)
    stream.resized(40, 10)
    stream.resized(50, 12)
    assert items[1:] == [Chunk(7, "", (SizeMark(7, 40, 10),))]
    viewer.grant()
    await asyncio.sleep(0)
    assert items[2:] == [Chunk(7, "", (SizeMark(7, 50, 12),))]
    viewer.grant()
    await asyncio.sleep(0)
    assert len(items) == 3
    stream.feed(b"more")
    assert isinstance(items[3], Chunk) and items[3].text == "more"


def test_another_size_is_told_though_the_job_says_nothing() -> None:
    asyncio.run(_resized_in_silence())
