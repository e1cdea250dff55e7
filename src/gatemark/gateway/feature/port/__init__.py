# SPDX-License-Identifier: Apache-2.0
"""Features that set how the test ports themselves work: merging, interrupts, timers, queues."""
