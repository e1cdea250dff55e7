# SPDX-License-Identifier: Apache-2.0
"""Run the one job of a program of a test, client or server."""

import gc
import sys
from collections.abc import Callable

from gatemark.kind.responsiveness.loop import Loop
from gatemark.workload.talk import RefusedError, Request, Talk, place


def main(job: Callable[[Talk, Request, Loop], None]) -> None:
    """Run a job; what it refuses is said in one line."""
    talk, loop = Talk(), Loop()
    try:
        request = talk.request()
        place(int(request.get("cpu", -1)))
        loop.add(talk, write=False)
        gc.collect()
        gc.freeze()
        gc.disable()  # it would stand still for it; what is closed is taken apart by hand
        job(talk, request, loop)
    except RefusedError as error:
        talk.say("error", reason=str(error), **({"fix": error.fix} if error.fix else {}))
        sys.exit(1)
