# SPDX-License-Identifier: Apache-2.0
"""Real applications: a call, a page, typing, played by the programs that people use."""

from typing import Final

# What its values are: the unit, words, and whether fewer is better where neither says so.
QUANTITIES: Final = {
    "call_mos": ("MOS", "opinion of a call, as G.711 would be heard"),
    "call_ear_ns": ("ns", "delay of a call from mouth to ear, with its play-out buffer"),
    "call_lost_share": ("ratio", "share of a call's packets that never came", True),
    "call_delay_p50_ns": ("ns", "median one-way delay of a call's packets"),
    "call_delay_p95_ns": ("ns", "95th percentile of the one-way delay of a call"),
    "call_frozen_share": ("ratio", "share of the time that a call's picture stood still", True),
    "call_frames_share": ("ratio", "share of a call's pictures that were shown"),
    "video_late_share": ("ratio", "share of a live video that came too late, or never", True),
    "letter_p50_ns": ("ns", "median time from a typed letter to its echo"),
    "letter_p95_ns": ("ns", "95th percentile of the time from a typed letter to its echo"),
    "letters_unseen_share": ("ratio", "share of typed letters without an echo in 1.5 s", True),
    "lookup_p50_ns": ("ns", "median time to look a name up"),
    "lookup_p95_ns": ("ns", "95th percentile of the time to look a name up"),
    "lookups_lost_share": ("ratio", "share of questions for names without an answer", True),
    "report_p50_ns": ("ns", "median time until a sensor's report is acknowledged"),
    "report_p95_ns": ("ns", "95th percentile of the time until a report is acknowledged"),
    "page_p50_ns": ("ns", "median time to load a page"),
    "page_p95_ns": ("ns", "95th percentile of the time to load a page"),
    "film_start_ns": ("ns", "time to a film's first picture"),
    "film_waiting_share": ("ratio", "share of the time that a film stood still", True),
    "film_rate_share": ("ratio", "bitrate of a film's picture, as share of the highest"),
    "game_answer_p95_ns": ("ns", "95th percentile of the time until a game shows what one did"),
    "game_late_share": ("ratio", "share of a game's snapshots that were late, or missing", True),
    "download_bps": ("bit/s", "rate of a download"),
}
