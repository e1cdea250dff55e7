# SPDX-License-Identifier: Apache-2.0
"""A host that has busybox and nothing else: a chroot in a network namespace."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from gatemark.node.shell import Namespace

# `ip netns exec` gives the command mounts of its own, so these go with it.
ENTER = """
for name in proc sys; do mount --rbind /$name {root}/$name; done
exec chroot {root} /bin/busybox env -i PATH=/bin HOME=/ "$@"
"""


@dataclass(frozen=True, slots=True)
class Busybox(Namespace):
    """Commands run where there is no other program than busybox's applets."""

    root: str = ""

    def argv(self, *command: str) -> tuple[str, ...]:
        """Through the chroot."""
        script = ENTER.format(root=self.root)
        return Namespace.argv(self, "sh", "-ec", script, "sh", *command)


def bare(netns: str, root: Path, without: tuple[str, ...] = ()) -> Busybox:
    """Make the chroot; applets can be left out, as a smaller busybox would."""
    for name in ("bin", "proc", "sys", "tmp", "dev"):
        (root / name).mkdir(parents=True)
    (root / "dev/null").touch()
    busybox = Path("/bin/busybox") if Path("/bin/busybox").exists() else Path("/usr/bin/busybox")
    (root / "bin/busybox").write_bytes(busybox.read_bytes())
    (root / "bin/busybox").chmod(0o755)
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    for applet in listed.stdout.split():
        if applet not in ("busybox", *without):
            (root / "bin" / applet).symlink_to("busybox")
    return Busybox("gateway", netns, root=str(root))
