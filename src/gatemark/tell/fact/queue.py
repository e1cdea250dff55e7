# SPDX-License-Identifier: Apache-2.0
"""Why a queue differs from the arithmetic of a full buffer, a sentence each."""

from typing import Final

from gatemark.tell.fact.say import Entries

ENTRIES: Final[Entries] = {
    "queue.alone": "without a load ({names})",
    "queue.earlier": "before the load began",
    "queue.before": "The load fills {share:.0%} of the line and waits longer than its buffer is: "
    "the queue is in the gateway, before line and shaper, for a CPU or a port.",
    "queue.own": "The gateway's own queue ({names}) holds the load: the line's buffer stays empty.",
    "queue.too": "The gateway queues itself ({names}), so the line's buffer is not all that waits.",
    "queue.oldest": "The oldest packet is dropped, so TCP hears of a full buffer sooner than "
    "expected.",
    "queue.managed": "{aqm} drops before the buffer is full, so the arithmetic of a full one "
    "fails.",
    "queue.window": "The line dropped nothing: TCP's window, or a socket's buffer, is less than "
    "its buffer.",
    "queue.paces": "{congestion} paces by the rate that it measures and does not fill a buffer "
    "until it overflows, so no sawtooth is expected.",
    "queue.small-packets": "While the buffer is full the flow's small packets are the ones that "
    "find no place, so it holds more full frames than arrive on average.",
    "queue.another": "More waits than the line's buffer holds: there is another queue before it.",
    "queue.delayed": "The period is twice the expected: every second segment alone is "
    "acknowledged.",
    "queue.streams": "The {streams} streams do not back off at once, so the queue falls less than "
    "that of a single one.",
    "queue.cubic": "cubic stays long near the window of its last loss: the mean lies above the "
    "middle.",
    "queue.slower": "A round trip grows with the queue, so TCP grows ever more slowly: the mean "
    "lies high.",
}
