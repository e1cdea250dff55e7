# SPDX-License-Identifier: Apache-2.0
"""A comparison of a gateway's settings before and after a run.

Two things stay that nobody can take back: a port that was never up has the queue that the kernel
gave it as it came up first, and a module that rules called for is loaded, with its sysctls.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping

OF_MODULES = ("conntrack_max", "conntrack_buckets")  # settings that are not there without
LOADED = "our rules made its kernel load connection tracking, which it keeps until it restarts"
QDISC = re.compile(r" qdisc \S+")
DEVICE = re.compile(r"^\d+: ([^:@]+)[^<]*<([^>]*)>", re.M)


def unlike(was: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the settings that differ, by their name: before, and now."""
    old, new = _comparable(was, was), _comparable(now, was)
    pairs = {key: (old.get(key, ""), new.get(key, "")) for key in dict.fromkeys((*old, *new))}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def differences(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the differences of two settings, a line each; none where they are the same."""
    other = unlike(was, now)
    loaded = [LOADED] if _absent(was) - _absent(now) else []
    return [*loaded, f"the gateway is not as it was: {first(other)}"] if other else loaded


def first(other: Mapping[str, tuple[str, str]]) -> str:
    """All names of `unlike`, and the first line that differs."""
    return f"{', '.join(other)}: {_first_difference(*next(iter(other.values())))}"


def _absent(settings: Mapping[str, str]) -> set[str]:
    return {key for key in OF_MODULES if not settings.get(key)}


def _comparable(settings: Mapping[str, str], was: Mapping[str, str]) -> dict[str, str]:
    """Settings without what came with a module, and without the queues of ports that were down."""
    kept_settings = {key: text for key, text in settings.items() if key not in _absent(was)}
    links = DEVICE.findall(was.get("interfaces", ""))
    down = {name for name, flags in links if "UP" not in flags.split(",")}
    names = {line.split()[0] for line in was.get("sysctls", "").splitlines()}
    keep: dict[str, Callable[[list[str]], bool]] = {
        "qdiscs": lambda words: not down & {*words},
        "sysctls": lambda words: words[0] in names,
    }
    for key, kept in keep.items():
        if key in kept_settings:
            lines = (line.rstrip() for line in kept_settings[key].splitlines())
            kept_settings[key] = "\n".join(line for line in lines if kept(line.split()))
    if "interfaces" in kept_settings:
        kept_settings["interfaces"] = QDISC.sub("", kept_settings["interfaces"])
    return kept_settings


def _first_difference(was: str, now: str) -> str:
    """The first line of each that the other has not."""
    old, new = Counter(was.splitlines()), Counter(now.splitlines())  # one may be there twice
    gone, come = (
        next((line.strip() for line in lines), "nothing") for lines in (old - new, new - old)
    )
    return f"'{gone}' became '{come}'"
