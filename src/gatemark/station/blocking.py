# SPDX-License-Identifier: Apache-2.0
"""Work that blocks, in a thread; it is over before whoever waits for it goes on, also cancelled.

A thread cannot be cancelled. Were it left behind, it would go on to build what is being removed.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from gatemark.node.shield import whole

Made = TypeVar("Made")


async def run(work: Callable[..., Made], *given: object) -> Made:
    """Return the result of `work(*given)`. Raises its errors; CancelledError when it is over."""
    return await whole(asyncio.to_thread(work, *given))
