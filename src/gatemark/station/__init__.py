# SPDX-License-Identifier: Apache-2.0
"""Where to measure: benches, their wiring, their locks, and what a crash left."""
