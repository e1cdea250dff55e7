# SPDX-License-Identifier: Apache-2.0
"""A tester that speaks OTG by gRPC, of the service that OTG's model makes, and really sends.

It needs snappi's Python, and nothing of ours. A port's location is `NETNS/DEVICE`. It takes what
Gatemark asks for: one flow of UDP over IPv4, at a rate, for a time. `python otg_tester.py [FAULT]`
prints its address; FAULT is `endless` (the flow never ends) or `refuses` (each configuration).
"""

import ctypes
import json
import os
import select
import socket
import struct
import sys
import threading
import time
from concurrent import futures
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format
from snappi import otg_pb2, otg_pb2_grpc

MAGIC = b"OTG!"
UDP_AT = 14 + 20
PAYLOAD_AT = UDP_AT + 8
NEWNET = 0x40000000
ALL = 0x0003
OUTGOING = 4


def attached(location: str) -> socket.socket:
    """Return a packet socket on a device of a namespace; the calling thread stays there."""
    netns, _, device = location.partition("/")
    with Path("/run/netns", netns).open() as place:
        if ctypes.CDLL(None).setns(place.fileno(), NEWNET):
            raise OSError(f"no namespace {netns}")
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    with suppress(PermissionError):
        port.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)  # SO_RCVBUFFORCE
    port.bind((device, ALL))
    return port


def total(data: bytes) -> int:
    """RFC 1071, of an even count of bytes."""
    value: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while value >> 16:
        value = (value & 0xFFFF) + (value >> 16)
    return ~value & 0xFFFF


class Flow:
    """The one flow of a configuration."""

    def __init__(self, config: dict[str, Any], fault: str) -> None:
        (flow,) = config["flows"]
        self.fault = fault
        self.name = flow["name"]
        headers = {header["choice"]: header[header["choice"]] for header in flow["packet"]}
        self.ether, self.ip, self.udp = headers["ethernet"], headers["ipv4"], headers["udp"]
        self.size = flow["size"]["fixed"] - 4  # no frame of ours has its check sequence
        self.rate = int(flow["rate"]["pps"])
        self.seconds = flow["duration"]["fixed_seconds"]["seconds"]
        places = {port["name"]: port["location"] for port in config["ports"]}
        self.source, (self.sink,) = (
            flow["tx_rx"]["port"]["tx_name"],
            flow["tx_rx"]["port"]["rx_names"],
        )
        self.places = places
        self.sent = self.got = 0
        self.delays: list[int] = []
        self.times: list[int] = []
        self.state = "stopped"

    def frame(self, number: int) -> bytes:
        """Return a frame's bytes, its time and number in its payload."""
        macs = (bytes.fromhex(self.ether[end]["value"].replace(":", "")) for end in ("dst", "src"))
        addresses = b"".join(socket.inet_aton(self.ip[end]["value"]) for end in ("src", "dst"))
        length = self.size - 14
        head = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 17, 0) + addresses
        head = head[:10] + struct.pack(">H", total(head)) + head[12:]
        ports = [self.port(self.udp[end], number) for end in ("src_port", "dst_port")]
        udp = struct.pack(">HHHH", *ports, length - 20, 0)  # 0: no checksum
        body = MAGIC + struct.pack(">IQ", number, time.time_ns())
        return (b"".join(macs) + b"\x08\x00" + head + udp + body).ljust(self.size, b"\0")

    def port(self, pattern: dict[str, Any], number: int) -> Any:
        """Return the port of a frame: the same, or round robin."""
        if pattern["choice"] == "value":
            return pattern["value"]
        steps = pattern["increment"]
        return steps["start"] + steps.get("step", 1) * (number % steps["count"])

    def run(self) -> None:
        """Send all, count what comes for a second after."""
        ready, self.state = threading.Event(), "started"
        threading.Thread(target=self.receive, args=(ready,), daemon=True).start()
        ready.wait(5)
        threading.Thread(target=self.send, daemon=True).start()

    def send(self) -> None:
        """Send at the rate; where it is late several at once."""
        port, began, number = attached(self.places[self.source]), time.monotonic(), 0
        while (passed := time.monotonic() - began) < self.seconds:
            while number < min(passed * self.rate, self.seconds * self.rate):
                port.send(self.frame(number))
                number += 1
                self.sent = number
            time.sleep(0.0005)
        self.state = "started" if self.fault == "endless" else "stopped"

    def receive(self, ready: threading.Event) -> None:
        """Count the frames that come."""
        port = attached(self.places[self.sink])
        ready.set()
        quiet = time.monotonic() + self.seconds + 5
        while time.monotonic() < quiet:
            if not select.select([port], [], [], 0.1)[0]:
                continue
            data, address = port.recvfrom(2048)
            now = time.time_ns()
            if address[2] == OUTGOING or data[PAYLOAD_AT:][:4] != MAGIC:
                continue
            self.got += 1
            self.times.append(now)
            self.delays.append(now - struct.unpack(">Q", data[PAYLOAD_AT + 8 :][:8])[0])

    def metric(self) -> dict[str, Any]:
        """Return the flow's metrics, as OTG names them."""
        row = {"name": self.name, "port_tx": self.source, "port_rx": self.sink}
        row |= {"transmit": self.state, "frames_tx": self.sent, "frames_rx": self.got}
        if self.delays:
            ends = {"minimum_ns": min(self.delays), "maximum_ns": max(self.delays)}
            row["latency"] = ends | {"average_ns": sum(self.delays) / len(self.delays)}
            times = {"first_timestamp_ns": self.times[0], "last_timestamp_ns": self.times[-1]}
            row["timestamps"] = times
        return row


class Tester(otg_pb2_grpc.OpenapiServicer):  # type: ignore[misc]  # snappi has no types
    """The service: configure, start, tell."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.flow: Flow

    def SetConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Take a configuration."""
        if self.fault == "refuses":
            error = {"code": 13, "kind": "internal", "errors": ["port lan: no link"]}
            context.abort(grpc.StatusCode.INTERNAL, json.dumps(error))
        self.flow = Flow(plain(request.config), self.fault)
        return otg_pb2.SetConfigResponse(warning=otg_pb2.Warning())

    def SetControlState(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        """Start or stop it."""
        if plain(request.control_state)["traffic"]["flow_transmit"]["state"] == "start":
            self.flow.run()
        return otg_pb2.SetControlStateResponse(warning=otg_pb2.Warning())

    def GetMetrics(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        """Tell the flow's metrics."""
        response = otg_pb2.MetricsResponse()
        text = {"choice": "flow_metrics", "flow_metrics": [self.flow.metric()]}
        return otg_pb2.GetMetricsResponse(metrics_response=json_format.ParseDict(text, response))

    def GetVersion(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        """Tell the version."""
        version = otg_pb2.Version(app_version="0.1", api_spec_version="1.62.0")
        return otg_pb2.GetVersionResponse(version=version)


def plain(message: Any) -> dict[str, Any]:
    """Return a message as a dictionary, its names as in the model."""
    fields: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return fields


def main() -> None:
    """Serve until standard input ends."""
    server = grpc.server(futures.ThreadPoolExecutor(4))
    otg_pb2_grpc.add_OpenapiServicer_to_server(Tester("".join(sys.argv[1:])), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"grpc://127.0.0.1:{port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
