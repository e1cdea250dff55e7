# SPDX-License-Identifier: Apache-2.0
"""Forward names as a gateway does, and lose every tenth query under load: a planted fault."""

import select
import socket
import sys
import time

BUSY = 150  # queries in a second: from there on it is under load
EACH = 10
ROOM = 4 << 20

own, upstream = sys.argv[1:]
lan, wan = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
for each in (lan, wan):
    each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
lan.bind((own, 53))
wan.connect((upstream, 5300))
sys.stdout.write("forwards\n")
sys.stdout.flush()
asked: dict[bytes, tuple[bytes, tuple[str, int]]] = {}
recent: list[float] = []
count = 0
while True:
    for ready in select.select([lan, wan], [], [])[0]:
        data, host = ready.recvfrom(2048)
        if ready is wan:
            if who := asked.pop(data[:2], None):
                lan.sendto(who[0] + data[2:], who[1])
            continue
        count += 1
        recent = [*recent[-BUSY:], time.monotonic()]
        if recent[-1] - recent[0] < 1 and len(recent) > BUSY and count % EACH == 0:
            continue
        key = (count % 65536).to_bytes(2, "big")
        asked[key] = (data[:2], host)
        wan.send(key + data[2:])
