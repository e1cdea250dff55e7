# SPDX-License-Identifier: Apache-2.0
"""The feature `command:NAME`: a program of the user's own, as the plan's [command.NAME] says.

The shell of one that waits for the traffic knows three words. `needs TOOL` has the arm skipped on a
gateway without it. `at SECONDS` waits until the traffic has gone on for so long, and a second at
most beyond. `over` says that the action is over, and waits for the trial's end.
"""

from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import BEGINS, GOES, OVER, WAITS, Program, counting
from gatemark.node.quoted import as_written, literal, sh, shell

# Whole seconds, as busybox's sleep may know no others. Who is ended while it waits has nothing to
# wait for any more.
WORDS: Final = literal(f"""
needs() {{
  command -v "$1" > /dev/null || {{ echo "no $1 on the gateway" >&2; exit 127; }}
}}
at() {{
  echo "{WAITS}"
  until [ -e "$GATEMARK_PROGRAM/{GOES}" ]; do sleep 1; done
  sleep "$1"
  echo "{BEGINS}"
}}
over() {{
  echo "{OVER}"
  while sleep 60; do :; done
}}
""")
NONE: Final = literal("")


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """Return the user's command; $PORT is the external port's device, $LAN the LAN's."""
    (name,) = wanted.arguments
    command = wanted.commands[name]
    script = shell(
        "PORT={port}; LAN={lan}; {words}{run}",
        port=wanted.outer,
        lan=wanted.gateway.devices["gw0"],
        words=WORDS if command.waits else NONE,
        run=as_written(command.run),
    )
    return Program(
        name=wanted.word,
        command=sh(script),
        ready=command.ready or WAITS * command.waits,
        waits=command.waits,
        counters=counting(*filter(None, (command.counters,))),
    )
