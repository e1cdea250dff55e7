# SPDX-License-Identifier: Apache-2.0
"""`--driver` and `--port`: who makes the traffic and how it reaches the wire."""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.commands.console import choice
from gatemark.error import UsageError

DRIVERS: Final = ("gatemark", "iperf3", "nuttcp", "tcpreplay", "otg")
PORTS: Final = {  # word -> whose port it is, and what it is
    "live": ("sender", "frames made in the kernel"),
    "afxdp": ("sender", "AF_XDP"),
    "raw": ("sender", "AF_PACKET"),
    "xdp": ("sink", "counted in the kernel"),
    "ring": ("sink", "AF_PACKET"),
}
DRIVER_KEY: Final = "workload.driver"

DRIVER_HELP: Final = f"Who makes the traffic: {', '.join(DRIVERS)}."
PORT_HELP: Final = f"How it reaches the wire: {', '.join(PORTS)}; one of a sender, one of a sink."


def words(driver: str, ports: Sequence[str]) -> Iterator[str]:
    """Yield the words with which the command line repeats it."""
    yield from ("--driver", driver) if driver else ()
    yield from (word for port in ports for word in ("--port", port))


def split(ports: Sequence[str]) -> tuple[str, ...]:
    """One word each of `live,ring` and of an option that is there twice."""
    return tuple(word.strip() for port in ports for word in port.split(","))


def settings(driver: str, ports: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The same as `--set` has it. Raises UsageError for words that mean nothing, or two things."""
    if driver:
        choice.check("--driver", driver, DRIVERS)
    settings = {DRIVER_KEY: driver} if driver else {}
    for word in ports:
        choice.check("--port", word, PORTS)
        key = f"workload.{PORTS[word][0]}_port"
        if key in settings:
            raise UsageError(f"--port {settings[key]} and {word} are both of a {PORTS[word][0]}")
        settings[key] = word
    for setting in others:
        if (key := setting.partition("=")[0].strip()) in settings:
            raise UsageError(f"--set {key} says what --driver or --port says; leave one out")
    return tuple(f"{key}={word}" for key, word in settings.items())
