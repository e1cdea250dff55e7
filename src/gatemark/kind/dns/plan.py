# SPDX-License-Identifier: Apache-2.0
"""Names in a plan: how many a second are asked, and how many of them the gateway knows.

dnsperf on the LAN host asks the gateway, dnsmasq on the WAN host knows each answer. For
`duration_s`, `rate_pps` queries a second (0: 100 wait for an answer at a time); a share `cached`
(0.5) of them was asked before, each of the others is new. What answers on the gateway is a feature
of the arm, as `dns:dnsmasq`, or its own forwarder (docs/services.md).
"""

import shutil
from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.error import UnavailableError
from gatemark.kind.rules import Able, Listed, Rules
from gatemark.plan.feature import DIRECT, FORWARDING
from gatemark.plan.model import Arm, Plan, Workload

KIND_NAME: Final = "dns"  # of workload
DNS: Final = "name service"  # what a definition is about
NEEDS: Final = {"dnsperf": "dnsperf", "dnsmasq": "dnsmasq-base"}  # program -> package of Debian
MOST_PPS: Final = 200_000.0
MOST_S: Final = 120.0
AROUND_S: Final = 6.0  # the upstream starts, known names are asked once, the last answer is awaited
MOSTLY_S: Final = 1.5
PLACES: Final = "/usr/sbin:/sbin"


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 0 <= load.rate_pps <= MOST_PPS:
        yield f"`rate_pps` = {load.rate_pps:g}: 0 (100 at a time) to {MOST_PPS:g} queries a second"
    if not 0 <= load.cached <= 1:
        yield f"`cached` = {load.cached:g}: a share of the queries, 0 to 1"
    if not 1 <= load.duration_s <= MOST_S:
        yield f"`duration_s` = {load.duration_s:g}: 1 to {MOST_S:g} s"


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path in (*FORWARDING, DIRECT):
        return ""
    return f"`kind` = dns: the gateway of path {arm.path} has no names; write route or nat"


def lasts_s(load: Workload) -> float:
    """The time of the queries, and what is around it."""
    return load.duration_s + AROUND_S


def mostly_s(load: Workload) -> float:
    """The same where the gateway answers."""
    return load.duration_s + MOSTLY_S


def path(program: str) -> str | None:
    """Return where a program is; None: nowhere."""
    return shutil.which(program) or shutil.which(program, path=PLACES)


def require(plans: Iterable[Plan]) -> None:
    """Raise UnavailableError with the command that installs what these plans lack."""
    sent = (load for plan in plans for load in (plan.workload, *plan.beside.values()))
    if any(load.kind == KIND_NAME for load in sent):
        require_programs()


def require_programs() -> None:
    """Raise UnavailableError with the command that installs what is missing."""
    if fix := _fix():
        raise UnavailableError(f"names need programs that are not here: {fix}")


def able() -> Able:
    """Return whether names can be asked here, and the command that installs what is missing."""
    fix = _fix()
    return Able("names (DNS)", "no dnsperf or no dnsmasq" if fix else "can be asked", fix)


def _fix() -> str:
    lacking = sorted(package for program, package in NEEDS.items() if not path(program))
    return f"apt-get install --no-install-recommends {' '.join(lacking)}" if lacking else ""


KIND: Final = Rules(
    keys="duration_s rate_pps cached",
    yields=("dns_per_s", "dns_answered"),
    headlines={DNS: "dns_answered"},
    only={
        "direction": ("up", "the LAN host asks; write up"),
        "family": ("ipv4", "names are asked over ipv4 alone"),
        "driver": ("gatemark", "dnsperf asks always; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    mostly_s=mostly_s,
    streams=True,
    require=require,
    able=able,
    whole="{share} of the queries were answered",
    compared=True,
    listed=Listed(
        "Names: answered from the cache (hit) and by asking the WAN (miss), each with its own "
        "loss; a time is of what was answered",
        {
            "dns_per_s": "answered",
            "dns_lost": "lost",
            "dns_refused": "refused",
            "dns_hit_p50_ns": "hit p50",
            "dns_hit_p95_ns": "p95",
            "dns_hit_p99_ns": "p99",
            "dns_hit_lost": "hits lost",
            "dns_miss_p50_ns": "miss p50",
            "dns_miss_p95_ns": "miss p95",
            "dns_miss_p99_ns": "miss p99",
            "dns_miss_lost": "misses lost",
        },
    ),
)
