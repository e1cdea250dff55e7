# SPDX-License-Identifier: Apache-2.0
"""Features by OpenWrt's own means, where it has some: files are named as those of any Linux.

What they stage is never committed, and their undo reverts it option by option (openwrt.py).
"""
