# SPDX-License-Identifier: Apache-2.0
"""A gateway at a steady load for hours: what grows until it ends."""
