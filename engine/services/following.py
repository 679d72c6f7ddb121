"""The configuration's files while we run: a change is taken in, a broken one keeps what held before and says so."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from engine.config import Configuration
from engine.config.decoding import TABLES
from engine.config.loading import read
from engine.events import ConfigurationChanged
from engine.process.aside import aside
from engine.registry.registry import Registry
from engine.store.folder_watch import FolderWatch

if TYPE_CHECKING:
    from engine.services.services import Services

_GONE_SECONDS = 0.5
"""An editor that saves by replacing leaves no file for a moment."""


class Following:
    """Owns what `Registry.configuration` is from the start on. On the engine's loop alone."""

    def __init__(self, registry: Registry, services_for: "Callable[[Configuration], Services | None]") -> None:
        self._registry, self._services_for = registry, services_for
        self._reading = self._anew = False
        files = registry.configuration.files
        self._watches = [
            FolderWatch(registry.loop, folder, self._changed, registry.trouble, frozenset(file.name for file in files))
            for folder in {file.parent for file in files}
        ]

    def close(self) -> None:
        """Follow them no longer."""
        for watch in self._watches:
            watch.close()

    def _changed(self, _names: frozenset[str]) -> None:
        self._anew = True
        if not self._reading:
            self._reading = True
            self._registry.background(self._registry.loop.create_task(self._read()))

    async def _read(self) -> None:
        try:
            while self._anew:
                self._anew = False
                before = self._registry.configuration
                if await aside("jobdeck-config", partial(_some_gone, before)):
                    await asyncio.sleep(_GONE_SECONDS)
                after = await aside("jobdeck-config", partial(read, before.files, before.base))
                self._take(before, after)
        finally:
            self._reading = False

    def _take(self, before: Configuration, after: Configuration) -> None:
        registry = self._registry
        for problem in after.problems:
            if problem not in before.problems:
                registry.notice(f"{problem.short}; what held before holds", "error")
        if after.broken:
            registry.configuration = msgspec.structs.replace(before, problems=after.problems, broken=after.broken)
            return
        after = with_what_held(before, after)
        registry.configuration, registry.settings = after, after.settings
        registry.publish(ConfigurationChanged)
        said = [f"{name} = {getattr(after.settings, name)!r}" for name in _differing(before.settings, after.settings)]
        for table in ("agents", "hosts", "keys", "themes"):
            old, new = getattr(before, table), getattr(after, table)
            said += [f"[{table}] {name}" for name in {**old, **new} if old.get(name) != new.get(name)]
        services = self._services_for(after)
        if services is not None:
            said += services.take(after)
        if said:
            registry.notice(f"{after.files[-1].name} was read again: {'; '.join(said)}", "information")


def _some_gone(before: Configuration) -> bool:
    """Is a file missing that said something?"""
    spoke = {origin.file for origin in before.origins.values()}
    return any(str(file) in spoke and not file.exists() for file in before.files)


def with_what_held(before: Configuration, after: Configuration) -> Configuration:
    """``after``, where something in it is wrong with what was said of that before."""
    settings = after.settings
    tables = {name: dict(getattr(after, name)) for name in (*TABLES, "keys")}
    for problem in after.problems:
        table, name = (*problem.path, "", "")[:2]
        if table == "settings" and name in settings.__struct_fields__:
            settings = msgspec.structs.replace(settings, **{name: getattr(before.settings, name)})
        elif table in tables and name in getattr(before, table):
            tables[table][name] = getattr(before, table)[name]
    return msgspec.structs.replace(after, settings=settings, **tables)


def _differing(before: msgspec.Struct, after: msgspec.Struct) -> list[str]:
    return [name for name in after.__struct_fields__ if getattr(before, name) != getattr(after, name)]
