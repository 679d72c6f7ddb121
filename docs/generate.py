"""Makes the pages of the documentation that only repeat what the code says: keys, settings, verbs, agents' tools.

    python -m docs.generate            # writes them; `make docs` does it
    python -m docs.generate --check    # exits with 1 and names those that differ, as a test does

Keys come from `tui.keymap`, settings from the structs of `engine.config` with the text under each field, verbs from the
command line itself. Whoever changes one of these runs it; nobody edits its pages.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import msgspec

from docs.agent_tools import tools_page
from docs.markdown import as_keys, made_from, paragraphs, prose, table
from engine.config.decoding import TABLES
from engine.config.entries import Ready
from engine.config.schema import said_of_fields
from engine.config.settings import Settings
from engine.config.writing import toml_value
from tui import keymap, themes
from tui.cli.jobs import NOTE_ON_IDS
from tui.cli.main import jobdeck
from tui.cli.verbs import SECTIONS
from tui.remapping import FIXED
from tui.show.legend import SIGNS

HERE = Path(__file__).parent
UNITS = {
    "seconds": "seconds", "hours": "hours", "days": "days", "bytes": "bytes", "chars": "characters", "lines": "lines",
    "cols": "columns", "rows": "rows", "backoff": "seconds", "timeout": "seconds", "every": "seconds",
    "memory_max": "bytes", "memory_max_least": "bytes", "memory_max_most": "bytes", "memory_ram_share": "0 to 1",
}  # fmt: skip
"""Units by a field's name, or by the last word of it."""
_WORDS = {int: "whole number", float: "number", str: "text", bool: "true or false"}
_SECTION = re.compile(r"^    # -- (.+?) -+$|^    (\w+): ", re.MULTILINE)
_PART = re.compile(r" \([\d., to]+\)")


def keys_page() -> str:
    """Every key, by where it works."""
    lines = [
        "# Keys",
        "",
        made_from("`tui/keymap/defaults.py`"),
        "The console shows the same with `?`, and in its lowest line the keys that work where you are. The palette "
        "(`Ctrl+P`) has every action by name, those without a key too. The mouse does all of it.",
        "",
        "Each action has an id, by which `[keys]` of [the configuration](configuration.md#keys) gives it other keys.",
    ]
    for place, title in keymap.PLACES.items():
        rows = [key for key in keymap.DEFAULTS if key.where == place and key.keys and key.listed]
        lines += ["", f"## {title}", "", *table(("key", "does", "id"), map(_key_row, rows))]
    dialogs = ((as_keys(keys), text) for keys, text in keymap.IN_DIALOGS)
    lines += ["", "## In dialogs", "", *table(("key", "does"), dialogs)]
    bare = [key for key in keymap.DEFAULTS if not key.keys]
    lines += ["", "## In the palette only", "", "`[keys]` can give them a key.", ""]
    lines += table(("action", "does", "id"), ((_called(key), key.description, f"`{key.id}`") for key in bare))
    lines += ["", "## Signs", "", *table(("sign", "means"), ((signs, text) for signs, text in SIGNS))]
    return "\n".join(lines) + "\n"


def _key_row(key: keymap.Key) -> tuple[str, ...]:
    several = key.id == "tab.1"  # one row speaks for the nine
    return as_keys(keymap.shown_keys(key)), key.description, "`tab.1` … `tab.9`" if several else f"`{key.id}`"


def _called(key: keymap.Key) -> str:
    return key.title or key.label.capitalize()


def configuration_page() -> str:
    """Every table and key of ``jobdeck.toml``."""
    lines = [
        "# Configuration reference",
        "",
        made_from("the structs of `engine/config`"),
        "How it is used is told in [Configuring](configuring.md). `jobdeck config` prints what holds and where each "
        "value came from; `jobdeck config --schema` is the same reference for editors.",
        "",
        "## [settings]",
    ]
    said = said_of_fields(Settings)
    fields = {field.name: field for field in msgspec.structs.fields(Settings)}
    for title, names in _sections(Path(sys.modules[Settings.__module__].__file__ or "").read_text()):
        rows = (_field_row(fields[name], Settings, said) for name in names)
        lines += ["", f"### {title[0].upper()}{title[1:]}", "", *table(("name", "type", "default", "meaning"), rows)]
    for name, struct in TABLES.items():
        about = prose(struct.__doc__ or "").removeprefix(f"`[{name}.NAME]`: ")
        lines += ["", f"## [{name}.NAME]", "", about[0].upper() + about[1:], "", *_struct(struct)]
        if name == "jobs":
            lines += ["", "### `ready` of a job", "", prose(Ready.__doc__ or ""), "", *_struct(Ready)]
        if name == "themes":
            own = ", ".join(f"`{one}`" for one in themes.defaults(themes.DARK))
            lines += ["", f"Of `variables` jobdeck itself has {own}; what isn't given is made from the colours above."]
    lines += [
        "",
        "## [keys]",
        "",
        "The keys of an action of the console, by its id or the id's last word: one key or several. "
        "[Keys](keys.md) lists ids and usual keys. A key that another action has in the same place is refused, with "
        f"file and line; {as_keys('  '.join(sorted(FIXED)))} keeps its own, so that there is always a way out.",
        "",
        "```toml",
        "[keys]",
        'kill = "ctrl+k"',
        '"app.help" = ["?", "f9"]',
        "```",
    ]
    return "\n".join(lines) + "\n"


def _sections(source: str) -> Iterator[tuple[str, list[str]]]:
    """The settings' names by the headings that stand among them in the source."""
    title, names = "", list[str]()
    for found in _SECTION.finditer(source):
        if found[1] is not None:
            if names:
                yield title, names
            title, names = _PART.sub("", found[1]), []
        elif found[2] in Settings.__struct_fields__:
            names.append(found[2])
    yield title, names


def _struct(struct: type[msgspec.Struct]) -> list[str]:
    said = said_of_fields(struct)
    rows = (_field_row(field, struct, said) for field in msgspec.structs.fields(struct))
    return table(("name", "type", "default", "meaning"), rows)


def _field_row(field: msgspec.structs.FieldInfo, struct: type, said: dict[str, str]) -> tuple[str, ...]:
    kind = _kind(get_type_hints(struct)[field.name])
    unit = UNITS.get(field.name) or UNITS.get(field.name.rpartition("_")[2], "")
    return f"`{field.name}`", f"{kind}, {unit}" if unit else kind, _default(field), said[field.name]


def _default(field: msgspec.structs.FieldInfo) -> str:
    value: Any = field.default
    if value is msgspec.NODEFAULT and field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    if value is msgspec.NODEFAULT:
        return "*needed*"
    if value in (None, {}, ()):
        return "none"
    if isinstance(value, float) and value == int(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"`{value:_}`"
    return f"`{toml_value(value)}`"


def _kind(kind: Any) -> str:
    """A field's type in the words of the file."""
    args = get_args(kind)
    if kind in _WORDS:
        return _WORDS[kind]
    if kind is Ready:
        return "[table](#ready-of-a-job)"
    if getattr(kind, "__origin__", None) is dict:
        return "table of texts" + (", numbers, false" if bool in get_args(args[1]) else "")
    if getattr(kind, "__origin__", None) is tuple:
        return "list of texts"
    if args and all(isinstance(one, str) for one in args):
        return " or ".join(f"`{toml_value(one)}`" for one in args)
    return " or ".join(_kind(one) for one in args if one is not type(None))


def commands_page() -> str:
    """Every verb of the command line, with its options."""
    lines = [
        "# Command line reference",
        "",
        made_from("`tui/cli`"),
        "`jobdeck --help` lists the verbs, `jobdeck VERB --help` tells the same as this page. How they are used "
        "is told in the [guide](README.md).",
        "",
        *paragraphs(NOTE_ON_IDS),
        "",
        *_command(jobdeck, "jobdeck"),
    ]
    for title, verbs in SECTIONS.items():
        lines += ["", f"## {title}"]
        for name in verbs:
            command = jobdeck.get_command(click.Context(jobdeck), name)
            assert command is not None
            lines += ["", f"### jobdeck {name}", "", *_command(command, f"jobdeck {name}")]
            for inner, of_it in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
                lines += ["", f"#### jobdeck {name} {inner}", "", *_command(of_it, f"jobdeck {name} {inner}")]
    return "\n".join(lines) + "\n"


def _command(command: click.Command, words: str) -> list[str]:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    named = [_argument(one) for one in command.params if isinstance(one, click.Argument)]
    named += ["COMMAND …"] if isinstance(command, click.Group) else []
    lines = ["```text", " ".join([words, *(["[OPTIONS]"] if options else []), *named]), "```"]
    for text in (command.help, command.epilog):
        lines += ["", *paragraphs(text)] if text and text != NOTE_ON_IDS else []
    rows = ((", ".join(f"`{_option(one, option)}`" for one in _spellings(option)), _told(option)) for option in options)
    return [*lines, "", *table(("option", "does"), rows)] if options else lines


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or _choices(argument) or (argument.name or "").upper()
    if argument.metavar:
        return name
    return f"{name if argument.required else f'[{name}]'}{'...' if argument.nargs == -1 else ''}"


def _spellings(option: click.Option) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def _option(spelled: str, option: click.Option) -> str:
    if option.is_flag or not spelled.startswith("--"):
        return spelled
    return f"{spelled} {option.metavar or _choices(option) or option.type.name.upper()}"


def _choices(parameter: click.Parameter) -> str:
    return "|".join(parameter.type.choices) if isinstance(parameter.type, click.Choice) else ""


def _told(option: click.Option) -> str:
    more = ["may be given again"] if option.multiple and "again" not in (option.help or "") else []
    more += [f"`{option.default}` if not said"] if option.show_default and option.default is not None else []
    return " ".join([option.help or "", *([f"({'; '.join(more)})"] if more else [])])


PAGES: dict[str, Callable[[], str]] = {
    "keys.md": keys_page,
    "configuration.md": configuration_page,
    "commands.md": commands_page,
    "tools.md": tools_page,
}
"""By name, and what makes each."""


def stale() -> list[str]:
    """The pages whose text isn't what would be made now."""
    return [name for name, made in PAGES.items() if not (HERE / name).is_file() or (HERE / name).read_text() != made()]


def main() -> int:
    """Write all, or say which differ."""
    if sys.argv[1:] == ["--check"]:
        differ = stale()
        if differ:
            sys.stderr.write(f"not what 'make docs' makes: {', '.join(differ)}\n")
        return 1 if differ else 0
    for name, made in PAGES.items():
        (HERE / name).write_text(made())
    return 0


if __name__ == "__main__":
    sys.exit(main())
