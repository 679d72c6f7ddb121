"""Which tabs' panes are seen together, and where each stands."""

from tui.widgets.tiling import MOST, fitting, tiling


class Split:
    """Names of tabs, from the left. The active one is always among them; without any there is none."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.alone = False
        """Only the active one is seen, the others wait."""

    def turn(self, old: str | None, new: str | None) -> None:
        """The active tab is another one: it is in its place already, or it takes the old one's."""
        if new is None:
            self.names.clear()
        elif new in self.names:
            return
        elif old in self.names:
            self.names[self.names.index(old)] = new
        else:
            self.names = [new]

    def add(self, name: str, beside: str) -> None:
        """See this one too, right of that."""
        self.names.insert(self.names.index(beside) + 1, name)

    def take_out(self, name: str) -> str | None:
        """See it no more; the one that stands in its place now, None if it was the only one."""
        at = self.names.index(name)
        self.names.remove(name)
        return self.names[min(at, len(self.names) - 1)] if self.names else None

    def room_for_more(self, width: int, height: int) -> bool:
        """Is there room for one more?"""
        count = len(self.names) + 1
        return count <= MOST and tiling(count, width, height) is not None

    def seen(self, active: str | None, width: int, height: int) -> list[str]:
        """Those that are seen in so much room: as many as fit, the active one among them."""
        if active is None:
            return []
        return [active] if self.alone else fitting(self.names, active, width, height)
