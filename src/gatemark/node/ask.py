# SPDX-License-Identifier: Apache-2.0
"""Many questions to a host in one round trip: one script, its answers parted by marks."""

from collections.abc import Mapping

from gatemark.node.quoted import Script, joined, literal, shell
from gatemark.node.script import script
from gatemark.node.shell import Node

MARK = "@@"  # begins no line of what we ask for
EACH = """echo {mark} {name}
({command}
) 2> /dev/null
"""


async def ask(node: Node, questions: Mapping[str, Script]) -> dict[str, str]:
    """Return the output of each shell command, "" where it fails. Raises NodeError.

    Each runs by itself: busybox ends a script at a file that `.` does not find.
    """
    parts = [
        shell(EACH, mark=MARK, name=name, command=command) for name, command in questions.items()
    ]
    whole = joined((*parts, literal("true")), by="")
    answers: dict[str, list[str]] = {name: [] for name in questions}
    current: list[str] = []
    for line in (await script(node, whole)).splitlines():
        mark, _, name = line.partition(" ")
        if mark == MARK and name in answers:
            current = answers[name]
        else:
            current.append(line)
    return {name: "\n".join(lines).strip() for name, lines in answers.items()}
