"""Foreign files read by their kind, and all of a folder as one file of jobdeck's."""

from collections.abc import Callable
from pathlib import Path

from engine.config.importing.dekit import read_dekit
from engine.config.importing.imported import Imported, NotUnderstood, Unreadable
from engine.config.importing.mprocs import read_mprocs
from engine.config.importing.names import KINDS
from engine.config.importing.package_json import read_package_json
from engine.config.importing.process_compose import read_process_compose
from engine.config.importing.procfile import read_procfile
from engine.config.writing import toml_key, toml_table, toml_value

_OF_KINDS: tuple[Callable[[Path], Imported], ...] = (
    read_process_compose, read_dekit, read_mprocs, read_procfile, read_package_json,
)  # fmt: skip
_READERS = {name: reader for names, reader in zip(KINDS, _OF_KINDS, strict=True) for name in names}
_OTHER_SHELLS = frozenset({"fish", "csh", "tcsh", "nu", "xonsh", "elvish", "pwsh"})


def read_foreign(file: Path) -> Imported:
    """What a foreign file says, by its name or else by its ending and what is in it.

    Raises:
        NotUnderstood: It is none that is known, or not what it is called.
        OSError: It can't be read.
    """
    reader = _READERS.get(file.name)
    if reader is not None:
        return reader(file)
    if file.suffix in (".yaml", ".yml"):
        for reader in (read_process_compose, read_dekit, read_mprocs):
            try:
                return reader(file)
            except Unreadable:
                raise
            except NotUnderstood:
                continue
    elif file.suffix == ".json":
        return read_package_json(file)
    elif file.name.startswith("Procfile"):
        return read_procfile(file)
    kinds = "a Procfile, package.json, mprocs.yaml, dekit.yaml or process-compose.yaml"
    raise NotUnderstood(f"{file.name} isn't {kinds}")


def lose_their_shell(found: Imported, shell: str) -> None:
    """Lines that are written for a POSIX shell aren't run by one, where ``shell`` (``$SHELL``) is another."""
    name = Path(shell).name
    lines = any("command" in job for job in found.jobs.values())
    if lines and name in _OTHER_SHELLS and found.source != "package.json":
        found.lose("all", f"lines are written for sh, and $SHELL, which runs them here, is {name}")


def as_toml(imports: list[Imported]) -> str:
    """One file for all; a name that two have gets its file's behind it in the second."""
    parts = [f"# jobdeck.toml, made from {' and '.join(one.source for one in imports)} by 'jobdeck init'.\n"]
    settings = {key: value for one in reversed(imports) for key, value in one.settings.items()}
    if settings:
        parts.append(toml_table(("settings",), settings))
    taken: set[str] = set()
    for one in imports:
        renamed = {name: f"{name} ({one.source})" if name in taken else name for name in one.jobs}
        taken |= set(renamed.values())
        if one.left:
            parts.append(
                "\n".join([f"# What of {one.source} isn't here:", *(_comment(line) for line in one.left)]) + "\n"
            )
        for name, job in one.jobs.items():
            said = {key: value for key, value in job.items() if value not in (False, [], {})}
            if "after" in said:
                said["after"] = [renamed.get(other, other) for other in said["after"]]
            comment = f"# {' '.join(one.comments[name].split())}\n" if one.comments.get(name) else ""
            parts.append(comment + toml_table(("jobs", renamed[name]), said))
    return "\n".join(parts)


def example() -> str:
    """A file for a folder that has none of the others."""
    job = {"command": "echo hello; sleep 1000", "pty": True}
    return "\n".join(
        (
            "# jobdeck.toml: what 'jobdeck' runs here. 'jobdeck config' shows what holds.\n",
            toml_table(("jobs", "hello"), job)
            + "# autostart = true                  # start it with jobdeck\n"
            + f"# after = {toml_value(['db'])}                   # once that one is ready\n"
            + f"# ready = {toml_value({'line': 'listening'})}   # or port, http, command, exit\n"
            + f"# restart = {toml_value('on-failure')}           # or always\n"
            + f"# restart_on_change = {toml_value(['src/**/*.py'])}\n"
            + f"# env = {toml_value({'PORT': 8000})}; {toml_key('env_file')} = {toml_value('.env')}\n",
        )
    )


def _comment(line: str) -> str:
    return "#   " + " ".join(line.split())
