# SPDX-License-Identifier: Apache-2.0
"""Drive an OTG tester by snappi, a step for each line on standard input, an answer in JSON each.

It is a program of its own, for any Python that has snappi, and imports nothing of ours: snappi
waits for an answer without a bound, and whoever started this ends it.

    version          ask for its version                  {"version": "1.62.0"}
    set CONFIG       configure the tester                 {"version": "1.62.0"}
    start SECONDS    send, until the flow ends, or fail   {}
    read             the flow's metrics, when they rest   {"frames_tx": 5000, ...}
"""

import json
import logging
import sys
import time
from typing import Any

import snappi

POLL_S = 0.1
REST_S = 0.5  # metrics that stand still for so long are the last: a tester renews them seldom
RESTS_S = 10.0  # they rest within
NONE: dict[str, Any] = {"timestamps": {}, "latency": {}}


def metrics(api: Any) -> dict[str, Any]:
    """Return the metrics of the one flow."""
    request = snappi.MetricsRequest()
    request.flow.flow_names = ["gatemark"]
    flows = [row.serialize("dict") for row in api.get_metrics(request).flow_metrics]
    if len(flows) != 1:
        raise ValueError(f"it has {len(flows)} metrics of the one flow")
    return dict(NONE | flows[0])


def transmit(api: Any, state: str) -> None:
    """Start or stop the flow."""
    control = snappi.ControlState()
    control.traffic.flow_transmit.state = state
    api.set_control_state(control)


def send(api: Any, within_s: float) -> None:
    """Send until the flow ends by itself. Raises ValueError where it does not."""
    until = time.monotonic() + within_s
    transmit(api, "start")
    while True:
        now = metrics(api)
        if now.get("transmit") == "stopped" and int(now.get("frames_tx", 0)):
            return
        if time.monotonic() > until:
            transmit(api, "stop")
            raise ValueError(f"its flow did not end within {within_s:g} s, and was stopped")
        time.sleep(POLL_S)


def rested(api: Any) -> dict[str, Any]:
    """Return the metrics once they have stood still."""
    until = time.monotonic() + RESTS_S
    last = metrics(api)
    while time.monotonic() < until:
        time.sleep(REST_S)
        now = metrics(api)
        if now.get("frames_rx") == last.get("frames_rx"):
            return now
        last = now
    raise ValueError(f"its count of received frames still rises after {RESTS_S:g} s")


def step(api: Any, word: str, rest: str) -> dict[str, Any]:
    """Do what a line asks for."""
    if word == "read":
        return rested(api)
    if word == "start":
        send(api, float(rest))
        return {}
    if word == "set":
        api.set_config(snappi.Config().deserialize(rest))
    return {"version": (api.get_version().app_version or "of no version")[:40]}


def reason(api: Any, error: Exception) -> str:
    """Return an error in a line: the tester's own, or the last of a chain."""
    if isinstance(error, (AttributeError, KeyError, TypeError)):
        return f"what answers there does not speak OTG ({error})"[:200]
    theirs = api.from_exception(error)
    words = "; ".join(theirs.errors) if theirs and theirs.errors else str(error)
    if isinstance(error, OSError):  # requests' own: the innermost says it
        words = words.rpartition(": ")[2].strip("()'\"")
    return " ".join(words.split())[:200] or type(error).__name__


def main() -> None:
    """Answer each line of standard input until one fails."""
    location, transport = sys.argv[1:]
    api = snappi.api(location=location, transport=transport, loglevel=logging.CRITICAL)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        try:
            answer = step(api, word, rest)
        except Exception as error:  # snappi raises bare ones
            sys.exit(reason(api, error))
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
