"""What stands where a pane would be: how to begin."""

from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget

from tui import keymap
from tui.keymap import BY_ID, key_name


class EmptyState(Widget, can_focus=True, inherit_bindings=False):
    """Three keys and an example, not a blank."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("pane")]

    def __init__(self) -> None:
        super().__init__(id="empty")
        self._told = (0, False, False)
        self._in_a_file = "or have those of your package.json, Procfile …"

    def on_mount(self) -> None:
        """Look which files of other programs are here, aside: a disk may hang."""
        self.run_worker(self._look, thread=True, exit_on_error=False)

    def _look(self) -> None:
        from engine.config.importing.names import found_in

        names = [file.name for file in found_in(Path())]
        if names:
            self.app.call_from_thread(self._tell_files, names)

    def _tell_files(self, names: list[str]) -> None:
        self._in_a_file = f"or have the jobs of {' and '.join(names[:2])} in rows here"
        self.refresh()

    def tell(self, jobs: int, *, began: bool, can_reopen: bool) -> None:
        """There are so many jobs, perhaps one that has run, and perhaps a tab that was closed."""
        if (jobs, began, can_reopen) != self._told:
            self._told = jobs, began, can_reopen
            self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Its keys may work now."""
        super().watch_has_focus(has_focus)
        self.refresh()

    def render(self) -> Content:
        """The text."""
        jobs, began, can_reopen = self._told
        if jobs and can_reopen and self.has_focus:
            return Content.assemble(
                ("No tab is open\n\n", "bold $foreground"),
                _key("tab.reopen", "reopens the tab closed last"),
                _key("focus.next", "goes to the jobs"),
                _key("app.help", "shows every key"),
            )
        if jobs and not began:
            return Content.assemble(
                ("Nothing was started yet\n\n", "bold $foreground"),
                _key("job.restart", "starts the job that is chosen"),
                _key("job.add", "starts another: any shell line"),
                _key("app.help", "shows every key"),
                ("\nautostart = true in jobdeck.toml starts\na job with jobdeck.", "$quiet"),
            )
        if jobs:
            return Content.assemble(
                ("No tab is open\n\n", "bold $foreground"),
                _key("stack.open", "opens the job: all it wrote is there"),
                _key("job.add", "starts another"),
                _key("app.help", "shows every key"),
            )
        return Content.assemble(
            ("No jobs yet\n\n", "bold $foreground"),
            _key("job.add", "starts one: any line for a shell"),
            _key("app.help", "shows every key"),
            _key("app.quit", "leaves jobdeck"),
            ("\nNext time, name them when you start:\n", "$quiet"),
            ("  jobdeck 'npm run dev' 'pytest -f'\n", "$accent"),
            (f"\n{self._in_a_file}:\n", "$quiet"),
            ("  jobdeck init\n", "$accent"),
            ("\nWhat your agent starts is here at once:\n", "$quiet"),
            ("  claude mcp add jobdeck -- jobdeck mcp", "$accent"),
        )


def _key(action: str, what: str) -> Content:
    name = key_name(BY_ID[action].keys[0])
    return Content.assemble((f"{name:>7}", "bold $footer-key-foreground"), (f"  {what}\n", "$quiet"))
