"""Whether the server lives, and whether it is ready."""

from __future__ import annotations

from riparian.serve.http import Problem, Reply, Request, json_reply
from riparian.serve.serving import Serving

__all__ = ["live", "ready", "why_not_ready"]


async def live(serving: Serving, request: Request) -> Reply:
    """Answer that the process runs."""
    return json_reply({"live": True})


async def ready(serving: Serving, request: Request) -> Reply:
    """Answer whether there is a model that can be used, and a journal that can be written."""
    reason = why_not_ready(serving)
    if reason is not None:
        raise Problem(503, "not_ready", reason, retry_after=1)
    return json_reply({"ready": True})


def why_not_ready(serving: Serving) -> str | None:
    """Return what the server lacks; None if it is ready."""
    if serving.fault is not None:
        return serving.fault
    if serving.learner is not None:
        down = [feed.source.name for feed in serving.learner.feeds if not feed.ready]
        if down:
            return f"{down[0]} is not open"
        return None
    if not hasattr(serving.current.model, "classes_"):
        return "the model has learned nothing yet"
    return None
