"""What was typed in the dialog for a new job: kept when it is left, and brought back."""

from dataclasses import dataclass, field


@dataclass
class Draft:
    """The fields as they stood."""

    command: str = ""
    name: str = ""
    folder: str = ""
    pty: bool = True
    stdin: bool = False


@dataclass
class Drafts:
    """The dialog's memory. It has one owner: the main screen."""

    new_job: Draft = field(default_factory=Draft)
    """What was typed and not started."""
    commands: list[str] = field(default_factory=list)
    """Commands that were started, the newest last."""

    def started(self, command: str) -> None:
        """This command was started: it can be recalled, and the next dialog begins empty."""
        self.new_job = Draft()
        if command in self.commands:
            self.commands.remove(command)
        self.commands.append(command)
