# SPDX-License-Identifier: Apache-2.0
"""The search for the best setting: every combination of what may be set, as arms of a plan."""
