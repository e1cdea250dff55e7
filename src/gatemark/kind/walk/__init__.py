# SPDX-License-Identifier: Apache-2.0
"""One packet at a time, and what the gateway executes for it."""
