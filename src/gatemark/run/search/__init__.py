# SPDX-License-Identifier: Apache-2.0
"""Which trial next: searches for the highest rate, or the longest burst, within a criterion."""
