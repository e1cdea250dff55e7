# SPDX-License-Identifier: Apache-2.0
"""What a gateway draws: meters that a station file names in `[power]`."""
