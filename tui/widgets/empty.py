"""What stands where a pane would be: how to begin."""

from textual.content import Content
from textual.widget import Widget

from tui.keymap import BY_ID, key_name


class EmptyState(Widget):
    """Three keys and an example, not a blank."""

    def __init__(self) -> None:
        super().__init__(id="empty")
        self._jobs = 0

    def tell(self, jobs: int) -> None:
        """There are so many jobs."""
        if jobs != self._jobs:
            self._jobs = jobs
            self.refresh()

    def render(self) -> Content:
        """The text."""
        if self._jobs:
            return Content.assemble(
                ("No tab is open\n\n", "bold $foreground"),
                _key("stack.open", "opens the selected job: what it wrote while nobody looked is there"),
                _key("job.add", "starts another"),
                _key("app.help", "shows every key"),
            )
        return Content.assemble(
            ("No jobs yet\n\n", "bold $foreground"),
            _key("job.add", "starts one: any line you would type in a shell"),
            _key("app.help", "shows every key"),
            _key("app.quit", "leaves jobdeck"),
            ("\nNext time, name them when you start:\n\n", "$quiet"),
            ("  jobdeck 'npm run dev' 'pytest -f'", "$accent"),
        )


def _key(action: str, what: str) -> Content:
    name = key_name(BY_ID[action].keys[0])
    return Content.assemble((f"{name:>7}", "bold $footer-key-foreground"), (f"  {what}\n", "$quiet"))
