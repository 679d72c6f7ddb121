"""Several layers into one configuration, and the checks that need all of it."""

from pathlib import Path
from typing import Any

import msgspec

from engine.config.configuration import Configuration, KeyPath, Origin
from engine.config.decoding import TABLES, read_layer
from engine.config.problem import Problem, nearest
from engine.config.settings import Settings


def join(files: tuple[Path, ...], base: Settings) -> Configuration:
    """Read these files, each over those before it, over ``base``."""
    values: dict[KeyPath, Any] = {}
    origins: dict[KeyPath, Origin] = {}
    problems: list[Problem] = []
    broken: list[Path] = []
    spoiled: set[KeyPath] = set()
    for file in files:
        layer = read_layer(file)
        if layer is None:
            continue
        values |= layer.values
        origins |= layer.origins
        problems += layer.problems
        spoiled |= layer.spoiled
        if layer.broken:
            broken.append(file)
    said = _by_table(values)
    settings = _settings(said.get(("settings",), {}), origins, problems, base)
    tables = {name: _entries(name, said, origins, problems, spoiled) for name in TABLES}
    jobs = tables.pop("jobs")
    _drop_impossible(jobs, tables["hosts"], origins, problems)
    return Configuration(
        settings=settings,
        jobs=jobs,
        **tables,
        keys={path[1]: value for path, value in values.items() if path[0] == "keys"},
        origins=origins,
        problems=tuple(problems),
        files=files,
        broken=tuple(broken),
        base=base,
    )


def _by_table(values: dict[KeyPath, Any]) -> dict[KeyPath, dict[str, Any]]:
    found: dict[KeyPath, dict[str, Any]] = {}
    for path, value in values.items():
        found.setdefault(path[:-1], {})[path[-1]] = value
    return found


def _settings(
    values: dict[str, Any], origins: dict[KeyPath, Origin], problems: list[Problem], base: Settings
) -> Settings:
    """All that are right in themselves; where one contradicts, it is left out and told."""
    settings = base
    for name, value in values.items():
        try:
            settings = msgspec.structs.replace(settings, **{name: value})
        except ValueError as error:
            where = origins.pop(("settings", name))
            problems.append(Problem(where.file, where.line, str(error), ("settings", name)))
    return settings


def _entries(
    table: str,
    said: dict[KeyPath, dict[str, Any]],
    origins: dict[KeyPath, Origin],
    problems: list[Problem],
    spoiled: set[KeyPath],
) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for path, where in list(origins.items()):
        if len(path) != 2 or path[0] != table:
            continue
        if path in spoiled:
            problems.append(
                Problem(where.file, where.line, f"[{table}.{path[1]}] is left out until that is mended", path)
            )
            continue
        try:
            made[path[1]] = TABLES[table](**said.get(path, {}))
        except (ValueError, TypeError) as error:
            missing = str(error).partition("Missing required argument ")[2].strip("'")
            why = f"{missing} is missing" if missing else str(error)
            problems.append(Problem(where.file, where.line, f"[{table}.{path[1]}] is left out: {why}", path))
    return made


def _drop_impossible(
    jobs: dict[str, Any], hosts: dict[str, Any], origins: dict[KeyPath, Origin], problems: list[Problem]
) -> None:
    """Leave out jobs that wait for what isn't there, or for themselves by way of others."""

    def left_out(name: str, key: str, why: str) -> None:
        where = origins.get(("jobs", name, key)) or origins[("jobs", name)]
        problems.append(Problem(where.file, where.line, f"[jobs.{name}] is left out: {why}", ("jobs", name)))
        del jobs[name]

    for name, job in list(jobs.items()):
        if job.host and job.host not in hosts:
            left_out(name, "host", f"there is no [hosts.{job.host}]{nearest(job.host, list(hosts))}")
    again = True
    while again:
        again = False
        for name, job in list(jobs.items()):
            missing = next((other for other in job.after if other not in jobs), None)
            if missing is not None:
                others = [other for other in jobs if other != name]
                known = ("jobs", missing) in origins
                why = ", which is left out" if known else f", and there is no such job{nearest(missing, others)}"
                left_out(name, "after", f"it waits for {missing!r}{why}")
                again = True
    for name in list(jobs):
        circle = _circle(jobs, name)
        if circle:
            left_out(name, "after", f"it would wait for itself: {' → '.join(circle)}")
            _drop_impossible(jobs, hosts, origins, problems)
            return


def _circle(jobs: dict[str, Any], name: str) -> list[str]:
    """The way from a job over those it waits for back to it; empty if there is none."""
    ways = [[name]]
    seen = {name}
    while ways:
        way = ways.pop()
        for other in jobs[way[-1]].after:
            if other == name:
                return [*way, name]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return []
