"""What was typed in dialogs: kept when they are left, and brought back."""

from dataclasses import dataclass, field


@dataclass
class Draft:
    """The fields as they stood."""

    command: str = ""
    name: str = ""
    folder: str = ""
    pty: bool = True
    stdin: bool = False
    watch: str = ""
    notify: bool = True
    keep: bool = False
    host: str = ""


@dataclass
class GoalDraft:
    """The fields of a goal as they stood."""

    goal: str = ""
    step: str = ""
    judge: str = ""
    turns: str = ""
    folder: str = ""


@dataclass
class SearchDraft:
    """What was looked for last in all jobs."""

    text: str = ""
    regex: bool = False
    case: bool = False


@dataclass
class Drafts:
    """The dialogs' memory. It has one owner: the main screen."""

    new_job: Draft = field(default_factory=Draft)
    """What was typed and not started."""
    goal: GoalDraft = field(default_factory=GoalDraft)
    search: SearchDraft = field(default_factory=SearchDraft)
    watches: dict[str, str] = field(default_factory=dict)
    """Watch patterns that were typed and not saved, by slot."""
    commands: list[str] = field(default_factory=list)
    """Commands that were started, the newest last."""

    def started(self, command: str) -> None:
        """This command was started: it can be recalled, and the next dialog begins empty."""
        self.new_job = Draft()
        if command in self.commands:
            self.commands.remove(command)
        self.commands.append(command)
