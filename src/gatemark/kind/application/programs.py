# SPDX-License-Identifier: Apache-2.0
"""The applications that there are: a file of `program/` and a line here; what they need of a PC."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.kind.application.program import (
    call_janus,
    call_sip,
    call_webrtc,
    dash,
    dns,
    film,
    game,
    mosh,
    mqtt,
    openarena,
    page,
    page_h3,
    rsync,
    rtsp,
    smb,
    srt,
    ssh,
    torrent,
    vnc,
)
from gatemark.plan.model import Plan

EVERY: Final = (
    call_sip.CALL,
    call_webrtc.CHROMIUM,
    call_janus.JANUS,
    srt.VIDEO,
    rtsp.CAMERA,
    ssh.TYPING,
    mosh.MOSH,
    vnc.VNC,
    dns.NAMES,
    page.H1,
    page.H2,
    page_h3.H3,
    page_h3.QUIC,
    rsync.RSYNC,
    smb.SMB,
    film.FILM,
    dash.DASH,
    game.GAME,
    openarena.SHOOTER,
    mqtt.SENSOR,
    torrent.TORRENT,
)
APPLICATIONS: Final = {each.name: each for each in EVERY}
ABOUT: Final = {each.about: each for each in reversed(EVERY)}  # whose headline a definition has
KIND: Final = "application"  # of workload
KEY: Final = "application"  # of [workload] that names one
PLACES: Final = "/usr/sbin:/sbin:/usr/games"  # of programs that root does not have in the path


def path(program: str) -> str | None:
    """Return where a program is, or a file by its pattern; None: nowhere."""
    if "/" in program:
        return next(map(str, Path("/").glob(program.lstrip("/"))), None)
    return shutil.which(program) or shutil.which(program, path=PLACES)


def missing(names: Iterable[str]) -> list[str]:
    """Return the packages that some applications lack here, each once, sorted."""
    needs = {need for name in names for need in APPLICATIONS[name].needs.items()}
    return sorted({package for program, package in needs if not path(program)})


def fix(packages: Iterable[str]) -> str:
    """Return the command that installs packages."""
    return f"apt-get install --no-install-recommends {' '.join(packages)}"


def played(plans: Iterable[Plan]) -> list[str]:
    """Return the applications that these plans play, each once."""
    names: dict[str, None] = {}
    for plan in plans:
        if plan.workload.kind == KIND:
            swept = [*plan.sweep.get(KEY, ()), *(case[KEY] for case in plan.case if KEY in case)]
            names |= dict.fromkeys(map(str, swept or [plan.workload.application]))
    return [name for name in names if name in APPLICATIONS]


def require(names: Iterable[str]) -> None:
    """Raise UnavailableError with the command that installs what is missing for some of them."""
    if lacking := missing(names):
        raise UnavailableError(f"applications need programs that are not here: {fix(lacking)}")
