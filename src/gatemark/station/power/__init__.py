# SPDX-License-Identifier: Apache-2.0
"""The meters of a gateway's power that a station file names in `[power]`."""
