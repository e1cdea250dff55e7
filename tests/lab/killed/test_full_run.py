# SPDX-License-Identifier: Apache-2.0
"""A /run without room, where labs have their names: what to do is told, and nothing is left."""

import subprocess

import pytest
from command import GATEMARK, environment

pytestmark = pytest.mark.long
SCRIPT = """
mount -t tmpfs -o "$1" full /run && mkdir /run/lock
[ "$1" != size=8k ] || dd if=/dev/zero of=/run/fill bs=4096 2> /dev/null
shift
"$@"
echo "code $?"
find /run -name '*.lock' -o -name 'gm-*'
"""


# Of a name, on the way to the last namespace; of bytes.
@pytest.mark.parametrize("room", ["nr_inodes=4", "nr_inodes=6", "size=8k"])
def test_a_lab_is_told_to_make_room(room: str) -> None:
    run = (*GATEMARK, "lab", "up")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", SCRIPT, "sh", room, *run],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    assert done.stdout == "code 1\n"
    last = done.stderr.splitlines()[-1]
    assert last.startswith("gatemark: lab: /run/")
    assert "make room in /run" in last
