# SPDX-License-Identifier: Apache-2.0
"""What is sent beside a flow, in words: `uploads: 4 TCP streams up, cubic, from 3 s on, for 16 s`.

A definition has it as keys that are not their kind's defaults (plan/workloads.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gatemark.report.words.traffic import way

DEFAULT: Final = "up"  # a direction that is not written
KNOWN: Final = ("kind", "direction", "streams", "congestion", "trace", "start_s", "duration_s")
KNOWN_RATES: Final = {"rate_pps": "packets/s", "rate_bps": "bit/s of payload"}
NAMES: Final = {"tcp": "TCP", "udp": "UDP", "replay": "replay", "responsiveness": "HTTP"}


def beside(texts: Iterable[str]) -> str:
    """All of a definition, one behind the other."""
    return "; ".join(map(_workload, texts))


def _workload(text: str) -> str:
    name, _, rest = text.partition(": ")
    kind, *pairs = rest.split(" ")
    keys = {key: value for key, _, value in (pair.partition("=") for pair in pairs)}
    return f"{name}: {', '.join(_parts(kind, keys))}"


def _parts(kind: str, keys: Mapping[str, str]) -> Iterator[str]:
    yield f"{_what(kind, keys)} {way(keys.get('direction', DEFAULT))}"
    if congestion := keys.get("congestion"):
        yield congestion
    for key, unit in KNOWN_RATES.items():
        if key in keys:
            yield f"{float(keys[key]):g} {unit}"
    if "start_s" in keys:
        yield f"from {float(keys['start_s']):g} s on"
    if "duration_s" in keys:
        yield f"for {float(keys['duration_s']):g} s"
    others = [key for key in keys if key not in (*KNOWN, *KNOWN_RATES)]
    yield from (f"{key.replace('_', ' ')} {keys[key]}" for key in others)


def _what(kind: str, keys: Mapping[str, str]) -> str:
    if kind == "replay":
        return keys.get("trace", "game")
    count = int(keys.get("streams", "1"))
    if kind == "tcp":
        return f"{count} TCP stream{'' if count == 1 else 's'}"
    return NAMES.get(kind, kind)
