# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's own userland, built from its sources, and an image of it for the virtual gateway."""
