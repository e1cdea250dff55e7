# SPDX-License-Identifier: Apache-2.0
"""The outcome of a trial of addresses: who got one, how soon, and whose lease was renewed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.judge.math.nearest import percentile
from gatemark.kind.dhcp.load import NS_A_S, Host, Played, loads
from gatemark.kind.dhcp.plan import DHCP
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition, Scalar
from gatemark.store.series import Series
from gatemark.workload.way import Way

SHARES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
NAMED: Final = 5  # hosts whose names a record keeps


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of addresses alone."""
    del load
    return replace(both, l4="udp", quantity=DHCP, rate_layer="")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values. Raises InvalidTrialError where the tester itself lost answers."""
    played = _played(raw)
    if played.overflown:
        raise InvalidTrialError(
            f"the tester's own socket had no room for {played.overflown} answers: ask less"
        )
    if not any(host.offer_ns for host in played.hosts):
        raise InvalidTrialError(
            f"no server answered on {spec.arm.setup}: write a feature such as dhcp:dnsmasq"
        )
    return dict(values(played)), None


def values(played: Played) -> Iterator[tuple[str, float]]:
    """Yield rate, shares and times."""
    hosts = played.hosts
    leased = [host for host in hosts if host.lease]
    renewed = [host for host in leased if is_renewed(host)]
    asked = [host for host in leased if host.asked_ns]
    yield "dhcp_granted", (len(leased) + len(renewed)) / max(1, len(hosts) + len(asked))
    yield "dhcp_leased", len(leased) / len(hosts)
    yield "dhcp_leases_per_s", len(leased) * NS_A_S / max(1, played.leasing_ns)
    yield "dhcp_lost", played.lost / max(1, played.sent)
    yield "dhcp_refused", sum(host.refusals > 0 for host in hosts) / len(hosts)
    yield "dhcp_shared", float(len(shared(hosts)))
    offers = [float(host.offer_ns) for host in hosts if host.offer_ns]
    yield "dhcp_offer_p50_ns", percentile(offers, 0.5)
    waits = [float(host.lease.at_ns - host.first_ns) for host in leased if host.lease]
    again = [float(h.renewed.at_ns - h.asked_ns) for h in renewed if h.renewed]
    if asked:
        yield "dhcp_renewed", len(renewed) / len(asked)
    for name, sample in {"lease": waits, "renew": again}.items():
        for share, at in SHARES.items() if sample else ():
            yield f"dhcp_{name}_{share}_ns", percentile(sample, at)
    if times := [float(host.lease.lease_s) for host in leased if host.lease]:
        yield "dhcp_lasts_s", min(times)


def is_renewed(host: Host) -> bool:
    """Return whether the answer leases the same address for as long again."""
    old, new = host.lease, host.renewed
    return bool(old and new and new.address == old.address and new.lease_s >= old.lease_s)


def shared(hosts: Sequence[Host]) -> list[str]:
    """Return the addresses that two of them have."""
    counts = Counter(host.lease.address for host in hosts if host.lease)
    return [address for address, times in counts.items() if times > 1]


def evidence(raw: Raw) -> Mapping[str, Any]:
    """The fate of the hosts."""
    return {"service": named(_played(raw).hosts)}


def named(hosts: Sequence[Host]) -> dict[str, Scalar]:
    """Return who got no address, whose was not renewed and how, and which is of two hosts."""
    kept_out = [host for host in hosts if not host.lease]
    ended = [host for host in hosts if host.lease and host.asked_ns and not is_renewed(host)]
    how = Counter(_how(host) for host in ended)
    twice = shared(hosts)
    return {
        "hosts": len(hosts),
        "leases": len(hosts) - len(kept_out),
        "not leased": len(kept_out),
        "not leased, who": _who(kept_out),
        "not renewed": len(ended),
        "not renewed, who": _who(ended),
        "not renewed, how": how.most_common(1)[0][0] if how else "",
        "shared": len(twice),
        "shared, who": ", ".join(twice[:NAMED]),
    }


def _how(host: Host) -> str:
    if host.is_refused:
        return "refused"
    return "shorter" if host.renewed else "silent"


def _who(hosts: Sequence[Host]) -> str:
    """`100.64.0.21 of 02:67:...`, of the first ones."""
    names = [
        f"{host.lease.address} of {host.mac.hex(':')}" if host.lease else host.mac.hex(":")
        for host in hosts[:NAMED]
    ]
    return ", ".join([*names, "..."] if len(hosts) > NAMED else names)


def series(way: Way) -> Series:
    """When each host had its address, and how long it had waited for it."""
    hosts: Sequence[Host] = way.sender[DHCP].hosts
    leased = [(host.lease.at_ns, host.first_ns) for host in hosts if host.lease]
    return {"dhcp.lease.ns": ([at for at, _ in leased], [float(at - t0) for at, t0 in leased])}


def _played(raw: Raw) -> Played:
    played: Played = raw.ways[0].sender[DHCP]
    return played


KIND: Final = Kind(loads, define, outcome, series=series, evidence=evidence)
