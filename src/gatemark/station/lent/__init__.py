# SPDX-License-Identifier: Apache-2.0
"""The things that a host has of us for a while, and who has to know of it."""
