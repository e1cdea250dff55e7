# SPDX-License-Identifier: Apache-2.0
"""A download from a file server of a home: Samba, read by its own client."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.rsync import filled, loaded
from gatemark.kind.application.program.torrent import TORRENT

PORT: Final = 445
# A guest is this very user: a server without rights cannot become another.
CONFIG: Final = """[global]
server role = standalone server
map to guest = Bad User
guest account = {user}
smb ports = {port}
bind interfaces only = yes
interfaces = {far}
disable netbios = yes
load printers = no
disable spoolss = yes
pid directory = {folder}
lock directory = {folder}
state directory = {folder}
cache directory = {folder}
private directory = {folder}
ncalrpc dir = {folder}/rpc
log file = /dev/stdout
[files]
path = {folder}/files
guest ok = yes
"""


def serve(stage: Stage) -> Iterator[Report]:
    """Share a folder with everybody."""
    filled(stage)
    words = {"folder": stage.folder, "far": stage.far, "port": PORT, "user": stage.user}
    config = stage.file("smb.conf", CONFIG.format(**words))
    stage.start("smbd", "--foreground", "--no-process-group", f"--configfile={config}")
    stage.listening(PORT)
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Load a file from the judged time's begin."""
    config = stage.file("smb.conf", f"[global]\nprivate directory = {stage.folder}\n")
    yield {}
    loading = stage.start(
        *("smbclient", f"--configfile={config}", "--no-pass", f"//{stage.far}/files"),
        *("--command", f"get data {stage.folder}/data"),
    )
    yield loaded(stage, loading)


SMB: Final = replace(
    TORRENT,
    name="smb",
    title="files (SMB)",
    label="bulk",
    needs={"smbd": "samba", "smbclient": "smbclient"},
    setup=(),
    serve=serve,
    use=use,
)
