"""What the drawer of details says of a job, as lines of pieces."""

from collections.abc import Mapping, Sequence

from engine.events import JobView
from engine.results import EscapedProcess, Inspected, JobUse, ProcessRow, WatchState
from tui.keymap import BY_ID, key_name
from tui.past import Past
from tui.show.ages import ago, clock, span
from tui.show.cleaning import clean_line, exact
from tui.show.hanging import Words
from tui.show.keeping import kept_words, receipt_words
from tui.show.numbers import percent, short_bytes
from tui.show.owners import whose
from tui.show.sparkline import sparkline
from tui.show.states import state_words

_LABEL = 12
_MOST_BARS, _LEAST_BARS, _NUMBERS = 60, 10, 34
"""Cells of sparklines: the most, the least, and what stands around them."""
_LEAST_SHARE = 0.1
"""Of a processor, or of the least memory: less than that is no full bar, or what idles would look busy."""
_MOST = 2_000


def title(job: JobView, use: JobUse | None, now: float) -> list[Words]:
    """Who it is and how it stands."""
    since = clock(now - job.started_at) if job.exited_at is None else ago(now - job.exited_at)
    words = [state_words(job, use), since, job.session_id]
    return [
        (clean_line(job.name or job.command, 60), "bold $primary"),
        ("  " + " · ".join(words), "$quiet"),
    ]


def fields(job: JobView, told: Inspected | None) -> list[list[Words]]:
    """How it was started, who watches it and is told, what it left."""
    found = [_field("command", exact(job.command)[:_MOST]), _field("folder", clean_line(job.cwd, _MOST))]
    if job.host:
        found.append(_field("host", clean_line(job.host, _MOST)))
    if told is not None and told.env:
        found += _env(told.env)
    found.append(_field("owner", _owner(job)))
    found += [_watch(state) for state in told.watches] if told is not None else []
    found.append(_field("tells", _tells(job)))
    if kept := kept_words(job):
        found.append(_field("at the end", kept))
    if job.receipt_pending:
        found.append(_field("result", receipt_words(job), "$warning"))
    if job.receipt:
        found.append(_field("result", clean_line(job.receipt, _MOST)))
    if job.escaped:
        found += _left(job.escaped)
    return found


def uses(use: JobUse | None, past: Past, width: int, seconds: float) -> list[list[Words]]:
    """What it uses and used, in two rows of ``width`` cells; ``seconds`` pass between looks. Nothing before the second
    look.
    """
    cells = min(_MOST_BARS, len(past), width - _LABEL - _NUMBERS)
    if len(past) < 2 or width - _LABEL - _NUMBERS < _LEAST_BARS:
        return []
    over = f"over {span(len(past) * seconds)}"
    cpu, rss = past.cpu, past.rss
    least, most = min(rss), max(rss)
    grown = [size - least for size in rss]
    busy = sparkline(cpu, cells, max(_LEAST_SHARE, *cpu))
    held = sparkline(grown, cells, max(*grown, least * _LEAST_SHARE))
    between = f"{short_bytes(int(least))} to {short_bytes(int(most))}" if most > least else "the same"
    return [
        _bars("cpu", percent((use.cpu or 0.0) if use else cpu[-1]), busy, f"most {percent(max(cpu))} {over}"),
        _bars("memory", short_bytes(use.rss if use else int(rss[-1])), held, f"{between} {over}"),
    ]


def _bars(label: str, now: str, bars: str, told: str) -> list[Words]:
    return [*_field(label, f"{now:>5} "), (bars, "$accent"), (f" {told}", "$quiet")]


def _field(label: str, text: str, style: str = "$foreground") -> list[Words]:
    return [(f" {label:<{_LABEL}}", "$quiet"), (text, style)]


def _owner(job: JobView) -> str:
    said = whose(job.owner)
    return f"{said}, on {clean_line(job.engine, 60)}" if job.engine else said


def _env(env: Mapping[str, str | None]) -> list[list[Words]]:
    found = []
    for number, (name, value) in enumerate(env.items()):
        text = f"{clean_line(name)} taken away" if value is None else f"{clean_line(name)}={exact(value)[:_MOST]}"
        found.append(_field("env" if number == 0 else "", text))
    return found


def _watch(state: WatchState) -> list[Words]:
    by = "" if state.owner == "" else f"{whose(state.owner)}: "
    patterns = "  ".join(clean_line(text, 100) for text in state.patterns)
    hits = f"{state.hits} hit{'s' * (state.hits != 1)}, {state.delivered} told" if state.hits else "no hit yet"
    words = _field("watches", f"{by}{patterns} · {hits}")
    return [*words, (f" · off: {clean_line(state.disabled)}", "$warning")] if state.disabled else words


def _tells(job: JobView) -> str:
    parts = ["its end"] if job.notify_on_complete else []
    if job.heartbeat_seconds:
        parts.append(f"what came, every {job.heartbeat_seconds:g} s")
    return ", ".join(parts) if parts else f"nothing · {key_name(BY_ID['job.notify'].keys[0])} has it tell its end"


def _left(escaped: Sequence[EscapedProcess]) -> list[list[Words]]:
    key = key_name(BY_ID["job.end_escaped"].keys[0])
    found = []
    for number, one in enumerate(escaped):
        holds = " · keeps its output open" if one.holds_output else ""
        text = f"{one.pid}  {clean_line(one.command, 200)}{holds}"
        found.append(_field("left behind" if number == 0 else "", text, "$warning"))
    found[-1].append((f" · {key} ends {'it' if len(escaped) == 1 else 'them'}", "$quiet"))
    return found


def tree(job: JobView, processes: Sequence[ProcessRow], shares: Mapping[int, float]) -> list[list[Words]]:
    """Its processes, parents before children; ``shares`` are those of a processor that they had lately, by pid."""
    if not processes:
        return []
    many = f"{len(processes)} process{'es' * (len(processes) != 1)}"
    head = f" {'pid':>8}  {'cpu':>5}  {'time':>7}  {'mem':>5}  {'ports':<6}  command · {many}"
    return [[], [(head, "$quiet")], *(_process(job, one, shares) for one in processes)]


def _process(job: JobView, one: ProcessRow, shares: Mapping[int, float]) -> list[Words]:
    share = percent(shares[one.pid]) if one.pid in shares else ""
    used = clock(one.cpu_seconds)
    ports = ",".join(map(str, one.ports))
    stopped = "  stopped" if one.state in "Tt" else "  waits for a device" if one.state == "D" else ""
    outside = one.depth == 0 and one.pid != job.pid
    return [
        (f" {one.pid:>8}  ", "$quiet"),
        (f"{share:>5}  {used:>7}  {short_bytes(one.rss):>5}  ", "$foreground"),
        (f"{ports:<6}  ", "bold $accent"),
        ("  " * min(one.depth, 12) + clean_line(one.command, 400), "$warning" if outside else "$foreground"),
        (stopped, "$warning"),
        ("  has left it" if outside and job.exited_at is None else "", "$warning"),
    ]
