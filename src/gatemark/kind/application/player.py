# SPDX-License-Identifier: Apache-2.0
"""Plays one end of an application on its host; run by the laboratory (agent/PROTOCOL.md).

Asked for (one line of JSON): `end` (serve, use), `application`, `near`, `far`, `seconds`, `cpu`,
`handed`. `ready` comes with what the other end is handed. Reports: `t0_ns`, `t1_ns`, `cpu_ns`,
`watch` (watch.py) and `seen`: what the application saw.
"""

import os
import signal
import time
from typing import Any, Final

from gatemark.error import UnavailableError
from gatemark.kind.application import place
from gatemark.kind.application.programs import APPLICATIONS
from gatemark.kind.application.stage import EndedError, Stage
from gatemark.kind.application.tap import Tap
from gatemark.kind.application.watch import Watch
from gatemark.workload import talk
from gatemark.workload.talk import RefusedError, Talk

LONGEST_S: Final = 300  # beyond what it is asked for: then the kernel ends it


def play(pipe: Talk, request: dict[str, Any]) -> None:
    """Be one end, from nothing until it is over."""
    folder = place.folder()
    application = APPLICATIONS[request["application"]]
    tap = Tap(application.packet or (lambda _: None))
    user = place.enter(folder)
    talk.least_power()
    if application.packet:
        tap.start()
    stage = Stage(pipe, request | {"user": user}, folder / "home", tap)
    part = (application.serve if request["end"] == "serve" else application.use)(stage)
    try:
        pipe.say("ready", port="application", handed=next(part))
        stage.until_started()
        watch = Watch(stage.seconds)
        watch.start()
        t0_ns = time.monotonic_ns()
        seen = next(part, {})
        t1_ns = min(time.monotonic_ns(), t0_ns + round(stage.seconds * 1e9))
        if request["end"] == "serve":
            stage.until_over()
        watched = watch.stop()
        stage.end()
    except EndedError:
        return
    except (RuntimeError, OSError, ValueError, KeyError) as error:
        raise RefusedError(f"{type(error).__name__}: {error}") from None
    for name, late_ns in seen.pop("timer", {}).items():  # of a page: it is as near as ours
        watched[name] = max(watched[name], late_ns)
    times = {"t0_ns": t0_ns, "t1_ns": t1_ns, "cpu_ns": watched["cpu_ns"]}
    pipe.say("done", **times, watch=watched, seen=seen)


def main() -> None:
    """Do the one job; what it refuses is said in one line."""
    pipe = Talk()
    try:
        request = pipe.request()
        talk.place(int(request.get("cpu", -1)))
        # As process 1 it heeds no signal but by a handler (pid_namespaces(7)).
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
        signal.alarm(LONGEST_S + round(request["seconds"]))
        play(pipe, request)
    except (RefusedError, UnavailableError) as error:
        pipe.say("error", reason=str(error))
        os._exit(1)
    os._exit(0)  # no thread is waited for


if __name__ == "__main__":
    main()
