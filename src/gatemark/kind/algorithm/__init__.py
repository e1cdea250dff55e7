# SPDX-License-Identifier: Apache-2.0
"""Kernels on the gateway's processor: their rates, what a packet takes of them, the platform."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "ops_s": ("operations/s", "operations of a kernel, by all its instances"),
    "ns": ("ns", "time of an operation of a kernel"),
    "dependent_ns": ("ns", "time of a look-up that waits for the one before"),
    "clock_hz": ("Hz", "the processor's clock, as a chain of operations tells it"),
    "cache_latency_ns": ("ns", "time of a load from the first cache"),
    "memory_latency_ns": ("ns", "time of a load from the largest memory that was tried"),
    "copy_bytes_per_s": ("bytes/s", "memory copied, read and written together"),
    "scale_bytes_per_s": ("bytes/s", "memory scaled, read and written together"),
    "add_bytes_per_s": ("bytes/s", "memory added, read and written together"),
    "triad_bytes_per_s": ("bytes/s", "memory scaled and added, read and written together"),
    "bytes_per_s": ("bytes/s", "bytes that a kernel works on, by all its instances"),
    "bytes": ("bytes", "size of a kernel's structure"),
    "peak_bytes": ("bytes", "memory that building a kernel's structure takes at most"),
    "states": ("states", "states of a kernel's automaton"),
    "false_positive_ratio": ("ratio", "share of absent keys that a filter says it has"),
    "build_s": ("s", "time to build a kernel's structure"),
    "repeats_spread_ratio": ("ratio", "from a kernel's fastest repeat to its slowest"),
    "instructions_each": ("instructions", "instructions of a kernel's operation"),
    "accesses_each": ("accesses", "loads and stores of a kernel's operation"),
    "l1_misses_each": ("misses", "modelled misses of the first data cache an operation"),
    "l2_misses_each": ("misses", "modelled misses of the second data cache an operation"),
}
