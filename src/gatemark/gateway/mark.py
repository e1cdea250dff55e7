# SPDX-License-Identifier: Apache-2.0
"""The mark of packets that go first: bits of a packet's own, which no packet takes with it.

Who decides, marks (`classify`, `act`); who has queues, looks at it (`shape:...:first=marked`). The
value is CAKE's tin too: of three tins the third one is voice's, of four it is video's
(sch_cake.c, cake_select_tin()).
"""

from typing import Final

VALUE: Final = 0x30
MASK: Final = 0xF0
WORD: Final = f"{VALUE:#x}/{MASK:#x}"  # as iptables, tc and gm-classifier have it
IS_SET: Final = f"meta mark & {MASK:#x} == {VALUE:#x}"  # of nft
SET: Final = f"meta mark set meta mark & {0xFFFFFFFF ^ MASK:#x} | {VALUE:#x}"
