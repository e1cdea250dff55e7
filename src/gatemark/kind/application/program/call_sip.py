# SPDX-License-Identifier: Apache-2.0
"""A call by SIP: baresip at both ends, Opus, a tone all the time, so that every 20 ms are sent.

The caller is behind NAT, so it learns its address by STUN and opens its ports from inside. Each
end's port sees each packet, by source and number (RFC 3550): delay and loss are of packets, and no
word of the program's.
"""

import re
import struct
import threading
from collections.abc import Iterator
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage
from gatemark.kind.application.stun import PORT, answer, opened

SIP_PORT: Final = 5060
RTP_PORT: Final = 16000  # and the next, of RTCP; the same at both ends
MODULES: Final = "/usr/lib/baresip/modules"
LOADED: Final = ("opus", "aufile", "ausine", "stun", "rtcpsummary")
STAYS: Final = ("uuid", "account")
APPS: Final = ("auloop", "contact", "menu")
ON_ITS_WAY_S: Final = 1.5
ENDING_S: Final = 0.5
MS: Final = 1e6
HEADER: Final = struct.Struct("!BBHII")
VERSION: Final = 2
CONTROL: Final = range(72, 77)  # payload types that are RTCP's (RFC 5761)
SUMMARY: Final = re.compile(r"EX=BareSip;.*JI=([\d.]+),([\d.]+);DL=([\d.]+)")


def serve(stage: Stage) -> Iterator[Report]:
    """Answer every call; say to who asks by STUN which address it has here."""
    threading.Thread(target=answer, args=(stage.far,), daemon=True).start()
    _folder(stage, "b", stage.far, "answermode=auto")
    called = stage.start("baresip", "-f", str(stage.folder))
    called.says("baresip is ready", 10.0)
    yield {}
    stage.until_over()
    stage.pause(ENDING_S)  # it sums up when it is hung up on
    yield {"rtp": stage.tap.packets(), "words": _summary(called.text())}


def use(stage: Stage) -> Iterator[Report]:
    """Call, and talk."""
    nat = f'medianat=stun;stunserver="stun:{stage.far}:{PORT}"'
    _folder(stage, "a", stage.near, nat)
    opened(stage.near, stage.far, (RTP_PORT, RTP_PORT + 1))
    caller = stage.start("baresip", "-f", str(stage.folder), "-e", f"/dial sip:b@{stage.far}")
    caller.says("Call established", 15.0)
    for _ in range(100):
        packets = stage.tap.packets()
        if packets["sent"] and packets["came"]:
            break
        stage.pause(0.1)
    yield {}
    stage.pause(stage.seconds)
    stage.pause(ON_ITS_WAY_S)
    caller.end(ENDING_S)
    yield {"rtp": stage.tap.packets()}


def _folder(stage: Stage, user: str, address: str, more: str) -> None:
    """Write the settings of an end: one account, one codec, a tone in, nothing out."""
    lines = [
        f"sip_listen {address}:{SIP_PORT}",
        f"net_interface {address}",
        f"rtp_ports {RTP_PORT}-{RTP_PORT + 1}",
        "audio_source ausine,440",
        f"audio_player aufile,{stage.folder}/heard.wav",
        f"audio_alert aufile,{stage.folder}/alert.wav",
        f"module_path {MODULES}",
        *(f"module {name}.so" for name in LOADED),
        *(f"module_tmp {name}.so" for name in STAYS),
        *(f"module_app {name}.so" for name in APPS),
    ]
    stage.file("config", "\n".join(lines) + "\n")
    stage.file("accounts", f"<sip:{user}@{address}>;regint=0;audio_codecs=opus/48000/2;{more}\n")


def _summary(text: str) -> Report:
    """Return the jitter in ms that the called end says of what it received."""
    match = SUMMARY.search(text)
    return {"jitter_ms": float(match[1])} if match else {}


def rtp(payload: bytes) -> tuple[int, int] | None:
    """Return source and number of a packet of RTP (RFC 3550); None of RTCP, STUN and others."""
    if len(payload) < HEADER.size:
        return None
    first, second, number, _, source = HEADER.unpack_from(payload)
    return (source, number) if first >> 6 == VERSION and second & 0x7F not in CONTROL else None


CALL: Final = Application(
    name="call-sip",
    title="call (SIP)",
    about="call",
    label="voip",
    setup=(SIP_PORT, PORT, RTP_PORT + 1),
    needs={"baresip": "baresip-core"},
    qualities=(
        Quality(
            quantity="call_mos",
            delay="call_delay_p95_ns",
            good=4.02,
            bad=3.10,
            is_more=True,
            source="R 80 and 60 of G.107 annex B, as G.711 would be heard",
        ),
        Quality(
            quantity="call_ear_ns",
            short="late at the ear",
            good=150 * MS,
            bad=400 * MS,
            source="ITU-T G.114: transparent up to 150 ms, not planned beyond 400 ms",
        ),
    ),
    waits=0.2,
    packet=rtp,
    serve=serve,
    use=use,
)
