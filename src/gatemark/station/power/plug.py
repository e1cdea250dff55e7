# SPDX-License-Identifier: Apache-2.0
"""A power plug with a meter in it, asked over HTTP once a second by a thread; it switches, too."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gatemark.error import NodeError
from gatemark.node import http
from gatemark.node.reader import ODD
from gatemark.station.power.meter import Reading, finite

INTERVAL_S = 1.0  # these plugs measure about once a second
OFF_S = 10.0  # until a supply's capacitors are empty
ON_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """The way to ask a kind of plug, and the watts in its answer."""

    asked: str  # path and query; {channel}: which of its sockets
    watts: Callable[[Any, int], float]
    switched: str  # path and query; which socket, and On or Off, in each maker's way


def _tasmota(text: Any, channel: int) -> float:
    power = text["StatusSNS"]["ENERGY"]["Power"]  # a list where there are several sockets
    return float(power[channel] if isinstance(power, list) else power)


# https://tasmota.github.io/docs/Commands/ (Status 8, Power<x>),
# https://shelly-api-docs.shelly.cloud/gen1/#shelly-plug-plugs-status (meters, relay),
# https://shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices/Switch (apower, Set)
KINDS: Final[Mapping[str, Kind]] = {
    "tasmota": Kind("/cm?cmnd=Status%208", _tasmota, "/cm?cmnd=Power{number}%20{word}"),
    "shelly1": Kind(
        "/status",
        lambda text, channel: float(text["meters"][channel]["power"]),
        "/relay/{channel}?turn={lower}",
    ),
    "shelly2": Kind(
        "/rpc/Switch.GetStatus?id={channel}",
        lambda text, _channel: float(text["apower"]),
        "/rpc/Switch.Set?id={channel}&on={flag}",
    ),
}


class Plug:
    """One socket of a plug."""

    def __init__(self, name: str, address: str, channel: int = 0) -> None:
        self.name = name
        self.address = address if "://" in address else f"http://{address}"
        self.channel = channel
        self._readings: list[Reading] = []
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to read. Raises NodeError if it does not answer."""
        self._over.clear()
        self._readings = [self.read()]
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> list[Reading]:
        """End, and return what was read since `start`."""
        self._over.set()
        if self._thread:
            self._thread.join()
            self._thread = None
        return self._readings

    def read(self) -> Reading:
        """Ask it once. Raises NodeError."""
        kind = KINDS[self.name]
        url = self._url(kind.asked.format(channel=self.channel))
        try:
            watts = finite(kind.watts(json.loads(_answer(url)), self.channel))
        except ODD:
            raise NodeError(
                f"power plug {url}: no watts in its answer; check [power] kind and channel"
            ) from None
        return time.monotonic_ns(), watts

    def cycle(self, off_s: float = OFF_S, again_s: float = INTERVAL_S) -> None:
        """Switch it off and on. Raises NodeError.

        An order without an answer may have been done. So it gets On whatever became of
        Off, and more than once.
        """
        try:
            self._switch("Off")
            time.sleep(off_s)
        finally:
            self._switch_on(again_s)

    def _switch_on(self, again_s: float) -> None:
        for attempt in range(1, ON_TRIES + 1):
            try:
                self._switch("On")
            except NodeError as error:
                if attempt == ON_TRIES:
                    raise NodeError(f"{error}; its socket may be off") from None
                time.sleep(again_s)
            else:
                return

    def _switch(self, word: str) -> None:
        query = KINDS[self.name].switched.format(
            channel=self.channel,
            number=self.channel + 1,
            word=word,
            lower=word.lower(),
            flag="true" if word == "On" else "false",
        )
        _answer(self._url(query))

    def _url(self, query: str) -> str:
        return self.address.rstrip("/") + query

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL_S):
            try:
                self._readings.append(self.read())
            except NodeError:
                continue  # one answer less


def _answer(url: str) -> bytes:
    try:
        return http.get(url)
    except NodeError as error:
        raise NodeError(f"power plug {url}: {error}; check [power] address") from None
