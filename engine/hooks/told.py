"""What a hook is told on its standard input: one JSON object a line, through the redaction seam (docs/notices.md)."""

from typing import Any

import msgspec

from engine.events import WatchHit
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.tails import line_tail
from engine.results import end_text


def exit_told(registry: Registry, job: Job) -> bytes:
    """A finished job's end."""
    output, cut = line_tail(job, registry.settings.completion_tail_chars)
    reason = job.completion_reason or "exited"
    words = end_text(job.exit_code, reason, job.termination_source, through_shell=job.through_shell)
    sign, _, rest = words.partition(" ")
    exited_at = job.exited_at or job.started_at
    return _encoded(
        {
            "event": "exit",
            "summary": f"{sign} {job.name} {rest}" if sign in ("✓", "✗") else f"{job.name} {words}",
            **_job(job),
            "exit_code": job.exit_code,
            "completion_reason": reason,
            "termination_source": job.termination_source,
            "failed": reason != "killed" and job.exit_code != 0,
            "exited_at": exited_at,
            "duration_seconds": round(max(0.0, exited_at - job.started_at), 3),
            "start_error": redact(job.start_error),
            "output": output,
            "output_cut": cut,
            "receipt": job.receipt,
        }
    )


def hit_told(job: Job, hit: WatchHit) -> bytes:
    """A hit that was delivered."""
    first = hit.text.split("\n", 1)[0]
    return _encoded(
        {
            "event": "hit",
            "summary": f"⚑ {job.name}: {first}",
            **_job(job),
            "at": hit.at,
            "pattern": hit.pattern,
            "text": hit.text,
            "line": hit.line,
            "position": hit.position,
            "count": hit.count,
            "suppressed": hit.suppressed,
            "watched_by": hit.owner,
        }
    )


def _job(job: Job) -> dict[str, Any]:
    return {
        "session_id": job.session_id,
        "name": job.name,
        "command": job.command,
        "cwd": redact(job.cwd),
        "tags": [redact(tag) for tag in job.spec.tags],
        "host": job.spec.host,
        "pid": job.pid,
        "owner": job.owner.owner,
        "goal_id": job.goal_id,
        "batch_id": job.batch_id,
        "notify_on_complete": job.notify_on_complete,
        "started_at": job.started_at,
    }


def _encoded(told: dict[str, Any]) -> bytes:
    return msgspec.json.encode(told) + b"\n"
