# SPDX-License-Identifier: Apache-2.0
"""TCP in a plan: writes, streams, socket buffers.

`write_bytes` (131 072: of one write and one read), `streams` (1) for each direction,
`socket_buffer_bytes` (0: the kernel tunes it), `congestion` (`cubic`), `settle_s` (0: time sent
before counting begins, in addition to `duration_s`), `offload` (false; on the path `direct` only:
segmentation offload at the tester's ports).
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan.model import Workload
from gatemark.plan.sane import LONGEST_TRIAL_S, congestion

MOST_STREAMS: Final = 256
LARGEST_WRITE_BYTES: Final = 16 << 20
LARGEST_BUFFER_BYTES: Final = 1 << 30


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 1 <= load.write_bytes <= LARGEST_WRITE_BYTES:
        yield f"`write_bytes` = {load.write_bytes}: 1 to {LARGEST_WRITE_BYTES}"
    if not 1 <= load.streams <= MOST_STREAMS:
        yield f"`streams` = {load.streams}: 1 to {MOST_STREAMS}"
    if not 0 <= load.settle_s <= LONGEST_TRIAL_S:
        yield f"`settle_s` = {load.settle_s:g}: 0 (count at once) to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.socket_buffer_bytes <= LARGEST_BUFFER_BYTES:
        yield (
            f"`socket_buffer_bytes` = {load.socket_buffer_bytes}: 0 (tuned by the kernel) to "
            f"{LARGEST_BUFFER_BYTES}"
        )
    yield from congestion(load)


KIND: Final = Rules(
    keys="duration_s write_bytes streams socket_buffer_bytes congestion settle_s offload dscp",
    hairpins=True,
    yields=("goodput_bps", "retransmits", "rtt_p50_ns", "evidence.sender_cpu"),
    headlines={"goodput": "goodput_bps"},
    faults=faults,
    streams=True,
    is_labelled=True,
)
