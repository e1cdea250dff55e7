# SPDX-License-Identifier: Apache-2.0
"""A sensor that reports by MQTT: mosquitto at both ends, each report acknowledged (QoS 1)."""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage

PORT: Final = 1883
EVERY_S: Final = 0.1
LOST_S: Final = 2.0
SENT: Final = re.compile(rb"sending PUBLISH \(d\d, q1, r\d, m(\d+),")
ACKNOWLEDGED: Final = re.compile(rb"received PUBACK \(Mid: (\d+)")
MS: Final = 1e6


def serve(stage: Stage) -> Iterator[Report]:
    """Take every report."""
    config = stage.file("config", f"listener {PORT} {stage.far}\nallow_anonymous true\n")
    stage.start("mosquitto", "-c", str(config), "-v")
    stage.listening(PORT)
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Report all the time."""
    sensor = stage.start(
        *("stdbuf", "-oL", "mosquitto_pub", "-h", stage.far, "-p", str(PORT)),
        *("-t", "home/kitchen", "-q", "1", "-l", "-d"),
        talks=True,
    )
    sensor.says("received CONNACK", 10.0)
    yield {}
    began, sent = time.monotonic(), 0
    while time.monotonic() - began < stage.seconds:
        sensor.write(b"21.5\n")
        sent += 1
        stage.pause(began + sent * EVERY_S - time.monotonic())
    stage.pause(LOST_S)
    yield acknowledged(sensor.chunks())


def acknowledged(chunks: Sequence[tuple[int, bytes]]) -> Report:
    """Return how long each report took until it was known to be there."""
    sent: dict[bytes, int] = {}
    took: dict[bytes, float] = {}
    for at, piece in chunks:
        for number in SENT.findall(piece):
            sent.setdefault(number, at)
        for number in ACKNOWLEDGED.findall(piece):
            took.setdefault(number, float(at - sent[number]))
    every = [took.get(number, LOST_S * 1e9) for number in sent]
    return {"samples": {"report": every}}


SENSOR: Final = Application(
    name="mqtt",
    title="sensor (MQTT)",
    about="reports",
    label="iot",
    needs={"mosquitto": "mosquitto", "mosquitto_pub": "mosquitto-clients"},
    qualities=(
        Quality(
            quantity="report_p95_ns",
            good=200 * MS,
            bad=1000 * MS,
            source="our choice: a lamp is to follow its switch",
        ),
    ),
    serve=serve,
    use=use,
)
