# SPDX-License-Identifier: Apache-2.0
"""Many questions to a host in one round trip: one script, its answers parted by marks."""

from collections.abc import Mapping

from gatemark.node.script import script
from gatemark.node.shell import Node

MARK = "@@"  # begins no line of what we ask for


async def ask(node: Node, questions: Mapping[str, str]) -> dict[str, str]:
    """What each shell command prints, "" where it fails or says nothing. Raises NodeError.

    Each runs by itself: busybox ends a script at a file that `.` does not find.
    """
    text = "".join(
        f"echo '{MARK} {name}'\n({command}\n) 2> /dev/null\n" for name, command in questions.items()
    )
    answers: dict[str, list[str]] = {name: [] for name in questions}
    current: list[str] = []
    for line in (await script(node, f"{text}true")).splitlines():
        mark, _, name = line.partition(" ")
        if mark == MARK and name in answers:
            current = answers[name]
        else:
            current.append(line)
    return {name: "\n".join(lines).strip() for name, lines in answers.items()}
