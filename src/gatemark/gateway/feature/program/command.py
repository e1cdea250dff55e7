# SPDX-License-Identifier: Apache-2.0
"""The feature `command:NAME`: a program of the user's own, as the plan's [command.NAME] says."""

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, counting
from gatemark.node.quoted import as_written, sh, shell


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """Return the user's command; $PORT is the external port's device."""
    (name,) = wanted.arguments
    command = wanted.commands[name]
    script = shell("PORT={port}; {run}", port=wanted.outer, run=as_written(command.run))
    return Program(
        name=wanted.word,
        command=sh(script),
        ready=command.ready,
        counters=counting(*filter(None, (command.counters,))),
    )
