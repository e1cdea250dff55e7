# SPDX-License-Identifier: Apache-2.0
"""Keep the processors from dozing off between packets while a trial runs.

A gateway's thread that waits for single packets would pay the way out of idle for each of them: in
a virtual machine 10 to 20 us beside 2.5 us of work (docs/measured.md), so its load would say more
about the machine's sleep than about forwarding.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REQUEST = Path("/dev/cpu_dma_latency")
NO_LATENCY_US = struct.pack("i", 0)


@contextmanager
def awake() -> Iterator[str]:
    """Ask for an exit latency of 0 (Documentation/power/pm_qos_interface.rst); yields what holds.

    The request lasts as long as the file is open, so it ends with us, however we end.
    """
    try:
        file = REQUEST.open("wb", buffering=0)
    except OSError:
        yield "as the machine has it"
        return
    with file:
        file.write(NO_LATENCY_US)
        yield "polling"
