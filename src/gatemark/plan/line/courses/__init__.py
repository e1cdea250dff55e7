# SPDX-License-Identifier: Apache-2.0
"""Lines whose rate and delay change: their files, and what makes them."""
