"""What one receiver has been handed and not yet taken."""

from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition

from engine.events import Notice
from engine.notices.letter import Letter
from engine.spec import Caller


class Inbox:
    """A `NoticeFeed`. Written on the engine's loop, read on any one thread."""

    def __init__(
        self, on_ready: Callable[[], None] | None, on_close: Callable[["Inbox"], None], caller: Caller
    ) -> None:
        self.caller = caller
        self.in_doubt = False
        """The last proof that it may receive failed to be made; told once."""
        self._on_ready = on_ready
        self._on_close = on_close
        self._changed = Condition()
        self._letters: deque[Letter] = deque()
        """By number, so that what came for several owners is told in the order in which it happened."""
        self._shown: list[Letter] = []
        """On their way to one who takes them once they have arrived."""
        self._closed = False

    def __len__(self) -> int:
        return len(self._letters)

    def put(self, letters: Iterable[Letter]) -> bool:
        """Add letters, on the engine's loop; False when it is closed and takes none."""
        with self._changed:
            if self._closed:
                return False
            was_empty = not self._letters
            for letter in letters:
                self._insert(letter)
            self._changed.notify_all()
        if was_empty and self._on_ready is not None:
            self._on_ready()
        return True

    def withdraw(self, letter: Letter) -> None:
        """Take back a letter that hasn't been taken."""
        with self._changed:
            if letter in self._letters:
                self._letters.remove(letter)

    def shed(self, most: int) -> list[Letter]:
        """Take back the oldest above ``most``."""
        with self._changed:
            return [self._letters.popleft() for _ in range(len(self._letters) - most)]

    def give_back(self) -> list[Letter]:
        """Close it, and take back all that hasn't been taken."""
        with self._changed:
            self._closed = True
            letters = list(self._letters)
            self._letters.clear()
            self._changed.notify_all()
        return letters

    def held(self) -> list[Letter]:
        """All that waits here to be taken."""
        with self._changed:
            return list(self._letters)

    def waiting(self, most: int) -> list[Notice]:
        """The oldest that wait here: for who takes them only once they have arrived elsewhere, with `took`."""
        with self._changed:
            if self._closed:
                return []
            self._shown = [self._letters[number] for number in range(min(most, len(self._letters)))]
            for letter in self._shown:
                letter.in_hand = True
            return [letter.notice for letter in self._shown]

    def took(self, sequence: int) -> None:
        """All that were shown up to this number have arrived. What came between them meanwhile still waits."""
        with self._changed:
            while self._shown and self._shown[0].notice.sequence <= sequence and not self._closed:
                letter = self._shown.pop(0)
                if letter in self._letters:  # else it was taken back on its way
                    self._letters.remove(letter)
                    letter.take()

    def take(self) -> list[Notice]:
        """See `NoticeFeed`."""
        with self._changed:
            if self._closed:
                return []
            taken = list(self._letters)
            self._letters.clear()
            for letter in taken:
                letter.take()
        return [letter.notice for letter in taken]

    def next(self, timeout: float | None = None) -> Notice:
        """See `NoticeFeed`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._letters or self._closed, timeout):
                raise TimeoutError(f"no notice in {timeout} s")
            if self._closed:
                raise TimeoutError("the feed is closed")
            letter = self._letters.popleft()
            letter.take()
            return letter.notice

    def _insert(self, letter: Letter) -> None:
        at = len(self._letters)
        while at and self._letters[at - 1].notice.sequence > letter.notice.sequence:
            at -= 1
        self._letters.insert(at, letter)

    def close(self) -> None:
        """See `NoticeFeed`."""
        with self._changed:
            self._closed = True  # what it holds goes back on the engine's loop
            self._changed.notify_all()
        self._on_close(self)
