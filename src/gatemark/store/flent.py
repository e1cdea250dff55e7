# SPDX-License-Identifier: Apache-2.0
"""A data file of flent (flent/resultset.py, format 4): goodput of its TCP streams."""

from statistics import fmean
from typing import Any, Final

from gatemark.store.measured import OF_PATH, UNKNOWN, Measured
from gatemark.store.record import Definition

TOOL: Final = "flent"
NEWEST: Final = 4  # version of the format
RATE_UNITS: Final = "Mbits/s"
WAYS: Final = ("upload", "download")
# What netperf was told is in no data file.
UNTOLD: Final = OF_PATH | {"write_bytes", "socket_buffer_bytes", "offload"}


def is_of(document: dict[str, Any]) -> bool:
    """Return whether a document is a data file of flent."""
    return {"metadata", "results", "x_values"} <= document.keys()


def read(document: dict[str, Any]) -> Measured:
    """One test. Raises ValueError, with a reason for the user, where it has no rate of TCP."""
    meta = document["metadata"]
    if int(document.get("version", 1)) > NEWEST:
        raise ValueError(f"its format is newer than {NEWEST}: update gatemark")
    rates = _rates(document)
    ways = {way for name in rates for way in WAYS if way in name.lower()}
    if not rates:
        raise ValueError(f"flent's test {meta.get('NAME')} has no rate of TCP streams")
    if len(ways) > 1:
        raise ValueError("it has both directions at once: measure one after the other")
    about = meta.get("SERIES_META", {})
    controls = {about.get(name, {}).get("CONG_CONTROL") for name in rates} - {None, ""}
    definition = Definition(
        quantity="goodput",
        path=UNKNOWN,
        direction=UNKNOWN,
        family="ipv6" if meta.get("IP_VERSION") == 6 else "ipv4",
        l4="tcp",
        streams=len(rates),
        congestion=str(*controls) if len(controls) == 1 else UNKNOWN,
        driver=TOOL,
        rate_layer="l4",
        duration_s=float(meta["LENGTH"]),
    )
    return Measured(
        tool=f"{TOOL} {meta.get('FLENT_VERSION', UNKNOWN)}",
        values={"goodput_bps": sum(rates.values()) * 1e6},
        definition=definition,
        unknown=UNTOLD | (set() if len(controls) == 1 else {"congestion"}),
    )


def _rates(document: dict[str, Any]) -> dict[str, float]:
    """Series of a TCP stream -> its mean, Mbit/s: of the whole test, as netperf counted it.

    Sums that flent computed have no raw values.
    """
    about = document["metadata"].get("SERIES_META", {})
    means = {}
    for name, series in document["results"].items():
        units = about.get(name, {}).get("UNITS", RATE_UNITS if "ms" not in name else "")
        numbers = [float(value) for value in series if value is not None]
        is_stream = name.startswith("TCP ") and name in document["raw_values"]
        if is_stream and units == RATE_UNITS and numbers:
            means[name] = float(about.get(name, {}).get("MEAN_VALUE") or fmean(numbers))
    return means
