# SPDX-License-Identifier: Apache-2.0
"""The feature `irq:TO`: which of the gateway's CPUs takes the interrupts of its test ports.

    first, last   that CPU those of all ports
    spread        each port's a CPU of its own, as far as there are some

Source: Documentation/core-api/irq/irq-affinity.rst.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.port import steering
from gatemark.node.quoted import sh, shell
from gatemark.node.reader import reader

NONE: Final = "its ports have no interrupts that could be moved"
# Of a card, or of the bus device below a virtio card; one without message interrupts has one line.
NUMBERS: Final = """
cd -P /sys/class/net/{port}/device 2> /dev/null || exit 0
for device in . ..; do
  if ls $device/msi_irqs 2> /dev/null; then exit 0; fi
done
[ ! -s irq ] || cat irq
"""
AFFINITY: Final = "/proc/irq/{}/smp_affinity_list"


async def apply(asked: Asked) -> None:
    """Write `smp_affinity_list` of each interrupt."""
    (to,) = asked.arguments
    cpus = steering.online(await asked.gateway.run("cat", steering.ONLINE))
    if len(cpus) < 2:
        raise UnavailableError(steering.ONE_CPU)
    wanted = {}
    for at, port in enumerate(asked.ports):
        cpu = {"first": cpus[0], "last": cpus[-1]}.get(to, cpus[at % len(cpus)])
        for number in numbers(await asked.gateway.run(*sh(shell(NUMBERS, port=port)))):
            wanted[AFFINITY.format(number)] = str(cpu)
    if not wanted:
        raise UnavailableError(NONE)
    await sysctl.write(asked.gateway, asked.changes, wanted)


@reader("the interrupts of its ports")
def numbers(text: str) -> list[int]:
    """Return the numbers of interrupts, in order."""
    return sorted(int(word) for word in text.split() if int(word) > 0)
