"""A slow client gets an error. Time in which the server did not run does not count against it."""

from __future__ import annotations

import asyncio
import time

import pytest

from riparian.serve.patience import STEP, Patience


async def waits(patience: Patience, seconds: float, allowed: float) -> bool:
    """Whether a task may wait so long."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if patience.loop is not loop:
        patience.begin(loop)
    assert task is not None
    patience.waiting[task] = patience.now + allowed + STEP
    try:
        await asyncio.sleep(seconds)
        return True
    except asyncio.CancelledError:
        assert patience.has_ended(task)
        return False
    finally:
        del patience.waiting[task]


async def both(stall: float) -> list[bool]:
    patience = Patience()
    tasks = [asyncio.create_task(waits(patience, seconds, 0.5)) for seconds in (0.3, 3.0)]
    await asyncio.sleep(0.1)
    time.sleep(stall)
    return await asyncio.gather(*tasks)


@pytest.mark.parametrize("stall", [0.0, 1.5])
def test_a_slow_task_is_ended_and_a_stalled_server_blames_nobody(stall: float) -> None:
    assert asyncio.run(both(stall)) == [True, False]
