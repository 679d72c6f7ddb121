"""When Python's garbage collector may look at everything: not in the middle of a frame.

With a full scrollback that takes as long as six frames. Young objects are looked at as ever; all of them once a minute,
if there has been something to do, and no key or mouse for a moment.
"""

import gc
import time

EVERY_SECONDS = 60.0
STILL_SECONDS = 2.0
"""Without a key or the mouse for so long, nobody notices."""
_NEVER = 1_000_000
_WORTH = 20
"""So many looks at the young ones have gone by: with less there is nothing to find."""


def hold_off() -> None:
    """While the console is loaded: nothing of what is made then is garbage, and each look at it costs a tenth of the
    time to the first frame. `Collecting.begin` ends that."""
    gc.disable()


def settle() -> None:
    """For a host without a screen: what has been loaded until now stays, and a look at all of it would hold up every
    client for 50 ms. What is made later is looked at more rarely: calls leave nothing behind that refers to itself."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


class Collecting:
    """Begins with the console and ends with it."""

    def __init__(self) -> None:
        self._usual = gc.get_threshold()
        self._touched = 0.0
        self.count = 0
        """How often everything was looked at."""

    def begin(self) -> None:
        """From now on. What has been made until now stays, and need not be looked at again."""
        gc.freeze()
        gc.enable()
        gc.set_threshold(self._usual[0], self._usual[1], _NEVER)

    def end(self) -> None:
        """As it was before."""
        gc.set_threshold(*self._usual)
        gc.unfreeze()

    def touched(self) -> None:
        """There was a key, or the mouse."""
        self._touched = time.monotonic()

    def look(self) -> None:
        """It is time; unless somebody is busy, or nothing has happened."""
        if gc.get_count()[2] >= _WORTH and time.monotonic() - self._touched >= STILL_SECONDS:
            self.count += 1
            gc.collect()
