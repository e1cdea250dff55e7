# SPDX-License-Identifier: Apache-2.0
"""Free the hosts of a station whose laboratory is gone (node/remote/lease.py)."""

from collections.abc import Iterator
from dataclasses import replace

from gatemark.error import UsageError
from gatemark.node.remote import lease
from gatemark.node.remote.login import Login
from gatemark.node.remote.ssh import Ssh
from gatemark.station import space
from gatemark.station.ssh.box import Box
from gatemark.station.station import Station


async def release(station: Station, *, force: bool) -> list[str]:
    """Have its hosts given back; returns what was done, a line each.

    Raises StationError at the first host whose lease is renewed, unless by `force`; UsageError for
    a station whose hosts go when their run does.
    """
    if not isinstance(station, Box):
        raise UsageError(
            f"{station.name}: kind {station.info.kind} holds no device: "
            "the next run removes what is left of it"
        )
    return [await _release(name, login, force=force) for name, login in _logins(station)]


def _logins(station: Box) -> Iterator[tuple[str, Login]]:
    yield station.box.name, station.asked.login
    for end, side in station.asked.sides.items():
        if side.login:
            yield space.NAMES[end], side.login


async def _release(name: str, login: Login, *, force: bool) -> str:
    host = Ssh(name, replace(login, lease_s=0))
    await host.connect()
    try:
        return await lease.release(host, force=force)
    finally:
        await host.close()
