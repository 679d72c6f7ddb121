"""Every key of the console, once: bindings, footer, help and palette are made from this table."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """One action and the keys that ask for it."""

    id: str
    """``area.verb``; what a keymap remaps and what the action is registered under."""
    keys: tuple[str, ...]
    """Textual's key names; the first is the one shown."""
    label: str
    """A word or two for the footer."""
    description: str
    """A line for the help screen and the palette."""
    where: str
    """One of `PLACES`."""
    footer: int = 0
    """Place in the footer, from the left; 0 keeps it out."""
    shown: str = ""
    """How help writes the keys, when that is more than their list."""
    listed: bool = True
    """False for a key that another row of the help speaks for."""
    title: str = ""
    """What the palette calls it, when that is more than the label."""


PLACES: dict[str, str] = {
    "anywhere": "Anywhere but in a text field",
    "job": "On a job, in the stack or in its pane",
    "stack": "In the stack of jobs",
    "filter": "While typing a filter for the stack",
    "pane": "In a pane",
    "search": "While searching in a pane",
    "barriers": "In the list of waits",
    "hits": "In the feed of hits",
    "type": "While typing into a job (all other keys go to it)",
}
"""Where a key works, and how help names the place."""
IN_DIALOGS: tuple[tuple[str, str], ...] = (
    ("y  n", "Yes, no"),
    ("Enter  Esc", "Do it, leave it"),
    ("k  x  X", "On leaving: keep what can be kept, kill all, kill at once"),
    ("Tab  ↑ ↓", "The next field or button; in the submit prompt, what was sent before"),
)
"""Keys of dialogs, which have no action of their own and can't be remapped."""


def _tabs() -> Iterable[Key]:
    for number in range(1, 10):
        first = number == 1
        yield Key(
            f"tab.{number}", (str(number),), "tab", "Go to that tab" if first else f"Go to tab {number}", "anywhere",
            shown="1…9" if first else "", listed=first, title=f"Go to tab {number}",
        )  # fmt: skip


DEFAULTS: tuple[Key, ...] = (
    Key("job.add", ("a",), "add", "Start a new job", "anywhere", 2, title="New job"),
    Key("tab.close", ("c", "ctrl+w"), "close tab", "Close the tab; its job goes on", "anywhere", 5),
    Key("tab.next", ("ctrl+pagedown",), "next tab", "Go to the next tab", "anywhere"),
    Key("tab.previous", ("ctrl+pageup",), "previous tab", "Go to the previous tab", "anywhere"),
    *_tabs(),
    Key("focus.next", ("tab",), "move", "Move the focus on: jobs, pane, waits, hits", "anywhere", 10),
    Key("focus.previous", ("shift+tab",), "move back", "Move the focus back", "anywhere"),
    Key(
        "jobs.search",
        ("ctrl+f",),
        "search all",
        "Search all that jobs have printed, and go to the line",
        "anywhere",
        title="Search all jobs",
    ),
    Key("view.zoom", ("z",), "zoom", "The pane alone on the screen, and back", "anywhere"),
    Key(
        "view.split",
        ("v",),
        "split",
        "One more tab's pane beside this one; when all are there, one alone again",
        "anywhere",
        13,
        title="Split: panes side by side",
    ),
    Key("view.unsplit", ("V",), "unsplit", "This pane alone again; the other tabs stay", "anywhere"),
    Key(
        "text.copy",
        ("ctrl+c", "super+c"),
        "copy",
        "Copy the selection; never quits, never kills",
        "anywhere",
        title="Copy the selection",
    ),
    Key("app.suspend", ("ctrl+z",), "suspend", "Back to the shell; jobs go on, fg comes back", "anywhere"),
    Key("app.palette", ("ctrl+p",), "palette", "Every action by name, jobs, settings, themes", "anywhere", 20),
    Key("app.help", ("question_mark", "f1"), "help", "This help", "anywhere", 21),
    Key("app.quit", ("q", "ctrl+q"), "quit", "Leave jobdeck; asks when jobs run", "anywhere", 22),
    Key(
        "results.open",
        ("R",),
        "results",
        "How jobs ended, also before jobdeck was started; open their output",
        "anywhere",
        title="Earlier results",
    ),
    Key(
        "view.away",
        ("A",),
        "away",
        "What became of the jobs that an earlier jobdeck left",
        "anywhere",
        title="While you were away",
    ),
    Key(
        "agents.open",
        ("B",),
        "agents",
        "Batches and background agents: how they stand, what came of them; messages, stopping",
        "anywhere",
        title="Agents and batches",
    ),
    Key("job.kill", ("x",), "kill", "End the job's whole tree, with grace", "job", 3),
    Key("job.kill_now", ("X",), "now", "End the job's whole tree at once", "job", 3, title="Kill now"),
    Key("job.signal", ("S",), "signal", "Send it a signal: INT, HUP, USR1 …", "job", 12, title="Send a signal"),
    Key(
        "job.end_escaped", ("E",), "end left", "End what the job left behind", "job", 5, title="End what it left behind"
    ),
    Key("job.restart", ("r",), "restart", "End the job if it runs, start it again in its place", "job", 6),
    Key("job.submit", ("s",), "submit", "Type a line for the job's input", "job", 4),
    Key("job.write", ("w",), "write", r"Write to its input as it is: \x03, \t, \e …", "job", title="Write raw input"),
    Key(
        "job.type", ("i",), "type", "Every key goes straight to the job's terminal", "job", 5, title="Type into the job"
    ),
    Key("type.leave", ("ctrl+right_square_bracket", "f12"), "leave", "Keys act on jobdeck again", "type", 1),
    Key(
        "job.wait",
        ("b",),
        "wait on",
        "Wait for its exit, a line, a time, a process; or a goal",
        "job",
        7,
        title="Wait on",
    ),
    Key(
        "job.watch",
        ("e",),
        "watch",
        "Edit the patterns its output is watched for",
        "job",
        9,
        title="Edit watch patterns",
    ),
    Key("job.details", ("d",), "details", "Its folder, environment, processes, ports, watches", "job", 10),
    Key("job.notify", ("o",), "notify", "Tell of its end, or don't", "job", 11, title="Notify on or off"),
    Key("job.copy", ("y",), "copy", "Copy the selection, else the job's command", "job", 8, title="Copy the command"),
    Key(
        "job.end_input",
        (),
        "EOF",
        "Say that no more input comes, as Ctrl+D does",
        "job",
        title="End the job's input (EOF)",
    ),
    Key("stack.open", ("enter",), "open", "Open the job's tab", "stack", 1),
    Key("stack.down", ("down", "j"), "down", "The next job", "stack", shown="↓ j"),
    Key("stack.up", ("up", "k"), "up", "The job above", "stack", shown="↑ k"),
    Key("stack.first", ("home",), "first", "The first job", "stack"),
    Key("stack.last", ("end",), "last", "The last job", "stack"),
    Key("stack.page_down", ("pagedown",), "page down", "Some further down", "stack"),
    Key("stack.page_up", ("pageup",), "page up", "Some further up", "stack"),
    Key(
        "stack.mark",
        ("space",),
        "mark",
        "Mark the job: x X r S o c and dismiss act on all marked ones",
        "stack",
        8,
        title="Mark the selected job",
    ),
    Key("stack.mark_all", ("ctrl+a",), "mark all", "Mark all that are shown, or none", "stack", title="Mark all jobs"),
    Key(
        "stack.filter",
        ("slash",),
        "filter",
        "Show only jobs with these words: name, command, tag, state",
        "stack",
        8,
        title="Filter the jobs",
    ),
    Key(
        "stack.sort",
        ("comma",),
        "sort",
        "Sort by start, state, cpu, memory, name, last output",
        "stack",
        14,
        title="Sort the jobs by …",
    ),
    Key(
        "stack.group",
        ("g",),
        "group",
        "Group by owner, tag, engine and host, state, or not",
        "stack",
        14,
        title="Group the jobs by …",
    ),
    Key("stack.escape", ("escape",), "clear", "Mark none; then filter no more", "stack", 6, title="Clear the marks"),
    Key("stack.unfilter", (), "all", "Show all jobs again", "stack", title="Filter the jobs no more"),
    Key("filter.accept", ("enter",), "done", "Back to the jobs; the filter stays", "filter", 1),
    Key("filter.next", ("down",), "next", "The next job", "filter", 2),
    Key("filter.previous", ("up",), "previous", "The job above", "filter", 2),
    Key("filter.close", ("escape",), "all", "Show all jobs again", "filter", 3),
    Key("pane.follow", ("f",), "follow", "Go to the newest output and stay there", "pane", 7),
    Key("pane.down", ("down", "j"), "down", "Scroll a line down", "pane", shown="↓ j"),
    Key("pane.up", ("up", "k"), "up", "Scroll a line up", "pane", shown="↑ k"),
    Key("pane.left", ("left",), "left", "Scroll to the left", "pane"),
    Key("pane.right", ("right",), "right", "Scroll to the right", "pane"),
    Key("pane.page_down", ("pagedown", "space"), "page down", "Scroll a page down", "pane"),
    Key("pane.page_up", ("pageup",), "page up", "Scroll a page up", "pane"),
    Key("pane.top", ("g", "home"), "top", "Go to the oldest line", "pane"),
    Key("pane.bottom", ("G", "end"), "end", "Go to the newest line and follow", "pane"),
    Key(
        "pane.select_down",
        ("shift+down", "J"),
        "select",
        "Select, from the line that was clicked or gone to on",
        "pane",
        shown="Shift+↓ ↑ ← →  J K",
    ),
    Key("pane.select_up", ("shift+up", "K"), "select up", "Select a row more above", "pane", listed=False),
    Key("pane.select_left", ("shift+left",), "select left", "Select to the left", "pane", listed=False),
    Key("pane.select_right", ("shift+right",), "select right", "Select to the right", "pane", listed=False),
    Key(
        "pane.select_page_down",
        ("shift+pagedown",),
        "select page",
        "Select a page, or to a row's end",
        "pane",
        shown="Shift+PgDn PgUp Home End",
    ),
    Key("pane.select_page_up", ("shift+pageup",), "select page up", "Select a page above", "pane", listed=False),
    Key("pane.select_home", ("shift+home",), "select home", "Select to the row's beginning", "pane", listed=False),
    Key("pane.select_end", ("shift+end",), "select end", "Select to the row's end", "pane", listed=False),
    Key("pane.select_all", ("ctrl+a",), "select all", "Select all that the pane holds", "pane", title="Select all"),
    Key("pane.mark", ("m",), "mark", "Mark this line, or take its mark away", "pane", 9, title="Mark this line"),
    Key("pane.next_mark", ("apostrophe",), "marks", "Go to the next marked line", "pane", 9, title="Next marked line"),
    Key("pane.times", ("t",), "times", "Show or hide when each line came", "pane", 9, title="When each line came"),
    Key("pane.search", ("slash",), "search", "Search in the pane", "pane", 8, title="Search in the pane"),
    Key("pane.next", ("n",), "next", "The next match", "pane", 6),
    Key("pane.previous", ("N",), "previous", "The match before", "pane", 6),
    Key("pane.escape", ("escape",), "clear", "Clear the selection, then the search", "pane", 6),
    Key("search.accept", ("enter",), "done", "Back to the pane, which keeps the matches lit", "search", 1),
    Key("search.next", ("down",), "next", "The next match", "search", 2),
    Key("search.previous", ("up",), "previous", "The match before", "search", 2),
    Key("search.case", ("alt+c", "ctrl+t"), "case", "Whether upper and lower case differ", "search", 3),
    Key("search.regex", ("alt+r", "ctrl+r"), "regex", "A text as it is, or a regular expression", "search", 3),
    Key("search.close", ("escape",), "back", "Search no more, back to where it began", "search", 4),
    Key("tab.reopen", ("enter",), "reopen", "Open the tab again that was closed last", "pane", 9),
    Key("barriers.go", ("enter",), "open", "Go to its job; a goal's turns", "barriers", 1),
    Key(
        "barriers.new",
        ("n",),
        "new",
        "Wait for a job, a process, a time; or a goal",
        "barriers",
        1,
        title="New wait or goal",
    ),
    Key("barriers.lift", ("l",), "lift", "Wait for it no more", "barriers", 1, title="Lift the selected wait"),
    Key("barriers.down", ("down", "j"), "down", "The next one", "barriers", shown="↓ j"),
    Key("barriers.up", ("up", "k"), "up", "The one above", "barriers", shown="↑ k"),
    Key("barriers.page_down", ("pagedown",), "page down", "Some further down", "barriers"),
    Key("barriers.page_up", ("pageup",), "page up", "Some further up", "barriers"),
    Key("barriers.first", ("home", "g"), "first", "The first one", "barriers"),
    Key("barriers.last", ("end", "G"), "last", "The last one", "barriers"),
    Key("barriers.read", ("space",), "read", "Read all of it", "barriers", 1, title="Read the selected wait"),
    Key("hits.go", ("enter",), "go to line", "Go to its line in the job's pane; read a notice", "hits", 1),
    Key("hits.down", ("down", "j"), "down", "The next one", "hits", shown="↓ j"),
    Key("hits.up", ("up", "k"), "up", "The one above", "hits", shown="↑ k"),
    Key("hits.page_down", ("pagedown",), "page down", "Some further down", "hits"),
    Key("hits.page_up", ("pageup",), "page up", "Some further up", "hits"),
    Key("hits.first", ("home", "g"), "oldest", "The oldest that is kept", "hits"),
    Key("hits.last", ("end", "G", "f"), "newest", "The newest, and follow", "hits", 1),
    Key("hits.read", ("space",), "read", "Read all of it", "hits", 1, title="Read the selected hit"),
    Key(
        "view.signals",
        ("h",),
        "fold",
        "Fold waits and hits, and back",
        "anywhere",
        0,
        title="Fold or show waits and hits",
    ),
    Key(
        "goal.new", (), "new goal", "A step and a judge, again and again until it is done", "anywhere", title="New goal"
    ),
    Key(
        "goal.pause", (), "pause", "Let no further turn of the selected goal begin", "anywhere", title="Pause the goal"
    ),
    Key("goal.resume", (), "resume", "Let the selected goal go on", "anywhere", title="Resume the goal"),
    Key(
        "goal.unwait",
        (),
        "unwait",
        "Take the barrier from the selected goal",
        "anywhere",
        title="Lift the goal's barrier",
    ),
    Key("goal.clear", (), "clear", "Take the selected goal off the list", "anywhere", title="Clear the goal"),
    Key(
        "view.themes",
        (),
        "themes",
        "The colours of the whole console, seen while you choose",
        "anywhere",
        title="Choose a theme",
    ),
    Key(
        "view.saving",
        (),
        "disk",
        "What is wrong with the disk, and what to do",
        "anywhere",
        title="Why results can't be saved",
    ),
    Key("job.dismiss", (), "dismiss", "Take the finished job off the list", "job"),
    Key("job.dismiss_finished", (), "dismiss all", "Take every finished job off the list", "anywhere"),
    Key("view.redact", (), "mask", "Passwords, tokens and keys in panes; all else is masked always", "anywhere"),
)
"""Actions without keys are in the palette only."""

TABLE: list[Key] = list(DEFAULTS)
"""The same with the keys that hold now; `use` changes it."""
BY_ID: dict[str, Key] = {key.id: key for key in TABLE}


def use(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Tell these keys from now on, by the action's id, in place of the usual ones; the others' are the usual ones."""
    TABLE[:] = [key._replace(keys=keys[key.id], shown="", listed=True) if key.id in keys else key for key in DEFAULTS]
    BY_ID.update({key.id: key for key in TABLE})


def bindings(*places: str) -> list[Binding]:
    """Textual bindings for the keys of these places; each asks the main screen to do its action.

    They have priority, so that a key is done before the next one is looked at: without it, keys that come in one
    burst would all go to what had the focus before the first of them moved it.
    """
    return [
        Binding(
            ",".join(key.keys),
            f"screen.do({key.id!r})",
            key.description,
            show=False,
            priority=True,
            id=key.id,
        )
        for key in DEFAULTS
        if key.where in places and key.keys
    ]


_NAMES = {
    "question_mark": "?", "slash": "/", "apostrophe": "'", "comma": ",", "right_square_bracket": "]",
    "pagedown": "PgDn", "pageup": "PgUp", "enter": "Enter", "tab": "Tab", "down": "↓",
    "up": "↑", "left": "←", "right": "→", "home": "Home", "f1": "F1", "end": "End", "space": "Space", "escape": "Esc",
}  # fmt: skip


def key_name(key: str) -> str:
    """A key as people read it: ``Ctrl+W`` for ``ctrl+w``, ``?`` for ``question_mark``."""
    *modifiers, last = key.split("+")
    plain = last if not modifiers and len(last) == 1 else last.upper()
    return "+".join([*(word.capitalize() for word in modifiers), _NAMES.get(last, plain)])


def short_name(key: str) -> str:
    """A key as the footer writes it: ``^p``, ``enter``, ``?``."""
    if key.startswith("ctrl+") and len(name := key_name(key)) == 6:
        return "^" + name[-1].lower()
    return _NAMES.get(key, key).lower() if len(key) > 1 else key


def shown_keys(key: Key) -> str:
    """All keys of an action for the help screen."""
    return key.shown or "  ".join(key_name(name) for name in key.keys if not name.startswith("super+"))
